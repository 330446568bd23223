"""Dependencies of floating IPs that no template writes: the way to the port must be there.

Rule: where it can be seen which subnets a port is on, only the interfaces on these are
waited for; where it cannot, all that the template has are.
"""

from __future__ import annotations

from typing import Any, Final

from stoker.lang.expression import Call, Expr, dump
from stoker.resources.neutron.implicit import NETWORK_NAMES, means, stated
from stoker.resources.neutron.router import gateway_network
from stoker.sdk.resource import Others, Wanted

INTERFACE: Final = "OS::Neutron::RouterInterface"
_SUBNET: Final = ("subnet", "subnet_id")


def gateways_to(network: Expr, others: Others) -> list[str]:
    """Return the names of the routers that the template gives a gateway to a network."""
    wanted = means(network, others)
    gateways = [(each, gateway_network(each)) for each in others.of_type("OS::Neutron::Router")]
    gateways += [
        (each, stated(each.properties, *NETWORK_NAMES))
        for each in others.of_type("OS::Neutron::RouterGateway")
    ]
    return [each.name for each, on in gateways if wanted & means(on, others)]


def interfaces_for(port: Expr, others: Others) -> list[str]:
    """Return the names of the router interfaces that a port is reached through."""
    interfaces = list(others.of_type(INTERFACE))
    if port is None:
        return []
    subnets = _subnets_of(port, others)
    if subnets is None:
        return [each.name for each in interfaces]
    return [each.name for each in interfaces if _plugged(each, others) & subnets]


def _plugged(interface: Wanted, others: Others) -> frozenset[Any]:
    subnet = stated(interface.properties, *_SUBNET)
    if subnet is not None:
        return _subnet(subnet, others)
    return _subnets_of(stated(interface.properties, "port", "port_id"), others) or frozenset()


def _subnets_of(port: Expr, others: Others) -> frozenset[Any] | None:
    """Return the subnets of a port of the template, in all the ways they may be meant."""
    made = next((p for p in others.of_type("OS::Neutron::Port") if _is(port, p)), None)
    if made is None:
        return None
    ips = stated(made.properties, "fixed_ips")
    named = [stated(ip, *_SUBNET) for ip in ips] if isinstance(ips, list | tuple) else []
    if named and None not in named:
        return frozenset[Any]().union(*(_subnet(each, others) for each in named))
    return _on(stated(made.properties, *NETWORK_NAMES), others)


def _on(network: Expr, others: Others) -> frozenset[Any]:
    wanted = means(network, others)
    subnets = [
        ("resource", each.name)
        for each in others.of_type("OS::Neutron::Subnet")
        if wanted & means(stated(each.properties, *NETWORK_NAMES), others)
    ]
    names = {
        ("name", stated(each.properties, "name"))
        for each in others.of_type("OS::Neutron::Subnet")
        if ("resource", each.name) in subnets and isinstance(stated(each.properties, "name"), str)
    }
    return frozenset(subnets) | names


def _is(expr: Expr, port: Wanted) -> bool:
    if isinstance(expr, Call):
        return expr.name == "get_resource" and str(expr.args) == port.name
    name = stated(port.properties, "name")
    return isinstance(name, str) and name == expr


def _subnet(expr: Expr, others: Others) -> frozenset[Any]:
    """Return the ways in which a template may mean the subnet that ``expr`` stands for."""
    if not isinstance(expr, Call):
        return frozenset({("name", str(expr))})
    if expr.name != "get_resource":
        return frozenset({("call", repr(dump(expr)))})
    subnets = others.of_type("OS::Neutron::Subnet")
    made = next((each for each in subnets if each.name == str(expr.args)), None)
    name = None if made is None else stated(made.properties, "name")
    literal = {("name", name)} if isinstance(name, str) else set()
    return frozenset({("resource", str(expr.args)), *literal})
