"""The images of a new cloud: public ones, owned by the project ``admin``.

Rule: they are named as people name theirs, and small: nothing boots from them.
"""

from __future__ import annotations

from stoker.devcloud import clock
from stoker.devcloud.cloud import Cloud, new_id
from stoker.devcloud.glance.contents import fill
from stoker.devcloud.glance.image import IMAGE
from stoker.devcloud.state import Doc

NAMES = ("ubuntu-24.04", "cirros-0.6.2-x86_64-disk", "Fedora-Cloud-Base-40")


def seed(cloud: Cloud) -> None:
    """Put the images in place."""
    owners = cloud.state.list("identity.project", name="admin")
    now = clock.iso(cloud.now())
    for name in NAMES:
        data = f"devcloud image {name}\n".encode()
        image: Doc = {
            "id": new_id(),
            "name": name,
            "disk_format": "qcow2",
            "container_format": "bare",
            "virtual_size": None,
            "visibility": "public",
            "protected": False,
            "min_ram": 0,
            "min_disk": 0,
            "os_hidden": False,
            "owner": owners[0]["id"],
            "created_at": now,
            "updated_at": now,
            "tags": [],
        }
        cloud.state.put_blob(image["id"], data)
        cloud.state.insert(IMAGE, fill(image, data))
