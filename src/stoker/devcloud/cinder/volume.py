"""Volumes as documents: made, found, counted, taken away.

The rule: whoever makes a volume, a user or Nova, makes it here; what it uses is noted in the same
transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.devcloud.cinder import attachment, problem, progress, quota
from stoker.devcloud.cinder import volume_type as types
from stoker.devcloud.cinder.ask import moment
from stoker.devcloud.cloud import new_id
from stoker.devcloud.state import index

if TYPE_CHECKING:
    from stoker.devcloud.caller import Caller
    from stoker.devcloud.cinder.ask import Ask
    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.state import Doc, State

KIND, SNAPSHOT = quota.VOLUME, quota.SNAPSHOT
ZONE, HOST = "nova", "devcloud@volumes#volumes"
DOOM = "devcloud:error"
"""Metadata that makes a volume's creation end in status ``error``."""

DELETABLE = frozenset(
    {"available", "error", "error_restoring", "error_extending", "error_managing"}
)

index(KIND, "metadata", lambda volume: [f"{k}={v}" for k, v in volume["metadata"].items()])
index(SNAPSHOT, "volume_id")


def lookup(state: State, caller: Caller, id: str) -> Doc | None:
    """Give a volume, if it is the caller's; else None."""
    volume = state.get(KIND, id)
    is_seen = volume and (caller.is_admin or volume["project_id"] == caller.project_id)
    return volume if is_seen else None


def find(ask: Ask, id: str | None = None) -> Doc:
    """Give the caller's volume that the path names, or one by its id, or 404."""
    wanted = ask.params["volume_id"] if id is None else id
    volume = lookup(ask.state, ask.caller, wanted)
    if volume is None:
        raise problem.missing("Volume", wanted)
    return volume


def fresh(cloud: Cloud, caller: Caller, size: int, type: Doc, **fields: Any) -> Doc:
    """Make a new volume's document; ``fields`` say what is special about it."""
    return {
        "id": new_id(),
        "name": None,
        "description": None,
        "size": size,
        "status": "creating",
        "pending": None,
        "availability_zone": ZONE,
        "created_at": moment(cloud),
        "updated_at": None,
        "user_id": caller.user_id,
        "project_id": caller.project_id,
        "type_id": type["id"],
        "snapshot_id": None,
        "source_volid": None,
        "metadata": {},
        "admin_metadata": {},
        "bootable": False,
        "image_metadata": None,
        "multiattach": types.is_shared(type),
        "encrypted": bool(type["encryption"]),
        "shared_targets": True,
        "service_uuid": None,
        **fields,
    }


def add(cloud: Cloud, volume: Doc) -> Doc:
    """Store a new volume; refuse what goes beyond a limit."""
    state, project = cloud.state, volume["project_id"]
    type = type_of(state, volume)
    quota.check_one_volume(state, project, volume["size"])
    quota.check(state, project, KIND, type["name"], volume["size"])
    state.insert(KIND, volume)
    quota.note(state, KIND, volume, type["name"])
    return volume


def made() -> Doc:
    """Give what a volume becomes once its back end has made it."""
    return {
        "status": "available",
        "shared_targets": False,
        "service_uuid": "00000000-0000-4000-a000-000000000001",
    }


def type_of(state: State, volume: Doc) -> Doc:
    """Give a volume's type."""
    type = state.get(types.KIND, volume["type_id"])
    return types.default(state) if type is None else type


def image_metadata(image: Doc) -> Doc:
    """Give what a volume remembers of the image that it was made of."""
    named = {"image_id": image["id"], "image_name": image["name"] or ""}
    fields = ("checksum", "container_format", "disk_format", "min_disk", "min_ram", "size")
    own = {name: str(value) for name, value in image.items() if _is_users(name, value)}
    return {**own, **named, **{name: str(image.get(name) or "0") for name in fields}}


def _is_users(name: str, value: Any) -> bool:
    known = (
        "id", "name", "status", "visibility", "owner", "created_at", "updated_at", "os_hash_algo",
        "os_hash_value", "virtual_size",
    )  # fmt: skip
    return isinstance(value, str) and name not in known


def snapshots_of(state: State, volume: Doc) -> list[Doc]:
    """Give a volume's snapshots."""
    return state.list(SNAPSHOT, where={"volume_id": volume["id"]})


def check_deletable(state: State, volume: Doc) -> None:
    """Refuse to delete a volume that is busy, attached, or has snapshots."""
    is_free = volume["status"] in DELETABLE and not attachment.of(state, volume["id"])
    if not is_free or snapshots_of(state, volume):
        raise problem.invalid(
            "volume",
            "Volume status must be available or error or error_restoring or error_extending or"
            " error_managing and must not be migrating, attached, belong to a group, have"
            " snapshots, awaiting a transfer, or be disassociated from snapshots after volume"
            " transfer.",
        )


def _removed(cloud: Cloud, volume: Doc) -> None:
    for each in attachment.of(cloud.state, volume["id"]):
        cloud.state.delete(attachment.KIND, each["id"])
    for snapshot in snapshots_of(cloud.state, volume):
        progress.remove(cloud, SNAPSHOT, snapshot)
    quota.forget(cloud.state, KIND, volume["id"])


progress.removed_by(KIND, _removed)
