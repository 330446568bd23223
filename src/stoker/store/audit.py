"""The slow audit: derive the counters of a running stack anew from its edges and nodes.

Counters change in the commits that they depend on, so there is nothing to find; what is found
all the same is put right and told, for it is a fault of this program.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.bulk import IDS, among, update
from stoker.store.locks import hold
from stoker.store.parts import parts
from stoker.store.snapshots import Counted, count_out
from stoker.store.traversal import Ready, finish_ended, forget_traversals, make_due, moment

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNCLAIMED = sa.select(t.resource.c.id, t.resource.c.child_traversal).where(
    among(t.resource.c.id), t.resource.c.due.is_(None), t.resource.c.engine_id.is_(None)
)
_RUNNING = sa.select(t.stack.c.parent_resource_id, t.stack.c.traversal_id).where(
    among(t.stack.c.traversal_id), t.stack.c.status == "IN_PROGRESS"
)


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


# Each table is read by one index and the rows are put together here: a join of tables whose
# rows come and go with each operation is planned by what they held long ago.


def _missing(connection: sa.Connection, stack: Any) -> list[str]:
    e, mine = t.edge.c, t.sync_point.c.traversal_id == stack.traversal_id
    s = t.sync_point.c
    open_ = dict(
        connection.execute(sa.select(s.id, s.missing).where(mine, s.done.is_(False))).all()
    )
    edges = sa.select(e.need_id, e.dependent_id).where(e.traversal_id == stack.traversal_id)
    unmet = Counter(dependent for need, dependent in connection.execute(edges) if need in open_)
    wrong = [(node, said) for node, said in sorted(open_.items()) if said != unmet[node]]
    update(connection, t.sync_point, [{"id": node, "missing": unmet[node]} for node, _ in wrong])
    return [f"node {node} was said to miss {said}, it misses {unmet[node]}" for node, said in wrong]


def _idle(connection: sa.Connection, stack: Any, now: float) -> list[str]:
    """Find nodes that could go on and that nobody will ever claim."""
    s = t.sync_point.c
    ready = sa.select(s.resource_id, s.id).where(
        s.traversal_id == stack.traversal_id, s.done.is_(False), s.missing == 0
    )
    nodes = dict(connection.execute(ready).all())
    idle = [
        row for ids in parts(sorted(nodes)) for row in connection.execute(_UNCLAIMED, {IDS: ids})
    ]
    waiting = _running_children(connection, [row for row in idle if row.child_traversal])
    left = sorted((row.id, nodes[row.id]) for row in idle if row.id not in waiting)
    make_due(connection, [Ready(row, node, stack.traversal_id) for row, node in left], now)
    return [f"node {node} was ready and not due" for _, node in left]


def _running_children(connection: sa.Connection, rows: Sequence[Any]) -> set[int]:
    """Return the ids of those rows whose child stacks are at the operation that they wait for."""
    found: set[int] = set()
    for part in parts(rows):
        begun = {row.child_traversal: row.id for row in part}
        for parent, traversal in connection.execute(_RUNNING, {IDS: list(begun)}):
            if begun[traversal] == parent:
                found.add(parent)
    return found
