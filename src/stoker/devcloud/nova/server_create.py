"""The making of servers: documents, ports, volumes, group membership.

The rule: what the user gave is taken in the transaction that answers 202; what can only go wrong
later (no addresses left, no host) leaves a server that ends in ERROR.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

from stoker.devcloud.cloud import new_id
from stoker.devcloud.exchange import Reply
from stoker.devcloud.nova import block_device, plug, problem, quota, server_request
from stoker.devcloud.nova.ask import Ask, compute_route, read_dict
from stoker.devcloud.nova.server import GROUP, KIND, boot
from stoker.devcloud.refusal import Refusal

if TYPE_CHECKING:
    from stoker.devcloud.nova.server_request import Nic, Wanted
    from stoker.devcloud.state import Doc

DOOM = "devcloud:error"
"""Metadata, extra spec or flavor name that makes a server end in ERROR; its value is the reason."""

_HINTS, _OLD_HINTS = "os:scheduler_hints", "OS-SCH-HNT:scheduler_hints"
_LONGEST_HOSTNAME = 63


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
    server["volumes"] = block_device.volumes(ask, server, wanted.body)
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
    plug.check_attachable(ask.as_user, nic.network_id)
    groups = server["security_groups"]
    port = plug.make(ask.as_service, server, nic.network_id, nic.fixed_ip, groups)
    server["own_ports"].append(port["id"])
