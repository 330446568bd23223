"""Servers and ports: made for a server, taken by it, given back.

The rule: a port that Nova made goes with its server; one that the user gave is only let go.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from stoker.devcloud.neutron.address import holder
from stoker.devcloud.neutron.network import NETWORKS, PORT, SUBNET
from stoker.devcloud.neutron.port import PORTS, remove
from stoker.devcloud.neutron.security_group import GROUP as SECURITY_GROUP
from stoker.devcloud.neutron.security_group import ensure_default
from stoker.devcloud.neutron.subnet_rules import network_of
from stoker.devcloud.nova import problem

if TYPE_CHECKING:
    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

OWNER = "compute:nova"
_LOOSE = {"device_id": "", "device_owner": "", "binding:host_id": ""}


def of(call: Call, server_id: str) -> list[Doc]:
    """Give a server's ports, oldest first."""
    return call.state.list(PORT, where={"device_id": server_id})


def check_port(call: Call, port_id: str) -> Doc:
    """Give the port that a user wants plugged in, or refuse it."""
    port = call.state.get(PORT, port_id)
    if port is None or not PORTS.visible(call, port):
        raise problem.bad_request(f"Port id {port_id} could not be found.")
    if port["device_id"]:
        raise problem.conflict(f"Port {port_id} is still in use.")
    if not port["fixed_ips"]:
        raise problem.bad_request(f"Port {port_id} requires a FixedIP in order to be used.")
    return port


def check_network(call: Call, network_id: str) -> Doc:
    """Give the network that a user wants a server on, or refuse it."""
    network = call.state.get(NETWORKS.kind, network_id)
    if network is None or not NETWORKS.visible(call, network):
        raise problem.bad_request(f"Network {network_id} could not be found.")
    if not call.state.count(SUBNET, where={"network_id": network_id}):
        raise problem.bad_request(
            f"Network {network_id} requires a subnet in order to boot instances on."
        )
    return network


def check_attachable(call: Call, network_id: str) -> None:
    """Refuse an external network that is not the user's to plug into; known when it is done."""
    network = call.state.get(NETWORKS.kind, network_id)
    if network and network["router:external"] and not (network["shared"] or call.is_admin):
        raise problem.forbidden(
            f"It is not allowed to create an interface on external network {network_id}"
        )


def available(call: Call) -> list[Doc]:
    """Give the networks from which Nova chooses when the user does not: own and shared ones."""
    return [
        network
        for network in call.state.list(NETWORKS.kind)
        if (network["project_id"] == call.project_id or network["shared"])
        and not network["router:external"]
    ]


def take(call: Call, server: Doc, port: Doc) -> Doc:
    """Plug a port of the user's into a server."""
    plugged = {"device_id": server["id"], "device_owner": OWNER, "dns_name": server["hostname"]}
    bound = {"binding:host_id": server["host"]} if server["host"] else {}
    return PORTS.update(call, port["id"], {**plugged, **bound})


def make(call: Call, server: Doc, network_id: str, fixed_ip: str, groups: list[str]) -> Doc:
    """Make a port for a server on a network; Neutron's refusals come through."""
    body = {
        "network_id": network_id,
        "device_id": server["id"],
        "device_owner": OWNER,
        "binding:host_id": server["host"],
        "dns_name": server["hostname"],
        **({"fixed_ips": [{"ip_address": fixed_ip}]} if fixed_ip else {}),
        **({"security_groups": groups} if groups else {}),
    }
    return PORTS.create(call, [body])[0]


def bind(call: Call, server_id: str, host: str) -> None:
    """Have a server's ports bound where it runs."""
    for port in of(call, server_id):
        PORTS.update(call, port["id"], {"binding:host_id": host})


def unplug(call: Call, server: Doc, port: Doc) -> None:
    """Take a port off a server."""
    if port["id"] in server["own_ports"]:
        remove(call, port)
    else:
        PORTS.update(call, port["id"], {**_LOOSE, "dns_name": ""})


def unplug_all(call: Call, server: Doc) -> None:
    """Take all ports off a server."""
    for port in of(call, server["id"]):
        unplug(call, server, port)


def check_address(call: Call, network_id: str, address: str) -> None:
    """Refuse an address that is in use; one that no subnet has fails later, in building."""
    try:
        subnet = _subnet_of(call, network_id, address)
    except ValueError:
        raise problem.bad_request(f"Invalid fixed IP address ({address})") from None
    if subnet is not None and holder(call.state, subnet["id"], address) is not None:
        raise problem.bad_request(f"Fixed IP address {address} is already in use on instance .")


def _subnet_of(call: Call, network_id: str, address: str) -> Doc | None:
    wanted = ipaddress.ip_address(address)
    subnets = call.state.list(SUBNET, where={"network_id": network_id})
    return next((each for each in subnets if wanted in network_of(each)), None)


def security_group(call: Call, name_or_id: str) -> str:
    """Give the id of the group that a server's body names, by name or id; or refuse it."""
    group = find_security_group(call, name_or_id)
    if group is None:
        raise problem.bad_request(f"Security group {name_or_id} not found.")
    return group


def find_security_group(call: Call, name_or_id: str) -> str | None:
    """Give the id of a project's group, by name or id; None where there is none."""
    if name_or_id == "default":
        return ensure_default(call, call.project_id)
    named = call.state.list(SECURITY_GROUP, project=call.project_id, name=name_or_id)
    if len(named) > 1:
        raise problem.conflict(
            f"Multiple security groups found matching '{name_or_id}'. Use an ID to be more"
            " specific."
        )
    group = named[0] if named else call.state.get(SECURITY_GROUP, name_or_id)
    return None if group is None or not call.owns(group) else str(group["id"])
