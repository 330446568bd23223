"""OS::Cinder::EncryptedVolumeType: how the volumes of a type are encrypted.

Rule: a type has one encryption or none, so this is a relation; its id is the type's.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from stoker.errors import CloudNotFound
from stoker.resources.relation import absent, taken, was_absent
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Next, Resource, Step, View
from stoker.sdk.schema import Props, attrs, prop
from stoker.sdk.value import is_unknown

_FIELDS = ("provider", "control_location", "cipher", "key_size")


class EncryptedVolumeTypeProps(Props):
    provider: str = prop("What encrypts, such as luks.", updatable=True)
    control_location: str = prop(
        "Where it is encrypted: by Nova (front-end) or by Cinder (back-end).",
        default="front-end",
        updatable=True,
        one_of=("front-end", "back-end"),
    )
    cipher: str | None = prop(
        "Cipher.",
        default=None,
        updatable=True,
        one_of=("aes-xts-plain64", "aes-cbc-essiv"),
    )
    key_size: int | None = prop("Size of the key in bits.", default=None, updatable=True)
    volume_type: str = prop("The type, by name or id.", is_a="cinder.vtype")


class EncryptedVolumeType(Resource[EncryptedVolumeTypeProps]):
    type_name = "OS::Cinder::EncryptedVolumeType"
    since = "5.0.0"
    doc = "How the volumes of a type are encrypted."
    Props = EncryptedVolumeTypeProps
    service = "block-storage"
    attributes = attrs()

    def exclusive(self, props: EncryptedVolumeTypeProps) -> frozenset[object]:
        type_ = props.volume_type
        return frozenset() if is_unknown(type_) else frozenset({("encryption of", type_)})

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return dict(view.attributes) if name == "show" else None

    def find(self, at: At[EncryptedVolumeTypeProps], cloud: Cloud) -> Next | None:
        if not was_absent(at):
            return None
        type_id = at.data["type"]
        return Next(id=type_id, data=at.data) if _shown(type_id, cloud) else None

    def create(self, at: At[EncryptedVolumeTypeProps], cloud: Cloud) -> Step:
        if at.id is not None:
            return Done(_shown(at.id, cloud))
        if was_absent(at):
            type_id = at.data["type"]
            made = cloud.volume.post(_path(type_id), {"encryption": _body(at.props)})
            return Done(made["encryption"], id=type_id)
        type_id = cloud.volume.find("vtype", at.props.volume_type)
        if _shown(type_id, cloud):
            raise taken(f"the volume type {type_id} is encrypted already", "volume_type")
        return absent({"type": type_id})

    def update(self, at: At[EncryptedVolumeTypeProps], cloud: Cloud) -> Step:
        live = _shown(at.owned, cloud)
        wanted = _body(at.props)
        if all(live.get(name) == value for name, value in wanted.items()):
            return Done(live)
        encryption_id = live.get("encryption_id", "provider")
        cloud.volume.put(f"{_path(at.owned)}/{encryption_id}", {"encryption": wanted})
        return Done({**live, **wanted})

    def adopt(self, at: At[EncryptedVolumeTypeProps], cloud: Cloud) -> Step:
        return Done(_shown(at.owned, cloud))

    def delete(self, at: At[EncryptedVolumeTypeProps], cloud: Cloud) -> Step:
        if at.id is None:
            return Done()
        with suppress(CloudNotFound):
            live = _shown(at.id, cloud)
            if live:
                cloud.volume.remove(f"{_path(at.id)}/{live['encryption_id']}")
        return Done()


def _body(props: EncryptedVolumeTypeProps) -> dict[str, Any]:
    """Return the encryption, with an explicit null for what is not given."""
    return {name: getattr(props, name) for name in _FIELDS}


def _shown(type_id: str, cloud: Cloud) -> Mapping[str, Any]:
    """Return the encryption of a type; empty where it has none."""
    return cloud.volume.get(_path(type_id))


def _path(type_id: str) -> str:
    return f"/types/{type_id}/encryption"
