"""Beginning to delete one snapshot of a stack: its copies go in a traversal of their own.

Rule: the stack is at no operation by this, and may begin any meanwhile; only its deletion
takes the copies over. The snapshot's row counts the nodes.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.locks import hold
from stoker.store.traversal import Ready, make_due, moment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection


class Forgotten(StrEnum):
    """What came of it."""

    BEGUN = "begun"  # or there was nothing to keep it, or it was begun before
    BUSY = "busy"  # it is being taken
    ABSENT = "absent"


def forget(
    connection: Connection, stack_id: str, snapshot_id: str, traversal_id: str, now: float
) -> Forgotten:
    """Begin to delete a snapshot; one whose copies are gone goes at once."""
    c = t.snapshot.c
    hold(connection, [stack_id])
    mine = (c.id == snapshot_id, c.stack_id == stack_id)
    there = connection.execute(sa.select(t.snapshot).where(*mine)).one_or_none()
    if there is None:
        return Forgotten.ABSENT
    if there.status == "IN_PROGRESS":
        return Forgotten.BEGUN if there.action == "DELETE" else Forgotten.BUSY
    r = t.resource.c
    copies = connection.scalars(
        sa.select(r.id).where(r.snapshot_id == snapshot_id).order_by(r.id).with_for_update()
    ).all()
    if not copies:
        connection.execute(sa.delete(t.snapshot).where(c.id == snapshot_id))
        return Forgotten.BEGUN
    _point(connection, stack_id, traversal_id, copies, now)
    values = {"remaining": len(copies), "failures": 0, "status_reason": ""}
    deleting = {"action": "DELETE", "status": "IN_PROGRESS", "traversal_id": traversal_id}
    connection.execute(
        sa.update(t.snapshot)
        .where(c.id == snapshot_id)
        .values(**values, **deleting, updated_at=moment(now))
    )
    return Forgotten.BEGUN


def _point(
    connection: Connection, stack_id: str, traversal_id: str, rows: Sequence[int], now: float
) -> None:
    """Give each row a clean-up node that waits for nothing."""
    s, r = t.sync_point.c, t.resource.c
    node: dict[str, Any] = {"stack_id": stack_id, "traversal_id": traversal_id, "is_update": False}
    node |= {"requires": [], "missing": 0, "poisoned": 0, "done": False}
    connection.execute(sa.insert(t.sync_point), [{**node, "resource_id": row} for row in rows])
    nodes = connection.execute(
        sa.select(s.resource_id, s.id).where(s.traversal_id == traversal_id)
    ).all()
    connection.execute(sa.update(t.resource).where(r.id.in_(rows)).values(is_doomed=True))
    make_due(connection, [Ready(row, id, traversal_id) for row, id in nodes], now)
