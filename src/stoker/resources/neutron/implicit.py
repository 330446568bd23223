"""Dependencies that no template writes: what must be on a network before it is used.

Rule: two resources mean the same network when their templates name it the same way, or one
by reference and the other by the literal name that the network is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from stoker.lang.expression import Call, Expr, dump
from stoker.sdk.resource import Others

NETWORK_NAMES: Final = ("network", "network_id", "uuid")


def stated(properties: Expr, *names: str) -> Expr:
    """Return what a template says for the first of these properties that it sets."""
    if not isinstance(properties, Mapping):
        return None
    return next((properties[name] for name in names if properties.get(name) is not None), None)


def means(expr: Expr, others: Others) -> frozenset[Any]:
    """Return the ways in which a template may mean the network that ``expr`` stands for."""
    if expr is None:
        return frozenset()
    if not isinstance(expr, Call):
        return frozenset({("name", str(expr))})
    if expr.name != "get_resource":
        return frozenset({("call", repr(dump(expr)))})
    nets = others.of_type("OS::Neutron::Net", "OS::Neutron::ProviderNet")
    named = next((stated(net.properties, "name") for net in nets if net.name == expr.args), None)
    literal = {("name", named)} if isinstance(named, str) else set()
    return frozenset({("resource", str(expr.args)), *literal})


def subnets_on(networks: Iterable[Expr], others: Others) -> list[str]:
    """Return the names of the template's subnets that are on one of these networks."""
    wanted = frozenset[Any]().union(*(means(each, others) for each in networks))
    return [
        subnet.name
        for subnet in others.of_type("OS::Neutron::Subnet")
        if wanted & means(stated(subnet.properties, *NETWORK_NAMES), others)
    ]
