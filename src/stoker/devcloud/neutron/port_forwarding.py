"""Port forwardings: one port of a floating IP that leads to one of a port."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.neutron import problem
from stoker.devcloud.neutron.attribute import REQUIRED, Attribute
from stoker.devcloud.neutron.collection import Collection
from stoker.devcloud.neutron.convert import address, choice, identifier, integer, text
from stoker.devcloud.neutron.floating_ip import FLOATING_IPS
from stoker.devcloud.neutron.port import PORTS

if TYPE_CHECKING:
    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

PARENT = "floatingip"
_PORT = Attribute(integer(1, 65535), REQUIRED)
_HIDDEN = ("project_id", "tenant_id", PARENT)

ATTRIBUTES = {
    "internal_port_id": Attribute(identifier, REQUIRED),
    "internal_ip_address": Attribute(address, REQUIRED),
    "internal_port": _PORT,
    "external_port": _PORT,
    "protocol": Attribute(choice("tcp", "udp", "icmp", "dccp", "sctp"), REQUIRED),
    "description": Attribute(text(), ""),
}


def _complete(call: Call, doc: Doc) -> Doc:
    floating = FLOATING_IPS.owned(call, doc[PARENT], "update")
    if floating["port_id"]:
        raise problem.conflict(
            "FipInUseByPortForwarding",
            f"Floating IP {floating['id']} is in use by port {floating['port_id']}.",
        )
    return _checked(call, doc)


def _change(call: Call, _old: Doc, new: Doc) -> Doc:
    return _checked(call, new)


def _checked(call: Call, doc: Doc) -> Doc:
    port = PORTS.get(call, doc["internal_port_id"])
    if doc["internal_ip_address"] not in [each["ip_address"] for each in port["fixed_ips"]]:
        raise problem.bad_request(
            f"Bad port_forwarding request: Requested internal IP address"
            f" {doc['internal_ip_address']} is not one of port {port['id']}.",
            "BadRequest",
        )
    for other in call.state.list(FORWARDINGS.kind, where={PARENT: doc[PARENT]}):
        same = all(other[name] == doc[name] for name in ("external_port", "protocol"))
        if same and other["id"] != doc["id"]:
            raise problem.bad_request(
                "Bad port_forwarding request: A duplicate port forwarding entry with same"
                " attributes already exists.",
                "BadRequest",
            )
    ranges = {
        f"{side}_port_range": f"{doc[f'{side}_port']}:{doc[f'{side}_port']}"
        for side in ("internal", "external")
    }
    return {**doc, **ranges}


def _shown(_call: Call, doc: Doc) -> Doc:
    return {name: value for name, value in doc.items() if name not in _HIDDEN}


FORWARDINGS = Collection(
    singular="port_forwarding",
    plural="port_forwardings",
    path="floatingips/{floatingip}/port_forwardings",
    parent=PARENT,
    missing=("PortForwardingNotFound", "Port Forwarding {} could not be found."),
    attributes=ATTRIBUTES,
    complete=_complete,
    change=_change,
    shown=_shown,
    indexed=(PARENT,),
    is_standard=False,
    has_tags=False,
)
