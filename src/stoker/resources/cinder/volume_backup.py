"""The backup of a volume whose data are to be kept (``deletion_policy: Snapshot``).

Rule: it carries the volume's physical name, by which it is found where an answer was lost; one
that went wrong is left where it is, and another one is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stoker.errors import CloudError
from stoker.resources.cinder.volume_state import AVAILABLE, is_moving, refuse_in_use
from stoker.resources.polling import poll
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Next, Step

_CREATING: Final = "creating"
_UNPROCESSABLE: Final = 422


def due(at: At[Any], volume: Mapping[str, Any], cloud: Cloud) -> Step | None:
    """Bring the backup one call nearer; None: it is there. Raises CloudError."""
    if is_moving(volume):
        return poll(at.data)
    refuse_in_use(volume)
    id = at.data.get("backup") or _found(at, cloud)
    if id is None:
        made = cloud.volume.post("/backups", {"backup": _body(at)})["backup"]
        return Next(data={"backup": made["id"]})
    backup = cloud.volume.get(f"/backups/{id}")["backup"]
    if backup["status"] == _CREATING:
        return poll({**at.data, "backup": id})
    if backup["status"] != AVAILABLE:
        text = f"Volume backup failed: {id} is in status {backup['status']}"
        raise CloudError(text, service="block-storage", status=_UNPROCESSABLE)
    return None


def _body(at: At[Any]) -> dict[str, Any]:
    nothing = dict.fromkeys(("container", "description", "snapshot_id"))
    return {"volume_id": at.owned, "name": at.name, "incremental": False, "force": False, **nothing}


def _found(at: At[Any], cloud: Cloud) -> str | None:
    rows = cloud.volume.get("/backups/detail", volume_id=at.owned, name=at.name)["backups"]
    return next((str(row["id"]) for row in rows if row["status"] != "error"), None)
