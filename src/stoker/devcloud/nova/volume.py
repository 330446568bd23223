"""What Nova does to volumes: it finds them, takes them in use and gives them back.

The rule: a volume is a document of the volume service; this module alone touches it here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.cloud import new_id
from stoker.devcloud.nova import problem

if TYPE_CHECKING:
    from stoker.devcloud.nova.ask import Ask
    from stoker.devcloud.state import Doc, State

KIND = "volume.volume"
_FREE = ("available", "reserved")


def find(ask: Ask, id: str) -> Doc | None:
    """Give the caller's volume with an id, or None."""
    volume = ask.state.get(KIND, id)
    if volume is None or ask.caller.is_admin:
        return volume
    return volume if _project(volume) in ("", ask.caller.project_id) else None


def take(state: State, server: Doc, volume: Doc, device: str, tag: str | None) -> Doc:
    """Attach a volume and give what the server notes of it."""
    attachment = {
        "id": new_id(),
        "bdm_uuid": new_id(),
        "volume_id": volume["id"],
        "device": device,
        "tag": tag,
        "delete_on_termination": False,
    }
    shown = {
        "id": volume["id"],
        "attachment_id": attachment["id"],
        "volume_id": volume["id"],
        "server_id": server["id"],
        "host_name": None,
        "device": device,
    }
    attached = [*(volume.get("attachments") or []), shown]
    state.update(KIND, {**volume, "status": "in-use", "attachments": attached})
    return attachment


def give_back(state: State, server: Doc, attachment: Doc, *, is_deleted: bool) -> None:
    """Detach a volume; delete it where it was to go with its server."""
    volume = state.get(KIND, attachment["volume_id"])
    if volume is None:
        return
    if is_deleted and attachment["delete_on_termination"]:
        state.delete(KIND, volume["id"])
        return
    left = [a for a in volume.get("attachments") or [] if a["server_id"] != server["id"]]
    status = "in-use" if left else "available"
    state.update(KIND, {**volume, "status": status, "attachments": left})


def check_free(volume: Doc) -> None:
    """Refuse a volume that is attached, or otherwise not available."""
    attached = [a["server_id"] for a in volume.get("attachments") or []]
    if attached:
        raise problem.bad_request(
            f"Invalid volume: volume {volume['id']} is already attached to instances:"
            f" {', '.join(attached)}"
        )
    if volume.get("status") not in _FREE:
        raise problem.bad_request(
            f"Invalid volume: volume '{volume['id']}' status must be 'available' or 'in-use'."
            f" Currently in '{volume.get('status')}'"
        )


def make(ask: Ask, size: int, image: Doc | None) -> Doc:
    """Make the volume that a server boots from, or that it gets blank."""
    volume = {
        "id": new_id(),
        "name": "",
        "description": "",
        "size": size,
        "status": "available",
        "bootable": "true" if image else "false",
        "volume_type": None,
        "availability_zone": "nova",
        "attachments": [],
        "metadata": {},
        "multiattach": False,
        "encrypted": False,
        "snapshot_id": None,
        "source_volid": None,
        "user_id": ask.caller.user_id,
        "project_id": ask.caller.project_id,
        "os-vol-tenant-attr:tenant_id": ask.caller.project_id,
        "created_at": ask.now().rstrip("Z") + ".000000",
        "updated_at": None,
    }
    return ask.state.insert(KIND, volume)


def _project(volume: Doc) -> str:
    return str(volume.get("project_id") or volume.get("os-vol-tenant-attr:tenant_id") or "")
