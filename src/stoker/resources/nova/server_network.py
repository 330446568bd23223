"""A server's interfaces: which it is to have, which it has, and the ports made for them.

Rule: a port that we make has a name of its own, ``<server>-port-<n>``, by which it is found
when the answer was lost; only interfaces that the template asked for are ever taken off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from stoker.errors import Kind, Problem
from stoker.resources.neutron.port import fixed_ip
from stoker.resources.nova.server_props import Nic, PortExtra, ServerProps
from stoker.sdk.cloud import Cloud
from stoker.sdk.value import is_open, is_unknown, thaw

AUTO: Final = "auto"


def needs_port(nic: Nic) -> bool:
    """Tell whether a port must be made: Nova alone cannot do what the interface asks for."""
    asked = (nic.subnet, nic.port_extra_properties, nic.floating_ip)
    return nic.port is None and any(each is not None for each in asked)


def port_name(server_name: str, number: int | str) -> str:
    """Return the name of the port number ``number`` that is made for a server."""
    return f"{server_name}-port-{number}"


def port_body(nic: Nic, props: ServerProps, cloud: Cloud) -> dict[str, Any]:
    """Return the body of the port that an interface needs, without its name."""
    body: dict[str, Any] = {"network_id": network_id(nic, cloud)}
    if nic.subnet is not None or nic.fixed_ip is not None:
        body["fixed_ips"] = [fixed_ip(nic.subnet, nic.fixed_ip, cloud)]
    if props.security_groups:
        groups = (cloud.network.find("security_group", str(g)) for g in props.security_groups)
        body["security_groups"] = list(groups)
    if nic.port_extra_properties is not None:
        body |= extra_body(nic.port_extra_properties, cloud)
        if nic.port_extra_properties.mac_address is not None:
            body["mac_address"] = nic.port_extra_properties.mac_address
    return body


def extra_body(extra: PortExtra, cloud: Cloud) -> dict[str, Any]:
    """Return what can be said of a port at any time."""
    body = {
        "admin_state_up": extra.admin_state_up,
        "binding:vnic_type": extra.vnic_type,
        "port_security_enabled": extra.port_security_enabled,
        "propagate_uplink_status": extra.propagate_uplink_status,
    }
    if extra.allowed_address_pairs is not None:
        body["allowed_address_pairs"] = [each.given() for each in extra.allowed_address_pairs]
    if extra.qos_policy is not None:
        body["qos_policy_id"] = cloud.network.find("qos_policy", extra.qos_policy)
    if extra.no_fixed_ips:
        body["fixed_ips"] = []
    specs: dict[str, Any] = thaw(extra.value_specs)
    return {key: value for key, value in body.items() if value is not None} | specs


def network_id(nic: Nic, cloud: Cloud) -> str | None:
    """Return the id of the network that an interface is on, from its subnet if need be."""
    if nic.network is not None:
        return cloud.network.find("network", nic.network)
    if nic.subnet is None:
        return None
    subnet = cloud.network.seen("subnet", cloud.network.find("subnet", nic.subnet))
    return str(subnet["network_id"])


def nova_networks(nics: Sequence[Nic] | None, ports: Mapping[str, str], cloud: Cloud) -> Any:
    """Return ``networks`` of a create; ``ports`` are those made, by the interface's index."""
    if not nics:
        return AUTO
    if nics[0].allocate_network is not None:
        return nics[0].allocate_network
    return [_nova_network(nic, ports.get(str(i)), cloud) for i, nic in enumerate(nics)]


def _nova_network(nic: Nic, made: str | None, cloud: Cloud) -> dict[str, Any]:
    tag = {"tag": nic.tag} if nic.tag is not None else {}
    port = made or (nic.port and cloud.network.find("port", nic.port))
    if port:
        return {"port": port, **tag}
    address = {"fixed_ip": nic.fixed_ip} if nic.fixed_ip is not None else {}
    return {"uuid": network_id(nic, cloud), **address, **tag}


