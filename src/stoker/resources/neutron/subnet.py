"""OS::Neutron::Subnet: a range of addresses on a network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from stoker.errors import Kind, Problem
from stoker.resources.neutron.neutron_object import (
    NeutronObject,
    plain_body,
    plain_changes,
    spec_problems,
)
from stoker.sdk.cloud import Cloud
from stoker.sdk.formats import ip_address
from stoker.sdk.resource import At
from stoker.sdk.schema import Attr, Props, Support, attrs, prop
from stoker.sdk.value import is_unknown, thaw

NO_GATEWAY: Final = frozenset({"", "~", "null"})
AUTO: Final = "auto"
_IPV6: Final = 6
_MODES: Final = ("dhcpv6-stateful", "dhcpv6-stateless", "slaac")

_PLAIN: Final = {
    "dns_nameservers": "dns_nameservers",
    "enable_dhcp": "enable_dhcp",
    "host_routes": "host_routes",
    "allocation_pools": "allocation_pools",
}
_AT_CREATE: Final = {
    **_PLAIN,
    "cidr": "cidr",
    "prefixlen": "prefixlen",
    "ip_version": "ip_version",
    "tenant_id": "tenant_id",
    "ipv6_ra_mode": "ipv6_ra_mode",
    "ipv6_address_mode": "ipv6_address_mode",
}


class AllocationPool(Props):
    start: str = prop("First address.", is_a="ip_addr")
    end: str = prop("Last address.", is_a="ip_addr")


class HostRoute(Props):
    destination: str = prop("Network behind the route.", is_a="net_cidr")
    nexthop: str = prop("Address of the next hop.", is_a="ip_addr")


class SubnetProps(Props):
    network_id: str | None = prop(
        "Network, by name or id.",
        default=None,
        becomes="network",
        is_a="neutron.network",
        support=Support("HIDDEN", "5.0.0", previous=Support("DEPRECATED", "2014.2")),
    )
    network: str = prop(
        "Network, by name or id.", is_a="neutron.network", support=Support(since="2014.2")
    )
    subnetpool: str | None = prop(
        "Pool to take the range from, by name or id.",
        default=None,
        is_a="neutron.subnetpool",
        support=Support(since="6.0.0"),
    )
    prefixlen: int | None = prop(
        "Length of the prefix to take from the pool.",
        default=None,
        at_least=0,
        support=Support(since="6.0.0"),
    )
    cidr: str | None = prop("The range.", default=None, is_a="net_cidr")
    value_specs: Mapping[str, Any] = prop(
        "Further values for the request.", default={}, updatable=True
    )
    name: str | None = prop("Name of the subnet.", default=None, updatable=True)
    ip_version: int = prop("4 or 6.", default=4, one_of=(4, 6))
    dns_nameservers: tuple[Any, ...] = prop(
        "Name servers that its ports are told.", default=[], updatable=True
    )
    gateway_ip: str | None = prop(
        "Gateway; null, ~ or the empty text is none, auto is chosen by Neutron.",
        default=None,
        null="",
        updatable=True,
    )
    enable_dhcp: bool = prop("Whether it is served by DHCP.", default=True, updatable=True)
    allocation_pools: tuple[AllocationPool, ...] | None = prop(
        "Ranges that addresses are given out of.", default=None, updatable=True
    )
    tenant_id: str | None = prop("Project that owns it; for administrators.", default=None)
    host_routes: tuple[HostRoute, ...] | None = prop(
        "Routes that its ports are told.", default=None, updatable=True
    )
    ipv6_ra_mode: str | None = prop(
        "How routers advertise it.",
        default=None,
        one_of=_MODES,
        support=Support(since="2015.1"),
    )
    ipv6_address_mode: str | None = prop(
        "How ports get addresses.",
        default=None,
        one_of=_MODES,
        support=Support(since="2015.1"),
    )
    segment: str | None = prop(
        "Segment that it is on; can be set once, not changed.",
        default=None,
        updatable=True,
        is_a="neutron.segment",
        support=Support(since="9.0.0"),
    )
    tags: tuple[str, ...] | None = prop(
        "Tags of the subnet.", default=None, updatable=True, support=Support(since="9.0.0")
    )


class Subnet(NeutronObject[SubnetProps]):
    type_name = "OS::Neutron::Subnet"
    since = "2014.1"
    doc = "A range of addresses on a network."
    Props = SubnetProps
    kind = "subnet"
    attributes = attrs(
        name=Attr("Its name."),
        network_id=Attr("Its network."),
        tenant_id=Attr("Project that owns it."),
        allocation_pools=Attr("Ranges that addresses are given out of.", "list"),
        gateway_ip=Attr("Its gateway."),
        host_routes=Attr("Routes that its ports are told.", "list"),
        ip_version=Attr("4 or 6."),
        cidr=Attr("The range."),
        dns_nameservers=Attr("Name servers that its ports are told.", "list"),
        enable_dhcp=Attr("Whether it is served by DHCP."),
    )

    def validate(self, props: SubnetProps) -> Iterable[Problem]:
        yield from spec_problems(props)
        yield from _range_problems(props)
        if not is_unknown(props.ip_version) and props.ip_version != _IPV6:
            for name in ("ipv6_ra_mode", "ipv6_address_mode"):
                if getattr(props, name) is not None:
                    yield _problem(f"{name} needs ip_version 6", name)
        gateway = props.gateway_ip
        if gateway is not None and not is_unknown(gateway) and gateway not in {*NO_GATEWAY, AUTO}:
            wrong = ip_address(gateway)
            if wrong is not None:
                yield _problem(
                    f"{wrong}; or ~ for none, auto for one of Neutron's choice", "gateway_ip"
                )

    def replaces(
        self, old: SubnetProps, new: SubnetProps, changed: frozenset[str]
    ) -> frozenset[str]:
        forced = super().replaces(old, new, changed)
        return forced | {"segment"} if "segment" in changed and old.segment is not None else forced

    def body(self, at: At[SubnetProps], cloud: Cloud) -> dict[str, Any]:
        props, network = at.props, cloud.network
        body = plain_body(at, _AT_CREATE)
        body["network_id"] = network.find("network", props.network)
        if props.subnetpool is not None:
            body["subnetpool_id"] = network.find("subnetpool", props.subnetpool)
        if props.segment is not None:
            body["segment_id"] = network.find("segment", props.segment)
        return body | _gateway(props)

    def changes(self, at: At[SubnetProps], cloud: Cloud) -> dict[str, Any]:
        changes = plain_changes(at, _PLAIN)
        for name in ("allocation_pools", "host_routes"):
            if name in changes:
                changes[name] = changes[name] or []
        if "segment" in at.changed and at.props.segment is not None:
            changes["segment_id"] = cloud.network.find("segment", at.props.segment)
        if "gateway_ip" in at.changed:
            changes |= {"gateway_ip": None} if at.props.gateway_ip is None else _gateway(at.props)
        return changes


def _gateway(props: SubnetProps) -> dict[str, Any]:
    """Return the gateway for a body: nothing said (and auto) leaves the choice to Neutron."""
    if props.gateway_ip is None or props.gateway_ip == AUTO:
        return {}
    return {"gateway_ip": None if props.gateway_ip in NO_GATEWAY else thaw(props.gateway_ip)}


def _range_problems(props: SubnetProps) -> Iterable[Problem]:
    if props.cidr is None and props.subnetpool is None:
        yield _problem("give cidr, or a subnetpool to take the range from", "cidr")
    if props.prefixlen is not None and props.cidr is not None:
        yield _problem("prefixlen is for a subnetpool; cidr has its own", "prefixlen")
    if props.cidr is not None and props.subnetpool is not None:
        yield _problem("cidr and subnetpool exclude each other: give one", "subnetpool")


def _problem(text: str, name: str) -> Problem:
    return Problem(text, (name,), None, Kind.PROPERTY)
