"""The order in which a transaction takes its locks: one for all, so that none waits in a ring.

First the stacks, outermost first and then by id, then resource rows by id. A transaction that
changes rows of a stack, or its counters, holds the stack; one that may end a stack holds its
owner too, whose resource is told of it. Who holds a stack may add the stacks below it, never
those above. Who takes rows without their stack (a claim, a burial) takes those that are free
and leaves the others: it waits for nobody.

The stacks are locked one by one: MariaDB locks in the order in which it happens to read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from stoker.store.tables import stack

if TYPE_CHECKING:
    from collections.abc import Collection

_c = stack.c
_LOCK = sa.select(_c.id).where(_c.id == sa.bindparam("id")).with_for_update()


def hold(connection: sa.Connection, ids: Collection[str], *, ending: Collection[str] = ()) -> None:
    """Lock stacks, and of those that may be ``ending`` the owners, too."""
    if connection.dialect.name == "sqlite":
        return  # who writes there is alone
    found = connection.execute(
        sa.select(_c.id, _c.nested_depth, _c.owner_id).where(_c.id.in_({*ids, *ending}))
    ).all()
    places = {(row.nested_depth, row.id) for row in found}
    places |= {
        (row.nested_depth - 1, row.owner_id)
        for row in found
        if row.owner_id is not None and row.id in ending
    }
    hold_at(connection, places)


def hold_at(connection: sa.Connection, places: Collection[tuple[int, str]]) -> None:
    """Lock stacks of which it is known how deep they are; neither that nor the owner changes."""
    if connection.dialect.name == "sqlite":
        return
    for _, stack_id in sorted(places):
        connection.execute(_LOCK, {"id": stack_id})
