"""Rules of security groups."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any

from stoker.devcloud.neutron import problem
from stoker.devcloud.neutron.attribute import REQUIRED, Attribute
from stoker.devcloud.neutron.collection import Collection
from stoker.devcloud.neutron.convert import (
    Malformed,
    choice,
    identifier,
    integer,
    loose_cidr,
    maybe,
    text,
)
from stoker.devcloud.neutron.security_group import GROUPS, RULE

if TYPE_CHECKING:
    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

_PROTOCOLS = {
    "ah": 51, "dccp": 33, "egp": 8, "esp": 50, "gre": 47, "hopopt": 0, "icmp": 1, "icmpv6": 58,
    "igmp": 2, "ip": 0, "ipip": 4, "ipv6-encap": 41, "ipv6-frag": 44, "ipv6-icmp": 58,
    "ipv6-nonxt": 59, "ipv6-opts": 60, "ipv6-route": 43, "ospf": 89, "pgm": 113, "rsvp": 46,
    "sctp": 132, "tcp": 6, "udp": 17, "udplite": 136, "vrrp": 112,
}  # fmt: skip
_ANY = {"any", "ip", "hopopt"}
_BY_NUMBER = {str(number): name for name, number in _PROTOCOLS.items()}
_WITH_PORTS = {"tcp", "udp", "sctp", "dccp", "udplite"}
_ICMP = {"icmp", "icmpv6", "ipv6-icmp"}
_HIGHEST_PROTOCOL = 255
_HIGHEST_ICMP = 255
_ALL_PORTS = (1, 65535)
_OF_IPV6 = {"icmp": "ipv6-icmp", "icmpv6": "ipv6-icmp", "1": "58"}
"""How Neutron keeps what names ICMP, in a rule for IPv6."""
_EVERYWHERE = {"0.0.0.0/0", "::/0"}
_SAME = (
    "security_group_id", "ethertype", "direction", "protocol", "port_range_min", "port_range_max",
    "normalized_cidr", "remote_group_id", "remote_address_group_id",
)  # fmt: skip


def _protocol(value: Any) -> str | None:
    name = str(value).lower()
    if name in _ANY:
        return None
    if name not in _PROTOCOLS and not (name.isdigit() and int(name) <= _HIGHEST_PROTOCOL):
        raise problem.bad_request(
            f"Security group rule protocol {value} not supported. Only protocol values (None,"
            f" 'any', {', '.join(map(repr, _PROTOCOLS))}) and integer representations [0 to 255]"
            " are supported.",
            "SecurityGroupRuleInvalidProtocol",
        )
    return name


def _family(value: Any) -> str:
    for family in ("IPv4", "IPv6"):
        if str(value).lower() == family.lower():
            return family
    raise problem.bad_request(
        f"Security group rule for ethertype '{value}' not supported. Allowed values are ['IPv4',"
        " 'IPv6'].",
        "SecurityGroupRuleInvalidEtherType",
    )


def _port(value: Any) -> int:
    try:
        return integer(-1, 65535)(value)
    except Malformed:
        raise problem.bad_request(
            f"Invalid value for port {value}", "SecurityGroupInvalidPortValue"
        ) from None


def _prefix(value: Any) -> str:
    try:
        return loose_cidr(value)
    except Malformed:
        raise problem.bad_request(
            f"Invalid CIDR {value} given as IP prefix.", "InvalidCIDR"
        ) from None


ATTRIBUTES = {
    "security_group_id": Attribute(identifier, REQUIRED, put=False),
    "direction": Attribute(choice("ingress", "egress"), REQUIRED, put=False),
    "ethertype": Attribute(_family, "IPv4", put=False),
    "protocol": Attribute(maybe(_protocol), None, put=False),
    "port_range_min": Attribute(maybe(_port), None, put=False),
    "port_range_max": Attribute(maybe(_port), None, put=False),
    "remote_ip_prefix": Attribute(maybe(_prefix), None, put=False),
    "remote_group_id": Attribute(maybe(identifier), None, put=False),
    "remote_address_group_id": Attribute(maybe(identifier), None, put=False),
    "description": Attribute(maybe(text()), ""),
}


def complete(call: Call, doc: Doc) -> Doc:
    """Check ports, prefix and groups, and that no rule of the group is the same."""
    group = GROUPS.get(call, doc["security_group_id"])
    if not call.owns(group):
        raise problem.not_authorized("rule:create_security_group_rule")
    if doc["remote_group_id"]:
        GROUPS.get(call, doc["remote_group_id"])
    doc = _kept(doc)
    _check_ports(doc)
    _check_remote(doc)
    rule = {
        **doc,
        "normalized_cidr": doc["remote_ip_prefix"],
        "belongs_to_default_sg": group["name"] == "default",
    }
    _check_new(call, rule)
    return rule


RULES = Collection(
    singular="security_group_rule",
    plural="security_group_rules",
    path="security-group-rules",
    missing=("SecurityGroupRuleNotFound", "Security group rule {} does not exist"),
    attributes=ATTRIBUTES,
    complete=complete,
    indexed=("security_group_id", "remote_group_id"),
    quota="security_group_rule",
)


def _kept(doc: Doc) -> Doc:
    """Return a rule as Neutron keeps it: all ports are no ports, ICMP is that of its family."""
    protocol, family = doc["protocol"], doc["ethertype"]
    if family == "IPv4" and protocol in _ICMP - {"icmp"}:
        raise problem.bad_request(
            f"Invalid ethertype {family} for protocol {protocol}.",
            "SecurityGroupEthertypeConflictWithProtocol",
        )
    if family == "IPv6":
        protocol = _OF_IPV6.get(protocol, protocol)
    kept = {**doc, "protocol": protocol}
    if (doc["port_range_min"], doc["port_range_max"]) == _ALL_PORTS:
        kept |= {"port_range_min": None, "port_range_max": None}
    return kept


def _check_ports(doc: Doc) -> None:
    low, high = doc["port_range_min"], doc["port_range_max"]
    protocol = _BY_NUMBER.get(doc["protocol"], doc["protocol"])
    if low is None and high is None:
        return
    if protocol in _ICMP:
        _check_icmp(low, high)
    elif protocol is None:
        raise problem.bad_request(
            "Must also specify protocol if port range is given.",
            "SecurityGroupProtocolRequiredWithPorts",
        )
    elif protocol not in _WITH_PORTS:
        raise problem.bad_request(
            f"Port range cannot be specified for protocol {protocol}.",
            "SecurityGroupInvalidProtocolForPort",
        )
    elif low is None or high is None or low > high or low < 0:
        raise problem.bad_request(
            "For TCP/UDP protocols, port_range_min must be <= port_range_max",
            "SecurityGroupInvalidPortRange",
        )


def _check_icmp(low: int | None, high: int | None) -> None:
    if low is None:
        raise problem.bad_request(
            f"ICMP code (port-range-max) {high} is provided but ICMP type (port-range-min) is"
            " missing.",
            "SecurityGroupMissingIcmpType",
        )
    for field, name, value in (("port_range_min", "type", low), ("port_range_max", "code", high)):
        if value is not None and not 0 <= value <= _HIGHEST_ICMP:
            raise problem.bad_request(
                f"Invalid value for ICMP {name} ({field}) {value}. It must be 0 to 255.",
                "SecurityGroupInvalidIcmpValue",
            )


def _check_remote(doc: Doc) -> None:
    given = ("remote_ip_prefix", "remote_group_id", "remote_address_group_id")
    if sum(bool(doc[name]) for name in given) > 1:
        raise problem.bad_request(
            "Only remote_ip_prefix or remote_group_id or remote_address_group_id may be provided.",
            "SecurityGroupMultipleRemoteEntites",
        )
    prefix = doc["remote_ip_prefix"]
    if prefix and f"IPv{ipaddress.ip_network(prefix).version}" != doc["ethertype"]:
        raise problem.bad_request(
            f"Conflicting value ethertype {doc['ethertype']} for CIDR {prefix}",
            "SecurityGroupRuleParameterConflict",
        )


def _passing(rule: Doc) -> list[Any]:
    """Return what the rule lets pass: Neutron compares protocols by number."""
    protocol, cidr = rule["protocol"], rule["normalized_cidr"]
    same = {
        **rule,
        "protocol": str(_PROTOCOLS.get(protocol, protocol)),
        "normalized_cidr": None if cidr in _EVERYWHERE else cidr,
    }
    return [same[name] for name in _SAME]


def _check_new(call: Call, rule: Doc) -> None:
    siblings = call.state.list(RULE, where={"security_group_id": rule["security_group_id"]})
    for other in siblings:
        if _passing(other) == _passing(rule):
            raise problem.conflict(
                "SecurityGroupRuleExists",
                f"Security group rule already exists. Rule id is {other['id']}.",
            )
