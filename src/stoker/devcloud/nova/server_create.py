"""The making of servers: documents, ports, volumes, group membership.

The rule: what the user gave is taken in the transaction that answers 202; what can only go wrong
later (no addresses left, no host) leaves a server that ends in ERROR.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any

from stoker.devcloud.cloud import new_id
from stoker.devcloud.exchange import Reply
from stoker.devcloud.nova import plug, problem, quota, server_request, volume
from stoker.devcloud.nova.ask import Ask, compute_route, read_dict, read_list
from stoker.devcloud.nova.server import GROUP, KIND, boot
from stoker.devcloud.refusal import Refusal

if TYPE_CHECKING:
    from stoker.devcloud.nova.server_request import Nic, Wanted
    from stoker.devcloud.state import Doc

DOOM = "devcloud:error"
"""Metadata, extra spec or flavor name that makes a server end in ERROR; its value is the reason."""

_HINTS, _OLD_HINTS = "os:scheduler_hints", "OS-SCH-HNT:scheduler_hints"
_LONGEST_HOSTNAME = 63
_DEVICES = "abcdefghijklmnopqrstuvwxyz"


@compute_route("POST", "servers", status=202)
def create_server(ask: Ask) -> Reply:
    """Make one server or several."""
    whole = ask.request.json()
    body = ask.body("server")
    hints = {**read_dict(whole, _HINTS), **read_dict(whole, _OLD_HINTS), **read_dict(body, _HINTS)}
    wanted = server_request.read(ask, body, hints)
    reservation = f"r-{secrets.token_hex(4)}"
    made = [_make(ask, wanted, number, reservation) for number in range(wanted.count)]
    if body.get("return_reservation_id"):
        return Reply({"reservation_id": reservation}, status=202)
    first = made[0]
    shown = {
        "id": first["id"],
        "links": ask.links(f"servers/{first['id']}"),
        "OS-DCF:diskConfig": first["disk_config"],
        "security_groups": body.get("security_groups") or [{"name": "default"}],
        "adminPass": body.get("adminPass") or secrets.token_urlsafe(9),
    }
    href = ask.href(f"servers/{first['id']}")
    return Reply({"server": shown}, status=202, headers={"Location": href})


def _make(ask: Ask, wanted: Wanted, number: int, reservation: str) -> Doc:
    server = _document(ask, wanted, number) | {"reservation_id": reservation}
    ask.state.insert(KIND, server)
    quota.note(ask.state, server)
    _join(ask, server, wanted.group)
    server["volumes"] = _volumes(ask, server, wanted)
    _plug_in(ask, server, wanted)
    ask.state.update(KIND, server)
    boot(ask.cloud, server)
    return server


def _document(ask: Ask, wanted: Wanted, number: int) -> Doc:
    body, now = wanted.body, ask.now()
    name = wanted.name if wanted.count == 1 else f"{wanted.name}-{number + 1}"
    return {
        "id": new_id(),
        "name": name,
        "hostname": body.get("hostname") or hostname(name),
        "project_id": ask.caller.project_id,
        "user_id": ask.caller.user_id,
        "created": now,
        "updated": now,
        "launched_at": None,
        "launch_index": number,
        "image_id": wanted.image["id"] if wanted.image else "",
        "flavor": {n: v for n, v in wanted.flavor.items() if n not in ("access", "description")},
        "key_name": body.get("key_name") or None,
        "metadata": body.get("metadata") or {},
        "tags": list(dict.fromkeys(body.get("tags") or [])),
        "description": body.get("description"),
        "accessIPv4": body.get("accessIPv4") or "",
        "accessIPv6": body.get("accessIPv6") or "",
        "config_drive": "True" if str(body.get("config_drive")).lower() in ("true", "1") else "",
        "disk_config": body.get("OS-DCF:diskConfig") or "MANUAL",
        "user_data": body.get("user_data"),
        "group_id": wanted.group["id"] if wanted.group else "",
        "pinned_zone": wanted.zone or None,
        "forced_host": wanted.forced_host,
        "host": "",
        "own_ports": [],
        "security_groups": list(wanted.group_ids),
        "volumes": [],
        "locked": False,
        "locked_reason": None,
        "fault": None,
        "doom": doom(wanted.flavor, body.get("metadata") or {}),
        "progress": 0,
        "vm_state": "building",
        "task_state": "scheduling",
        "power_state": 0,
        "pending": "build",
    }


def doom(flavor: Doc, metadata: Doc) -> str:
    """Give the reason for which a server is asked to fail, empty where it is not."""
    by_name = flavor["name"] if flavor["name"].startswith(DOOM) else ""
    return str(metadata.get(DOOM) or flavor["extra_specs"].get(DOOM) or by_name)


def hostname(name: str) -> str:
    """Give the host name that Nova makes of a server's name."""
    text = re.sub(r"[ _.]", "-", name).lower()
    text = re.sub(r"[^a-z0-9-]", "", text).strip("-")
    return text[:_LONGEST_HOSTNAME].rstrip("-") or "server"


def _join(ask: Ask, server: Doc, group: Doc | None) -> None:
    if group is not None:
        group["members"].append(server["id"])
        ask.state.update(GROUP, group)


def _plug_in(ask: Ask, server: Doc, wanted: Wanted) -> None:
    for nic in wanted.nics:
        try:
            _plug(ask, server, nic)
        except Refusal as refusal:
            if refusal.type == "OverQuota":
                raise problem.forbidden("Maximum number of ports exceeded") from refusal
            server["doom"] = server["doom"] or (
                f"Build of instance {server['id']} aborted: {refusal.message}"
            )


def _plug(ask: Ask, server: Doc, nic: Nic) -> None:
    if nic.port_id:
        plug.take(ask.as_service, server, plug.check_port(ask.as_user, nic.port_id))
        return
    groups = server["security_groups"]
    port = plug.make(ask.as_service, server, nic.network_id, nic.fixed_ip, groups)
    server["own_ports"].append(port["id"])


def _volumes(ask: Ask, server: Doc, wanted: Wanted) -> list[Doc]:
    found: list[Doc] = []
    old = read_list(wanted.body, "block_device_mapping", dict)
    asked = server_request.devices(wanted.body) or [_second_form(each) for each in old]
    for device in asked:
        source, target = device.get("source_type"), device.get("destination_type")
        if source == "volume":
            found.append(_existing(ask, server, device, len(found)))
        elif target == "volume":
            found.append(_fresh(ask, server, device, len(found)))
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
    volume.check_free(found)
    return _taken(ask, server, device, found, place)


def _fresh(ask: Ask, server: Doc, device: Doc, place: int) -> Doc:
    image = None
    if device.get("source_type") == "image":
        image = server_request.check_image(ask, str(device.get("uuid")), server["flavor"])
    size = device.get("volume_size") or server["flavor"]["disk"]
    if not size:
        raise problem.bad_request(
            "Block Device Mapping is Invalid: You specified more local devices than the limit"
            " allows"
            if image is None
            else "Volume size must be given for an image that is booted from a volume"
        )
    return _taken(ask, server, device, volume.make(ask, int(size), image), place)


def _taken(ask: Ask, server: Doc, device: Doc, found: Doc, place: int) -> Doc:
    name = device.get("device_name") or device_name(place, has_root=not server["image_id"])
    taken = volume.take(ask.state, server, found, name, device.get("tag"))
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
