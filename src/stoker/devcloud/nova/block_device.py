"""A new server's block devices: volumes that exist, volumes made for it, local disks.

The rule: what a body says of them is refused with a 400 before anything is made; a volume that
goes beyond a quota leaves a server that ends in ERROR, as its build would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.devcloud.nova import problem, server_request, volume
from stoker.devcloud.nova.ask import Ask, read_list
from stoker.devcloud.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.devcloud.state import Doc

_DEVICES = "abcdefghijklmnopqrstuvwxyz"
_OVER_QUOTA = 413


def volumes(ask: Ask, server: Doc, body: Mapping[str, Any]) -> list[Doc]:
    """Take or make the volumes that a body names, and give what the server notes of them."""
    found: list[Doc] = []
    old = read_list(body, "block_device_mapping", dict)
    for device in server_request.devices(body) or [_second_form(each) for each in old]:
        source, target = device.get("source_type"), device.get("destination_type")
        if source == "volume":
            found.append(_existing(ask, server, device, len(found)))
        elif target == "volume" or source == "snapshot":
            found += _fresh(ask, server, device, len(found))
        else:
            _check_local(server, device)
    return found


def _second_form(device: Doc) -> Doc:
    """Give a device of the first form in the second."""
    named = {"boot_index": 0 if str(device.get("device_name", "")).endswith("vda") else -1}
    kept = {"delete_on_termination": device.get("delete_on_termination", False)}
    if device.get("snapshot_id"):
        source = {"source_type": "snapshot", "uuid": device["snapshot_id"]}
        size = {"volume_size": device.get("volume_size")}
        return {**named, **kept, **source, **size, "destination_type": "volume"}
    source = {"source_type": "volume", "uuid": device.get("volume_id")}
    return {**named, **kept, **source, "destination_type": "volume"}


def _existing(ask: Ask, server: Doc, device: Doc, place: int) -> Doc:
    id = str(device.get("uuid") or "")
    found = volume.find(ask, id)
    if found is None:
        raise problem.bad_request(f"Block Device Mapping is Invalid: failed to get volume {id}.")
    volume.check_free(ask, found)
    if str(device.get("boot_index")) == "0" and not found["bootable"]:
        raise problem.bad_request(f"Block Device {id} is not bootable.")
    return _taken(ask, server, device, found, place)


def _fresh(ask: Ask, server: Doc, device: Doc, place: int) -> list[Doc]:
    image = snapshot = None
    if device.get("source_type") == "image":
        image = server_request.check_image(ask, str(device.get("uuid")), server["flavor"])
    elif device.get("source_type") == "snapshot":
        snapshot = _snapshot(ask, str(device.get("uuid")))
    size = device.get("volume_size") or (snapshot or {"size": server["flavor"]["disk"]})["size"]
    _check_size(size, image)
    try:
        made = volume.make(ask, int(size), image, snapshot)
    except Refusal as refusal:
        if refusal.status != _OVER_QUOTA:
            raise
        aborted = f"Build of instance {server['id']} aborted: {refusal.message}"
        server["doom"] = server["doom"] or aborted
        return []
    return [_taken(ask, server, device, made, place)]


def _snapshot(ask: Ask, id: str) -> Doc:
    snapshot = volume.find_snapshot(ask, id)
    if snapshot is None:
        raise problem.bad_request(f"Block Device Mapping is Invalid: failed to get snapshot {id}.")
    return snapshot


def _check_size(size: Any, image: Doc | None) -> None:
    if not size:
        raise problem.bad_request(
            "Block Device Mapping is Invalid: You specified more local devices than the limit"
            " allows"
            if image is None
            else "Volume size must be given for an image that is booted from a volume"
        )
    if isinstance(size, bool) or not str(size).isdigit():
        raise problem.invalid("volume_size", size, f"{size!r} is not of type 'integer'")
    if image is not None and int(size) < int(image.get("min_disk") or 0):
        raise problem.bad_request(
            "Volume is smaller than the minimum size specified in image metadata."
        )


def _taken(ask: Ask, server: Doc, device: Doc, found: Doc, place: int) -> Doc:
    name = device.get("device_name") or device_name(place, has_root=not server["image_id"])
    taken = volume.take(ask.cloud, server, found, name, device.get("tag"))
    return {**taken, "delete_on_termination": bool(device.get("delete_on_termination"))}


def device_name(place: int, *, has_root: bool) -> str:
    """Give the device of the ``place``-th volume; without a root volume, ``vda`` is the image's."""
    return f"/dev/vd{_DEVICES[place if has_root else place + 1]}"


def _check_local(server: Doc, device: Doc) -> None:
    ephemeral = device.get("source_type") == "blank" and device.get("guest_format") != "swap"
    size: Any = device.get("volume_size") or 0
    if (
        ephemeral
        and str(device.get("boot_index")) != "0"
        and (int(size) > server["flavor"]["ephemeral"])
    ):
        raise problem.bad_request(
            "Ephemeral disks requested are larger than the instance type allows. If no size is"
            " given in one block device mapping, flavor ephemeral size will be used."
        )
    if device.get("guest_format") == "swap" and int(size) * 1024 > server["flavor"]["swap"]:
        raise problem.bad_request("Swap drive requested is larger than instance type allows.")