def nic_problems(nics: Sequence[Nic] | None) -> Iterable[Problem]:
    """Yield what is wrong with ``networks``; values may be UNKNOWN."""
    for i, nic in enumerate(() if nics is None or is_unknown(nics) else nics):
        if is_unknown(nic):
            continue
        if nic.allocate_network is not None and (len(nics or ()) > 1 or nic.network or nic.port):
            text = "allocate_network stands alone: it is about all interfaces"
            yield _problem(text, i, "allocate_network")
        if nic.port is not None and (nic.fixed_ip is not None or nic.subnet is not None):
            yield _problem("a port has its addresses: give port alone", i, "port")
        named = (nic.network, nic.port, nic.subnet, nic.allocate_network)
        if all(each is None for each in named):
            yield _problem("give one of network, port, subnet or allocate_network", i)


def _problem(text: str, i: int, *name: str) -> Problem:
    return Problem(text, ("networks", i, *name), None, Kind.PROPERTY)


# what there is, against what is wanted


@dataclass(frozen=True, slots=True)
class Interface:
    """An interface that the server has."""

    port_id: str
    net_id: str
    ips: frozenset[str] = frozenset()
    subnets: frozenset[str] = frozenset()

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Interface:
        fixed = row.get("fixed_ips") or ()
        ips = frozenset(str(ip["ip_address"]) for ip in fixed)
        return cls(row["port_id"], row["net_id"], ips, frozenset(ip["subnet_id"] for ip in fixed))


@dataclass
class Match:
    """Which interface serves which wanted one, by the wanted one's index."""

    found: dict[int, Interface] = field(default_factory=dict)
    missing: list[int] = field(default_factory=list)


def match(
    nics: Sequence[Nic],
    there: Iterable[Interface],
    ports: Mapping[int, str],
    own: frozenset[str],
    cloud: Cloud,
) -> Match:
    """Match the wanted interfaces to those there, the more particular ones first.

    ``ports`` are ports made for a wanted one already, by its index; ``own`` are all ports
    that were ever made for the server.
    """
    left = {each.port_id: each for each in there}
    result = Match()
    for i in sorted(range(len(nics)), key=lambda i: _vagueness(nics[i], i in ports)):
        chosen = _chosen(nics[i], left.values(), ports.get(i), own, cloud)
        if chosen is None:
            result.missing.append(i)
        else:
            result.found[i] = left.pop(chosen.port_id)
    result.missing.sort()
    return result


def _vagueness(nic: Nic, has_port: bool) -> int:  # noqa: FBT001 - a sort key's two halves
    if nic.port is not None or has_port:
        return 0
    return 1 if nic.fixed_ip is not None else 2 if nic.subnet is not None else 3


def _chosen(
    nic: Nic, there: Iterable[Interface], port: str | None, own: frozenset[str], cloud: Cloud
) -> Interface | None:
    if port is None and nic.port is not None:
        port = cloud.network.find("port", nic.port)
    if port is not None:
        return next((each for each in there if each.port_id == port), None)
    if nic.allocate_network is not None:
        return next(iter(there), None)
    wanted_net = network_id(nic, cloud)
    subnet = None if nic.subnet is None else cloud.network.find("subnet", nic.subnet)
    for each in there:
        if (
            each.net_id == wanted_net
            and (nic.fixed_ip is None or nic.fixed_ip in each.ips)
            and (subnet is None or subnet in each.subnets)
            and (each.port_id in own or nic.port_extra_properties is None)
        ):
            return each
    return None


def held(nics: Sequence[Nic] | None) -> frozenset[object]:
    """Return what only one server can have at a time: given ports, and addresses of its own."""
    if nics is None or is_open(nics):
        return frozenset()
    found: set[object] = {("plugged port", nic.port) for nic in nics if nic.port is not None}
    for nic in nics:
        extra = nic.port_extra_properties
        mac = extra.mac_address if extra is not None else None
        own = (each for each in (nic.fixed_ip, mac) if each is not None)
        found |= {("address", nic.network or nic.subnet, each) for each in own}
    return frozenset(found)
