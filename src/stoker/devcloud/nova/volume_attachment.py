"""A server's volumes: listed, attached, detached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.devcloud.exchange import Reply
from stoker.devcloud.neutron import agenda
from stoker.devcloud.nova import lifecycle, problem, volume
from stoker.devcloud.nova.ask import Ask, compute_route, read_text
from stoker.devcloud.nova.block_device import device_name
from stoker.devcloud.nova.server import KIND, find, store
from stoker.devcloud.nova.servers import check_unlocked

if TYPE_CHECKING:
    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.state import Doc

_PATH = "servers/{server_id}/os-volume_attachments"
_DETACHING = "compute.detaching_volume"
_TAGGED, _TERMINATED, _ID_GONE = 70, 79, 89


@compute_route("GET", _PATH)
def list_volume_attachments(ask: Ask) -> Doc:
    """Give a server's volumes."""
    server = find(ask)
    return {"volumeAttachments": [_shown(ask, server, each) for each in server["volumes"]]}


@compute_route("GET", f"{_PATH}/{{volume_id}}")
def show_volume_attachment(ask: Ask) -> Doc:
    """Give one volume of a server."""
    server = find(ask)
    return {"volumeAttachment": _shown(ask, server, _attachment(ask, server))}


@compute_route("POST", _PATH)
def attach_volume(ask: Ask) -> Doc:
    """Attach a volume to a server."""
    server, body = find(ask), ask.body("volumeAttachment")
    check_unlocked(ask, server)
    _check(server, "attach_volume")
    id = read_text(body, "volumeId")
    found = volume.find(ask, id)
    if found is None:
        raise problem.missing(f"Volume {id} could not be found.")
    volume.check_free(ask, found)
    device = body.get("device") or device_name(
        len(server["volumes"]), has_root=not server["image_id"]
    )
    attachment = volume.take(ask.cloud, server, found, device, body.get("tag"))
    attachment["delete_on_termination"] = bool(body.get("delete_on_termination"))
    store(ask.cloud, {**server, "volumes": [*server["volumes"], attachment]})
    return {"volumeAttachment": _shown(ask, server, attachment)}


@compute_route("DELETE", f"{_PATH}/{{volume_id}}", status=202)
def detach_volume(ask: Ask) -> Reply:
    """Have a volume detached; it stays in use for as long as that takes."""
    server = find(ask)
    check_unlocked(ask, server)
    attachment = _attachment(ask, server)
    _check(server, "detach_volume")
    if not server["image_id"] and attachment["device"] == device_name(0, has_root=True):
        raise problem.bad_request("Cannot detach a root device volume")
    volume.begin_detaching(ask.cloud, attachment["volume_id"])
    seconds = ask.cloud.latency.seconds("compute", "detach_volume")
    agenda.put(ask.cloud, _DETACHING, f"{server['id']}/{attachment['volume_id']}", seconds)
    return Reply(status=202)


@agenda.settler(_DETACHING)
def detached(cloud: Cloud, id: str) -> None:
    """End a detaching, if the server still has the volume."""
    server_id, _, volume_id = id.partition("/")
    server = cloud.state.get(KIND, server_id)
    if server is None:
        return
    for attachment in server["volumes"]:
        if attachment["volume_id"] == volume_id:
            volume.give_back(cloud, attachment, is_deleted=False)
    left = [each for each in server["volumes"] if each["volume_id"] != volume_id]
    store(cloud, {**server, "volumes": left})


def _attachment(ask: Ask, server: Doc) -> Doc:
    id = ask.params["volume_id"]
    for attachment in server["volumes"]:
        if attachment["volume_id"] == id:
            return dict(attachment)
    raise problem.missing(f"Instance {server['id']} is not attached to volume {id}")


def _check(server: Doc, name: str) -> None:
    try:
        lifecycle.check(server, name)
    except lifecycle.NotAllowed as refused:
        raise problem.conflict(str(refused)) from refused


def _shown(ask: Ask, server: Doc, attachment: Doc) -> Doc:
    names = {"volume_id": "volumeId", "device": "device"}
    body: Doc = {shown: attachment[name] for name, shown in names.items()}
    body["serverId"] = server["id"]
    if not ask.since(_ID_GONE):
        body["id"] = attachment["volume_id"]
    else:
        body |= {"attachment_id": attachment["id"], "bdm_uuid": attachment["bdm_uuid"]}
    if ask.since(_TAGGED):
        body["tag"] = attachment["tag"]
    if ask.since(_TERMINATED):
        body["delete_on_termination"] = attachment["delete_on_termination"]
    return body
