"""QoS policies and their rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.neutron import problem
from stoker.devcloud.neutron.attribute import REQUIRED, Attribute
from stoker.devcloud.neutron.collection import Collection, everybodys
from stoker.devcloud.neutron.convert import boolean, choice, integer, text
from stoker.devcloud.state import index

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

_USERS = ("network.network", "network.port", "network.floatingip")
_DIRECTION = Attribute(choice("egress", "ingress"), "egress")
_LIMIT = Attribute(integer(0), REQUIRED)
_DSCP = (0, *range(8, 41, 2), 46, 48, 56)

for _kind in _USERS:
    index(_kind, "qos_policy_id")


def _created_by_admin(call: Call, doc: Doc) -> Doc:
    if not call.is_admin:
        raise problem.not_authorized("rule:create_policy")
    return doc


def _release(call: Call, doc: Doc) -> None:
    for kind in _USERS:
        for user in call.state.list(kind, where={"qos_policy_id": doc["id"]}):
            name = kind.removeprefix("network.")
            raise problem.conflict(
                "QosPolicyInUse", f"QoS Policy {doc['id']} is used by {name} {user['id']}."
            )
    for rule in RULES:
        for each in call.state.list(rule.kind, where={"policy_id": doc["id"]}):
            call.state.delete(rule.kind, each["id"])


def _shown(call: Call, doc: Doc) -> Doc:
    rules = [
        {**each, "type": rule.singular.removesuffix("_rule")}
        for rule in RULES
        for each in call.state.list(rule.kind, where={"policy_id": doc["id"]})
    ]
    hidden = ("project_id", "tenant_id", "policy_id")
    return {
        **doc,
        "rules": [{n: v for n, v in rule.items() if n not in hidden} for rule in rules],
    }


POLICIES = Collection(
    singular="policy",
    plural="policies",
    path="qos/policies",
    missing=("QosPolicyNotFound", "QoS policy {} could not be found."),
    attributes={
        "name": Attribute(text(), REQUIRED),
        "description": Attribute(text(), ""),
        "shared": Attribute(boolean, default=False),
        "is_default": Attribute(boolean, default=False),
    },
    complete=_created_by_admin,
    release=_release,
    shown=_shown,
    candidates=everybodys,
)


def _rule_shown(_call: Call, doc: Doc) -> Doc:
    return {n: v for n, v in doc.items() if n not in ("project_id", "tenant_id", "policy_id")}


def _rule_complete(call: Call, doc: Doc) -> Doc:
    POLICIES.get(call, doc["policy_id"])
    return _created_by_admin(call, doc)


def _rule(singular: str, attributes: Mapping[str, Attribute]) -> Collection:
    index(f"network.{singular}", "policy_id")
    return Collection(
        singular=singular,
        plural=f"{singular}s",
        path=f"qos/policies/{{policy_id}}/{singular}s",
        parent="policy_id",
        missing=("QosRuleNotFound", "QoS rule {} for policy could not be found."),
        attributes=attributes,
        complete=_rule_complete,
        shown=_rule_shown,
        indexed=("policy_id",),
        is_standard=False,
        has_tags=False,
    )


RULES = (
    _rule(
        "bandwidth_limit_rule",
        {
            "max_kbps": _LIMIT,
            "max_burst_kbps": Attribute(integer(0), 0),
            "direction": _DIRECTION,
        },
    ),
    _rule("dscp_marking_rule", {"dscp_mark": Attribute(choice(*_DSCP), REQUIRED)}),
    _rule("minimum_bandwidth_rule", {"min_kbps": _LIMIT, "direction": _DIRECTION}),
    _rule("minimum_packet_rate_rule", {"min_kpps": _LIMIT, "direction": _DIRECTION}),
    _rule("packet_rate_limit_rule", {"max_kpps": _LIMIT, "direction": _DIRECTION}),
)
