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

CREATING: Final = "creating"
_UNPROCESSABLE: Final = 422


def due(at: At[Any], volume: Mapping[str, Any], cloud: Cloud) -> Step | None:
    """Bring the backup one call nearer; None: it is there. Raises CloudError."""
    if is_moving(volume):
        return poll(at.data)
    refuse_in_use(volume)
    id = at.data.get("backup") or found(at.owned, at.name, cloud)
    if id is None:
        body = backup_body(at.owned, at.name, force=False)
        made = cloud.volume.post("/backups", {"backup": body})["backup"]
        return Next(data={"backup": made["id"]})
    backup = cloud.volume.get(f"/backups/{id}")["backup"]
    if backup["status"] == CREATING:
        return poll({**at.data, "backup": id})
    if backup["status"] != AVAILABLE:
        raise failed(backup)
    return None


def backup_body(volume: str, name: str, *, force: bool) -> dict[str, Any]:
    """Return what a backup is asked for with; ``force``: also of a volume in use."""
    nothing = dict.fromkeys(("container", "description", "snapshot_id"))
    return {"volume_id": volume, "name": name, "incremental": False, "force": force, **nothing}


def found(volume: str, name: str, cloud: Cloud) -> str | None:
    """Return the id of the volume's backup of this name, unless that went wrong."""
    rows = cloud.volume.get("/backups/detail", volume_id=volume, name=name)["backups"]
    return next((str(row["id"]) for row in rows if row["status"] != "error"), None)


def failed(backup: Mapping[str, Any]) -> CloudError:
    """Return what is told of a backup that went wrong."""
    text = f"Volume backup failed: {backup['id']} is in status {backup['status']}"
    return CloudError(text, service="block-storage", status=_UNPROCESSABLE)
