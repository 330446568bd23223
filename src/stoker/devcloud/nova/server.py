"""Servers as documents: found, settled when something about them is due, deleted.

The rule: what a server waits for stands in its ``pending`` action and on the agenda; nothing
else changes a server by itself.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from stoker.devcloud import clock
from stoker.devcloud.neutron import agenda
from stoker.devcloud.neutron.call import Call
from stoker.devcloud.nova import host, lifecycle, plug, problem, quota, volume

if TYPE_CHECKING:
    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.nova.ask import Ask
    from stoker.devcloud.state import Doc

KIND, GROUP, IMAGE = quota.SERVER, quota.GROUP, "image.image"
_OPERATIONS = {"os-start": "start", "os-stop": "stop", "hard_reboot": "reboot"}


def find(ask: Ask, name: str = "server_id") -> Doc:
    """Give the caller's server that the path names, or 404."""
    id = ask.params[name]
    server = ask.state.get(KIND, id)
    if server is None or not _sees(ask, server):
        raise problem.missing(f"Instance {id} could not be found.")
    return server


def _sees(ask: Ask, server: Doc) -> bool:
    return ask.caller.is_admin or server["project_id"] == ask.caller.project_id


def is_id(text: str) -> bool:
    """Tell whether a text is a UUID."""
    try:
        uuid.UUID(text)
    except (TypeError, ValueError, AttributeError):
        return False
    return True


def store(cloud: Cloud, server: Doc) -> Doc:
    """Store a changed server, with the time of the change."""
    return cloud.state.update(KIND, {**server, "updated": clock.iso(cloud.now())})


def start(cloud: Cloud, server: Doc, action: str) -> Doc:
    """Begin an action and note when it ends; raise NotAllowed where it may not begin."""
    server = lifecycle.begin(server, action)
    seconds = cloud.latency.seconds("compute", _OPERATIONS.get(action, action))
    server = store(cloud, {**server, "pending": action})
    agenda.put(cloud, KIND, server["id"], seconds)
    return server


def boot(cloud: Cloud, server: Doc) -> None:
    """Note when a new server's building ends."""
    agenda.put(cloud, KIND, server["id"], cloud.latency.seconds("compute", "boot"))


@agenda.settler(KIND)
def settle(cloud: Cloud, id: str) -> None:
    """End what a server waited for: its building, an action, its deletion."""
    server = cloud.state.get(KIND, id)
    if server is None or not server["pending"]:
        return
    action, server = server["pending"], {**server, "pending": None}
    if action == "build":
        _built(cloud, server)
    elif action == "delete":
        remove(cloud, server)
    else:
        _ended(cloud, server, action)


def _built(cloud: Cloud, server: Doc) -> None:
    group = cloud.state.get(GROUP, server["group_id"]) if server["group_id"] else None
    chosen = host.choose(cloud.state, server, group)
    if server["doom"] or chosen is None:
        reason = server["doom"] or "No valid host was found. There are not enough hosts available."
        failed(cloud, server, reason)
        return
    plug.bind(_service(cloud, server), server["id"], chosen)
    launched = clock.iso(cloud.now()).rstrip("Z") + ".000000"
    placed = {"host": chosen, "launched_at": launched, "progress": 0}
    store(cloud, {**lifecycle.enter(server, "active"), **placed})


def failed(cloud: Cloud, server: Doc, reason: str) -> None:
    """Put a server into ERROR."""
    fault = {"code": 500, "created": clock.iso(cloud.now()), "message": reason}
    store(cloud, {**lifecycle.enter(server, "error"), "fault": fault})


def _ended(cloud: Cloud, server: Doc, action: str) -> None:
    server = lifecycle.finish(server, action)
    if action == "resize":
        server |= {"old_flavor": server["flavor"], "flavor": server.pop("new_flavor")}
        quota.note(cloud.state, server)
    elif action == "revertResize":
        server["flavor"] = server.pop("old_flavor")
        quota.note(cloud.state, server)
    store(cloud, server)


def remove(cloud: Cloud, server: Doc) -> None:
    """Take a server away, with what was made for it alone."""
    plug.unplug_all(_service(cloud, server), server)
    for attachment in server["volumes"]:
        volume.give_back(cloud, attachment, is_deleted=True)
    if server["group_id"]:
        _leave_group(cloud, server)
    quota.forget(cloud.state, server["id"])
    agenda.drop(cloud, KIND, server["id"])
    cloud.state.delete(KIND, server["id"])


def _leave_group(cloud: Cloud, server: Doc) -> None:
    group = cloud.state.get(GROUP, server["group_id"])
    if group is not None:
        members = [id for id in group["members"] if id != server["id"]]
        cloud.state.update(GROUP, {**group, "members": members})


def _service(cloud: Cloud, server: Doc) -> Call:
    """Give Nova's call to Neutron on behalf of a server's project."""
    return Call(cloud, server["project_id"], is_admin=True)
