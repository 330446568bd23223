"""What a request to make a server says."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from stoker.resources.kept_config import text_of
from stoker.resources.nova.server_files import files
from stoker.resources.nova.server_network import nova_networks
from stoker.resources.nova.server_props import Device, DeviceV1, ServerProps
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At
from stoker.sdk.value import thaw

MARK: Final = "stoker-"
_LONGEST_TAG: Final = 60


def mark_tag(mark: str) -> str:
    """Return the tag by which a server is found whose id never came."""
    tag = MARK + mark.replace("/", "_").replace(",", "_")
    if len(tag) <= _LONGEST_TAG:
        return tag
    return MARK + hashlib.sha256(mark.encode()).hexdigest()[:40]


def create_body(at: At[ServerProps], ports: Mapping[str, str], cloud: Cloud) -> dict[str, Any]:
    """Return the whole body; ``ports`` are those made for it, by interface."""
    props = at.props
    server = {
        "name": props.name or at.name,
        "flavorRef": cloud.compute.find("flavor", props.flavor),
        "imageRef": cloud.image.find("image", props.image) if props.image is not None else "",
        "networks": nova_networks(props.networks, ports, cloud),
        "tags": [mark_tag(at.mark), *(props.tags or ())],
        "key_name": props.key_name,
        "availability_zone": props.availability_zone,
        "metadata": metadata_text(props.metadata) or None,
        "config_drive": props.config_drive,
        "adminPass": props.admin_pass,
        "OS-DCF:diskConfig": props.disk_config,
        "user_data": user_data(at),
        "personality": files(props.personality) or None,
        "security_groups": [{"name": str(name)} for name in props.security_groups] or None,
        "block_device_mapping": _old_devices(props.block_device_mapping or (), cloud) or None,
        "block_device_mapping_v2": _devices(props, cloud) or None,
    }
    body: dict[str, Any] = {
        "server": {key: value for key, value in server.items() if value is not None}
    }
    if props.scheduler_hints:
        body["os:scheduler_hints"] = thaw(props.scheduler_hints)
    return body


def metadata_text(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Return metadata as Nova takes it: whatever is no text becomes JSON."""
    return {
        str(key): value if isinstance(value, str) else json.dumps(thaw(value))
        for key, value in metadata.items()
    }


def user_data(at: At[ServerProps]) -> str | None:
    """Return user data as Nova takes it, or None where there is none.

    As it is (RAW), it may be the id of a software config, whose text it is then.
    """
    text = at.props.user_data
    if at.props.user_data_format == "RAW":
        text = text_of(at, text)
    return base64.b64encode(text.encode()).decode() if text else None


def _old_devices(devices: Iterable[DeviceV1], cloud: Cloud) -> list[dict[str, Any]]:
    rows = []
    for each in devices:
        row = each.given()
        if each.volume_id is not None:
            row["volume_id"] = cloud.volume.find("volume", each.volume_id)
        if each.snapshot_id is not None:
            row["snapshot_id"] = cloud.volume.find("snapshot", each.snapshot_id)
        rows.append(row)
    return rows


def _devices(props: ServerProps, cloud: Cloud) -> list[dict[str, Any]]:
    rows = [_device(each, cloud) for each in props.block_device_mapping_v2 or ()]
    if rows and props.image is not None and not any(row.get("boot_index") == 0 for row in rows):
        boot = {"source_type": "image", "destination_type": "local", "boot_index": 0}
        image = cloud.image.find("image", props.image)
        rows.insert(0, {"uuid": image, "delete_on_termination": True, **boot})
    elif (only := unnumbered(props)) is not None and len(only) == 1:
        rows[only[0]]["boot_index"] = 0
    return rows


def unnumbered(props: ServerProps) -> list[int] | None:
    """Return the devices, by index, of which one is to boot; None where that is said."""
    devices = props.block_device_mapping_v2 or ()
    if props.image is not None or any(each.boot_index == 0 for each in devices):
        return None
    return [i for i, each in enumerate(devices) if each.boot_index is None and _has_data(each)]


def _has_data(device: Device) -> bool:
    sources = (device.image, device.snapshot_id, device.volume_id)
    return any(each is not None for each in sources)


def _device(device: Device, cloud: Cloud) -> dict[str, Any]:
    row: dict[str, Any] = {
        "device_name": device.device_name,
        "device_type": device.device_type,
        "disk_bus": device.disk_bus,
        "boot_index": device.boot_index,
        "volume_size": device.volume_size,
        "delete_on_termination": device.delete_on_termination,
        "volume_type": device.volume_type,
    }
    given = {key: value for key, value in row.items() if value is not None}
    return given | _source(device, cloud)


def _source(device: Device, cloud: Cloud) -> dict[str, Any]:
    """Return where the device's data come from, and where the device is."""
    if device.volume_id is not None:
        return _to_volume("volume", cloud.volume.find("volume", device.volume_id))
    if device.snapshot_id is not None:
        return _to_volume("snapshot", cloud.volume.find("snapshot", device.snapshot_id))
    if device.image is not None:
        place = "volume" if device.volume_size is not None else "local"
        image = cloud.image.find("image", device.image)
        return {"uuid": image, "source_type": "image", "destination_type": place}
    if device.swap_size is not None:
        return _blank("swap", device.swap_size)
    if device.ephemeral_size is not None:
        return _blank(device.ephemeral_format, device.ephemeral_size)
    return {"source_type": "blank", "destination_type": "volume"}


def _to_volume(source: str, id: str) -> dict[str, Any]:
    return {"uuid": id, "source_type": source, "destination_type": "volume"}


def _blank(format: str | None, size: int) -> dict[str, Any]:
    row: dict[str, Any] = {"source_type": "blank", "destination_type": "local"}
    row |= {"boot_index": -1, "delete_on_termination": True, "volume_size": size}
    return row | ({"guest_format": format} if format is not None else {})
