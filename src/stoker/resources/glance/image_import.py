"""Having an image's data fetched, and knowing when that has failed.

Rule: Glance puts a failed image back to ``queued``, which is where it began; so what tells is
that it had been seen on its way, or what Glance says of its tasks (where it says so), and in
the end that nothing has begun for long.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stoker.errors import CloudError
from stoker.resources.glance.image_props import WebImageProps
from stoker.resources.polling import poll
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Wait

_THERE: Final = frozenset({"active", "deactivated"})
_DEAD: Final = frozenset({"killed", "deleted", "pending_delete"})
_QUEUED: Final = "queued"
_UNDER_WAY: Final = frozenset({"pending", "processing"})
_MOST_QUEUED: Final = 20
"""Looks at an image that stays queued, where Glance tells nothing of its tasks."""
_NO_TASKS: Final = (403, 404)
_UNPROCESSABLE: Final = 422


def import_step(at: At[WebImageProps], image: Mapping[str, Any], cloud: Cloud) -> Wait | None:
    """Have the data fetched once, then wait for it; None when it is there."""
    status = image["status"]
    if status in _THERE:
        return None
    if status in _DEAD:
        raise _failed(image, f"it went to status {status}")
    if status != _QUEUED:
        return poll({**at.data, "begun": True})
    if at.data.get("begun"):
        raise _failed(image, _reason(at.owned, cloud) or "see Glance's log")
    if at.data.get("asked"):
        return _still_queued(at, image, cloud)
    method = {"name": "web-download", "uri": at.props.location}
    cloud.image.post(f"/images/{at.owned}/import", {"method": method})
    return poll({"asked": True})


def _still_queued(at: At[WebImageProps], image: Mapping[str, Any], cloud: Cloud) -> Wait:
    task = _last_task(at.owned, cloud)
    if task.get("status") == "failure":
        raise _failed(image, str(task.get("message")))
    is_told = task.get("status") in _UNDER_WAY
    if not is_told and int(at.data.get("polls", 0)) > _MOST_QUEUED:
        raise _failed(image, "Glance has not begun with it")
    return poll(at.data)


def _reason(image_id: str, cloud: Cloud) -> str:
    return str(_last_task(image_id, cloud).get("message") or "")


def _last_task(image_id: str, cloud: Cloud) -> Mapping[str, Any]:
    """Return the newest task of an image; empty where Glance tells none."""
    try:
        tasks = cloud.image.get(f"/images/{image_id}/tasks")["tasks"]
    except CloudError as e:
        if e.status not in _NO_TASKS:
            raise
        return {}
    return max(tasks, key=lambda task: str(task.get("created_at")), default={})


def _failed(image: Mapping[str, Any], why: str) -> CloudError:
    """Return the error of an image that no repeat would make: its address is what it is."""
    text = f"the image {image['id']} could not be fetched: {why}"
    return CloudError(text, service="image", status=_UNPROCESSABLE)
