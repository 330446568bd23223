"""The image of a server whose data are to be kept (``deletion_policy: Snapshot``).

Rule: it carries the server's physical name, by which it is found where an answer was lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stoker.errors import CloudError
from stoker.resources.nova.server_state import ACTIVE, ERROR, is_moving
from stoker.resources.polling import poll
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Next, Step

_COMING: Final = frozenset({"queued", "saving", "importing", "uploading"})
_DEAD: Final = frozenset({"killed", "deleted", "pending_delete"})
_UNPROCESSABLE: Final = 422


def due(at: At[Any], server: Mapping[str, Any], cloud: Cloud) -> Step | None:
    """Bring the image one call nearer; None: it is there. Raises CloudError."""
    if is_moving(server):
        return poll(at.data)
    id = at.data.get("image") or _found(at, cloud)
    if id is None:
        return _asked(at, server, cloud)
    image = cloud.image.get(f"/images/{id}")
    if image["status"] in _COMING:
        return poll({**at.data, "image": id})
    if str(image["status"]).upper() != ACTIVE:
        raise _failed(f"the image {id} is in status {image['status']}")
    return None


def _asked(at: At[Any], server: Mapping[str, Any], cloud: Cloud) -> Step:
    if server["status"] == ERROR:  # Nova would say that it is busy
        raise _failed("no image can be taken of a server in status ERROR")
    body = {"createImage": {"name": at.name, "metadata": {}}}
    made = cloud.compute.post(f"/servers/{at.owned}/action", body)
    return Next(data={"image": made["image_id"]} if "image_id" in made else at.data)


def _found(at: At[Any], cloud: Cloud) -> str | None:
    rows = cloud.image.get("/images", name=at.name)["images"]
    return next((str(row["id"]) for row in rows if row["status"] not in _DEAD), None)


def _failed(text: str) -> CloudError:
    return CloudError(text, service="compute", status=_UNPROCESSABLE)
