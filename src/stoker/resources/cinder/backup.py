"""The backup of a volume that a snapshot keeps.

Rule: it carries the physical name of the copy, by which it is found where an answer was lost.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from stoker.errors import CloudError, CloudNotFound
from stoker.resources.cinder.volume_backup import CREATING, backup_body, failed, found
from stoker.resources.cinder.volume_state import AVAILABLE, is_moving
from stoker.resources.polling import poll
from stoker.sdk.cloud import Cloud
from stoker.sdk.copies import CopyProps
from stoker.sdk.resource import At, Done, Next, Resource, Step

_MOVING: Final = frozenset({"creating", "deleting", "restoring"})
_ERROR_DELETING: Final = "error_deleting"
_UNPROCESSABLE: Final = 422


class Backup(Resource[CopyProps]):
    type_name = "a backup of OS::Cinder::Volume"
    since = "1"
    doc = "The backup of a volume."
    Props = CopyProps
    service = "block-storage"

    def find(self, at: At[CopyProps], cloud: Cloud) -> Next | None:
        id = found(at.props.source, at.name, cloud)
        return None if id is None else Next(id=id)

    def create(self, at: At[CopyProps], cloud: Cloud) -> Step:
        if at.id is not None:
            return self._made(at, cloud)
        volume = cloud.volume.get(f"/volumes/{at.props.source}")["volume"]
        if is_moving(volume):
            return poll(at.data)
        body = backup_body(at.props.source, at.name, force=True)
        made = cloud.volume.post("/backups", {"backup": body})["backup"]
        return Next(id=made["id"])

    def delete(self, at: At[CopyProps], cloud: Cloud) -> Step:
        """Ask for the deletion, then wait for Cinder's own 404."""
        if at.id is None:
            return Done()
        try:
            backup: dict[str, Any] = cloud.volume.get(f"/backups/{at.id}")["backup"]
        except CloudNotFound:
            return Done()
        if backup["status"] in _MOVING:
            return poll(at.data)
        if at.data.get("asked") and backup["status"] == _ERROR_DELETING:
            text = f"the backup {at.id} went to status {backup['status']}"
            raise CloudError(text, service="block-storage", status=_UNPROCESSABLE)
        with suppress(CloudNotFound):
            cloud.volume.remove(f"/backups/{at.id}")
        return poll({**at.data, "asked": True})

    def _made(self, at: At[CopyProps], cloud: Cloud) -> Step:
        backup = cloud.volume.get(f"/backups/{at.id}")["backup"]
        if backup["status"] == CREATING:
            return poll(at.data)
        if backup["status"] != AVAILABLE:
            raise failed(backup)
        return Done()
