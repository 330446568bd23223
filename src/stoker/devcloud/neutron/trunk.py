"""Trunks: one port that carries the traffic of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.devcloud.neutron import problem
from stoker.devcloud.neutron.attribute import REQUIRED, Attribute
from stoker.devcloud.neutron.collection import Collection
from stoker.devcloud.neutron.convert import boolean, identifier, many, mapping, text
from stoker.devcloud.neutron.port import PORTS, TRUNK
from stoker.devcloud.neutron.routes import network_route

if TYPE_CHECKING:
    from stoker.devcloud.exchange import Request
    from stoker.devcloud.neutron.call import Call
    from stoker.devcloud.state import Doc

_SUBPORT_OWNER = "trunk:subport"

ATTRIBUTES = {
    "name": Attribute(text(), ""),
    "description": Attribute(text(), ""),
    "port_id": Attribute(identifier, REQUIRED, put=False),
    "admin_state_up": Attribute(boolean, default=True),
    "sub_ports": Attribute(many(mapping), [], put=False),
}


def complete(call: Call, doc: Doc) -> Doc:
    """Check the parent port and take the sub-ports in."""
    port = PORTS.get(call, doc["port_id"])
    if port["device_id"] or _in_trunk(call, port["id"]):
        raise problem.conflict(
            "ParentPortInUse",
            f"Port {port['id']} is currently in use and is not eligible for use as a parent port.",
        )
    wanted = doc["sub_ports"]
    return {**_with(call, {**doc, "sub_ports": []}, wanted), "status": "DOWN"}


def release(call: Call, doc: Doc) -> None:
    """Refuse for a trunk that is disabled or whose parent runs; let the sub-ports go."""
    _check_enabled(doc)
    parent = call.state.get(PORTS.kind, doc["port_id"])
    if parent is not None and parent["binding:host_id"]:
        raise problem.conflict("TrunkInUse", f"Trunk {doc['id']} is currently in use.")
    for sub in doc["sub_ports"]:
        _mark(call, sub["port_id"], "")


TRUNKS = Collection(
    singular="trunk",
    plural="trunks",
    path="trunks",
    missing=("TrunkNotFound", "Trunk {} could not be found."),
    attributes=ATTRIBUTES,
    complete=complete,
    release=release,
    computed=("status",),
    indexed=("port_id",),
    quota="trunk",
)


@network_route("GET", "trunks/{id}/get_subports", "list_subports")
def list_subports(request: Request, call: Call) -> Doc:
    """Give the sub-ports."""
    return {"sub_ports": TRUNKS.get(call, request.params["id"])["sub_ports"]}


@network_route("PUT", "trunks/{id}/add_subports", "add_subports")
def add_subports(request: Request, call: Call) -> Doc:
    """Take more ports in."""
    trunk = TRUNKS.owned(call, request.params["id"], "update")
    _check_enabled(trunk)
    return TRUNKS.store(call, _with(call, trunk, _named(request)))


@network_route("PUT", "trunks/{id}/remove_subports", "remove_subports")
def remove_subports(request: Request, call: Call) -> Doc:
    """Let ports go."""
    trunk = TRUNKS.owned(call, request.params["id"], "update")
    _check_enabled(trunk)
    for wanted in _named(request):
        left = [sub for sub in trunk["sub_ports"] if sub["port_id"] != wanted["port_id"]]
        if len(left) == len(trunk["sub_ports"]):
            raise problem.missing(
                "SubPortNotFound",
                f"SubPort on trunk {trunk['id']} with parent port {trunk['port_id']} could not be"
                " found.",
            )
        _mark(call, wanted["port_id"], "")
        trunk["sub_ports"] = left
    return TRUNKS.store(call, trunk)


def _named(request: Request) -> list[Doc]:
    body = request.json()
    wanted = body.get("sub_ports") if isinstance(body, dict) else None
    if not isinstance(wanted, list) or not all("port_id" in each for each in wanted):
        raise problem.bad_request("Invalid input for sub_ports: a list with port_id is required.")
    return wanted


def _with(call: Call, trunk: Doc, wanted: list[Doc]) -> Doc:
    for each in wanted:
        port = PORTS.get(call, str(each.get("port_id")))
        if _in_trunk(call, port["id"]) or port["id"] == trunk["port_id"]:
            raise problem.conflict(
                "TrunkPortInUse", f"Port {port['id']} is in use by another trunk."
            )
        sub = _sub_port(trunk, each)
        trunk["sub_ports"].append(sub)
        _mark(call, port["id"], _SUBPORT_OWNER)
    return trunk


def _sub_port(trunk: Doc, wanted: Doc) -> dict[str, Any]:
    type, id = wanted.get("segmentation_type", "vlan"), wanted.get("segmentation_id")
    if id is None:
        raise problem.bad_request("Invalid input for sub_ports: segmentation_id is required.")
    for other in trunk["sub_ports"]:
        if (other["segmentation_type"], other["segmentation_id"]) == (type, int(id)):
            raise problem.conflict(
                "DuplicateSubPort",
                f"segmentation_type {type} and segmentation_id {id} already in use on trunk"
                f" {trunk['id']}.",
            )
    return {"port_id": wanted["port_id"], "segmentation_type": type, "segmentation_id": int(id)}


def _mark(call: Call, port_id: str, owner: str) -> None:
    port = call.state.get(PORTS.kind, port_id)
    if port is not None:
        call.state.update(PORTS.kind, {**port, "device_owner": owner})


def _in_trunk(call: Call, port_id: str) -> bool:
    fields = ("port_id", "sub_port_id")
    return any(call.state.count(TRUNK, where={field: port_id}) for field in fields)


def _check_enabled(trunk: Doc) -> None:
    if not trunk["admin_state_up"]:
        raise problem.conflict("TrunkDisabled", f"Trunk {trunk['id']} is currently disabled.")
