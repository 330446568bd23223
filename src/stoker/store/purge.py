"""Deleting for good what only the past is interested in: deleted stacks, engines long dead.

Rule: a stack that is not deleted is never touched, and each batch is a transaction of its own.
Files stay: they are stored once for all templates that name them, and one may be about to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.parts import parts
from stoker.store.traversal import forget_traversals, moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection

    from stoker.store.database import Database

_OF_STACKS = (
    t.event, t.snapshot, t.change_set, t.stack_tag, t.stack_lock, t.event_sink, t.delivery,
)  # fmt: skip


def purge(database: Database, before: float, project_id: str | None, batch: int) -> int:
    """Delete stacks that were deleted before then with all that is kept of them; count them.

    Those of one project, or of all; the rows of engines found dead before then go, too.
    """
    purged = 0
    while True:
        with database.write() as connection:
            found = _deleted(connection, before, project_id, batch)
            _purge(connection, found)
        purged += len(found)
        if len(found) < batch:
            break
    with database.write() as connection:
        forget_dead(connection, before)
        _forget_plans(connection, before, project_id)
    return purged


def forget_dead(connection: Connection, before: float) -> int:
    """Delete the rows of engines found dead before then; count them."""
    died = t.service.c.deleted_at
    gone = connection.execute(sa.delete(t.service).where(died < moment(before)))
    return int(gone.rowcount)


def _forget_plans(connection: Connection, before: float, project_id: str | None) -> None:
    """Delete the change sets made before then whose stacks were never made."""
    c = t.change_set.c
    of_project = sa.true() if project_id is None else c.project_id == project_id
    made = sa.exists().where(t.stack.c.id == c.stack_id)
    query = sa.delete(t.change_set).where(c.created_at < moment(before), ~made, of_project)
    connection.execute(query)


def _deleted(
    connection: Connection, before: float, project_id: str | None, batch: int
) -> Sequence[Any]:
    c = t.stack.c
    query = sa.select(c.id, c.template_id, c.complete_template_id, c.traversal_id).where(
        c.deleted_at < moment(before)
    )
    if project_id is not None:
        query = query.where(c.project_id == project_id)
    return connection.execute(query.order_by(c.id).limit(batch).with_for_update()).all()


def forget_rows(connection: Connection, ids: Iterable[int]) -> None:
    """Delete resource rows with all that is kept beside them."""
    for part in parts(sorted(ids)):
        for table in (t.resource_data, t.inbox):
            connection.execute(sa.delete(table).where(table.c.resource_id.in_(part)))
        connection.execute(sa.delete(t.resource).where(t.resource.c.id.in_(part)))


def _purge(connection: Connection, stacks: Sequence[Any]) -> None:
    ids = [row.id for row in stacks]
    r = t.resource.c
    rows = connection.scalars(sa.select(r.id).where(r.stack_id.in_(ids))).all()
    forget_rows(connection, rows)
    forget_traversals(connection, [row.traversal_id for row in stacks if row.traversal_id])
    for table in _OF_STACKS:
        connection.execute(sa.delete(table).where(table.c.stack_id.in_(ids)))
    goals = {goal for row in stacks for goal in (row.template_id, row.complete_template_id)}
    connection.execute(sa.delete(t.raw_template).where(t.raw_template.c.id.in_(goals - {None})))
    connection.execute(sa.delete(t.stack).where(t.stack.c.id.in_(ids)))
