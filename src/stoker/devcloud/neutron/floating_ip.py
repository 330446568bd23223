"""Floating IPs: an address of an external network that leads to a port."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.neutron import problem
from stoker.devcloud.neutron import router_port as ports
from stoker.devcloud.neutron.attribute import REQUIRED, Attribute
from stoker.devcloud.neutron.collection import Collection
from stoker.devcloud.neutron.convert import address as ip
from stoker.devcloud.neutron.convert import identifier, maybe, text
from stoker.devcloud.neutron.network import NETWORKS
from stoker.devcloud.neutron.port import PORTS, remove
from stoker.devcloud.neutron.router_port import FLOATING_PORT, GATEWAY, INTERFACE
from stoker.devcloud.state import index

if TYPE_CHECKING:
    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

KIND = "network.floatingip"
_DETAILS = (
    "name", "network_id", "mac_address", "admin_state_up", "status", "device_id", "device_owner",
)  # fmt: skip

index(KIND, "port_id")
index(KIND, "floating_network_id")
index(KIND, "floating_ip_address")

ATTRIBUTES = {
    "floating_network_id": Attribute(identifier, REQUIRED, put=False),
    "floating_ip_address": Attribute(maybe(ip), None, put=False),
    "subnet_id": Attribute(maybe(identifier), None, put=False),
    "port_id": Attribute(maybe(identifier), None),
    "fixed_ip_address": Attribute(maybe(ip), None),
    "description": Attribute(text(), ""),
    "qos_policy_id": Attribute(maybe(identifier), None),
    "dns_name": Attribute(text(), "", put=False),
    "dns_domain": Attribute(text(), "", put=False),
}


def complete(call: Call, doc: Doc) -> Doc:
    """Take an address of the external network, and lead it to the port if one is named."""
    network = NETWORKS.get(call, doc["floating_network_id"])
    if not network["router:external"]:
        raise problem.bad_request(
            f"Bad floatingip request: Network {network['id']} is not a valid external network.",
            "BadRequest",
        )
    if doc["floating_ip_address"] and not call.is_admin:
        raise problem.not_authorized(
            "(rule:create_floatingip and rule:create_floatingip:floating_ip_address)"
        )
    port = ports.make(call, "", _outer_port(doc))
    doc["floating_ip_address"] = port["fixed_ips"][0]["ip_address"]
    doc.pop("subnet_id")
    return {**associate(call, doc), "outer_port_id": port["id"]}


def _outer_port(doc: Doc) -> Doc:
    fixed = {
        "subnet_id": doc["subnet_id"],
        "ip_address": doc["floating_ip_address"],
    }
    wanted = {name: value for name, value in fixed.items() if value}
    return {
        "network_id": doc["floating_network_id"],
        "device_id": doc["id"],
        "device_owner": FLOATING_PORT,
        "port_security_enabled": False,
        **({"fixed_ips": [wanted]} if wanted else {}),
    }


def change(call: Call, old: Doc, new: Doc) -> Doc:
    """Lead the address elsewhere, or nowhere."""
    moved = new["port_id"] != old["port_id"]
    if moved and new["fixed_ip_address"] == old["fixed_ip_address"]:
        new["fixed_ip_address"] = None
    return associate(call, new)


def associate(call: Call, doc: Doc) -> Doc:
    """Give the floating IP with inner address, router and status that follow from its port."""
    if not doc["port_id"]:
        if doc["fixed_ip_address"]:
            raise problem.bad_request(
                "Bad floatingip request: fixed_ip_address cannot be specified without a port_id.",
                "BadRequest",
            )
        return {**doc, "router_id": None, "fixed_ip_address": None, "status": "DOWN"}
    port = PORTS.get(call, doc["port_id"])
    fixed = _inner(doc, port)
    router_id = _router(call, doc, port, fixed)
    _check_alone(call, doc, fixed)
    inner = {"fixed_ip_address": fixed["ip_address"], "router_id": router_id}
    return {**doc, **inner, "status": "ACTIVE"}


def _inner(doc: Doc, port: Doc) -> Doc:
    addresses = [each for each in port["fixed_ips"] if "." in each["ip_address"]]
    wanted = doc["fixed_ip_address"]
    for fixed in addresses:
        if wanted in (None, fixed["ip_address"]):
            return dict(fixed)
    if wanted:
        raise problem.bad_request(
            f"Bad floatingip request: Port {port['id']} does not have fixed ip {wanted}.",
            "BadRequest",
        )
    raise problem.bad_request(
        f"Bad floatingip request: Cannot add floating IP to port {port['id']} that has no fixed"
        " IPv4 addresses.",
        "BadRequest",
    )


def _router(call: Call, doc: Doc, port: Doc, fixed: Doc) -> str:
    """Give the router that joins the port's subnet with the external network."""
    for plugged in call.state.list(PORTS.kind, where={"subnet_id": fixed["subnet_id"]}):
        if plugged["device_owner"] != INTERFACE:
            continue
        for other in ports.of(call, plugged["device_id"]):
            is_gate = other["device_owner"] == GATEWAY
            if is_gate and other["network_id"] == doc["floating_network_id"]:
                return str(plugged["device_id"])
    raise problem.missing(
        "ExternalGatewayForFloatingIPNotFound",
        f"External network {doc['floating_network_id']} is not reachable from subnet"
        f" {fixed['subnet_id']}.  Therefore, cannot associate Port {port['id']} with a Floating"
        " IP.",
    )


