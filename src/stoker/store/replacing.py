"""One row in the place of another, whose clean-up comes later, or first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.beginning import new_row
from stoker.store.traversal import Ready, make_due

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from stoker.store.goal import NewRow


def replace_row(
    connection: Connection, old: Any, new: NewRow, now: float, *, delete_first: bool
) -> None:
    """Hand the node of a claimed row to a new one for the same name; the old one is left to the
    clean-up, which comes first where that is told."""
    values = new_row(old.stack_id, new, now) | {"replaces_id": old.id, "metadata": old.metadata}
    key = connection.execute(sa.insert(t.resource).values(**values)).inserted_primary_key
    row_id = int(key[0]) if key is not None else 0
    connection.execute(
        sa.update(t.resource)
        .where(t.resource.c.id == old.id)
        .values(is_current=False, node_id=None, traversal_id=old.traversal_id)
    )
    connection.execute(
        sa.update(t.sync_point).where(t.sync_point.c.id == old.node_id).values(resource_id=row_id)
    )
    cleanup = _clean_up(connection, old, row_id)
    if delete_first:
        _turn_round(connection, old, cleanup, now)
    else:
        make_due(connection, [Ready(row_id, old.node_id, old.traversal_id)], now)


def _clean_up(connection: Connection, old: Any, row_id: int) -> int:
    """Return the node of the old row's clean-up. The plan has none where it was sure that the row
    would stay, and what went before has found since that its object is gone; it is added."""
    s = t.sync_point.c
    there = (s.traversal_id == old.traversal_id, s.resource_id == old.id, s.is_update.is_(False))
    found = connection.scalar(sa.select(s.id).where(*there))
    if found is not None:
        return int(found)
    point = {
        "stack_id": old.stack_id,
        "traversal_id": old.traversal_id,
        "is_update": False,
        "resource_id": old.id,
        "requires": [row_id],
        "missing": 1,
        "poisoned": 0,
        "done": False,
    }
    key = connection.execute(sa.insert(t.sync_point).values(**point)).inserted_primary_key
    made = int(key[0])  # type: ignore[index]  # a single-row insert has it
    _hold_up(connection, old.node_id, made, old.traversal_id)
    c = t.stack.c
    mine = (c.id == old.stack_id, c.traversal_id == old.traversal_id)
    connection.execute(sa.update(t.stack).where(*mine).values(remaining=c.remaining + 1))
    return made


def _hold_up(connection: Connection, need: int, dependent: int, traversal_id: str) -> None:
    values = {"need_id": need, "dependent_id": dependent, "traversal_id": traversal_id}
    connection.execute(sa.insert(t.edge).values(**values))


def _turn_round(connection: Connection, old: Any, cleanup: int, now: float) -> None:
    """Let the old row's clean-up go first, and the replacement wait for it."""
    s = t.sync_point.c
    connection.execute(sa.delete(t.edge).where(t.edge.c.dependent_id == cleanup))
    connection.execute(sa.update(t.sync_point).where(s.id == cleanup).values(missing=0, poisoned=0))
    _hold_up(connection, cleanup, old.node_id, old.traversal_id)
    connection.execute(sa.update(t.sync_point).where(s.id == old.node_id).values(missing=1))
    make_due(connection, [Ready(old.id, cleanup, old.traversal_id)], now)
