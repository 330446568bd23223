"""Failures that are to be rolled back: found by whichever engine looks first.

A stack that waits for its rollback is FAILED and due. Beginning the rollback, or anything else
that is asked of the stack, takes the due time away; an engine that dies before leaves it to
the next one, a little later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.traversal import followed, moment, stack_events

if TYPE_CHECKING:
    from sqlalchemy import Connection


def take(connection: Connection, now: float, seconds: float) -> str | None:
    """Return the stack that is longest due, for this engine alone for so many seconds."""
    c = t.stack.c
    query = sa.select(c.id).where(c.rollback_due <= now).order_by(c.rollback_due, c.id).limit(1)
    stack_id: str | None = connection.scalar(query.with_for_update(skip_locked=True))
    if stack_id is not None:
        due = sa.update(t.stack).where(c.id == stack_id).values(rollback_due=now + seconds)
        connection.execute(due)
    return stack_id


def is_due(connection: Connection, now: float) -> bool:
    """Tell whether a stack waits for its rollback."""
    c = t.stack.c
    query = sa.select(c.id).where(c.rollback_due <= now).limit(1)
    return connection.scalar(query) is not None


def give_up(
    connection: Connection, stack_id: str, version: int, reason: str, cause: str, now: float
) -> None:
    """Fail a rollback that cannot be begun, unless the stack has moved meanwhile."""
    c = t.stack.c
    here = (c.id == stack_id, c.version == version, c.rollback_due.is_not(None))
    values = {
        "action": "ROLLBACK",
        "status": "FAILED",
        "status_reason": followed(reason, cause),
        "rollback_due": None,
        "updated_at": moment(now),
    }
    if connection.execute(sa.update(t.stack).where(*here).values(**values)).rowcount:
        row = connection.execute(sa.select(t.stack).where(c.id == stack_id)).one()
        stack_events(connection, [row], now)
