"""The rows of change sets, kept and found.

Rule: a name is taken within its stack. Those of a stack that is only planned bear the id that it
will have; what a former stack of the same name had left goes when one is added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from stoker.errors import Conflict
from stoker.store.resources import aware
from stoker.store.tables import change_set, stack

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

_c = change_set.c


@dataclass(frozen=True, slots=True)
class ChangeSetRow:
    """A change set; ``request`` and ``shown`` sealed."""

    id: str
    name: str
    description: str
    project_id: str
    stack_id: str
    stack_name: str
    is_new: bool
    execution: str
    reason: str
    request: bytes
    shown: bytes
    created_at: datetime


def of_stack(connection: sa.Connection, project_id: str, name_or_id: str) -> list[ChangeSetRow]:
    """Return those of the project's stacks of this name or id, oldest first."""
    named = sa.or_(_c.stack_name == name_or_id, _c.stack_id == name_or_id)
    query = _ALL.where(_c.project_id == project_id, named)
    return [_value(found) for found in connection.execute(query.order_by(_c.created_at, _c.id))]


def by_id(connection: sa.Connection, id: str) -> ChangeSetRow | None:
    """Return one, or None."""
    found = connection.execute(_ALL.where(_c.id == id)).first()
    return None if found is None else _value(found)


def add(connection: sa.Connection, row: ChangeSetRow, instead: Collection[str] = ()) -> None:
    """Add one, ``instead`` of those with these ids; raises Conflict where its name is taken.

    What is left of other stacks of that name is forgotten. Where the stack itself is only
    planned, so may others be: they stay.
    """
    connection.execute(sa.delete(change_set).where(_c.id.in_(instead)))
    left = sa.delete(change_set).where(
        _c.project_id == row.project_id,
        _c.stack_name == row.stack_name,
        _c.stack_id != row.stack_id,
    )
    if row.is_new:
        left = left.where(sa.exists().where(stack.c.id == _c.stack_id))
    connection.execute(left)
    values = {name: getattr(row, name) for name in _NAMES}
    values["created_at"] = row.created_at.replace(tzinfo=None)
    try:
        connection.execute(sa.insert(change_set).values(**values))
    except IntegrityError as error:
        raise Conflict(f"ChangeSet {row.name} already exists.") from error


def end(connection: sa.Connection, id: str, execution: str) -> None:
    """Say what has become of one."""
    connection.execute(sa.update(change_set).where(_c.id == id).values(execution=execution))


def remove(connection: sa.Connection, id: str) -> None:
    """Forget one."""
    connection.execute(sa.delete(change_set).where(_c.id == id))


_NAMES = tuple(ChangeSetRow.__dataclass_fields__)
_ALL = sa.select(*(_c[name] for name in _NAMES))


def _value(found: Any) -> ChangeSetRow:
    values = dict(zip(_NAMES, found, strict=True))
    values["created_at"] = aware(values["created_at"])
    return ChangeSetRow(**values)
