"""Networks: what everything else of this service hangs on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.neutron import problem, security_group
from stoker.devcloud.neutron.attribute import Attribute
from stoker.devcloud.neutron.collection import Collection, everybodys
from stoker.devcloud.neutron.convert import (
    boolean,
    identifier,
    integer,
    many,
    maybe,
    text,
)
from stoker.devcloud.state import index

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

PORT, SUBNET, RBAC = "network.port", "network.subnet", "network.rbac_policy"
AUTOMATIC = {"network:dhcp", "network:distributed"}
"""Owners of ports that go with their network."""

_SEGMENTS = "network/segments"
_MTU = {"flat": 1500, "vlan": 1500, "local": 1500}
_MTU_OF_TUNNEL = 1450
_SMALLEST_MTU = {4: 68, 6: 1280}

index(RBAC, "object_id")

ATTRIBUTES = {
    "name": Attribute(text(), ""),
    "description": Attribute(text(), ""),
    "admin_state_up": Attribute(boolean, default=True),
    "shared": Attribute(boolean, default=False, admin=True),
    "router:external": Attribute(boolean, default=False, admin=True),
    "is_default": Attribute(boolean, default=False),
    "port_security_enabled": Attribute(boolean, default=True),
    "mtu": Attribute(integer(0), 0),
    "dns_domain": Attribute(text(), ""),
    "qos_policy_id": Attribute(maybe(identifier), None),
    "availability_zone_hints": Attribute(many(text()), [], put=False),
    "vlan_transparent": Attribute(maybe(boolean), default=False, put=False),
    "qinq": Attribute(maybe(boolean), default=False, put=False),
    "provider:network_type": Attribute(maybe(text()), None, admin=True),
    "provider:physical_network": Attribute(maybe(text()), None, admin=True),
    "provider:segmentation_id": Attribute(maybe(integer(1)), None, admin=True),
    "segments": Attribute(admin=True),
}
_COMPUTED = ("status", "subnets", "availability_zones", "l2_adjacency")
_ADMINS = ("provider:network_type", "provider:physical_network", "provider:segmentation_id")


def complete(call: Call, doc: Doc) -> Doc:
    """Choose type, segment and MTU; the project's default security group comes along."""
    security_group.ensure_default(call, doc["project_id"])
    _check_policy(call, doc)
    doc["provider:network_type"] = doc["provider:network_type"] or "vxlan"
    if doc["provider:segmentation_id"] is None and doc["provider:network_type"] != "flat":
        doc["provider:segmentation_id"] = _next_segment(call)
    doc["mtu"] = doc["mtu"] or _MTU.get(doc["provider:network_type"], _MTU_OF_TUNNEL)
    return {**doc, "status": "ACTIVE", "revision_number": 1}


def change(call: Call, old: Doc, new: Doc) -> Doc:
    """Check a changed network."""
    _check_policy(call, new)
    subnets = call.state.list(SUBNET, where={"network_id": new["id"]})
    check_carries(new, (each["ip_version"] for each in subnets))
    if old["router:external"] and not new["router:external"] and _gateways(call, old["id"]):
        raise problem.conflict(
            "ExternalNetworkInUse",
            f"External network {old['id']} cannot be updated to be made non-external, since it"
            " has existing gateway ports.",
        )
    return new


def release(call: Call, doc: Doc) -> None:
    """Refuse while ports are left; take the subnets along."""
    ports = call.state.list(PORT, where={"network_id": doc["id"]})
    left = [port["id"] for port in ports if port["device_owner"] not in AUTOMATIC]
    if left:
        raise problem.conflict(
            "NetworkInUse",
            f"Unable to complete operation on network {doc['id']}. There are one or more ports"
            f" still in use on the network, id for these ports is: {','.join(left)}.",
        )
    for kind in (PORT, SUBNET, "network.segment"):
        for each in call.state.list(kind, where={"network_id": doc["id"]}):
            call.state.delete(kind, each["id"])
    for policy in call.state.list(RBAC, where={"object_id": doc["id"]}):
        call.state.delete(RBAC, policy["id"])


def visible(call: Call, doc: Doc) -> bool:
    """Tell whether the caller sees a network: his, shared with him, or external."""
    return call.owns(doc) or doc["shared"] or doc["router:external"] or _granted(call, doc["id"])


def shown(call: Call, doc: Doc) -> Doc:
    """Add the subnets; hide what only administrators see."""
    subnets = call.state.list(SUBNET, where={"network_id": doc["id"]})
    body = {
        **doc,
        "subnets": [subnet["id"] for subnet in subnets],
        "availability_zones": ["nova"] if subnets else [],
        "ipv4_address_scope": None,
        "ipv6_address_scope": None,
        "l2_adjacency": True,
    }
    if not call.is_admin:
        for name in _ADMINS:
            body.pop(name)
    body.pop("segments", None)
    return body


NETWORKS = Collection(
    singular="network",
    plural="networks",
    path="networks",
    missing=("NetworkNotFound", "Network {} could not be found."),
    attributes=ATTRIBUTES,
    complete=complete,
    change=change,
    release=release,
    visible=visible,
    shown=shown,
    computed=_COMPUTED,
    candidates=everybodys,
    quota="network",
)


def _granted(call: Call, network_id: str) -> bool:
    policies = call.state.list(RBAC, where={"object_id": network_id})
    return any(policy["target_tenant"] in ("*", call.project_id) for policy in policies)


def _check_policy(call: Call, doc: Doc) -> None:
    policy = doc["qos_policy_id"]
    if policy and call.state.get("network.policy", policy) is None:
        raise problem.missing("QosPolicyNotFound", f"QoS policy {policy} could not be found.")


def check_carries(network: Doc, ip_versions: Iterable[int]) -> None:
    """Refuse an MTU that is too small for subnets of these versions of IP."""
    smallest = max((_SMALLEST_MTU[each] for each in ip_versions), default=0)
    if network["mtu"] < smallest:
        raise problem.conflict(
            "NetworkMTUSubnetConflict",
            f"MTU of {network['id']} is not valid, subnet requires a minimum of {smallest}",
        )


def _gateways(call: Call, network_id: str) -> bool:
    ports = call.state.list(PORT, where={"network_id": network_id})
    return any(port["device_owner"] == "network:router_gateway" for port in ports)


def _next_segment(call: Call) -> int:
    number: int = (call.state.setting(_SEGMENTS) or 0) + 1
    call.state.put_setting(_SEGMENTS, number)
    return number
