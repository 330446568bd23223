"""OS::Cinder::Volume: a volume.

Rule: a volume carries its mark in its metadata from its first moment on, and keeps it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from stoker.errors import CloudNotFound, Kind, Problem
from stoker.resources.cinder import volume_backup, volume_update
from stoker.resources.cinder.backup import Backup
from stoker.resources.cinder.volume_props import VolumeProps
from stoker.resources.cinder.volume_state import (
    CREATING,
    MARK,
    attributes,
    is_moving,
    metadata_set,
    refuse_error,
    refuse_in_use,
)
from stoker.resources.nova.server_body import metadata_text
from stoker.resources.polling import is_still, poll, poll_on
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Next, Resource, Step
from stoker.sdk.schema import Attr, Support, attrs
from stoker.sdk.value import thaw

_SOURCES: Final = ("snapshot_id", "source_volid", "image", "backup_id")


class Volume(Resource[VolumeProps]):
    type_name = "OS::Cinder::Volume"
    since = "2014.1"
    doc = "A volume: storage that outlives servers."
    Props = VolumeProps
    service = "block-storage"
    attributes = attrs(
        availability_zone=Attr("Its availability zone."),
        size=Attr("Its size in GB."),
        snapshot_id=Attr("Snapshot that it was made of."),
        display_name=Attr("Its name."),
        display_description=Attr("What it is for."),
        volume_type=Attr("Its type."),
        metadata=Attr("Its metadata, as JSON text."),
        source_volid=Attr("Volume that it is a copy of."),
        status=Attr("Its status."),
        created_at=Attr("When it was made."),
        bootable=Attr("Whether a server can boot from it."),
        metadata_values=Attr("Its metadata.", "map"),
        encrypted=Attr("Whether it is encrypted."),
        attachments=Attr(
            "Servers that it is on, as text.", "string", Support("DEPRECATED", "9.0.0")
        ),
        attachments_list=Attr("Servers that it is on.", "list", Support(since="9.0.0")),
        multiattach=Attr(
            "Whether it can be on several servers.", "boolean", Support(since="6.0.0")
        ),
    )

    def validate(self, props: VolumeProps) -> Iterable[Problem]:
        given = [name for name in _SOURCES if getattr(props, name) is not None]
        if len(given) > 1:
            text = f"{' and '.join(given)} exclude each other: give one to make it of"
            yield Problem(text, (given[1],), None, Kind.PROPERTY)
        elif props.size is None and given in ([], ["image"]):
            text = "give its size" + (", or what to make it of" if not given else "")
            yield Problem(text, ("size",), None, Kind.PROPERTY)

    def replaces(
        self, old: VolumeProps, new: VolumeProps, changed: frozenset[str]
    ) -> frozenset[str]:
        forced = super().replaces(old, new, changed)
        if "backup_id" not in changed or new.backup_id is None:
            return forced
        # What it was once made of does not matter any more: the backup takes its place.
        return forced - {name for name in _SOURCES if getattr(new, name) is None}

    def find(self, at: At[VolumeProps], cloud: Cloud) -> Next | None:
        rows = cloud.volume.get("/volumes", metadata=json.dumps({MARK: at.mark}))["volumes"]
        return Next(id=rows[0]["id"], data=at.data) if rows else None

    def live(self, at: At[VolumeProps], cloud: Cloud) -> Mapping[str, Any]:
        volume = _shown(at, cloud)
        size = min(volume["size"], at.props.size or volume["size"])  # no volume can shrink
        return {
            "name": volume["name"],
            "description": volume["description"],
            "metadata": metadata_set(volume),
            "size": size,
        }

    def is_sound(self, at: At[VolumeProps], cloud: Cloud) -> bool:
        status = str(_shown(at, cloud)["status"])
        return not status.startswith("error") and status != "deleting"

    def create(self, at: At[VolumeProps], cloud: Cloud) -> Step:
        if at.id is not None:
            if is_still(at, cloud.volume, "/volumes", CREATING):
                return poll_on(at.data)
            return _converged(at, cloud)
        made = cloud.volume.post("/volumes", _body(at, cloud))
        return Next(id=made["volume"]["id"], data=at.data)

    def update(self, at: At[VolumeProps], cloud: Cloud) -> Step:
        return _converged(at, cloud)

    def delete(self, at: At[VolumeProps], cloud: Cloud) -> Step:
        """Ask for the deletion, then wait for Cinder's own 404; wait while it is in use."""
        if at.id is None:
            return Done()
        try:
            volume = _shown(at, cloud)
        except CloudNotFound:
            return Done()
        if is_moving(volume):
            return poll(at.data)
        refuse_in_use(volume)
        if at.data.get("asked"):
            refuse_error(volume)
        with suppress(CloudNotFound):
            cloud.volume.remove(f"/volumes/{at.id}")
        return poll({**at.data, "asked": True})

    def keep(self, at: At[VolumeProps], cloud: Cloud) -> Step:
        try:
            volume = _shown(at, cloud)
        except CloudNotFound:
            return Done()
        return volume_backup.due(at, volume, cloud) or Done()

    copies = Backup()
    copy_key = "backup_id"

    def restored(self, copy: str) -> Mapping[str, Any]:
        return {**dict.fromkeys(_SOURCES), "backup_id": copy}

    def check(self, at: At[VolumeProps], cloud: Cloud) -> Step:
        volume = _shown(at, cloud)
        refuse_error(volume)
        return poll(at.data) if is_moving(volume) else Done(attributes(volume))


def _converged(at: At[VolumeProps], cloud: Cloud) -> Step:
    volume = _shown(at, cloud)
    refuse_error(volume)
    if is_moving(volume):
        return poll(at.data)
    return volume_update.due(at, volume, cloud) or Done(attributes(volume))


def _body(at: At[VolumeProps], cloud: Cloud) -> dict[str, Any]:
    props, find = at.props, cloud.volume.find
    volume = {
        "name": props.name or at.name,
        "description": props.description,
        "size": props.size,
        "availability_zone": props.availability_zone,
        "metadata": {**metadata_text(props.metadata), MARK: at.mark},
        "volume_type": props.volume_type and find("vtype", props.volume_type),
        "snapshot_id": props.snapshot_id and find("snapshot", props.snapshot_id),
        "source_volid": props.source_volid and find("volume", props.source_volid),
        "backup_id": props.backup_id and find("backup", props.backup_id),
        "imageRef": props.image and cloud.image.find("image", props.image),
    }
    given = {key: value for key, value in volume.items() if value is not None}
    hints = thaw(props.scheduler_hints)
    return {"volume": given} | ({"OS-SCH-HNT:scheduler_hints": hints} if hints else {})


def _shown(at: At[VolumeProps], cloud: Cloud) -> Mapping[str, Any]:
    volume: Mapping[str, Any] = cloud.volume.get(f"/volumes/{at.owned}")["volume"]
    return volume
