"""Attachments as documents: a volume reserved for a server, connected, given back.

The rule: a volume's status follows from its attachments; Nova attaches through these functions as
the attachments API does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.devcloud.cinder import problem, progress, quota
from stoker.devcloud.cinder.ask import moment
from stoker.devcloud.cloud import new_id
from stoker.devcloud.state import index

if TYPE_CHECKING:
    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.state import Doc, State

KIND = "volume.attachment"
_VOLUME = quota.VOLUME
_ORDER = (("attached", "in-use"), ("attaching", "attaching"), ("reserved", "reserved"))

index(KIND, "volume_id")
index(KIND, "instance")


def of(state: State, volume_id: str) -> list[Doc]:
    """Give a volume's attachments."""
    return state.list(KIND, where={"volume_id": volume_id})


def reserve(cloud: Cloud, volume: Doc, instance: str | None, mode: str = "rw") -> Doc:
    """Reserve a volume for a server; refuse one that is not free."""
    check_free(cloud.state, volume)
    attachment = {
        "id": new_id(),
        "project_id": volume["project_id"],
        "volume_id": volume["id"],
        "instance": instance,
        "attach_status": "reserved",
        "attach_mode": mode,
        "attached_host": None,
        "device": None,
        "attached_at": None,
        "connection_info": {},
    }
    cloud.state.insert(KIND, attachment)
    _follow(cloud, volume["id"])
    return attachment


def check_free(state: State, volume: Doc) -> None:
    """Refuse a volume that cannot be reserved."""
    status = volume["status"]
    if status == "available" or (volume["multiattach"] and status == "in-use"):
        return
    ids = [str(each["instance"]) for each in of(state, volume["id"]) if each["instance"]]
    raise problem.invalid(
        "volume",
        f"status must be available or downloading to reserve, but the current status is {status}."
        if not ids
        else f"volume {volume['id']} is already attached to: {', '.join(ids)}",
    )


def connect(cloud: Cloud, attachment: Doc, host: str | None, device: str | None) -> Doc:
    """Hand out what a host needs to reach the volume."""
    info = {
        "driver_volume_type": "devcloud",
        "attachment_id": attachment["id"],
        "volume_id": attachment["volume_id"],
        "access_mode": attachment["attach_mode"],
        "encrypted": False,
    }
    changes = {"attach_status": "attaching", "attached_host": host, "device": device}
    return _stored(cloud, {**attachment, **changes, "connection_info": info})


def complete(cloud: Cloud, attachment: Doc) -> Doc:
    """Have the volume in use."""
    changes = {"attach_status": "attached", "attached_at": moment(cloud)}
    return _stored(cloud, {**attachment, **changes})


def attach(cloud: Cloud, volume: Doc, instance: str, host: str | None, device: str) -> Doc:
    """Take a free volume in use for a server, in one step."""
    reserved = reserve(cloud, volume, instance)
    return complete(cloud, connect(cloud, reserved, host, device))


def detach(cloud: Cloud, attachment: Doc) -> None:
    """Take an attachment away; the volume is available when it was the last one."""
    cloud.state.delete(KIND, attachment["id"])
    _follow(cloud, attachment["volume_id"])


def _stored(cloud: Cloud, attachment: Doc) -> Doc:
    cloud.state.update(KIND, attachment)
    _follow(cloud, attachment["volume_id"])
    return attachment


def _follow(cloud: Cloud, volume_id: str) -> None:
    """Give a volume the status that follows from its attachments."""
    volume = cloud.state.get(_VOLUME, volume_id)
    if volume is None:
        return
    held = {each["attach_status"] for each in of(cloud.state, volume_id)}
    status = next((each for word, each in _ORDER if word in held), "available")
    busy = volume["pending"]
    # What it is busy with ends in the new status: a server may go while its volume is extended.
    change = {"pending": {**busy, "status": status}} if busy else {"status": status}
    progress.store(cloud, _VOLUME, {**volume, **change})


def within(attachment: Doc, *, is_admin: bool) -> dict[str, Any]:
    """Give an attachment as its volume shows it."""
    return {
        "id": attachment["volume_id"],
        "attachment_id": attachment["id"],
        "volume_id": attachment["volume_id"],
        "server_id": attachment["instance"],
        "host_name": attachment["attached_host"] if is_admin else None,
        "device": attachment["device"],
        "attached_at": attachment["attached_at"],
    }
