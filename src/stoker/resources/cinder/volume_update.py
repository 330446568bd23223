"""Changes of a volume in place, one call a step.

Rule: what is still due is read from the volume itself; only what cannot be read there (a
restored backup, a server that the volume was taken off for a while) is kept in the step's
data. A change that Cinder took and did not carry out is an error, not a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from stoker.errors import CloudError, CloudNotFound, Invalid, Kind, Problem
from stoker.resources.cinder.attached import attach, take_off
from stoker.resources.cinder.volume_props import VolumeProps
from stoker.resources.cinder.volume_state import (
    AVAILABLE,
    IN_USE,
    MARK,
    is_read_only,
    metadata_set,
    refuse_in_use,
)
from stoker.resources.nova.server_body import metadata_text
from stoker.resources.polling import poll
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Next, Wait

Due = Next | Wait | None
Shown = Mapping[str, Any]
Change = Callable[[At[VolumeProps], Shown, Cloud], Due]

_NOT_DONE: Final = 422


def due(at: At[VolumeProps], volume: Shown, cloud: Cloud) -> Due:
    """Make the next call that the volume needs; None when it is as wanted."""
    changes = AT_CREATE if at.old is None and not at.changed else AT_UPDATE
    for change in changes:
        if (step := change(at, volume, cloud)) is not None:
            return step
    return None


def _named(at: At[VolumeProps], volume: Shown, cloud: Cloud) -> Due:
    wanted: dict[str, Any] = {"name": at.props.name or at.name}
    if at.props.description is not None or "description" in at.changed:
        wanted["description"] = at.props.description or ""
    wrong = {key: value for key, value in wanted.items() if (volume.get(key) or "") != value}
    if not wrong:
        return None
    cloud.volume.put(_path(at), {"volume": wrong})
    return Next(data=at.data)


def _metadata(at: At[VolumeProps], volume: Shown, cloud: Cloud) -> Due:
    """Set the metadata; items that no template asked for stay."""
    live = metadata_set(volume)
    before = at.old.metadata if at.old is not None else {}
    kept = {key: value for key, value in live.items() if key not in before}
    wanted = {**kept, **metadata_text(at.props.metadata), MARK: at.mark}
    if wanted == live:
        return None
    cloud.volume.put(f"{_path(at)}/metadata", {"metadata": wanted})
    return Next(data=at.data)


def _size(at: At[VolumeProps], volume: Shown, cloud: Cloud) -> Due:
    wanted, live = at.props.size, int(volume["size"])
    if "size" not in at.changed or wanted is None or wanted == live:
        return None
    if wanted < live:
        text = f"a volume cannot shrink: it has {live} GB; write {live} or more"
        raise Invalid([Problem(text, ("size",), None, Kind.PROPERTY)])
    return _action(at, cloud, "extended", {"os-extend": {"new_size": wanted}})


def _type(at: At[VolumeProps], volume: Shown, cloud: Cloud) -> Due:
    if "volume_type" not in at.changed or at.props.volume_type is None:
        return None
    type_id = cloud.volume.find("vtype", at.props.volume_type)
    if volume["volume_type"] == cloud.volume.get(f"/types/{type_id}")["volume_type"]["name"]:
        return None
    retype = {"new_type": type_id, "migration_policy": "never"}
    return _action(at, cloud, "retyped", {"os-retype": retype})


def _read_only(at: At[VolumeProps], volume: Shown, cloud: Cloud) -> Due:
    wanted = bool(at.props.read_only)
    asked = at.props.read_only is not None or "read_only" in at.changed
    if not asked or is_read_only(volume) == wanted:
        return None
    if (step := _aside(at, volume, cloud)) is not None:
        return step
    body = {"os-update_readonly_flag": {"readonly": wanted}}
    return _action(at, cloud, "flagged", body)


def _restored(at: At[VolumeProps], volume: Shown, cloud: Cloud) -> Due:
    backup = at.props.backup_id
    if "backup_id" not in at.changed or backup is None or at.data.get("restored"):
        return None
    if (step := _aside(at, volume, cloud)) is not None:
        return step
    backup_id = cloud.volume.find("backup", backup)
    cloud.volume.post(f"/backups/{backup_id}/restore", {"restore": {"volume_id": at.owned}})
    return poll({**at.data, "restored": True, "polls": 0})


def _aside(at: At[VolumeProps], volume: Shown, cloud: Cloud) -> Due:
    """Take the volume off its server for what can only be done to a free one."""
    if volume["status"] != IN_USE:
        return None
    off = at.data.get("off")
    if off is None:
        first: Mapping[str, Any] = next(iter(volume["attachments"]), {})
        if not first.get("server_id"):
            refuse_in_use(volume)
        return Next(data={**at.data, "off": {k: first[k] for k in ("server_id", "device")}})
    return take_off(off["server_id"], at.owned, at.data, cloud)


def _back(at: At[VolumeProps], volume: Shown, cloud: Cloud) -> Due:
    """Put the volume back on the server that it was taken off, unless that is gone."""
    off = at.data.get("off")
    if off is None or volume["status"] != AVAILABLE:
        return None
    try:
        attach(off["server_id"], at.owned, off["device"], cloud)
    except CloudNotFound:
        return None
    return poll({**at.data, "polls": 0})


AT_CREATE: Final[Sequence[Change]] = (_named, _metadata, _read_only)
AT_UPDATE: Final[Sequence[Change]] = (
    _restored,
    _named,
    _metadata,
    _size,
    _type,
    _read_only,
    _back,
)


def _action(at: At[VolumeProps], cloud: Cloud, ticked: str, action: Mapping[str, Any]) -> Due:
    """Ask for a change that takes its time, once."""
    if at.data.get(ticked):
        text = f"Cinder took the request and the volume was not {ticked}: see its messages"
        raise CloudError(text, service="block-storage", status=_NOT_DONE)
    cloud.volume.post(f"{_path(at)}/action", action)
    return poll({**at.data, ticked: True, "polls": 0})


def _path(at: At[VolumeProps]) -> str:
    return f"/volumes/{at.owned}"
