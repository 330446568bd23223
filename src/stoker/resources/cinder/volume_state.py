"""What a volume's status means for who waits for it, and what its attributes are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from stoker.errors import CloudError
from stoker.sdk.fault import IN_ERROR

MARK: Final = "stoker-mark"
"""The item of its metadata by which a volume is found whose id never came."""

AVAILABLE: Final = "available"
CREATING: Final = "creating"
IN_USE: Final = "in-use"

MOVING: Final = frozenset(
    {
        "attaching",
        "backing-up",
        CREATING,
        "deleting",
        "detaching",
        "downloading",
        "extending",
        "managing",
        "reserved",
        "restoring-backup",
        "retyping",
        "uploading",
    }
)
"""What a volume is in on its way to something else."""

_CINDERS_OWN: Final = frozenset({"readonly", "attached_mode"})
_HTTP_ERROR, _BUSY = 500, 409


def is_moving(volume: Mapping[str, Any]) -> bool:
    """Tell whether Cinder is at work on it."""
    return volume["status"] in MOVING


def refuse_error(volume: Mapping[str, Any]) -> None:
    """Raise CloudError where the volume is in one of the statuses of failure."""
    status = str(volume["status"])
    if status.startswith("error"):
        text = f"the volume {volume['id']} went to status {status}"
        raise CloudError(text, service="block-storage", status=_HTTP_ERROR, code=IN_ERROR)


def refuse_in_use(volume: Mapping[str, Any]) -> None:
    """Raise what the engine waits for: somebody has to take it off first."""
    if volume["status"] == IN_USE:
        servers = ", ".join(str(each["server_id"]) for each in volume["attachments"])
        text = f"the volume {volume['id']} is in use by {servers or 'a host'}"
        raise CloudError(text, service="block-storage", status=_BUSY)


def is_read_only(volume: Mapping[str, Any]) -> bool:
    """Tell whether it may only be read; Cinder shows that among the metadata."""
    return str(volume["metadata"].get("readonly", "")).lower() == "true"


def metadata_set(volume: Mapping[str, Any]) -> dict[str, str]:
    """Return the metadata that can be set: without what Cinder shows among it."""
    return {k: v for k, v in volume["metadata"].items() if k not in _CINDERS_OWN}


def attributes(volume: Mapping[str, Any]) -> dict[str, Any]:
    """Return what can be read of a volume, our mark left out."""
    metadata = {key: value for key, value in volume["metadata"].items() if key != MARK}
    as_text = ("availability_zone", "snapshot_id", "volume_type", "source_volid", "status")
    found = {name: volume.get(name) for name in (*as_text, "created_at", "bootable")}
    return {
        **found,
        "size": str(volume["size"]),
        "encrypted": str(volume.get("encrypted")),
        "display_name": volume.get("name"),
        "display_description": volume.get("description"),
        "metadata": json.dumps(metadata),
        "metadata_values": metadata,
        "attachments": str(volume.get("attachments", [])),
        "attachments_list": volume.get("attachments", []),
        "multiattach": volume.get("multiattach"),
        "show": {**volume, "metadata": metadata},
    }
