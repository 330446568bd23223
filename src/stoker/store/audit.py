"""The slow audit: derive the counters of a running stack anew from its edges and nodes.

Counters change in the commits that they depend on, so there is nothing to find; what is found
all the same is put right and told, for it is a fault of this program.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.locks import hold
from stoker.store.snapshots import Counted, count_out
from stoker.store.traversal import Ready, finish_ended, forget_traversals, make_due, moment


def running(connection: sa.Connection) -> list[str]:
    """Return the ids of the stacks that are in progress."""
    return list(
        connection.scalars(sa.select(t.stack.c.id).where(t.stack.c.status == "IN_PROGRESS"))
    )


def mend(connection: sa.Connection, stack_id: str, now: float) -> list[str]:
    """Put the stack's counters right; return what was wrong."""
    c = t.stack.c
    hold(connection, [stack_id], ending=[stack_id])
    stack = connection.execute(
        sa.select(t.stack).where(c.id == stack_id, c.status == "IN_PROGRESS")
    ).one_or_none()
    if stack is None or stack.traversal_id is None:
        return []
    found = _missing(connection, stack)
    found += _idle(connection, stack, now)
    found += _remaining(connection, stack)
    finish_ended(connection, [stack_id], now)
    return found


def deleting(connection: sa.Connection) -> list[str]:
    """Return the ids of the snapshots that are deleted by themselves."""
    c = t.snapshot.c
    query = sa.select(c.id).where(c.status == "IN_PROGRESS", c.traversal_id.is_not(None))
    return list(connection.scalars(query))


def mend_deletion(connection: sa.Connection, snapshot_id: str, now: float) -> list[str]:
    """Put the counters of a snapshot's deletion right; return what was wrong."""
    c, s = t.snapshot.c, t.sync_point.c
    query = sa.select(t.snapshot).where(c.id == snapshot_id, c.status == "IN_PROGRESS")
    owner = connection.scalar(query.with_only_columns(c.stack_id))
    hold(connection, [] if owner is None else [owner])
    row = connection.execute(query).one_or_none()
    if row is None or row.traversal_id is None:
        return []
    found = _idle(connection, row, now)
    mine = (s.traversal_id == row.traversal_id, s.done.is_(False))
    left = connection.scalar(sa.select(sa.func.count()).where(*mine))
    if left != row.remaining:
        connection.execute(sa.update(t.snapshot).where(c.id == row.id).values(remaining=left))
        found.append(f"{row.remaining} copies were said to remain, {left} do")
    over = count_out(connection, {row.traversal_id: Counted()}, moment(now))
    forget_traversals(connection, over)
    return found


def _remaining(connection: sa.Connection, stack: Any) -> list[str]:
    s = t.sync_point.c
    left = connection.scalar(
        sa.select(sa.func.count()).where(s.traversal_id == stack.traversal_id, s.done.is_(False))
    )
    if left == stack.remaining:
        return []
    connection.execute(sa.update(t.stack).where(t.stack.c.id == stack.id).values(remaining=left))
    return [f"{stack.remaining} nodes were said to remain, {left} do"]


def _missing(connection: sa.Connection, stack: Any) -> list[str]:
    s, e = t.sync_point.c, t.edge.c
    need = t.sync_point.alias()
    unmet = (
        sa.select(e.dependent_id, sa.func.count().label("n"))
        .join(need, need.c.id == e.need_id)
        .where(e.traversal_id == stack.traversal_id, need.c.done.is_(False))
        .group_by(e.dependent_id)
        .subquery()
    )
    rows = connection.execute(
        sa.select(s.id, s.missing, sa.func.coalesce(unmet.c.n, 0).label("unmet"))
        .join(unmet, unmet.c.dependent_id == s.id, isouter=True)
        .where(s.traversal_id == stack.traversal_id, s.done.is_(False))
    ).all()
    wrong = [row for row in rows if row.missing != row.unmet]
    for row in wrong:
        connection.execute(sa.update(t.sync_point).where(s.id == row.id).values(missing=row.unmet))
    return [f"node {r.id} was said to miss {r.missing}, it misses {r.unmet}" for r in wrong]


def _idle(connection: sa.Connection, stack: Any, now: float) -> list[str]:
    """Find nodes that could go on and that nobody will ever claim."""
    s, r, child = t.sync_point.c, t.resource.c, t.stack.alias()
    waits_for_child = sa.exists().where(
        child.c.parent_resource_id == r.id,
        child.c.traversal_id == r.child_traversal,
        child.c.status == "IN_PROGRESS",
    )
    rows = connection.execute(
        sa.select(s.id, s.resource_id)
        .join(t.resource, r.id == s.resource_id)
        .where(
            s.traversal_id == stack.traversal_id,
            s.done.is_(False),
            s.missing == 0,
            r.due.is_(None),
            r.engine_id.is_(None),
            ~waits_for_child,
        )
    ).all()
    ready = [Ready(row.resource_id, row.id, stack.traversal_id) for row in rows]
    make_due(connection, ready, now)
    return [f"node {row.id} was ready and not due" for row in rows]
