"""OS::Neutron::SecurityGroup: a group, with all of its rules.

Rule: the rules that are there are brought to those that are wanted, by a look before each
call, so that create, update and what follows a crash are the same thing. New rules come
before old ones go: traffic that stays allowed is never cut off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from stoker.errors import CloudNotFound, Kind, Problem
from stoker.resources.neutron.implicit import stated
from stoker.resources.neutron.neutron_object import NeutronObject, plain_body, plain_changes
from stoker.resources.neutron.security_rule import Rule, there, wanted_bodies
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Next, Others, Wanted
from stoker.sdk.schema import Props, attrs, prop
from stoker.sdk.value import is_unknown

_PLAIN: Final = {"description": "description", "stateful": "stateful"}


class SecurityGroupProps(Props):
    name: str | None = prop("Name of the group; not default.", default=None, updatable=True)
    description: str | None = prop("What it is for.", default=None, updatable=True)
    rules: tuple[Rule, ...] = prop(
        "What it lets pass; without an egress rule, all that goes out.",
        default=[],
        updatable=True,
    )
    stateful: bool | None = prop(
        "Whether answers pass without a rule of their own.", default=None, updatable=True
    )


class SecurityGroup(NeutronObject[SecurityGroupProps]):
    type_name = "OS::Neutron::SecurityGroup"
    since = "2014.1"
    doc = "A security group with its rules."
    Props = SecurityGroupProps
    kind = "security_group"
    attributes = attrs()

    def validate(self, props: SecurityGroupProps) -> Iterable[Problem]:
        if props.name == "default":
            text = "default is the name of the group that each project has; choose another"
            yield Problem(text, ("name",), None, Kind.PROPERTY)
        if is_unknown(props.rules):
            return
        for i, rule in enumerate(props.rules):
            if is_unknown(rule) or is_unknown(rule.remote_mode):
                continue
            other = "remote_ip_prefix"
            if rule.remote_mode == other:
                other = "remote_group_id"
            if getattr(rule, other) is not None:
                text = f"remote_mode {rule.remote_mode} leaves no place for {other}"
                yield Problem(text, ("rules", i, other), None, Kind.PROPERTY)

    def after(self, mine: Wanted, others: Others) -> Iterable[str]:
        """Return the groups that a rule names by the literal name that they are given."""
        rules = stated(mine.properties, "rules")
        items = rules if isinstance(rules, list | tuple) else ()
        named = [stated(rule, "remote_group_id") for rule in items]
        literal = {name for name in named if isinstance(name, str)}
        groups = others.of_type("OS::Neutron::SecurityGroup")
        titles = ((each.name, stated(each.properties, "name")) for each in groups)
        return [name for name, title in titles if isinstance(title, str) and title in literal]

    def body(self, at: At[SecurityGroupProps], cloud: Cloud) -> dict[str, Any]:
        return plain_body(at, _PLAIN)

    def changes(self, at: At[SecurityGroupProps], cloud: Cloud) -> dict[str, Any]:
        changes = plain_changes(at, _PLAIN)
        if "description" in changes:
            changes["description"] = changes["description"] or ""
        if "stateful" in changes and changes["stateful"] is None:
            changes["stateful"] = True
        return changes

    def has_more(self, at: At[SecurityGroupProps]) -> bool:
        return bool(at.props.rules) or "rules" in at.changed

    def converge(
        self, at: At[SecurityGroupProps], cloud: Cloud, shown: Mapping[str, Any]
    ) -> Next | None:
        wanted = wanted_bodies(at.props.rules, at.owned, cloud)
        present = {there(row): row["id"] for row in shown["security_group_rules"]}
        new = [body for allowed, body in wanted.items() if allowed not in present]
        if new:
            cloud.network.post("/security-group-rules", {"security_group_rules": new})
            return Next(data=at.data)
        for allowed, rule_id in present.items():
            if allowed not in wanted:
                with suppress(CloudNotFound):
                    cloud.network.delete("security_group_rule", rule_id)
                return Next(data=at.data)
        return None
