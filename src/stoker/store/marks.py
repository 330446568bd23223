"""Mark a resource as faulty, or as sound again: what the next update has to know.

The stack's row is locked first, and its version goes up: whatever was planned from the
state before is planned anew.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.goal import Moved
from stoker.store.happening import happened
from stoker.store.traversal import moment

if TYPE_CHECKING:
    from sqlalchemy import Connection


class Marked(StrEnum):
    """What came of it."""

    DONE = "done"  # or there was nothing to do
    BUSY = "busy"  # somebody works on the stack, or on the resource
    UNMADE = "unmade"  # it was never whole, so it cannot be called sound


def mark(connection: Connection, row: Any, now: float, *, is_faulty: bool, reason: str) -> Marked:
    """Set the resource CHECK_FAILED, or take that back; raises Moved where it is gone.

    A resource on its way out is left alone.
    """
    c, r = t.stack.c, t.resource.c
    query = sa.select(t.stack).where(c.id == row.stack_id)
    stack = connection.execute(query.with_for_update()).one()
    locked = sa.select(t.resource).where(r.id == row.id).with_for_update()
    there = connection.execute(locked).one_or_none()
    if there is None or not there.is_current:
        raise Moved(f"resource {row.name} has another row by now")
    if _is_busy(stack, there):
        return Marked.BUSY
    is_found = there.action == "CHECK" and (there.status == "FAILED" or there.verb == "check")
    if there.action == "DELETE" or not (is_faulty or is_found):
        return Marked.DONE
    if not is_faulty and there.applied is None:
        return Marked.UNMADE
    _write(connection, there, now, "FAILED" if is_faulty else "COMPLETE", reason)
    connection.execute(sa.update(t.stack).where(c.id == stack.id).values(version=c.version + 1))
    return Marked.DONE


def _is_busy(stack: Any, row: Any) -> bool:
    at_work = stack.status == "IN_PROGRESS" or stack.rollback_due is not None
    # A create in doubt is looked for by the next goal, and replaced as it is.
    return at_work or row.engine_id is not None or row.verb not in (None, "check")


def _write(connection: Connection, row: Any, now: float, status: str, reason: str) -> None:
    columns = {"action": "CHECK", "status": status, "status_reason": reason}
    # A check that could not be carried out has been answered by this.
    rest = {"verb": None, "verb_traversal": None, "intent_at": None}
    connection.execute(
        sa.update(t.resource)
        .where(t.resource.c.id == row.id)
        .values(**columns, **rest, epoch=row.epoch + 1, updated_at=moment(now))
    )
    happened(connection, row, now, ("CHECK", status, reason))
