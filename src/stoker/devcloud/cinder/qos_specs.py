"""QoS specs, and the volume types that they are associated with: administrators' calls all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.cinder import problem, search
from stoker.devcloud.cinder import volume_type as types
from stoker.devcloud.cinder.ask import Ask, read_flag, read_name, read_text, volume_route
from stoker.devcloud.cinder.volume_types import store
from stoker.devcloud.cloud import new_id
from stoker.devcloud.refusal import Refusal

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc

KIND = "volume.qos_specs"
_ALL, _ONE = "qos-specs", "qos-specs/{qos_id}"
_CONSUMERS = ("back-end", "front-end", "both")


def find(ask: Ask) -> Doc:
    """Give the QoS specs that the path names, or 404; to administrators alone."""
    ask.only_admin("volume_extension:qos_specs_manage:get")
    id = ask.params["qos_id"]
    doc = ask.state.get(KIND, id)
    if doc is None:
        raise Refusal(404, f"No such QoS spec {id}.")
    return doc


def shown(doc: Doc) -> Doc:
    """Give QoS specs as answers show them."""
    return {name: doc[name] for name in ("id", "name", "consumer", "specs")}


def _whole(ask: Ask, doc: Doc) -> Doc:
    return {"qos_specs": shown(doc), "links": ask.links(f"{_ALL}/{doc['id']}")}


def _associated(ask: Ask, doc: Doc) -> list[Doc]:
    return ask.state.list(types.KIND, where={"qos_specs_id": doc["id"]})


@volume_route("GET", _ALL)
def list_qos_specs(ask: Ask) -> Doc:
    """Give all QoS specs."""
    ask.only_admin("volume_extension:qos_specs_manage:get_all")
    found, page = search.listed(ask, ask.state.list(KIND), _ALL, "qos_specs")
    return {"qos_specs": [shown(doc) for doc in found], **page}


@volume_route("GET", _ONE)
def show_qos_specs(ask: Ask) -> Doc:
    """Give QoS specs."""
    return _whole(ask, find(ask))


@volume_route("POST", _ALL)
def create_qos_specs(ask: Ask) -> Doc:
    """Make QoS specs: every key of the body but name and consumer is a spec."""
    ask.only_admin("volume_extension:qos_specs_manage:create")
    body = ask.body("qos_specs")
    name, specs = read_name(body), _specs(body)
    if ask.state.count(KIND, name=name):
        raise problem.conflict(f"QoS Specs {name} already exists.")
    consumer = _consumer(body) or "back-end"
    doc = {"id": new_id(), "name": name, "consumer": consumer, "specs": specs}
    return _whole(ask, ask.state.insert(KIND, doc))


@volume_route("PUT", _ONE)
def update_qos_specs(ask: Ask) -> Doc:
    """Set specs; those not named stay."""
    doc, body = find(ask), ask.body("qos_specs")
    consumer = _consumer(body) or doc["consumer"]
    if consumer != doc["consumer"] and _associated(ask, doc):
        raise problem.bad_request(f"Failed to modify consumer of QoS specs {doc['id']} in use.")
    doc["specs"] |= _specs(body)
    ask.state.update(KIND, {**doc, "consumer": consumer})
    return {"qos_specs": body}


@volume_route("PUT", f"{_ONE}/delete_keys", status=202)
def delete_qos_spec_keys(ask: Ask) -> None:
    """Remove specs."""
    doc, keys = find(ask), ask.request.object().get("keys")
    if not isinstance(keys, list):
        raise problem.invalid_field("keys", keys, f"{keys!r} is not of type 'array'")
    for key in keys:
        if key not in doc["specs"]:
            raise problem.bad_request(f"QoS Specs {doc['id']} has no spec with key {key}.")
        del doc["specs"][key]
    ask.state.update(KIND, doc)


@volume_route("DELETE", _ONE, status=202)
def delete_qos_specs(ask: Ask) -> None:
    """Delete QoS specs; with ``force`` also those that types are associated with."""
    doc = find(ask)
    used = _associated(ask, doc)
    if used and not read_flag({"force": ask.request.first("force") or None}, "force"):
        raise problem.bad_request(f"QoS Specs {doc['id']} is still associated with entities.")
    for type in used:
        store(ask, {**type, "qos_specs_id": None})
    ask.state.delete(KIND, doc["id"])


@volume_route("GET", f"{_ONE}/associations")
def list_qos_associations(ask: Ask) -> Doc:
    """Give the types that QoS specs are associated with."""
    found = [
        {"association_type": "volume_type", "id": type["id"], "name": type["name"]}
        for type in _associated(ask, find(ask))
    ]
    return {"qos_associations": found}


@volume_route("GET", f"{_ONE}/associate", status=202)
def associate_qos_specs(ask: Ask) -> None:
    """Associate QoS specs with a type."""
    doc, type = find(ask), _type(ask)
    if type["qos_specs_id"] not in (None, doc["id"]):
        raise problem.bad_request(
            f"Type {type['id']} is already associated with another qos specs:"
            f" {type['qos_specs_id']}"
        )
    store(ask, {**type, "qos_specs_id": doc["id"]})


@volume_route("GET", f"{_ONE}/disassociate", status=202)
def disassociate_qos_specs(ask: Ask) -> None:
    """Take the association with a type away."""
    doc, type = find(ask), _type(ask)
    if type["qos_specs_id"] == doc["id"]:
        store(ask, {**type, "qos_specs_id": None})


@volume_route("GET", f"{_ONE}/disassociate_all", status=202)
def disassociate_all_qos_specs(ask: Ask) -> None:
    """Take all associations away."""
    for type in _associated(ask, find(ask)):
        store(ask, {**type, "qos_specs_id": None})


def _type(ask: Ask) -> Doc:
    id = ask.request.first("vol_type_id")
    if not id:
        raise problem.bad_request("Volume Type id must not be None.")
    type = ask.state.get(types.KIND, id)
    if type is None:
        raise problem.missing("Volume type", id)
    return type


def _specs(body: Doc) -> dict[str, str]:
    specs = {name: value for name, value in body.items() if name not in ("name", "consumer")}
    for name, value in specs.items():
        if not isinstance(value, str):
            raise problem.invalid_field(name, value, f"{value!r} is not of type 'string'")
    return specs


def _consumer(body: Doc) -> str | None:
    consumer = read_text(body, "consumer")
    if consumer is not None and consumer not in _CONSUMERS:
        raise problem.invalid_field("consumer", consumer, f"not one of {_CONSUMERS}")
    return consumer
