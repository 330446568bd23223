"""Write that something has happened to a resource that no step is at work on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.traversal import moment

if TYPE_CHECKING:
    from sqlalchemy import Connection


def happened(connection: Connection, row: Any, now: float, what: tuple[str, str, str]) -> None:
    """Write an event of the resource's row: action, status and reason."""
    action, status, reason = what
    connection.execute(
        sa.insert(t.event).values(
            uuid=str(uuid4()),
            stack_id=row.stack_id,
            resource_name=row.name,
            resource_type=row.type,
            physical_id=row.physical_id,
            action=action,
            status=status,
            status_reason=reason,
            created_at=moment(now),
        )
    )
