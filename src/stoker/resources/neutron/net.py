"""OS::Neutron::Net: a network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from stoker.errors import CloudNotFound, Problem
from stoker.resources.neutron.neutron_object import (
    NeutronObject,
    plain_body,
    plain_changes,
    spec_problems,
)
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Next
from stoker.sdk.schema import Attr, Props, Support, attrs, prop

_PLAIN: Final = {
    "admin_state_up": "admin_state_up",
    "shared": "shared",
    "port_security_enabled": "port_security_enabled",
    "dns_domain": "dns_domain",
}
_AT_CREATE: Final = {
    **_PLAIN,
    "tenant_id": "tenant_id",
    "availability_zone_hints": "availability_zone_hints",
}


class NetProps(Props):
    name: str | None = prop("Name of the network.", default=None, updatable=True)
    value_specs: Mapping[str, Any] = prop(
        "Further values for the request.", default={}, updatable=True
    )
    admin_state_up: bool = prop("Whether it is switched on.", default=True, updatable=True)
    tenant_id: str | None = prop("Project that owns it; for administrators.", default=None)
    shared: bool = prop("Whether all projects may use it.", default=False, updatable=True)
    dhcp_agent_ids: tuple[Any, ...] | None = prop(
        "DHCP agents that serve it; for administrators.", default=None, updatable=True
    )
    port_security_enabled: bool | None = prop(
        "Whether its ports are secured, unless they say otherwise.",
        default=None,
        updatable=True,
        support=Support(since="5.0.0"),
    )
    qos_policy: str | None = prop(
        "Quality-of-service policy, by name or id.",
        default=None,
        updatable=True,
        is_a="neutron.qos_policy",
        support=Support(since="6.0.0"),
    )
    dns_domain: str | None = prop(
        "DNS domain of its ports.",
        default=None,
        updatable=True,
        is_a="dns_domain",
        support=Support(since="7.0.0"),
    )
    availability_zone_hints: tuple[Any, ...] | None = prop(
        "Availability zones to choose from.", default=None, support=Support(since="19.0.0")
    )
    tags: tuple[str, ...] | None = prop(
        "Tags of the network.", default=None, updatable=True, support=Support(since="9.0.0")
    )


class Net(NeutronObject[NetProps]):
    type_name = "OS::Neutron::Net"
    since = "2014.1"
    doc = "A network."
    Props = NetProps
    kind = "network"
    waits = True
    attributes = attrs(
        status=Attr("Its status."),
        name=Attr("Its name."),
        subnets=Attr("Ids of its subnets.", "list"),
        admin_state_up=Attr("Whether it is switched on."),
        tenant_id=Attr("Project that owns it."),
        port_security_enabled=Attr("Whether ports are secured.", "boolean", Support(since="5.0.0")),
        mtu=Attr("Largest packet, in bytes; 0 is unknown.", "integer", Support(since="5.0.0")),
        qos_policy_id=Attr("Its quality-of-service policy.", "string", Support(since="6.0.0")),
        l2_adjacency=Attr("Whether it is one broadcast domain.", "boolean", Support(since="9.0.0")),
        segments=Attr("Its segments; always null here.", "list", Support(since="11.0.0")),
    )

    def validate(self, props: NetProps) -> Iterable[Problem]:
        return spec_problems(props)

    def body(self, at: At[NetProps], cloud: Cloud) -> dict[str, Any]:
        body = plain_body(at, _AT_CREATE)
        if at.props.qos_policy is not None:
            body["qos_policy_id"] = cloud.network.find("qos_policy", at.props.qos_policy)
        return body

    def changes(self, at: At[NetProps], cloud: Cloud) -> dict[str, Any]:
        changes = plain_changes(at, _PLAIN)
        if "qos_policy" in at.changed:
            policy = at.props.qos_policy
            changes["qos_policy_id"] = policy and cloud.network.find("qos_policy", policy)
        return changes

    def has_more(self, at: At[NetProps]) -> bool:
        return at.props.dhcp_agent_ids is not None

    def converge(self, at: At[NetProps], cloud: Cloud, shown: Mapping[str, Any]) -> Next | None:
        """Give it to the agents that it should have, and take it from the others."""
        if at.props.dhcp_agent_ids is None:
            return None
        wanted = set(map(str, at.props.dhcp_agent_ids))
        rows = cloud.network.get(f"/networks/{at.owned}/dhcp-agents")["agents"]
        served = {row["id"] for row in rows}
        for agent in sorted(wanted - served):
            cloud.network.post(f"/agents/{agent}/dhcp-networks", {"network_id": at.owned})
            return Next(data=at.data)
        for agent in sorted(served - wanted):
            _take_from(agent, at.owned, cloud)
            return Next(data=at.data)
        return None


def _take_from(agent: str, network_id: str, cloud: Cloud) -> None:
    with suppress(CloudNotFound):
        cloud.network.remove(f"/agents/{agent}/dhcp-networks/{network_id}")
