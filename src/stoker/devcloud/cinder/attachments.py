"""The attachments API: reserve, connect, complete, list, show, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.devcloud.cinder import attachment, problem, search, volume
from stoker.devcloud.cinder.ask import Ask, read_name, read_text, volume_route
from stoker.devcloud.cinder.attachment import KIND

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc

_ALL, _ONE = "attachments", "attachments/{attachment_id}"
_SINCE, _COMPLETE, _MODE = 27, 44, 54
_FILTERS = frozenset({"volume_id", "status", "instance_id", "attach_status"})
_SERVER = "compute.server"


def find(ask: Ask) -> Doc:
    """Give the caller's attachment that the path names, or 404."""
    id = ask.params["attachment_id"]
    doc = ask.state.get(KIND, id)
    if doc is None or not ask.sees(doc):
        raise problem.missing("Volume attachment", f"with filter: attachment_id = {id}")
    return doc


def brief(doc: Doc) -> Doc:
    """Give an attachment as short lists show it."""
    return {
        "id": doc["id"],
        "status": doc["attach_status"],
        "instance": doc["instance"],
        "volume_id": doc["volume_id"],
    }


def shown(doc: Doc) -> Doc:
    """Give an attachment whole."""
    return {
        **brief(doc),
        "attached_at": doc["attached_at"] or "",
        "detached_at": "",
        "attach_mode": doc["attach_mode"],
        "connection_info": doc["connection_info"],
    }


@volume_route("GET", _ALL, since=_SINCE)
def list_attachments(ask: Ask) -> Doc:
    """Give attachments."""
    docs, page = _listed(ask, _ALL)
    return {"attachments": [brief(doc) for doc in docs], **page}


@volume_route("GET", f"{_ALL}/detail", since=_SINCE)
def list_attachment_details(ask: Ask) -> Doc:
    """Give attachments whole."""
    docs, page = _listed(ask, f"{_ALL}/detail")
    return {"attachments": [shown(doc) for doc in docs], **page}


def _listed(ask: Ask, path: str) -> tuple[list[Doc], Doc]:
    wanted = search.filters(ask, _FILTERS)
    names = {"instance_id": "instance", "status": "attach_status"}
    wanted = {names.get(name, name): value for name, value in wanted.items()}
    return search.listed(ask, search.owned(ask, KIND, wanted), path, _ALL)


@volume_route("GET", _ONE, since=_SINCE)
def show_attachment(ask: Ask) -> Doc:
    """Give one attachment."""
    return {"attachment": shown(find(ask))}


@volume_route("POST", _ALL, since=_SINCE)
def create_attachment(ask: Ask) -> Doc:
    """Reserve a volume for a server; with a connector, hand out how to reach it."""
    body = ask.body("attachment")
    doc = volume.find(ask, read_name(body, "volume_uuid"))
    mode = (read_text(body, "mode") if ask.since(_MODE) else None) or "rw"
    if mode not in ("rw", "ro"):
        raise problem.invalid_field("mode", mode, f"'{mode}' is not one of ['rw', 'ro']")
    made = attachment.reserve(ask.cloud, doc, read_text(body, "instance_uuid"), mode)
    if body.get("connector"):
        made = _connected(ask, made, body["connector"])
    return {"attachment": shown(made)}


@volume_route("PUT", _ONE, since=_SINCE)
def update_attachment(ask: Ask) -> Doc:
    """Tell who connects, and hand out how to reach the volume."""
    doc, connector = find(ask), ask.body("attachment").get("connector")
    if not connector:
        raise problem.invalid_field("connector", connector, "'connector' is a required property")
    return {"attachment": shown(_connected(ask, doc, connector))}


def _connected(ask: Ask, doc: Doc, connector: Any) -> Doc:
    if not isinstance(connector, dict):
        raise problem.invalid_field("connector", connector, "is not of type 'object'")
    host, device = read_text(connector, "host"), read_text(connector, "mountpoint")
    if "mode" in connector:
        doc = {**doc, "attach_mode": read_text(connector, "mode")}
    return attachment.connect(ask.cloud, doc, host, device)


@volume_route("POST", f"{_ONE}/action", status=204, since=_COMPLETE)
def complete_attachment(ask: Ask) -> None:
    """Have the volume in use."""
    doc = find(ask)
    if "os-complete" not in ask.request.object():
        raise problem.bad_request("There is no such action")
    if doc["attach_status"] not in ("attaching", "reserved"):
        raise problem.bad_request(f"Invalid attachment: it is {doc['attach_status']} already")
    attachment.complete(ask.cloud, doc)


@volume_route("DELETE", _ONE, since=_SINCE)
def delete_attachment(ask: Ask) -> Doc:
    """Give the volume back; what a server still has goes by Nova alone."""
    doc = find(ask)
    server = ask.state.get(_SERVER, doc["instance"]) if doc["instance"] else None
    held = [each["id"] for each in server["volumes"]] if server else []
    if doc["id"] in held:
        raise problem.conflict(
            f"Detach volume from instance {doc['instance']} using the Compute API"
        )
    attachment.detach(ask.cloud, doc)
    left = attachment.of(ask.state, doc["volume_id"])
    return {"attachments": [brief(each) for each in left]}