def _check_alone(call: Call, doc: Doc, fixed: Doc) -> None:
    for other in call.state.list(KIND, where={"port_id": doc["port_id"]}):
        same = other["fixed_ip_address"] == fixed["ip_address"]
        if same and other["id"] != doc["id"]:
            raise problem.conflict(
                "FloatingIPPortAlreadyAssociated",
                f"Cannot associate floating IP {doc['floating_ip_address']} ({doc['id']}) with"
                f" port {doc['port_id']} using fixed IP {fixed['ip_address']}, as that fixed IP"
                f" already has a floating IP on external network {doc['floating_network_id']}.",
            )


def release(call: Call, doc: Doc) -> None:
    """Give the address back."""
    for forwarding in call.state.list("network.port_forwarding", where={"floatingip": doc["id"]}):
        call.state.delete("network.port_forwarding", forwarding["id"])
    port = call.state.get(PORTS.kind, doc["outer_port_id"])
    if port is not None:
        remove(call, port)


def shown(call: Call, doc: Doc) -> Doc:
    """Add what is told of the port."""
    body = {name: value for name, value in doc.items() if name != "outer_port_id"}
    port = call.state.get(PORTS.kind, doc["port_id"]) if doc["port_id"] else None
    details = {name: port[name] for name in _DETAILS} if port else None
    found = call.state.list("network.port_forwarding", where={"floatingip": doc["id"]})
    return {**body, "port_details": details, "port_forwardings": [_brief(f) for f in found]}


def _brief(forwarding: Doc) -> Doc:
    names = ("protocol", "internal_ip_address", "internal_port", "external_port")
    return {name: forwarding[name] for name in names}


index("network.port_forwarding", "floatingip")

FLOATING_IPS = Collection(
    singular="floatingip",
    plural="floatingips",
    path="floatingips",
    missing=("FloatingIPNotFound", "Floating IP {} could not be found"),
    attributes=ATTRIBUTES,
    complete=complete,
    change=change,
    release=release,
    shown=shown,
    computed=("status", "router_id"),
    indexed=("port_id", "floating_network_id", "floating_ip_address", "router_id"),
    quota="floatingip",
)


def of_port(call: Call, port_id: str) -> list[Doc]:
    """Give the floating IPs that lead to a port."""
    return call.state.list(KIND, where={"port_id": port_id})
