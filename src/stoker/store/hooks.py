"""Let a held resource go on: its progress, its due time and the event, in one commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.goal import Moved
from stoker.store.happening import happened
from stoker.store.locks import hold
from stoker.store.traversal import moment

if TYPE_CHECKING:
    from sqlalchemy import Connection


def locked(connection: Connection, stack_id: str, row_id: int) -> Any:
    """Return the row, which stays as it is until the commit; raises Moved where it is gone, or
    somebody is about to write it."""
    hold(connection, [stack_id])
    query = sa.select(t.resource).where(t.resource.c.id == row_id)
    row = connection.execute(query.with_for_update()).one_or_none()
    if row is None or row.engine_id is not None:
        raise Moved(f"resource {row_id} is being worked on")
    return row


def let_go(connection: Connection, row: Any, now: float, *, progress: bytes, reason: str) -> None:
    """Write that the locked row goes on."""
    connection.execute(
        sa.update(t.resource)
        .where(t.resource.c.id == row.id)
        .values(progress=progress, due=now, updated_at=moment(now))
    )
    happened(connection, row, now, (row.action, row.status, reason))
