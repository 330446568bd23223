"""Subnets: the addresses of a network."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from stoker.devcloud.neutron import address, problem, subnet_rules
from stoker.devcloud.neutron.attribute import REQUIRED, Attribute
from stoker.devcloud.neutron.collection import Collection, everybodys
from stoker.devcloud.neutron.convert import (
    address as ip,
)
from stoker.devcloud.neutron.convert import (
    anything,
    boolean,
    choice,
    cidr,
    identifier,
    integer,
    many,
    mapping,
    maybe,
    text,
)
from stoker.devcloud.neutron.network import AUTOMATIC, NETWORKS, PORT, SUBNET, check_carries
from stoker.devcloud.neutron.subnet_pool import carve
from stoker.devcloud.state import index

if TYPE_CHECKING:
    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

ROUTERS_PORTS = {"network:router_interface", "network:router_gateway"}
_MODES = ("dhcpv6-stateful", "dhcpv6-stateless", "slaac", None)

index(SUBNET, "network_id")
index(SUBNET, "subnetpool_id")

ATTRIBUTES = {
    "network_id": Attribute(identifier, REQUIRED, put=False),
    "name": Attribute(text(), ""),
    "description": Attribute(text(), ""),
    "ip_version": Attribute(choice(4, 6, "4", "6"), put=False),
    "cidr": Attribute(maybe(cidr), None, put=False),
    "subnetpool_id": Attribute(maybe(text()), None, put=False),
    "use_default_subnetpool": Attribute(boolean, default=False, put=False),
    "prefixlen": Attribute(maybe(integer(0)), None, put=False),
    "gateway_ip": Attribute(maybe(ip), subnet_rules.UNSPECIFIED),
    "allocation_pools": Attribute(many(mapping), None),
    "enable_dhcp": Attribute(boolean, default=True),
    "dns_nameservers": Attribute(many(ip), []),
    "dns_publish_fixed_ip": Attribute(boolean),
    "host_routes": Attribute(many(mapping), []),
    "service_types": Attribute(many(text()), []),
    "ipv6_ra_mode": Attribute(choice(*_MODES), None, put=False),
    "ipv6_address_mode": Attribute(choice(*_MODES), None, put=False),
    "segment_id": Attribute(anything),
}
_ONLY_ASKED = ("use_default_subnetpool", "prefixlen", "segment_id", "dns_publish_fixed_ip")


def complete(call: Call, doc: Doc) -> Doc:
    """Work out CIDR, gateway and pools, checking all against the network's other subnets."""
    network = NETWORKS.get(call, doc["network_id"])
    if not call.owns(network):
        raise problem.not_authorized("rule:create_subnet")
    others = call.state.list(SUBNET, where={"network_id": network["id"]})
    doc = carve(call, doc, others)
    doc = {name: value for name, value in doc.items() if name not in _ONLY_ASKED}
    doc["ip_version"] = int(doc.get("ip_version") or subnet_rules.network_of(doc).version)
    subnet_rules.check_version(doc)
    check_carries(network, [doc["ip_version"]])
    subnet_rules.check_overlap(doc, others)
    net = subnet_rules.network_of(doc)
    doc["gateway_ip"] = subnet_rules.gateway(net, doc["gateway_ip"])
    doc["allocation_pools"] = subnet_rules.pools(net, doc["allocation_pools"], doc["gateway_ip"])
    subnet_rules.check_routes(doc)
    return {**doc, "router:external": network["router:external"]}


def change(call: Call, old: Doc, new: Doc) -> Doc:
    """Check a changed subnet; the gateway may not go while a router has it."""
    net = subnet_rules.network_of(new)
    new["gateway_ip"] = subnet_rules.gateway(net, new["gateway_ip"])
    if old["gateway_ip"] and new["gateway_ip"] != old["gateway_ip"]:
        _check_gateway_free(call, old)
    taken = ipaddress.ip_address(new["gateway_ip"]) if new["gateway_ip"] else None
    if new["allocation_pools"] != old["allocation_pools"]:
        new["allocation_pools"] = subnet_rules.pools(
            net, new["allocation_pools"], new["gateway_ip"]
        )
    else:
        for pool in subnet_rules.pools_of(new):
            subnet_rules.check_gateway_outside(pool, taken)
    subnet_rules.check_routes(new)
    return new


def _check_gateway_free(call: Call, subnet: Doc) -> None:
    port = address.holder(call.state, subnet["id"], subnet["gateway_ip"])
    if port is not None and port["device_owner"] == "network:router_interface":
        raise problem.conflict(
            "GatewayIpInUse",
            f"Current gateway ip {subnet['gateway_ip']} already in use by port {port['id']}."
            " Unable to update.",
        )


def release(call: Call, doc: Doc) -> None:
    """Refuse while ports have addresses of it; self-formed ones just go."""
    ports = call.state.list(PORT, where={"subnet_id": doc["id"]})
    for port in ports:
        may_go = port["device_owner"] in AUTOMATIC or (
            address.is_self_addressed(doc) and port["device_owner"] not in ROUTERS_PORTS
        )
        if not may_go:
            raise problem.conflict(
                "SubnetInUse",
                f"Unable to complete operation on subnet {doc['id']}: One or more ports have an"
                " IP allocation from this subnet.",
            )
    for port in ports:
        kept = [each for each in port["fixed_ips"] if each["subnet_id"] != doc["id"]]
        call.state.update(PORT, {**port, "fixed_ips": kept})
    address.forget(call.state, doc["id"])


def visible(call: Call, doc: Doc) -> bool:
    """Tell whether the caller sees a subnet: his own, or of a network that he sees."""
    if call.owns(doc):
        return True
    network = call.state.get(NETWORKS.kind, doc["network_id"])
    return network is not None and NETWORKS.visible(call, network)


SUBNETS = Collection(
    singular="subnet",
    plural="subnets",
    path="subnets",
    missing=("SubnetNotFound", "Subnet {} could not be found."),
    attributes=ATTRIBUTES,
    complete=complete,
    change=change,
    release=release,
    visible=visible,
    candidates=everybodys,
    computed=("router:external",),
    indexed=("network_id", "subnetpool_id"),
    quota="subnet",
)
