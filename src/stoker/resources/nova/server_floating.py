"""The floating IPs that lead to a server's interfaces.

Rule: one that leads elsewhere is a conflict, never taken from there; one that somebody has led
elsewhere since is no longer ours, and is left as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from stoker.errors import CloudNotFound
from stoker.lang.expression import Expr
from stoker.resources.neutron.floating_ip import KIND
from stoker.resources.neutron.implicit import stated
from stoker.resources.neutron.routed import INTERFACE, interfaces_for
from stoker.resources.nova.server_props import Nic
from stoker.resources.relation import taken
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import Others
from stoker.sdk.value import is_open


def lead(nics: Sequence[Nic], ports: Mapping[int, str], cloud: Cloud) -> bool:
    """Lead one floating IP to its interface's port, by the interface's index; tell if one was due.

    Raises Invalid where one leads elsewhere.
    """
    for floating, port in wanted(nics, ports).items():
        shown = cloud.network.show(KIND, floating)
        if shown["port_id"] == port:
            continue
        if shown["port_id"] is not None:
            text = f"the floating IP {shown['id']} leads to the port {shown['port_id']} already"
            raise taken(text, "networks")
        cloud.network.update(KIND, floating, {"port_id": port})
        return True
    return False


def let_go(
    nics: Iterable[Nic], stay: Mapping[str, str], own: Collection[str], cloud: Cloud
) -> bool:
    """Take one of these floating IPs off a port of the server's; tell whether one was due.

    Those that ``stay``, each on its port, are left: an address leads to one port, and only one
    leads there, so that all others must go before.
    """
    for floating in dict.fromkeys(each.floating_ip for each in nics if each.floating_ip):
        port = _port_of(floating, cloud)
        if port in own and port != stay.get(floating):
            cloud.network.update(KIND, floating, {"port_id": None})
            return True
    return False


def wanted(nics: Sequence[Nic], ports: Mapping[int, str]) -> dict[str, str]:
    """Return the port that each floating IP is to lead to, where that port is known."""
    return {
        nic.floating_ip: ports[i]
        for i, nic in enumerate(nics)
        if nic.floating_ip is not None and i in ports
    }


def _floating(nics: Iterable[Nic]) -> list[str]:
    return [nic.floating_ip for nic in nics if nic.floating_ip is not None]


def _port_of(floating: str, cloud: Cloud) -> str | None:
    try:
        led: str | None = cloud.network.show(KIND, floating)["port_id"]
    except CloudNotFound:
        return None
    return led


def held(nics: Sequence[Nic] | None) -> frozenset[object]:
    """Return the floating IPs as exclusive values: each leads to one port."""
    if nics is None or is_open(nics):
        return frozenset()
    return frozenset(("floating IP led", each) for each in _floating(nics))


def after(nics: Iterable[Expr], others: Others) -> Iterable[str]:
    """Return the router interfaces that must be there before an address can lead here."""
    for nic in nics:
        if stated(nic, "floating_ip") is None:
            continue
        port = stated(nic, "port")
        if port is not None:
            yield from interfaces_for(port, others)
        else:
            yield from (each.name for each in others.of_type(INTERFACE))
