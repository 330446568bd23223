"""OS::Cinder::VolumeAttachment: that a volume is on a server.

Rule: it is a relation, kept by the ids of the two (``server`` and ``volume``) beside the
resource, since names and properties may mean others later. Every change takes the volume
off and puts it on anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stoker.errors import CloudError
from stoker.resources.cinder.attached import attach, attachment, status, take_off
from stoker.resources.cinder.volume_state import IN_USE, MOVING
from stoker.resources.polling import poll
from stoker.resources.relation import absent, missing, taken, was_absent
from stoker.sdk.cloud import Cloud
from stoker.sdk.fault import IN_ERROR
from stoker.sdk.resource import At, Done, Next, Resource, Step, View
from stoker.sdk.schema import Props, attrs, prop
from stoker.sdk.value import is_unknown

_HTTP_ERROR: Final = 500
_ENDS: Final = ("server", "volume")


class VolumeAttachmentProps(Props):
    instance_uuid: str = prop("The server, by id.", updatable=True)
    volume_id: str = prop("The volume, by name or id.", updatable=True, is_a="cinder.volume")
    mountpoint: str | None = prop(
        "The device wanted, such as /dev/vdc; a hint only.", default=None, updatable=True
    )


class VolumeAttachment(Resource[VolumeAttachmentProps]):
    type_name = "OS::Cinder::VolumeAttachment"
    since = "2014.1"
    doc = "That a volume is on a server."
    Props = VolumeAttachmentProps
    service = "block-storage"
    attributes = attrs()

    def exclusive(self, props: VolumeAttachmentProps) -> frozenset[object]:
        """Return the volume: most are on one server at a time."""
        volume = props.volume_id
        return frozenset() if is_unknown(volume) else frozenset({("volume attached", volume)})

    def is_one(self, one: VolumeAttachmentProps, other: VolumeAttachmentProps) -> bool:
        """Return whether it is on one server: all attachments of a volume have its id."""
        return one.instance_uuid == other.instance_uuid

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return dict(view.attributes) if name == "show" else None

    def find(self, at: At[VolumeAttachmentProps], cloud: Cloud) -> Next | None:
        if not was_absent(at) or attachment(*_ends(at.data), cloud) is None:
            return None
        return Next(id=at.data["volume"], data={**at.data, "asked": True})

    def create(self, at: At[VolumeAttachmentProps], cloud: Cloud) -> Step:
        if was_absent(at):
            return _put_on(at, cloud)
        return _seen_absent(at, _wanted(at, cloud), cloud)

    def update(self, at: At[VolumeAttachmentProps], cloud: Cloud) -> Step:
        if was_absent(at):
            return _put_on(at, cloud)
        wanted = _wanted(at, cloud)
        kept = {end: at.stored[end] for end in _ENDS}
        if wanted == kept and "mountpoint" not in at.changed:
            return Done(attachment(*_ends(kept), cloud) or {}, data=kept)
        off = take_off(*_ends(kept), at.data, cloud)
        return off or _seen_absent(at, wanted, cloud)

    def delete(self, at: At[VolumeAttachmentProps], cloud: Cloud) -> Step:
        """Take it off where it was put, and where an update that never ended may have put it."""
        if at.id is None:
            return Done()
        for ends in dict.fromkeys((_ends(at.stored), (at.props.instance_uuid, at.id))):
            if (step := take_off(*ends, at.data, cloud)) is not None:
                return step
        return Done()

    def adopt(self, at: At[VolumeAttachmentProps], cloud: Cloud) -> Step:
        wanted = _wanted(at, cloud)
        there = attachment(*_ends(wanted), cloud)
        if there is None:
            text = f"the volume {wanted['volume']} is not on the server {wanted['server']}"
            raise missing(text, "block-storage")
        return Done(there, id=wanted["volume"], data=wanted)


def _wanted(at: At[VolumeAttachmentProps], cloud: Cloud) -> dict[str, str]:
    volume_id = cloud.volume.find("volume", at.props.volume_id)
    return {"server": at.props.instance_uuid, "volume": volume_id}


def _ends(data: Mapping[str, Any]) -> tuple[str, str]:
    return data["server"], data["volume"]


def _seen_absent(at: At[VolumeAttachmentProps], wanted: Mapping[str, str], cloud: Cloud) -> Next:
    """Note that the volume is not there; where it is ours, an update may have left it there."""
    if at.id != wanted["volume"] and attachment(*_ends(wanted), cloud) is not None:
        text = f"the volume {wanted['volume']} is on the server {wanted['server']} already"
        raise taken(text, "volume_id")
    return absent(wanted)


def _put_on(at: At[VolumeAttachmentProps], cloud: Cloud) -> Step:
    """Ask once, then wait until Cinder has the volume in use."""
    server_id, volume_id = _ends(at.data)
    there = attachment(server_id, volume_id, cloud)
    if there is None and not at.data.get("asked"):
        attach(server_id, volume_id, at.props.mountpoint, cloud)
        return Next(id=volume_id, data={**at.data, "asked": True})
    now = status(volume_id, cloud)
    if now in MOVING:
        return poll(at.data)
    if there is None or now != IN_USE:
        text = f"the volume {volume_id} was not attached to {server_id}: it is {now}"
        raise CloudError(text, service="block-storage", status=_HTTP_ERROR, code=IN_ERROR)
    return Done(there, id=volume_id, data={end: at.data[end] for end in _ENDS})
