"""The making of volumes: from nothing, an image, a snapshot, another volume or a backup.

The rule: every refusal that Cinder's API makes before it says 202 is made here; then nothing but
the metadata ``devcloud:error`` lets a volume fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stoker.devcloud.cinder import problem, progress, quota, volume
from stoker.devcloud.cinder import volume_type as types
from stoker.devcloud.cinder.ask import Ask, read_map, read_size, read_text, volume_route
from stoker.devcloud.cinder.volume_view import shown

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc

_IMAGE = "image.image"
_STRICT = 53
_BLANK: Doc = {}
_KNOWN = {
    "name", "display_name", "description", "display_description", "size", "volume_type",
    "metadata", "snapshot_id", "source_volid", "imageRef", "image_id", "backup_id",
    "availability_zone", "multiattach", "consistencygroup_id", "group_id",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """What a volume is made of: its least size, its type, and what the volume keeps of it."""

    least: int
    noun: str
    type_id: str | None
    keeps: Doc
    then: Doc


@volume_route("POST", "volumes", status=202)
def create_volume(ask: Ask) -> Doc:
    """Make a volume."""
    body = ask.body("volume")
    if ask.since(_STRICT):
        _check_known(body)
    source = _source(ask, body)
    size = _size(body, source)
    type = _type(ask, body, source)
    doc = volume.fresh(ask.cloud, ask.caller, size, type, **_named(body), **source.keeps)
    return {"volume": shown(ask, start(ask, doc, source.then), is_whole=False)}


def _check_known(body: Doc) -> None:
    unknown = sorted(set(body) - _KNOWN)
    if unknown:
        raise problem.invalid_field(
            "volume",
            body,
            f"Additional properties are not allowed ({', '.join(map(repr, unknown))} was"
            " unexpected)",
        )


def start(ask: Ask, doc: Doc, then: Doc) -> Doc:
    """Store a new volume and have it made."""
    volume.add(ask.cloud, doc)
    ends = {**volume.made(), **then}
    if volume.DOOM in doc["metadata"]:
        ends["status"] = "error"
    progress.begin(ask.cloud, volume.KIND, doc, "creating", "create", ends)
    return {**doc, "updated_at": None}


def _named(body: Doc) -> Doc:
    zone = read_text(body, "availability_zone") or volume.ZONE
    if zone != volume.ZONE:
        raise problem.bad_request(f"Availability zone '{zone}' is invalid.")
    return {
        "name": read_text(body, "name", "display_name"),
        "description": read_text(body, "description", "display_description"),
        "availability_zone": zone,
        "metadata": read_map(body, "metadata"),
    }


def _size(body: Doc, source: Source) -> int:
    least, wanted = source.least, body.get("size")
    if wanted is None and source.noun in ("", "image"):
        raise problem.invalid_input(
            "Invalid volume size provided for create request: None (size argument must be an"
            " integer (or string representation of an integer) and greater than zero)."
        )
    size = least if wanted is None else read_size(wanted, "size")
    if size < least:
        raise problem.invalid_input(
            f"Volume size {size}GB cannot be smaller than the {source.noun} size {least}GB."
            f" They must be >= original {source.noun} size."
        )
    return size


def _type(ask: Ask, body: Doc, source: Source) -> Doc:
    wanted = read_text(body, "volume_type")
    kept = ask.state.get(types.KIND, source.type_id) if source.type_id else None
    return kept if kept is not None and not wanted else types.chosen(ask, wanted)


def _source(ask: Ask, body: Doc) -> Source:
    """Give what a body wants a volume to be made of."""
    readers = {
        "snapshot_id": _from_snapshot,
        "source_volid": _from_volume,
        "imageRef": from_image,
        "image_id": from_image,
        "backup_id": _from_backup,
    }
    given = [name for name in readers if body.get(name)]
    if not given:
        return Source(0, "", None, _BLANK, _BLANK)
    if len(given) > 1:
        raise problem.invalid_input(
            "May specify only one of snapshot, source volume, image or backup!"
        )
    return readers[given[0]](ask, read_text(body, given[0]) or "")


def _from_snapshot(ask: Ask, id: str) -> Source:
    snapshot = ask.state.get(quota.SNAPSHOT, id)
    if snapshot is None or not ask.sees(snapshot):
        raise problem.missing("Snapshot", id)
    if snapshot["status"] != "available":
        raise problem.invalid(
            "snapshot", "Originating snapshot status must be one of available values"
        )
    origin = ask.state.get(volume.KIND, snapshot["volume_id"])
    then = _boots_as(origin or {"bootable": False, "image_metadata": None})
    keeps = {"snapshot_id": id}
    return Source(snapshot["size"], "snapshot", snapshot["type_id"], keeps, then)


def _from_volume(ask: Ask, id: str) -> Source:
    origin = volume.find(ask, id)
    if origin["status"] not in ("available", "in-use"):
        raise problem.invalid(
            "volume", "Originating source volume status must be one of available, in-use values"
        )
    keeps = {"source_volid": id}
    return Source(origin["size"], "source volume", origin["type_id"], keeps, _boots_as(origin))


def _boots_as(origin: Doc) -> Doc:
    return {name: origin[name] for name in ("bootable", "image_metadata")}


def from_image(ask: Ask, id: str) -> Source:
    """Give what a volume made of an image is."""
    image = ask.state.get(_IMAGE, id)
    if image is None or not _may_read(ask, image):
        raise problem.bad_request("Invalid image identifier or unable to access requested image.")
    if image["status"] != "active":
        raise problem.invalid_input(f"Image {id} is not active.")
    gigabytes = -(-int(image.get("size") or 0) // 1024**3)
    least = max(gigabytes, int(image.get("min_disk") or 0))
    then = {"bootable": True, "image_metadata": volume.image_metadata(image)}
    return Source(least, "image", None, _BLANK, then)


def _may_read(ask: Ask, image: Any) -> bool:
    is_open = image.get("visibility") in ("public", "community")
    return is_open or ask.caller.is_admin or image.get("owner") == ask.caller.project_id


def _from_backup(ask: Ask, id: str) -> Source:
    backup = ask.state.get(quota.BACKUP, id)
    if backup is None or not ask.sees(backup):
        raise problem.missing("Backup", id)
    if backup["status"] != "available":
        raise problem.invalid("backup", f"Backup status must be available: {backup['status']}")
    then = {"bootable": backup["bootable"], "image_metadata": backup["image_metadata"]}
    return Source(backup["size"], "backup", None, _BLANK, then)
