"""The snapshots of stacks: their rows, and how each ends with the operation that it hangs on.

A snapshot has the id of the traversal that takes it. What it keeps in clouds are copies, each a
resource row of the stack with ``snapshot_id``; its row goes with the last of them. Whoever
writes here holds the stack, and writes snapshots last of all, by id.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store.bulk import IDS, among
from stoker.store.resources import aware
from stoker.store.tables import resource, snapshot

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

_c, _r = snapshot.c, resource.c


@dataclass(frozen=True, slots=True)
class SnapshotRow:
    """One snapshot; ``data`` sealed: what the stack was, as an export has it."""

    id: str
    name: str | None
    action: str
    status: str
    reason: str
    data: bytes
    created_at: datetime


@dataclass(frozen=True, slots=True)
class CopyRow:
    """One copy; ``definition`` sealed."""

    snapshot_id: str
    name: str
    physical_id: str | None
    definition: bytes


@dataclass(frozen=True, slots=True)
class NewSnapshot:
    """A snapshot to add; ``data`` sealed."""

    id: str
    name: str | None
    project_id: str
    data: bytes


@dataclass(slots=True)
class Counted:
    """Nodes of a snapshot's deletion that have ended, and what is told of the first bad one."""

    nodes: int = 0
    failures: int = 0
    cause: str = ""


# reading


def of_stack(connection: sa.Connection, stack_id: str) -> list[SnapshotRow]:
    """Return the snapshots of a stack, oldest first."""
    query = _SHOWN.where(_c.stack_id == stack_id).order_by(_c.created_at, _c.id)
    return [_value(found) for found in connection.execute(query)]


def one(connection: sa.Connection, stack_id: str, snapshot_id: str) -> SnapshotRow | None:
    """Return a snapshot of the stack, or None."""
    query = _SHOWN.where(_c.id == snapshot_id, _c.stack_id == stack_id)
    found = connection.execute(query).first()
    return None if found is None else _value(found)


def count(connection: sa.Connection, stack_id: str) -> int:
    """Return how many snapshots the stack has."""
    query = sa.select(sa.func.count()).where(_c.stack_id == stack_id)
    return int(connection.scalar(query) or 0)


def copies(connection: sa.Connection, stack_id: str) -> list[CopyRow]:
    """Return the copies that the stack's snapshots keep."""
    columns = (_r.snapshot_id, _r.name, _r.physical_id, _r.definition)
    query = sa.select(*columns).where(_r.stack_id == stack_id, _r.snapshot_id.is_not(None))
    return [CopyRow(*found) for found in connection.execute(query.order_by(_r.id))]


def _value(found: Any) -> SnapshotRow:
    values = list(found)
    values[-1] = aware(values[-1])
    return SnapshotRow(*values)


_SHOWN = sa.select(
    _c.id, _c.name, _c.action, _c.status, _c.status_reason, _c.data, _c.created_at
)  # fmt: skip


# the operations of the stack


def insert(connection: sa.Connection, stack_id: str, new: NewSnapshot, at: datetime) -> None:
    """Add a snapshot that is being taken."""
    connection.execute(
        sa.insert(snapshot).values(
            id=new.id,
            stack_id=stack_id,
            name=new.name,
            project_id=new.project_id,
            action="CREATE",
            status="IN_PROGRESS",
            status_reason="",
            data=new.data,
            created_at=at,
        )
    )


_OF_STACKS = sa.select(_c.traversal_id).where(among(_c.stack_id))
_DOOM = (
    sa.update(snapshot)
    .where(among(_c.stack_id))
    .values(action="DELETE", status="IN_PROGRESS", traversal_id=None, updated_at=sa.bindparam("at"))
)
_FORGET = sa.delete(snapshot).where(among(_c.stack_id))


def doom(connection: sa.Connection, stack_ids: Sequence[str], at: datetime) -> list[str]:
    """Say that all snapshots of stacks go with them: the stack's traversal counts their copies.

    Return the traversals that were deleting some of them, and are superseded.
    """
    of = {IDS: list(stack_ids)}
    found = list(connection.scalars(_OF_STACKS, of)) if stack_ids else []
    if found:
        connection.execute(_DOOM, {**of, "at": at})
    return [traversal for traversal in found if traversal is not None]


def settle(connection: sa.Connection, stacks: Iterable[Any], at: datetime) -> None:
    """End the snapshots that hang on operations of stacks, which have just ended like this."""
    gone: list[str] = []
    for stack in stacks:
        ended = {"status": stack.status, "status_reason": stack.status_reason, "updated_at": at}
        if stack.action == "SNAPSHOT":
            taken = sa.update(snapshot).where(_c.id == stack.traversal_id)
            connection.execute(taken.values(**ended))
        elif stack.action == "DELETE" and stack.status == "COMPLETE":
            gone.append(stack.id)
        elif stack.action == "DELETE":
            left = sa.update(snapshot).where(_c.stack_id == stack.id, _c.action == "DELETE")
            connection.execute(left.values(**ended))
    if gone:
        connection.execute(_FORGET, {IDS: gone})


# a deletion of one alone


def count_out(
    connection: sa.Connection, ended: Mapping[str, Counted], at: datetime
) -> Collection[str]:
    """Count ended nodes out of the deletions of snapshots, by traversal; end those that are
    through. Return the traversals that are over."""
    for traversal_id in sorted(ended):
        counted = ended[traversal_id]
        values: dict[str, Any] = {
            "remaining": _c.remaining - counted.nodes,
            "failures": _c.failures + counted.failures,
        }
        if counted.cause:
            values["status_reason"] = sa.case(
                (_c.failures == 0, counted.cause), else_=_c.status_reason
            )
        mine = _c.traversal_id == traversal_id
        connection.execute(sa.update(snapshot).where(mine).values(**values))
    through = sa.and_(_c.traversal_id.in_(sorted(ended)), _c.remaining == 0)
    over = list(connection.scalars(sa.select(_c.traversal_id).where(through)))
    connection.execute(
        sa.update(snapshot)
        .where(through, _c.failures > 0)
        .values(status="FAILED", traversal_id=None, updated_at=at)
    )
    connection.execute(sa.delete(snapshot).where(through))
    return over
