"""What a server's status means for who waits for it, and what its attributes are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from stoker.errors import CloudError
from stoker.resources.nova.server_body import MARK
from stoker.sdk.fault import IN_ERROR

GONE: Final = frozenset({"DELETED", "SOFT_DELETED"})
ACTIVE: Final = "ACTIVE"
BUILDING: Final = "BUILD"
VERIFY: Final = "VERIFY_RESIZE"
ERROR: Final = "ERROR"
_TASK: Final = "OS-EXT-STS:task_state"
_MAC: Final = "OS-EXT-IPS-MAC:mac_addr"
_HTTP_ERROR: Final = 500

MOVING: Final = frozenset(
    {
        BUILDING,
        "HARD_REBOOT",
        "MIGRATING",
        "PASSWORD",
        "REBOOT",
        "REBUILD",
        "RESIZE",
        "REVERT_RESIZE",
        "UNKNOWN",
    }
)
"""What a server is in on its way to something else."""


def is_moving(server: Mapping[str, Any]) -> bool:
    """Tell whether Nova is at work on it."""
    return server["status"] in MOVING or bool(server.get(_TASK))


def refuse_error(server: Mapping[str, Any]) -> None:
    """Raise CloudError with Nova's own reason where the server is in status ERROR."""
    if server["status"] != ERROR:
        return
    fault = server.get("fault") or {}
    reason = fault.get("message") or "no reason was given"
    code = f", Code: {fault['code']}" if "code" in fault else ""
    text = f'Went to status ERROR due to "Message: {reason}{code}"'
    raise CloudError(text, service="compute", status=_HTTP_ERROR, code=IN_ERROR)


def attributes(server: Mapping[str, Any], ports: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what can be read of a server, from what Nova shows of it and Neutron of its ports."""
    addresses = _with_ports(server.get("addresses") or {}, ports)
    networks = {net: [each["addr"] for each in items] for net, items in addresses.items()}
    first = next((ip for ips in networks.values() for ip in ips), "")
    shown = {**server, "tags": user_tags(server)}
    return {
        "name": server["name"],
        "addresses": addresses,
        "networks": networks,
        "first_address": first,
        "ip_address": server.get("accessIPv4") or first,
        "instance_id": server["id"],
        "instance_name": server.get("OS-EXT-SRV-ATTR:instance_name"),
        "accessIPv4": server.get("accessIPv4"),
        "accessIPv6": server.get("accessIPv6"),
        "tags": user_tags(server),
        "os_collect_config": {},
        "show": shown,
    }


def user_tags(server: Mapping[str, Any]) -> list[str]:
    """Return the tags without our mark."""
    return [tag for tag in server.get("tags") or () if not tag.startswith(MARK)]


def _with_ports(addresses: Mapping[str, Any], ports: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the addresses with their ports, by each network's name and by its id."""
    by_mac = {port["mac_address"]: port for port in ports}
    found: dict[str, Any] = {}
    for label, items in addresses.items():
        mine = [by_mac.get(item.get(_MAC), {}) for item in items]
        found[label] = [
            {**item, "port": port.get("id")} for item, port in zip(items, mine, strict=True)
        ]
        ids = {port["network_id"]: None for port in mine if port}
        found |= dict.fromkeys(ids, found[label])
    return found
