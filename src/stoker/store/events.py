"""Read events: those of one stack or of several, newest first unless asked otherwise.

Properties stay sealed, and are read for a single event only. A stack keeps its newest ones,
as many as it may.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import sinks
from stoker.store.paging import Page, ordered
from stoker.store.resources import aware
from stoker.store.tables import event

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event; ``properties`` are sealed."""

    uuid: str
    stack_id: str
    resource_name: str
    resource_type: str
    physical_id: str | None
    action: str
    status: str
    reason: str
    created_at: datetime
    properties: bytes | None = None


FILTERS = frozenset({"resource_name", "resource_type", "action", "status"})
"""The columns that events can be picked by."""

_LISTED = {
    "uuid": event.c.uuid,
    "stack_id": event.c.stack_id,
    "resource_name": event.c.resource_name,
    "resource_type": event.c.resource_type,
    "physical_id": event.c.physical_id,
    "action": event.c.action,
    "status": event.c.status,
    "reason": event.c.status_reason,
    "created_at": event.c.created_at,
}
_SORTABLE = {"created_at": event.c.created_at, "resource_type": event.c.resource_type}


def of_stacks(
    connection: sa.Connection,
    stack_ids: Collection[str],
    wanted: Mapping[str, Collection[str]],
    page: Page,
) -> list[EventRow]:
    """Return the events of these stacks; ``wanted`` maps columns to their allowed values.

    Sort keys are ``created_at`` and ``resource_type``; the marker is an event's uuid.
    """
    query = sa.select(*_LISTED.values()).where(event.c.stack_id.in_(list(stack_ids)))
    for column, values in wanted.items():
        query = query.where(event.c[column].in_(list(values)))
    last = None if page.marker is None else event.c.uuid == page.marker
    query = ordered(connection, query, page, _SORTABLE, tie=event.c.id, last=last)
    return [of_row(found) for found in connection.execute(query)]


def one(connection: sa.Connection, stack_id: str, uuid: str) -> EventRow | None:
    """Return one event of the stack with its properties."""
    found = connection.execute(_ONE, {"stack_id": stack_id, "uuid": uuid}).first()
    return None if found is None else of_row(found)


ALL = (*_LISTED.values(), event.c.properties)
"""All columns, from which :func:`of_row` makes an event."""
_ONE = sa.select(*ALL).where(
    event.c.stack_id == sa.bindparam("stack_id"), event.c.uuid == sa.bindparam("uuid")
)


def of_row(found: Any) -> EventRow:
    """Return the event of its columns, all or those that are listed."""
    values = dict(zip((*_LISTED, "properties"), found, strict=False))  # lists have no properties
    return EventRow(**values | {"created_at": aware(values["created_at"])})


def overfull(connection: sa.Connection, most: int) -> list[str]:
    """Return the stacks that have more events than so many."""
    full = sa.func.count() > most
    query = sa.select(event.c.stack_id).group_by(event.c.stack_id).having(full)
    return list(connection.scalars(query))


def trim(connection: sa.Connection, stack_id: str, most: int) -> int:
    """Delete the oldest events of a stack that has more than so many.

    Return how many were still owed to a sink, which are sent no more.
    """
    ids = sa.select(event.c.id).where(event.c.stack_id == stack_id).order_by(event.c.id.desc())
    last = connection.scalar(ids.offset(most).limit(1))
    if last is None:
        return 0
    old = (event.c.stack_id == stack_id, event.c.id <= last)
    given_up = sinks.without(connection, stack_id, sa.select(event.c.uuid).where(*old))
    connection.execute(sa.delete(event).where(*old))
    return given_up
