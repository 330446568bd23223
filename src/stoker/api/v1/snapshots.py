"""The snapshots of a stack: take, list, show, restore, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.api.body import Fields
from stoker.api.faults import accepted
from stoker.api.policy import member, reader
from stoker.api.reply import Reply
from stoker.api.route import Route
from stoker.api.v1.path import STACK
from stoker.usecases.moment import moment

if TYPE_CHECKING:
    from stoker.api.route import Ask
    from stoker.usecases.stacks import Json, SnapshotView

_SNAPSHOTS = f"{STACK}/snapshots"
_SNAPSHOT = f"{_SNAPSHOTS}/{{snapshot}}"


def shown(snapshot: SnapshotView) -> Json:
    """Return a snapshot as clients know it."""
    return {
        "id": snapshot.id,
        "name": snapshot.name,
        "action": snapshot.action,
        "status": snapshot.status,
        "status_reason": snapshot.reason or None,
        "data": snapshot.data,
        "creation_time": moment(snapshot.created_at),
    }


def take(ask: Ask) -> Json:
    """Begin to take a snapshot, under the name that the body may give."""
    fields = Fields(ask.body())
    name = fields.text("name")
    fields.check()
    return shown(ask.stacks.snapshot(ask.caller, ask.stack, name))


def index(ask: Ask) -> Json:
    """List the snapshots."""
    found = ask.stacks.snapshots(ask.caller, ask.stack)
    return {"snapshots": [shown(each) for each in found]}


def show(ask: Ask) -> Json:
    """Show one."""
    found = ask.stacks.snapshot_of(ask.caller, ask.stack, ask.path["snapshot"])
    return {"snapshot": shown(found)}


def delete(ask: Ask) -> Reply:
    """Begin to delete one."""
    ask.stacks.forget_snapshot(ask.caller, ask.stack, ask.path["snapshot"])
    return Reply(204)


def restore(ask: Ask) -> Reply:
    """Begin to bring the stack back to one."""
    ask.stacks.restore(ask.caller, ask.stack, ask.path["snapshot"])
    return accepted()


ROUTES = (
    Route("POST", _SNAPSHOTS, take, member("stacks:snapshot")),
    Route("GET", _SNAPSHOTS, index, reader("stacks:list_snapshots")),
    Route("GET", _SNAPSHOT, show, reader("stacks:show_snapshot")),
    Route("DELETE", _SNAPSHOT, delete, member("stacks:delete_snapshot")),
    Route("POST", f"{_SNAPSHOT}/restore", restore, member("stacks:restore_snapshot")),
)
