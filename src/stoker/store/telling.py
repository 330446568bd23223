"""Events of stacks that somebody outside is to be told of, each until it was told.

Rule: whoever takes some up has them for a while, and says when they were told; where that is not
said in time another takes them up, so that each is told once at least.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store.resources import aware
from stoker.store.tables import event, stack, stack_tag

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

_e, _s = event.c, stack.c


@dataclass(frozen=True, slots=True)
class Untold:
    """What happened, with the stack as it is now but for its state, which is that of then."""

    id: int
    action: str
    status: str
    reason: str
    stack_id: str
    stack_name: str
    project_id: str
    user_id: str
    username: str
    description: str
    created_at: datetime
    updated_at: datetime | None
    tags: tuple[str, ...] = ()


def take_up(connection: sa.Connection, now: float, until: float, most: int) -> list[Untold]:
    """Return events that are due, the longest due first; they are ours until that moment."""
    due = sa.select(_e.id).where(_e.tell_at <= now).order_by(_e.tell_at, _e.id).limit(most)
    ids = list(connection.scalars(due.with_for_update(skip_locked=True)))
    if not ids:
        return []
    connection.execute(sa.update(event).where(_e.id.in_(ids)).values(tell_at=until))
    found = connection.execute(_SHOWN.where(_e.id.in_(ids)).order_by(_e.id)).all()
    tags = _tags(connection, {row.stack_id for row in found})
    return [_value(row, tags.get(row.stack_id, ())) for row in found]


def told(connection: sa.Connection, ids: Collection[int]) -> None:
    """Say that these were told."""
    connection.execute(sa.update(event).where(_e.id.in_(list(ids))).values(tell_at=None))


def leave_out(connection: sa.Connection, before: float) -> None:
    """Give up what was to be told before that moment, and nobody has."""
    connection.execute(sa.update(event).where(_e.tell_at < before).values(tell_at=None))


_SHOWN = sa.select(
    _e.id,
    _e.action,
    _e.status,
    _e.status_reason,
    _e.stack_id,
    _s.name,
    _s.project_id,
    _s.user_id,
    _s.username,
    _s.description,
    _s.created_at,
    _s.updated_at,
).join_from(event, stack, _e.stack_id == _s.id)


def _value(row: Any, tags: tuple[str, ...]) -> Untold:
    values = list(row)
    for index in (-2, -1):
        values[index] = values[index] and aware(values[index])
    return replace(Untold(*values), tags=tags)


def _tags(connection: sa.Connection, ids: Collection[str]) -> dict[str, tuple[str, ...]]:
    t = stack_tag.c
    query = sa.select(t.stack_id, t.tag).where(t.stack_id.in_(list(ids)))
    found: dict[str, tuple[str, ...]] = {}
    for stack_id, tag in connection.execute(query.order_by(t.stack_id, t.position)):
        found[stack_id] = (*found.get(stack_id, ()), tag)
    return found
