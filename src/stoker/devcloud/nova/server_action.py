"""The actions of a server: one function each where the life cycle's table does not say all.

The rule: an action checks its body first, then the server's state; what takes time ends later.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stoker.devcloud.exchange import Reply
from stoker.devcloud.glance.contents import fill
from stoker.devcloud.glance.image import fresh
from stoker.devcloud.neutron.port import PORTS
from stoker.devcloud.neutron.security_group import GROUP
from stoker.devcloud.nova import flavor as flavors
from stoker.devcloud.nova import (
    keypair,
    lifecycle,
    plug,
    problem,
    quota,
    server_form,
    server_request,
)
from stoker.devcloud.nova.ask import Ask, compute_route, read_dict, read_text
from stoker.devcloud.nova.server import IMAGE, find, is_id, start, store
from stoker.devcloud.nova.server_view import shown
from stoker.devcloud.nova.servers import begin_delete, check_unlocked

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc

Performer = Callable[[Ask, Any, Any], Any]

_PLAIN = {
    "os-start", "os-stop", "pause", "unpause", "suspend", "resume", "confirmResize",
    "revertResize", "shelve", "shelveOffload", "unshelve", "changePassword", "unrescue",
}  # fmt: skip
_UNLOCKED = {"lock", "unlock", "os-getConsoleOutput", "createImage"}
_STATES = ("active", "error")
_IMAGE_IN_BODY, _LOCK_REASON, _USER_DATA, _KEYED = 45, 73, 57, 54
_DONE_AT_ONCE = {"confirmResize"}

_PERFORMERS: dict[str, Performer] = {}


def action(name: str) -> Callable[[Performer], Performer]:
    """Have the decorated function perform the action ``name``: ask, server, argument."""

    def add(function: Performer) -> Performer:
        _PERFORMERS[name] = function
        return function

    return add


@compute_route("POST", "servers/{server_id}/action", status=202)
def act_on_server(ask: Ask) -> Any:
    """Perform the one action that the body names."""
    body = ask.request.json()
    if not isinstance(body, dict) or len(body) != 1:
        raise problem.bad_request("Malformed request body")
    ((name, argument),) = body.items()
    server = find(ask)
    if name not in _PERFORMERS and name not in _PLAIN:
        raise problem.bad_request(f"There is no such action: {name}")
    ask.request.operation = f"server_{name}"
    if name in _PERFORMERS and not isinstance(argument, dict | str | None):
        raise problem.invalid(name, argument, f"{argument!r} is not of type 'object'")
    if name not in _UNLOCKED:
        check_unlocked(ask, server)
    try:
        if name in _PLAIN:
            return _plain(ask, server, name)
        return _PERFORMERS[name](ask, server, argument if isinstance(argument, dict) else {})
    except lifecycle.NotAllowed as refused:
        raise problem.conflict(str(refused)) from refused


def _plain(ask: Ask, server: Doc, name: str) -> Reply:
    start(ask.cloud, server, name)
    return Reply(status=204 if name in _DONE_AT_ONCE else 202)


@action("reboot")
def reboot(ask: Ask, server: Doc, argument: Any) -> Reply:
    """Reboot a server, softly or hard."""
    kind = str(argument.get("type") or "").upper()
    if kind not in ("SOFT", "HARD"):
        raise problem.invalid("type", kind, f"'{kind}' is not one of ['HARD', 'SOFT']")
    start(ask.cloud, server, "reboot" if kind == "SOFT" else "hard_reboot")
    return Reply(status=202)


@action("resize")
def resize(ask: Ask, server: Doc, argument: Any) -> Reply:
    """Begin a resize; it waits to be confirmed."""
    id = read_text(argument, "flavorRef").rpartition("/")[2]
    project, is_admin = server["project_id"], ask.caller.is_admin
    flavor = flavors.usable(ask.state, project, id, is_admin=is_admin)
    if flavor is None:
        raise problem.bad_request(f"Flavor {id} could not be found.")
    if flavor["id"] == server["flavor"]["id"]:
        raise problem.bad_request("When resizing, instances must change flavor!")
    old = server["flavor"]
    if flavor["disk"] < old["disk"] and server["image_id"]:
        raise (
            problem.bad_request("Resize to zero disk flavor is not allowed.")
            if (flavor["disk"] == 0)
            else problem.bad_request("Resize to a flavor with a smaller disk is not allowed.")
        )
    more = {name: max(0, flavor[name] - old[name]) for name in ("vcpus", "ram")}
    quota.check_servers(ask.state, project, more, 0)
    new = {n: v for n, v in flavor.items() if n not in ("access", "description")}
    start(ask.cloud, {**server, "new_flavor": new}, "resize")
    return Reply(status=202)


@action("rebuild")
def rebuild(ask: Ask, server: Doc, argument: Any) -> Reply:
    """Make a server anew from an image, keeping what it is to others."""
    wanted = argument
    id = str(wanted.get("imageRef", "")).rstrip("/").rpartition("/")[2]
    if not is_id(id):
        raise problem.invalid("imageRef", id, f"'{id}' is not a 'uuid'")
    image = server_request.check_image(ask, id, server["flavor"])
    metadata = read_dict(wanted, "metadata") or server["metadata"]
    quota.check_metadata(ask.state, server["project_id"], metadata)
    changes: Doc = {"image_id": image["id"], "metadata": metadata, "fault": None}
    if "name" in wanted:
        changes["name"] = read_text(wanted, "name")
    if ask.since(_USER_DATA) and "user_data" in wanted:
        server_form.check_user_data(wanted["user_data"])
        changes["user_data"] = wanted["user_data"]
    if ask.since(_KEYED) and "key_name" in wanted:
        changes["key_name"] = _key(ask, wanted["key_name"])
    lifecycle.check(server, "rebuild")
    server = start(ask.cloud, {**server, **changes}, "rebuild")
    extra = {"adminPass": wanted.get("adminPass") or secrets.token_urlsafe(9)}
    if ask.since(_USER_DATA):
        extra["user_data"] = server["user_data"]
    return Reply({"server": {**shown(ask, server), **extra}}, status=202)


def _key(ask: Ask, name: Any) -> str | None:
    if not isinstance(name, str | None):
        raise problem.invalid("key_name", name, f"{name!r} is not of type 'string'")
    if name and keypair.find(ask.state, ask.caller.user_id, name) is None:
        raise problem.bad_request("Invalid key_name provided.")
    return name


@action("createImage")
def create_image(ask: Ask, server: Doc, argument: Any) -> Reply:
    """Take an image of a server: the image is there at once, the server busy for a while."""
    wanted = argument
    name = read_text(wanted, "name")
    lifecycle.check(server, "createImage")
    properties = {key: str(value) for key, value in read_dict(wanted, "metadata").items()}
    own = {"name": name, "disk_format": "qcow2", "container_format": "bare"}
    base = {"base_image_ref": server["image_id"], "instance_uuid": server["id"]}
    given = {**properties, **base, "image_type": "snapshot", **own, "visibility": "private"}
    data = f"devcloud snapshot of {server['id']}\n".encode()
    image = ask.state.insert(IMAGE, fill(fresh(ask.request, given), data))
    ask.state.put_blob(image["id"], data)
    start(ask.cloud, server, "createImage")
    if ask.since(_IMAGE_IN_BODY):
        return Reply({"image_id": image["id"]}, status=202)
    location = f"{ask.cloud.url}/image/v2/images/{image['id']}"
    return Reply(status=202, headers={"Location": location})


@action("lock")
def lock(ask: Ask, server: Doc, argument: Any) -> Reply:
    """Have everybody but administrators keep their hands off."""
    reason = argument.get("locked_reason") if ask.since(_LOCK_REASON) else None
    store(ask.cloud, {**server, "locked": True, "locked_reason": reason})
    return Reply(status=202)


@action("unlock")
def unlock(ask: Ask, server: Doc, _argument: Any) -> Reply:
    """Take the lock off."""
    store(ask.cloud, {**server, "locked": False, "locked_reason": None})
    return Reply(status=202)


@action("forceDelete")
def force_delete(ask: Ask, server: Doc, _argument: Any) -> Reply:
    """Delete a server."""
    begin_delete(ask, server)
    return Reply(status=202)


@action("rescue")
def rescue(ask: Ask, server: Doc, argument: Any) -> Reply:
    """Boot a server from another image for repair."""
    start(ask.cloud, server, "rescue")
    secret = argument.get("adminPass") or secrets.token_urlsafe(9)
    return Reply({"adminPass": secret}, status=200)


@action("os-resetState")
def reset_state(ask: Ask, server: Doc, argument: Any) -> Reply:
    """Put a server into a state by force."""
    ask.only_admin("os-admin-actions:reset_state")
    state = argument.get("state")
    if state not in _STATES:
        raise problem.invalid("state", state, f"'{state}' is not one of {list(_STATES)}")
    store(ask.cloud, {**lifecycle.enter(server, state), "pending": None})
    return Reply(status=202)


@action("addSecurityGroup")
def add_security_group(ask: Ask, server: Doc, argument: Any) -> Reply:
    """Put a security group on all ports of a server."""
    group = _group(ask, argument)
    for port in plug.of(ask.as_service, server["id"]):
        groups = list(dict.fromkeys([*port["security_groups"], group]))
        PORTS.update(ask.as_service, port["id"], {"security_groups": groups})
    return Reply(status=202)


@action("removeSecurityGroup")
def remove_security_group(ask: Ask, server: Doc, argument: Any) -> Reply:
    """Take a security group off all ports of a server."""
    group = _group(ask, argument)
    ports = plug.of(ask.as_service, server["id"])
    if not any(group in port["security_groups"] for port in ports):
        raise problem.missing(
            f"Security group {group} not associated with the instance {server['id']}"
        )
    for port in ports:
        groups = [each for each in port["security_groups"] if each != group]
        PORTS.update(ask.as_service, port["id"], {"security_groups": groups})
    return Reply(status=202)


def _group(ask: Ask, argument: Any) -> str:
    name = read_text(argument, "name")
    group = plug.find_security_group(ask.as_user, name)
    if group is None:
        project = ask.caller.project_id
        raise problem.missing(f"Security group {name} is not found for project {project}")
    return group


@action("os-getConsoleOutput")
def get_console_output(_ask: Ask, server: Doc, argument: Any) -> Reply:
    """Give what a server wrote to its console."""
    lines = [
        "Linux version 6.8.0 (devcloud)",
        f"cloud-init: hostname {server['hostname']}",
        f"{server['hostname']} login:",
    ]
    length = argument.get("length")
    if length not in (None, -1, "-1"):
        if not str(length).isdigit():
            raise problem.invalid("length", length, "is not an integer")
        lines = lines[-int(length) :] if int(length) else []
    return Reply({"output": "\n".join(lines) + "\n"}, status=200)


@action("os-getVNCConsole")
def get_vnc_console(ask: Ask, server: Doc, argument: Any) -> Reply:
    """Give the URL of a console, in the form before 2.6."""
    kind = read_text(argument, "type")
    return Reply({"console": {"type": kind, "url": console_url(ask, server)}}, status=200)


_CONSOLES = {
    "vnc": ("novnc", "xvpvnc"),
    "spice": ("spice-html5",),
    "rdp": ("rdp-html5",),
    "serial": ("serial",),
    "mks": ("webmks",),
}


@compute_route("POST", "servers/{server_id}/remote-consoles", since=6)
def create_console(ask: Ask) -> Doc:
    """Give the URL of a console."""
    server, wanted = find(ask), ask.body("remote_console")
    if server["vm_state"] == "building":
        raise problem.conflict(f"Instance {server['id']} is not ready")
    names = {name: read_text(wanted, name) for name in ("protocol", "type")}
    if names["type"] not in _CONSOLES.get(names["protocol"], ()):
        raise problem.bad_request(f"Unavailable console type {names['type']}.")
    return {"remote_console": {**names, "url": console_url(ask, server)}}


def console_url(ask: Ask, server: Doc) -> str:
    """Give the URL under which a console of a server would be."""
    return f"{ask.cloud.url}/console/{server['id']}?token={secrets.token_urlsafe(16)}"


@compute_route("GET", "servers/{server_id}/os-security-groups")
def list_server_security_groups(ask: Ask) -> Doc:
    """Give the security groups of a server's ports."""
    ports = plug.of(ask.as_service, find(ask)["id"])
    ids = dict.fromkeys(id for port in ports for id in port["security_groups"])
    found = (ask.state.get(GROUP, id) for id in ids)
    return {"security_groups": [_brief_group(group) for group in found if group is not None]}


def _brief_group(group: Doc) -> Doc:
    names = ("id", "name", "description")
    return {**{n: group[n] for n in names}, "tenant_id": group["project_id"], "rules": []}
