"""Write that something has happened to a resource that no step is at work on.

Its properties are those that were last told of it: they have not changed since, and what is hidden
is masked there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import sqlalchemy as sa

from stoker.store import sinks
from stoker.store import tables as t
from stoker.store.traversal import moment

if TYPE_CHECKING:
    from sqlalchemy import Connection


def happened(connection: Connection, row: Any, now: float, what: tuple[str, str, str]) -> None:
    """Write an event of the resource's row: action, status and reason."""
    action, status, reason = what
    told = {"stack_id": row.stack_id, "name": row.name}
    known, uuid = connection.execute(_KNOWN, told).one(), str(uuid4())
    connection.execute(
        sa.insert(t.event).values(
            uuid=uuid,
            stack_id=row.stack_id,
            resource_name=row.name,
            resource_type=row.type,
            physical_id=row.physical_id,
            action=action,
            status=status,
            status_reason=reason,
            properties=known.properties,
            created_at=moment(now),
        )
    )
    sinks.owe(connection, [(uuid, known)], now)


_e = t.event.c
_LAST = (
    sa.select(_e.properties)
    .where(_e.stack_id == sa.bindparam("stack_id"), _e.resource_name == sa.bindparam("name"))
    .where(_e.properties.is_not(None))
    .order_by(_e.id.desc())
    .limit(1)
)
_KNOWN = sa.select(
    t.stack.c.id, t.stack.c.sinks, _LAST.scalar_subquery().label("properties")
).where(t.stack.c.id == sa.bindparam("stack_id"))
