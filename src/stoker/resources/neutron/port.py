"""OS::Neutron::Port: a place on a network, with its addresses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from stoker.errors import Kind, Problem
from stoker.resources.neutron.implicit import NETWORK_NAMES, stated, subnets_on
from stoker.resources.neutron.neutron_object import (
    NeutronObject,
    plain_body,
    plain_changes,
    spec_problems,
)
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import At, Others, Wanted
from stoker.sdk.schema import Attr, Props, Support, attrs, prop
from stoker.sdk.value import is_open, is_unknown

_WAS_DEPRECATED: Final = Support("HIDDEN", "5.0.0", previous=Support("DEPRECATED", "2014.2"))
_PROFILE: Final = "binding:profile"

VNIC_TYPES: Final = (
    "normal",
    "direct",
    "macvtap",
    "direct-physical",
    "baremetal",
    "virtio-forwarder",
    "smart-nic",
)

_PLAIN: Final = {
    "device_id": "device_id",
    "device_owner": "device_owner",
    "admin_state_up": "admin_state_up",
    "vnic_type": "binding:vnic_type",
    "port_security_enabled": "port_security_enabled",
    "propagate_uplink_status": "propagate_uplink_status",
    "dns_name": "dns_name",
}
_AT_CREATE: Final = {**_PLAIN, "mac_address": "mac_address"}


class FixedIp(Props):
    subnet_id: str | None = prop(
        "Subnet, by name or id.",
        default=None,
        becomes="subnet",
        is_a="neutron.subnet",
        support=_WAS_DEPRECATED,
    )
    subnet: str | None = prop(
        "Subnet to take the address from, by name or id.",
        default=None,
        is_a="neutron.subnet",
        support=Support(since="2014.2"),
    )
    ip_address: str | None = prop("The address wanted.", default=None, is_a="ip_addr")


class AddressPair(Props):
    mac_address: str | None = prop("MAC address to let through.", default=None, is_a="mac_addr")
    ip_address: str = prop("Address or range to let through.", is_a="ip_or_cidr")


class PortProps(Props):
    name: str | None = prop("Name of the port.", default=None, updatable=True)
    network_id: str | None = prop(
        "Network, by name or id.",
        default=None,
        becomes="network",
        is_a="neutron.network",
        support=_WAS_DEPRECATED,
    )
    network: str = prop(
        "Network, by name or id.", is_a="neutron.network", support=Support(since="2014.2")
    )
    device_id: str = prop("What the port is plugged into.", default="", updatable=True)
    device_owner: str = prop("Who made what it is plugged into.", default="", updatable=True)
    fixed_ips: tuple[FixedIp, ...] | None = prop(
        "Its addresses; without it Neutron gives one.", default=None, updatable=True
    )
    security_groups: tuple[Any, ...] | None = prop(
        "Security groups, by name or id; without it the default one.",
        default=None,
        updatable=True,
    )
    replacement_policy: str | None = prop(
        "Whether any update replaces the port.",
        default="AUTO",
        updatable=True,
        one_of=("REPLACE_ALWAYS", "AUTO"),
        support=Support("HIDDEN", "9.0.0", previous=Support("DEPRECATED", "6.0.0")),
    )
    dns_name: str | None = prop(
        "Its DNS name.",
        default=None,
        updatable=True,
        is_a="dns_name",
        support=Support(since="7.0.0"),
    )
    tags: tuple[str, ...] | None = prop(
        "Tags of the port.", default=None, updatable=True, support=Support(since="9.0.0")
    )
    value_specs: Mapping[str, Any] = prop(
        "Further values for the request.", default={}, updatable=True
    )
    admin_state_up: bool = prop("Whether it is switched on.", default=True, updatable=True)
    mac_address: str | None = prop("Its MAC address.", default=None, is_a="mac_addr")
    allowed_address_pairs: tuple[AddressPair, ...] | None = prop(
        "Further addresses that may pass.", default=None, updatable=True
    )
    vnic_type: str = prop(
        "What sort of interface it is for.",
        default="normal",
        updatable=True,
        one_of=VNIC_TYPES,
        wire="binding:vnic_type",
        support=Support(since="2015.1"),
    )
    port_security_enabled: bool | None = prop(
        "Whether it is secured.", default=None, updatable=True, support=Support(since="5.0.0")
    )
    qos_policy: str | None = prop(
        "Quality-of-service policy, by name or id.",
        default=None,
        updatable=True,
        is_a="neutron.qos_policy",
        support=Support(since="6.0.0"),
    )
    propagate_uplink_status: bool | None = prop(
        "Whether a loss of the uplink is passed on to the guest.",
        default=None,
        updatable=True,
        support=Support(since="15.0.0"),
    )
    no_fixed_ips: bool = prop(
        "Give it no address.", default=False, updatable=True, support=Support(since="16.0.0")
    )


class Port(NeutronObject[PortProps]):
    type_name = "OS::Neutron::Port"
    since = "2014.1"
    doc = "A port on a network."
    Props = PortProps
    kind = "port"
    waits = True
    attributes = attrs(
        admin_state_up=Attr("Whether it is switched on."),
        device_id=Attr("What it is plugged into."),
        device_owner=Attr("Who made what it is plugged into."),
        fixed_ips=Attr("Its addresses.", "list"),
        mac_address=Attr("Its MAC address."),
        name=Attr("Its name."),
        network_id=Attr("Its network."),
        security_groups=Attr("Its security groups.", "list"),
        status=Attr("Its status."),
        tenant_id=Attr("Project that owns it."),
        allowed_address_pairs=Attr("Further addresses that may pass.", "list"),
        subnets=Attr("Its subnets, whole.", "list"),
        port_security_enabled=Attr("Whether it is secured.", "boolean", Support(since="5.0.0")),
        qos_policy_id=Attr("Its quality-of-service policy.", "string", Support(since="6.0.0")),
        dns_assignment=Attr("Its DNS names and addresses.", "map", Support(since="7.0.0")),
        network=Attr("Its network, whole.", "map", Support(since="11.0.0")),
        propagate_uplink_status=Attr(
            "Whether a loss of the uplink is passed on.", "boolean", Support(since="15.0.0")
        ),
    )

    def validate(self, props: PortProps) -> Iterable[Problem]:
        yield from spec_problems(props)
        if props.no_fixed_ips is True and props.fixed_ips:
            text = "fixed_ips and no_fixed_ips exclude each other: leave one out"
            yield Problem(text, ("no_fixed_ips",), None, Kind.PROPERTY)

    def after(self, mine: Wanted, others: Others) -> Iterable[str]:
        return subnets_on([stated(mine.properties, *NETWORK_NAMES)], others)

    def replaces(self, old: PortProps, new: PortProps, changed: frozenset[str]) -> frozenset[str]:
        if new.replacement_policy == "REPLACE_ALWAYS":
            return changed
        return super().replaces(old, new, changed)

    def exclusive(self, props: PortProps) -> frozenset[object]:
        """Return its own addresses: only one port of a network can have them at a time."""
        ips = () if is_open(props.fixed_ips) else props.fixed_ips or ()
        mine: set[object] = {
            ("address", props.network, ip.ip_address) for ip in ips if ip.ip_address is not None
        }
        if props.mac_address is not None and not is_unknown(props.mac_address):
            mine.add(("address", props.network, props.mac_address))
        return frozenset(mine)

    def body(self, at: At[PortProps], cloud: Cloud) -> dict[str, Any]:
        props = at.props
        body = plain_body(at, _AT_CREATE)
        body["network_id"] = cloud.network.find("network", props.network)
        if props.no_fixed_ips or props.fixed_ips is not None:
            body["fixed_ips"] = _fixed_ips(props, cloud)
        if props.security_groups is not None:
            body["security_groups"] = _groups(props.security_groups, cloud)
        if props.qos_policy is not None:
            body["qos_policy_id"] = cloud.network.find("qos_policy", props.qos_policy)
        if props.allowed_address_pairs is not None:
            body["allowed_address_pairs"] = _pairs(props)
        return body

    def changes(self, at: At[PortProps], cloud: Cloud) -> dict[str, Any]:
        props, changed = at.props, at.changed
        changes = plain_changes(at, _PLAIN)
        if changed & {"fixed_ips", "no_fixed_ips"} and (props.fixed_ips or props.no_fixed_ips):
            changes["fixed_ips"] = _fixed_ips(props, cloud)
        if "security_groups" in changed:
            groups = props.security_groups
            changes["security_groups"] = (
                _default_group(at.owned, cloud) if groups is None else _groups(groups, cloud)
            )
        if "allowed_address_pairs" in changed:
            changes["allowed_address_pairs"] = _pairs(props)
        if "qos_policy" in changed:
            policy = props.qos_policy
            changes["qos_policy_id"] = policy and cloud.network.find("qos_policy", policy)
        if _PROFILE in changes:
            live = cloud.network.show("port", at.owned).get(_PROFILE) or {}
            changes[_PROFILE] = _merged(_profile(at.old), changes[_PROFILE] or {}, live)
        return changes

    def shown(self, at: At[PortProps], cloud: Cloud, shown: Mapping[str, Any]) -> Mapping[str, Any]:
        subnet_ids = dict.fromkeys(ip["subnet_id"] for ip in shown.get("fixed_ips", ()))
        return {
            **shown,
            "subnets": [cloud.network.seen("subnet", each) for each in subnet_ids],
            "network": cloud.network.seen("network", shown["network_id"]),
        }


def _profile(props: PortProps | None) -> Mapping[str, Any]:
    return {} if props is None else props.value_specs.get(_PROFILE) or {}


def _merged(
    old: Mapping[str, Any], new: Mapping[str, Any], live: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the wanted profile with what others have written; null takes a key away, and so
    does leaving out what was there."""
    others = {key: value for key, value in live.items() if key not in old}
    return {key: value for key, value in {**others, **new}.items() if value is not None}


def _fixed_ips(props: PortProps, cloud: Cloud) -> list[dict[str, str]]:
    return [fixed_ip(each.subnet, each.ip_address, cloud) for each in props.fixed_ips or ()]


def fixed_ip(subnet: str | None, ip_address: str | None, cloud: Cloud) -> dict[str, str]:
    """Return one item of a port's ``fixed_ips`` as Neutron wants it."""
    item = {"subnet_id": cloud.network.find("subnet", subnet)} if subnet is not None else {}
    return item | ({"ip_address": ip_address} if ip_address is not None else {})


def _groups(groups: Iterable[Any], cloud: Cloud) -> list[str]:
    return [cloud.network.find("security_group", str(each)) for each in groups]


def _default_group(port_id: str, cloud: Cloud) -> list[str]:
    owner = cloud.network.show("port", port_id)["tenant_id"]
    rows = cloud.network.list("security_group", name="default", tenant_id=owner, fields="id")
    return [str(row["id"]) for row in rows]


def _pairs(props: PortProps) -> list[dict[str, Any]]:
    return [each.given() for each in props.allowed_address_pairs or ()]
