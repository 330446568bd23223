"""Actions on volumes: attach and detach, extend, flags, retype, an administrator's corrections.

The rule: an action that a volume's status does not allow is refused with a 400, as Cinder does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from stoker.devcloud.cinder import attachment, problem, progress, quota, volume
from stoker.devcloud.cinder import volume_type as types
from stoker.devcloud.cinder.ask import (
    Ask,
    read_flag,
    read_map,
    read_name,
    read_size,
    read_text,
    volume_route,
)
from stoker.devcloud.cinder.volume import KIND, find
from stoker.devcloud.exchange import Reply

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc

Action = Callable[[Ask, "Doc", Any], "Doc | Reply | None"]
_REVERT, _IN_USE_TOO = 40, 42
_STATUSES = (
    "creating", "available", "deleting", "error", "error_deleting", "error_managing", "managing",
    "attaching", "in-use", "detaching", "maintenance", "error_restoring", "error_extending",
    "reserved", "extending",
)  # fmt: skip
_ACTIONS: dict[str, Action] = {}


def action(name: str) -> Callable[[Action], Action]:
    """Have the decorated function do what a body's key of that name asks for."""

    def add(function: Action) -> Action:
        _ACTIONS[name] = function
        return function

    return add


@volume_route("POST", "volumes/{volume_id}/action", status=202)
def act_on_volume(ask: Ask) -> Doc | Reply | None:
    """Do what the body's one key says."""
    doc, body = find(ask), ask.request.object()
    name = next(iter(body), "")
    if name not in _ACTIONS or len(body) > 1:
        raise problem.bad_request(f"There is no such action: {name}")
    argument = body[name]
    if not isinstance(argument, dict | None):
        raise problem.invalid_field(name, argument, f"{argument!r} is not of type 'object'")
    return _ACTIONS[name](ask, doc, argument or {})


def _check_status(doc: Doc, allowed: Collection[str], verb: str) -> None:
    if doc["status"] not in allowed:
        raise problem.invalid(
            "volume",
            f"Volume status must be {' or '.join(allowed)} to {verb}, but the status is"
            f" {doc['status']}.",
        )


def _set(ask: Ask, doc: Doc, **changes: Any) -> None:
    progress.store(ask.cloud, KIND, {**doc, **changes})


@action("os-extend")
def _extend(ask: Ask, doc: Doc, body: Doc) -> None:
    size = read_size(body.get("new_size"), "new_size")
    allowed = ("available", "in-use") if ask.since(_IN_USE_TOO) else ("available",)
    if doc["status"] not in allowed:
        raise problem.invalid(
            "volume",
            f"Volume {doc['id']} status must be '{allowed}' to extend, currently {doc['status']}.",
        )
    if size <= doc["size"]:
        raise problem.invalid_input(
            f"New size for extend must be greater than current size. (current: {doc['size']},"
            f" extended: {size})."
        )
    _reserve_size(ask, doc, size)
    then = {"size": size, "status": doc["status"]}
    progress.begin(ask.cloud, KIND, doc, "extending", "extend", then)


def _reserve_size(ask: Ask, doc: Doc, size: int) -> None:
    project, type = doc["project_id"], volume.type_of(ask.state, doc)
    quota.check_one_volume(ask.state, project, size)
    quota.check_size(ask.state, project, KIND, type["name"], size - doc["size"])
    quota.note(ask.state, KIND, {**doc, "size": size}, type["name"])


@action("os-reserve")
def _reserve(ask: Ask, doc: Doc, _body: Doc) -> None:
    _check_status(doc, ("available",), "reserve")
    _set(ask, doc, status="attaching")


@action("os-unreserve")
def _unreserve(ask: Ask, doc: Doc, _body: Doc) -> None:
    if doc["status"] == "attaching":
        _set(ask, doc, status="available")


@action("os-attach")
def _attach(ask: Ask, doc: Doc, body: Doc) -> None:
    _check_status(doc, ("available", "attaching"), "attach")
    instance, host = read_text(body, "instance_uuid"), read_text(body, "host_name")
    if instance and host:
        raise problem.bad_request("Invalid request to attach volume to an invalid target")
    free = {**doc, "status": "available"}
    device = read_name(body, "mountpoint")
    made = attachment.reserve(ask.cloud, free, instance, read_text(body, "mode") or "rw")
    attachment.complete(ask.cloud, attachment.connect(ask.cloud, made, host, device))


@action("os-detach")
def _detach(ask: Ask, doc: Doc, body: Doc) -> None:
    _check_status(doc, ("in-use", "detaching"), "detach")
    wanted = read_text(body, "attachment_id")
    found = [a for a in attachment.of(ask.state, doc["id"]) if wanted in (None, a["id"])]
    if not found:
        raise problem.missing("Volume attachment", f"with filter: attachment_id = {wanted}")
    if len(found) > 1:
        raise problem.invalid("volume", "Detach volume failed: more than one attachment")
    attachment.detach(ask.cloud, found[0])


@action("os-force_detach")
def _force_detach(ask: Ask, doc: Doc, body: Doc) -> None:
    ask.only_admin("volume_extension:volume_admin_actions:force_detach")
    _detach(ask, {**doc, "status": "detaching"}, body)


