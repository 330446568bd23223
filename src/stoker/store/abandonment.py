"""Ending nested stacks without touching what they made: their tree is abandoned.

Rule: nothing is written where a stack or a row of the tree has moved since it was exported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.beginning import begin
from stoker.store.goal import Moved
from stoker.store.locks import hold
from stoker.store.purge import forget_rows
from stoker.store.traversal import Ending, end_stacks, moment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stoker.store.goal import Operation

_c, _r = t.stack.c, t.resource.c


@dataclass(frozen=True, slots=True)
class Nested:
    """A stack below the one that is abandoned: its version, and the epochs of its rows."""

    id: str
    version: int
    rows: Mapping[int, int]


def abandon(connection: sa.Connection, op: Operation, nested: Sequence[Nested], now: float) -> None:
    """End the nested stacks, then begin the operation that ends the one above; raises Moved."""
    hold(connection, {op.stack_id, *(each.id for each in nested)}, ending=[op.stack_id])
    for each in reversed(nested):
        _end(connection, each, now)
    begin(connection, op, now)


def _end(connection: sa.Connection, each: Nested, now: float) -> None:
    row = connection.execute(sa.select(t.stack).where(_c.id == each.id)).one_or_none()
    epochs = sa.select(_r.id, _r.epoch).where(_r.stack_id == each.id, _r.snapshot_id.is_(None))
    there = dict(connection.execute(epochs.order_by(_r.id).with_for_update()).all())
    if row is None or row.version != each.version or there != each.rows:
        raise Moved(f"stack {each.id} has changed since it was exported")
    forget_rows(connection, there)
    values: dict[str, Any] = {"action": "DELETE", "failures": 0, "cause": None}
    values |= {"version": row.version + 1, "updated_at": moment(now)}
    connection.execute(sa.update(t.stack).where(_c.id == each.id).values(**values))
    ending = connection.execute(sa.select(t.stack).where(_c.id == each.id)).one()
    end_stacks(connection, [Ending(ending)], now)
