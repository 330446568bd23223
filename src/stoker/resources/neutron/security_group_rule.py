"""OS::Neutron::SecurityGroupRule: one rule of a group that is not all in this template.

Rule: Neutron keeps no two rules that let the same pass, so a rule is known by what it lets
pass; it is ours only if none was there before the call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from stoker.errors import CloudNotFound, Kind, Problem
from stoker.resources.neutron.security_rule import PROTOCOLS, there
from stoker.resources.relation import absent, taken, was_absent
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Done, Next, Resource, Step, View
from stoker.sdk.schema import Props, attrs, prop
from stoker.sdk.value import is_open, is_unknown

_KIND: Final = "security_group_rule"
_MOST_PORT: Final = 65535
_WITH_PORTS: Final = frozenset({"tcp", "udp", "6", "17"})


class SecurityGroupRuleProps(Props):
    security_group: str = prop(
        "Group that gets the rule, by name or id.", is_a="neutron.security_group"
    )
    description: str | None = prop("What it is for.", default=None)
    direction: str = prop(
        "Which way it lets pass.", default="ingress", one_of=("ingress", "egress")
    )
    ethertype: str = prop("IPv4 or IPv6.", default="IPv4", one_of=("IPv4", "IPv6"), any_case=True)
    port_range_min: int | None = prop(
        "First port, or the type of ICMP.", default=None, at_least=0, at_most=_MOST_PORT
    )
    port_range_max: int | None = prop(
        "Last port, or the code of ICMP.", default=None, at_least=0, at_most=_MOST_PORT
    )
    protocol: str = prop(
        "Protocol, by name or number.",
        default="tcp",
        one_of=(*range(256), *PROTOCOLS),
        any_case=True,
    )
    remote_group: str | None = prop(
        "Security group of the other side, by name or id.",
        default=None,
        is_a="neutron.security_group",
    )
    remote_ip_prefix: str | None = prop(
        "Range of the other side; without it any.", default=None, is_a="net_cidr"
    )


class SecurityGroupRule(Resource[SecurityGroupRuleProps]):
    type_name = "OS::Neutron::SecurityGroupRule"
    since = "7.0.0"
    doc = "One rule of a security group."
    Props = SecurityGroupRuleProps
    service = "network"
    attributes = attrs()

    def validate(self, props: SecurityGroupRuleProps) -> Iterable[Problem]:
        if props.remote_group is not None and props.remote_ip_prefix is not None:
            yield _problem("remote_group and remote_ip_prefix exclude each other", "remote_group")
        low, high = props.port_range_min, props.port_range_max
        if any(map(is_unknown, (low, high, props.protocol))) or props.protocol not in _WITH_PORTS:
            return
        if (low is None) != (high is None):
            yield _problem("give both port_range_min and port_range_max", "port_range_min")
        elif low is not None and high is not None and low > high:
            yield _problem("port_range_min is larger than port_range_max", "port_range_min")

    def exclusive(self, props: SecurityGroupRuleProps) -> frozenset[object]:
        if is_open(props):
            return frozenset()
        passes = there({**_plain(props), "remote_group_id": props.remote_group})
        passes = replace(passes, description="")
        return frozenset({("rule", props.security_group, passes)})

    def attribute(self, view: View, name: str, path: tuple[Any, ...]) -> Any:
        return dict(view.attributes) if name == "show" else None

    def find(self, at: At[SecurityGroupRuleProps], cloud: Cloud) -> Next | None:
        if not was_absent(at):
            return None
        wanted = _body(at.props, cloud)
        found = _same(wanted, cloud)
        ours = found is not None and there(found) == there(wanted)
        return Next(id=found["id"], data=at.data) if found is not None and ours else None

    def create(self, at: At[SecurityGroupRuleProps], cloud: Cloud) -> Step:
        if at.id is not None:
            return Done(cloud.network.show(_KIND, at.id))
        wanted = _body(at.props, cloud)
        if was_absent(at):
            made = cloud.network.create(_KIND, wanted)
            return Done(made, id=made["id"])
        found = _same(wanted, cloud)
        if found is not None:
            raise taken(f"a rule that lets the same pass exists ({found['id']})", "security_group")
        return absent()

    def adopt(self, at: At[SecurityGroupRuleProps], cloud: Cloud) -> Step:
        return Done(cloud.network.show(_KIND, at.owned))

    def delete(self, at: At[SecurityGroupRuleProps], cloud: Cloud) -> Step:
        if at.id is not None:
            with suppress(CloudNotFound):
                cloud.network.delete(_KIND, at.id)
        return Done()


def _plain(props: SecurityGroupRuleProps) -> dict[str, Any]:
    given = props.given()
    return {k: v for k, v in given.items() if k not in ("security_group", "remote_group")}


def _body(props: SecurityGroupRuleProps, cloud: Cloud) -> dict[str, Any]:
    body = _plain(props)
    body["security_group_id"] = cloud.network.find("security_group", props.security_group)
    if props.remote_group is not None:
        body["remote_group_id"] = cloud.network.find("security_group", props.remote_group)
    return body


def _same(wanted: Mapping[str, Any], cloud: Cloud) -> Mapping[str, Any] | None:
    """Return the group's rule that lets the same pass, however it is described."""
    passes = replace(there(wanted), description="")
    group = wanted["security_group_id"]
    rows = cloud.network.list(_KIND, security_group_id=group, direction=wanted["direction"])
    return next((row for row in rows if replace(there(row), description="") == passes), None)


def _problem(text: str, name: str) -> Problem:
    return Problem(text, (name,), None, Kind.PROPERTY)