@action("os-begin_detaching")
def _begin_detaching(ask: Ask, doc: Doc, _body: Doc) -> None:
    _check_status(doc, ("in-use",), "detach")
    _set(ask, doc, status="detaching")


@action("os-roll_detaching")
def _roll_detaching(ask: Ask, doc: Doc, _body: Doc) -> None:
    if doc["status"] == "detaching":
        _set(ask, doc, status="in-use")


@action("os-initialize_connection")
def _connection(_ask: Ask, doc: Doc, body: Doc) -> Doc:
    if not isinstance(body.get("connector"), dict):
        raise problem.invalid_field("connector", None, "'connector' is a required property")
    info = {"volume_id": doc["id"], "access_mode": "rw", "encrypted": doc["encrypted"]}
    return {"connection_info": {"driver_volume_type": "devcloud", "data": info}}


@action("os-terminate_connection")
def _disconnect(_ask: Ask, _doc: Doc, _body: Doc) -> None:
    """Nothing is kept of a connection."""


@action("os-update_readonly_flag")
def _set_readonly(ask: Ask, doc: Doc, body: Doc) -> None:
    _check_status(doc, ("available",), "update readonly flag")
    if "readonly" not in body:
        raise problem.invalid_field("readonly", None, "'readonly' is a required property")
    flag = {"readonly": str(read_flag(body, "readonly"))}
    _set(ask, doc, admin_metadata={**doc["admin_metadata"], **flag})


@action("os-set_bootable")
def _set_bootable(ask: Ask, doc: Doc, body: Doc) -> Reply:
    if "bootable" not in body:
        raise problem.invalid_field("bootable", None, "'bootable' is a required property")
    _set(ask, doc, bootable=read_flag(body, "bootable"))
    return Reply(b"", status=200, type="application/json")


@action("os-retype")
def _retype(ask: Ask, doc: Doc, body: Doc) -> None:
    _check_status(doc, ("available", "in-use"), "retype")
    policy = read_text(body, "migration_policy") or "never"
    if policy not in ("never", "on-demand"):
        raise problem.bad_request(f"'{policy}' is not one of ['never', 'on-demand']")
    type = types.chosen(ask, read_name(body, "new_type"))
    if type["id"] == doc["type_id"]:
        raise problem.invalid_input(f"New volume_type same as original: {type['id']}.")
    old = volume.type_of(ask.state, doc)
    if type["encryption"] != old["encryption"] and doc["status"] == "in-use":
        raise problem.invalid_input("Retype cannot change encryption requirements.")
    quota.check_retype(ask.state, doc["project_id"], type["name"], doc["size"])
    quota.note(ask.state, KIND, doc, type["name"])
    becomes = {"encrypted": bool(type["encryption"]), "multiattach": types.is_shared(type)}
    then = {"type_id": type["id"], "status": doc["status"], **becomes}
    progress.begin(ask.cloud, KIND, doc, "retyping", "retype", then)


@action("revert")
def _revert(ask: Ask, doc: Doc, body: Doc) -> None:
    if not ask.since(_REVERT):
        raise problem.bad_request("There is no such action: revert")
    id = read_name(body, "snapshot_id")
    newest = volume.snapshots_of(ask.state, doc)[-1:]
    if [each["id"] for each in newest] != [id]:
        raise problem.invalid_input("Specified snapshot id isn't the latest one of the volume.")
    _check_status(doc, ("available",), "revert")
    if newest[0]["status"] != "available":
        raise problem.invalid("snapshot", f"its status is {newest[0]['status']}")
    then = {"status": "available"}
    progress.begin(ask.cloud, KIND, doc, "reverting", "revert", then)


@action("os-set_image_metadata")
def _set_image_metadata(ask: Ask, doc: Doc, body: Doc) -> Doc:
    metadata = {**(doc["image_metadata"] or {}), **read_map(body, "metadata")}
    _set(ask, doc, image_metadata=metadata)
    return {"metadata": metadata}


@action("os-unset_image_metadata")
def _unset_image_metadata(ask: Ask, doc: Doc, body: Doc) -> None:
    key, held = read_name(body, "key"), dict(doc["image_metadata"] or {})
    if key not in held:
        raise problem.missing("Glance metadata", key)
    del held[key]
    _set(ask, doc, image_metadata=held or None)


@action("os-show_image_metadata")
def _show_image_metadata(_ask: Ask, doc: Doc, _body: Doc) -> Doc:
    return {"metadata": doc["image_metadata"] or {}}


@action("os-reset_status")
def _reset_status(ask: Ask, doc: Doc, body: Doc) -> None:
    ask.only_admin("volume_extension:volume_admin_actions:reset_status")
    status = read_text(body, "status")
    if status is not None and status not in _STATUSES:
        raise problem.invalid_field("status", status, f"'{status}' is not one of {_STATUSES}")
    if body.get("attach_status") == "detached":
        for each in attachment.of(ask.state, doc["id"]):
            ask.state.delete(attachment.KIND, each["id"])
    _set(ask, doc, status=status or doc["status"], pending=None)


@action("os-force_delete")
def _force_delete(ask: Ask, doc: Doc, _body: Doc) -> None:
    ask.only_admin("volume_extension:volume_admin_actions:force_delete")
    progress.begin_delete(ask.cloud, KIND, doc)
