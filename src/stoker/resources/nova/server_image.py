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
    id = at.data.get("image") or found(at.name, cloud)
    if id is None:
        made = make(server, at.name, cloud)
        return Next(data=at.data if made is None else {"image": made})
    image = cloud.image.get(f"/images/{id}")
    if is_coming(image):
        return poll({**at.data, "image": id})
    if not is_there(image):
        raise not_active(image)
    return None


def make(server: Mapping[str, Any], name: str, cloud: Cloud) -> str | None:
    """Ask for an image of the server; return its id, None where Nova does not tell it."""
    if server["status"] == ERROR:  # Nova would say that it is busy
        raise _failed("no image can be taken of a server in status ERROR")
    body = {"createImage": {"name": name, "metadata": {}}}
    made = cloud.compute.post(f"/servers/{server['id']}/action", body)
    return str(made["image_id"]) if "image_id" in made else None


def found(name: str, cloud: Cloud) -> str | None:
    """Return the id of the image of this name, unless that is dead."""
    rows = cloud.image.get("/images", name=name)["images"]
    return next((str(row["id"]) for row in rows if row["status"] not in _DEAD), None)


def is_coming(image: Mapping[str, Any]) -> bool:
    """Tell whether its data are on their way."""
    return image["status"] in _COMING


def is_there(image: Mapping[str, Any]) -> bool:
    """Tell whether a server can be made of it."""
    return bool(str(image["status"]).upper() == ACTIVE)


def not_active(image: Mapping[str, Any]) -> CloudError:
    """Return what is told of an image that went wrong."""
    return _failed(f"the image {image['id']} is in status {image['status']}")


def _failed(text: str) -> CloudError:
    return CloudError(text, service="compute", status=_UNPROCESSABLE)
