"""OS::Neutron::Router: a router, its gateway to an external network, and who hosts it.

Rule: what Neutron cannot change on a router (its availability zone hints) makes a new one,
though its schema calls it updatable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from stoker.errors import CloudNotFound, Kind, Problem
from stoker.resources.neutron.implicit import stated, subnets_on
from stoker.resources.neutron.neutron_object import (
    NeutronObject,
    plain_body,
    plain_changes,
    spec_problems,
)
from stoker.resources.neutron.port import fixed_ip
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Next, Others, Wanted
from stoker.sdk.schema import Attr, Limits, Props, Support, attrs, prop
from stoker.sdk.value import is_unknown

_PLAIN: Final = {"admin_state_up": "admin_state_up"}
_AT_CREATE: Final = {
    **_PLAIN,
    "tenant_id": "tenant_id",
    "distributed": "distributed",
    "ha": "ha",
    "availability_zone_hints": "availability_zone_hints",
}
_GATEWAY: Final = "external_gateway_info"
_HINTS: Final = frozenset({"availability_zone_hints"})
_SINCE_2015: Final = Support(since="2015.1")


class ExternalIp(Props):
    ip_address: str | None = prop("The address wanted.", default=None, is_a="ip_addr")
    subnet: str | None = prop(
        "Subnet to take the address from, by name or id.", default=None, is_a="neutron.subnet"
    )


class Gateway(Props):
    network: str = prop("The external network, by name or id.", updatable=True)
    enable_snat: bool | None = prop(
        "Whether what goes out takes the gateway's address; for administrators.",
        default=None,
        updatable=True,
    )
    external_fixed_ips: tuple[ExternalIp, ...] | None = prop(
        "Addresses of the gateway; for administrators.",
        default=None,
        updatable=True,
        support=Support(since="6.0.0"),
    )


class RouterProps(Props):
    name: str | None = prop("Name of the router.", default=None, updatable=True)
    external_gateway_info: Gateway | None = prop(
        "Its gateway to an external network.", default=None, updatable=True
    )
    value_specs: Mapping[str, Any] = prop(
        "Further values for the request.", default={}, updatable=True
    )
    admin_state_up: bool = prop("Whether it is switched on.", default=True, updatable=True)
    l3_agent_id: str | None = prop(
        "Agent that hosts it.",
        default=None,
        updatable=True,
        becomes="l3_agent_ids",
        translate=lambda agent: [agent],
        support=Support(
            "HIDDEN", "6.0.0", previous=Support("DEPRECATED", "2015.1", previous=Support())
        ),
    )
    l3_agent_ids: tuple[str, ...] | None = prop(
        "Agents that host it; for administrators.",
        default=None,
        updatable=True,
        each=Limits(),
        support=_SINCE_2015,
    )
    distributed: bool | None = prop(
        "Whether it is distributed over the hosts; for administrators.",
        default=None,
        support=_SINCE_2015,
    )
    ha: bool | None = prop(
        "Whether several agents stand by for it; for administrators.",
        default=None,
        support=_SINCE_2015,
    )
    availability_zone_hints: tuple[Any, ...] | None = prop(
        "Availability zones to choose from; others need a new router.",
        default=None,
        updatable=True,
        support=Support(since="19.0.0"),
    )
    tags: tuple[str, ...] | None = prop(
        "Tags of the router.", default=None, updatable=True, support=Support(since="9.0.0")
    )
    tenant_id: str | None = prop(
        "Project that owns it; for administrators.", default=None, support=Support(since="24.0.0")
    )


class Router(NeutronObject[RouterProps]):
    type_name = "OS::Neutron::Router"
    since = "2014.1"
    doc = "A router between networks."
    Props = RouterProps
    kind = "router"
    waits = True
    attributes = attrs(
        status=Attr("Its status."),
        external_gateway_info=Attr("Its gateway to an external network.", "map"),
        name=Attr("Its name."),
        admin_state_up=Attr("Whether it is switched on."),
        tenant_id=Attr("Project that owns it."),
    )

    def validate(self, props: RouterProps) -> Iterable[Problem]:
        yield from spec_problems(props)
        if props.distributed is True and props.ha is True:
            yield _problem("ha and distributed exclude each other: leave one out", "ha")
        agents = props.l3_agent_ids
        if agents is None or is_unknown(agents):
            return
        if props.distributed is True:
            yield _problem("a distributed router is on every host: leave it out", "l3_agent_ids")
        if len(agents) > 1 and not (props.ha is True or is_unknown(props.ha)):
            yield _problem("only a router with ha may have several agents", "l3_agent_ids")

    def after(self, mine: Wanted, others: Others) -> Iterable[str]:
        return subnets_on([gateway_network(mine)], others)

    def replaces(
        self, old: RouterProps, new: RouterProps, changed: frozenset[str]
    ) -> frozenset[str]:
        return super().replaces(old, new, changed) | (changed & _HINTS)

    def body(self, at: At[RouterProps], cloud: Cloud) -> dict[str, Any]:
        body = plain_body(at, _AT_CREATE)
        if at.props.external_gateway_info is not None:
            body[_GATEWAY] = _gateway(at.props.external_gateway_info, cloud)
        return body

    def changes(self, at: At[RouterProps], cloud: Cloud) -> dict[str, Any]:
        changes = plain_changes(at, _PLAIN)
        if _GATEWAY in at.changed:
            gateway = at.props.external_gateway_info
            changes[_GATEWAY] = gateway and _gateway(gateway, cloud)
        return changes

    def has_more(self, at: At[RouterProps]) -> bool:
        return at.props.l3_agent_ids is not None

    def converge(self, at: At[RouterProps], cloud: Cloud, shown: Mapping[str, Any]) -> Next | None:
        """Take it from agents that should not host it, then give it to those that should.

        In this order, for without ha only one agent may have it at a time.
        """
        if at.props.l3_agent_ids is None:
            return None
        wanted = set(at.props.l3_agent_ids)
        hosts = {row["id"] for row in cloud.network.get(f"{_path(at)}/l3-agents")["agents"]}
        for agent in sorted(hosts - wanted):
            with suppress(CloudNotFound):
                cloud.network.remove(f"/agents/{agent}/l3-routers/{at.owned}")
            return Next(data=at.data)
        for agent in sorted(wanted - hosts):
            cloud.network.post(f"/agents/{agent}/l3-routers", {"router_id": at.owned})
            return Next(data=at.data)
        return None


def gateway_network(router: Wanted) -> Any:
    """Return what a template says for the external network of a router."""
    return stated(stated(router.properties, _GATEWAY), "network")


def _gateway(gateway: Gateway, cloud: Cloud) -> dict[str, Any]:
    body: dict[str, Any] = {"network_id": cloud.network.find("network", gateway.network)}
    if gateway.enable_snat is not None:
        body["enable_snat"] = gateway.enable_snat
    if gateway.external_fixed_ips is not None:
        body["external_fixed_ips"] = [
            fixed_ip(each.subnet, each.ip_address, cloud) for each in gateway.external_fixed_ips
        ]
    return body


def _path(at: At[Any]) -> str:
    return f"/routers/{at.owned}"


def _problem(text: str, name: str) -> Problem:
    return Problem(text, (name,), None, Kind.PROPERTY)
