"""Rules of a security group: what is wanted, what is there, and when they are the same.

Rule: a rule is compared by what it lets through, as Neutron does, which keeps some of it in
other words: names and numbers of protocols are one, all ports are none, everywhere is anywhere,
and ICMP for IPv6 is ICMPv6.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from stoker.sdk.cloud import Cloud
from stoker.sdk.schema import Props, Support, prop

PROTOCOLS: Final[Mapping[str, int]] = {
    "ah": 51,
    "dccp": 33,
    "egp": 8,
    "esp": 50,
    "gre": 47,
    "icmp": 1,
    "icmpv6": 58,
    "igmp": 2,
    "ipv6-encap": 41,
    "ipv6-frag": 44,
    "ipv6-icmp": 58,
    "ipv6-nonxt": 59,
    "ipv6-opts": 60,
    "ipv6-route": 43,
    "ospf": 89,
    "pgm": 113,
    "rsvp": 46,
    "sctp": 132,
    "tcp": 6,
    "udp": 17,
    "udplite": 136,
    "vrrp": 112,
}
_BY_GROUP: Final = "remote_group_id"
_MOST_PORT: Final = 65535
_ALL_PORTS: Final = (1, _MOST_PORT)


class Rule(Props):
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
    protocol: str | None = prop(
        "Protocol, by name or number; without it any.",
        default=None,
        one_of=(*range(256), *PROTOCOLS),
        any_case=True,
    )
    remote_mode: str = prop(
        "What names the other side: a range, or a group.",
        default="remote_ip_prefix",
        one_of=("remote_ip_prefix", _BY_GROUP),
    )
    remote_group_id: str | None = prop(
        "Security group of the other side, by name or id; without it this one.",
        default=None,
        is_a="neutron.security_group",
    )
    remote_ip_prefix: str | None = prop(
        "Range of the other side; without it any.", default=None, is_a="net_cidr"
    )
    description: str | None = prop("What it is for.", default=None, support=Support(since="27.0.0"))


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a rule lets through."""

    direction: str
    ethertype: str
    protocol: int | None = None
    port_range_min: int | None = None
    port_range_max: int | None = None
    remote_group_id: str | None = None
    remote_ip_prefix: str | None = None
    description: str = ""


DEFAULT_EGRESS: Final = (Allowed("egress", "IPv4"), Allowed("egress", "IPv6"))


def there(row: Mapping[str, Any]) -> Allowed:
    """Return what a rule lets through, as Neutron shows it."""
    low, high = row.get("port_range_min"), row.get("port_range_max")
    if (low, high) == _ALL_PORTS:
        low = high = None
    number = _number(row.get("protocol"))
    is_icmp6 = (row["ethertype"], number) == ("IPv6", PROTOCOLS["icmp"])
    return Allowed(
        row["direction"],
        row["ethertype"],
        PROTOCOLS["icmpv6"] if is_icmp6 else number,
        low,
        high,
        row.get("remote_group_id"),
        _network(row.get("remote_ip_prefix")),
        row.get("description") or "",
    )


def body(rule: Rule, group_id: str, cloud: Cloud) -> dict[str, Any]:
    """Return what the request for a rule of this group says."""
    wanted = rule.given()
    if rule.remote_mode == _BY_GROUP:
        named = rule.remote_group_id
        wanted[_BY_GROUP] = cloud.network.find("security_group", named) if named else group_id
    del wanted["remote_mode"]
    return wanted | {"security_group_id": group_id}


def wanted_bodies(rules: Iterable[Rule], group_id: str, cloud: Cloud) -> dict[Allowed, Any]:
    """Return the bodies of all rules that the group is to have, each once.

    Without any egress rule the two that every group begins with are wanted.
    """
    bodies = [body(rule, group_id, cloud) for rule in rules]
    if not any(each["direction"] == "egress" for each in bodies):
        bodies += [
            {"direction": "egress", "ethertype": each.ethertype, "security_group_id": group_id}
            for each in DEFAULT_EGRESS
        ]
    return {there(each): each for each in bodies}


def _number(protocol: Any) -> int | None:
    if protocol is None or protocol == "any":
        return None
    text = str(protocol).lower()
    return PROTOCOLS[text] if text in PROTOCOLS else int(text)


def _network(prefix: str | None) -> str | None:
    if prefix is None:
        return None
    network = ipaddress.ip_network(prefix, strict=False)
    return str(network) if network.prefixlen else None
