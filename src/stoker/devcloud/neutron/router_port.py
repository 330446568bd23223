"""The ports by which routers are plugged in: made and removed by the router alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.cloud import new_id
from stoker.devcloud.neutron.port import PORTS, remove
from stoker.devcloud.neutron.subnet_rules import network_of

if TYPE_CHECKING:
    from stoker.devcloud.neutron.addressing import Network
    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

GATEWAY, INTERFACE = "network:router_gateway", "network:router_interface"
FLOATING_PORT = "network:floatingip"
HOST = "devcloud"


def of(call: Call, router_id: str) -> list[Doc]:
    """Give all ports of a router."""
    return call.state.list(PORTS.kind, where={"device_id": router_id})


def plug(call: Call, router: Doc, network_id: str, owner: str, fixed_ips: list[Doc] | None) -> Doc:
    """Make a port of a router; a gateway's and a floating IP's belong to no project."""
    body = {
        "network_id": network_id,
        "device_id": router["id"],
        "device_owner": owner,
        "binding:host_id": HOST,
        "port_security_enabled": False,
        **({} if fixed_ips is None else {"fixed_ips": fixed_ips}),
    }
    project = router["project_id"] if owner == INTERFACE else ""
    return make(call, project, body)


def make(call: Call, project_id: str, body: Doc) -> Doc:
    """Make a port as the service itself, without anybody's quota."""
    as_service = type(call)(call.cloud, project_id, is_admin=True)
    values = PORTS.new(as_service, {**body, "id": new_id()})
    return PORTS.add(as_service, values)


def unplug(call: Call, port: Doc) -> None:
    """Remove a port of a router."""
    remove(call, port)


def subnets_of(call: Call, router_id: str) -> list[tuple[Network, Doc]]:
    """Give the subnets that a router is plugged into."""
    ids = [each["subnet_id"] for port in of(call, router_id) for each in port["fixed_ips"]]
    found = (call.state.get("network.subnet", id) for id in ids)
    return [(network_of(subnet), subnet) for subnet in found if subnet is not None]
