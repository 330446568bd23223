"""Read stack rows: find one, list many, and what a stack was made from.

Sealed columns stay sealed in the values given here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson
import sqlalchemy as sa

from stoker.store.bulk import mapped
from stoker.store.resources import aware
from stoker.store.tables import raw_template, raw_template_files, resource, stack, stack_tag

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

Connection = sa.Connection
"""What :meth:`Database.read` gives, for those who may not name SQLAlchemy."""


@dataclass(frozen=True, slots=True)
class StackRow:
    """One stack; ``parameters``, ``secrets`` and ``outputs`` are sealed, and None in lists.

    ``outputs`` and ``tags`` are there in what :func:`whole` gives, ``tags`` in lists too.
    """

    id: str
    name: str
    project_id: str
    username: str
    action: str
    status: str
    reason: str
    owner_id: str | None
    root_id: str
    parent_resource_name: str | None
    nested_depth: int
    template_id: int
    disable_rollback: bool
    timeout_mins: int | None
    stack_user_project_id: str | None
    created_at: datetime
    updated_at: datetime | None
    deleted_at: datetime | None
    description: str = ""
    parameters: bytes | None = None
    secrets: bytes | None = None
    outputs: bytes | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceRow:
    """What a stack was made from, sealed; ``files`` None where there are none."""

    template: bytes
    environment: bytes
    files: bytes | None


LISTED = {
    "id": stack.c.id,
    "name": stack.c.name,
    "project_id": stack.c.project_id,
    "username": stack.c.username,
    "action": stack.c.action,
    "status": stack.c.status,
    "reason": stack.c.status_reason,
    "owner_id": stack.c.owner_id,
    "root_id": stack.c.root_id,
    "parent_resource_name": stack.c.parent_resource_name,
    "nested_depth": stack.c.nested_depth,
    "template_id": stack.c.template_id,
    "disable_rollback": stack.c.disable_rollback,
    "timeout_mins": stack.c.timeout_mins,
    "stack_user_project_id": stack.c.stack_user_project_id,
    "created_at": stack.c.created_at,
    "updated_at": stack.c.updated_at,
    "deleted_at": stack.c.deleted_at,
}
_SHOWN = {
    **LISTED,
    "description": stack.c.description,
    "parameters": stack.c.parameters,
    "secrets": stack.c.secrets,
}


def by_id(connection: sa.Connection, stack_id: str) -> StackRow | None:
    """Return a stack, deleted or not, of whatever project."""
    found = connection.execute(_BY_ID, {"id": stack_id}).first()
    return None if found is None else value(found)


def whole(connection: sa.Connection, stack_id: str) -> StackRow | None:
    """Return a stack with its outputs and tags, deleted or not, of whatever project."""
    row = connection.execute(_WHOLE, {"id": stack_id}).first()
    if row is None:
        return None
    *found, outputs, tags = row
    return replace(value(found, tagged(tags)), outputs=outputs)


def tagged(found: str | None) -> tuple[str, ...]:
    """Return the tags of a stack, of which :data:`TAGS` has said ``found``."""
    by_position = {} if found is None else orjson.loads(found)
    return tuple(by_position[key] for key in sorted(by_position, key=int))


def by_name(connection: sa.Connection, name: str, project_id: str) -> StackRow | None:
    """Return the oldest stack of this name that is not deleted and that the project sees.

    A project sees its own stacks, nested ones too, and those whose users it holds.
    """
    asked = {"name": name, "project_id": project_id}
    found = connection.execute(_BY_NAME, asked).first()
    return None if found is None else value(found)


def holding(connection: sa.Connection, physical_id: str, project_id: str) -> list[StackRow]:
    """Return the project's stacks of which a current resource has this physical id, two at most."""
    asked = {"physical_id": physical_id, "project_id": project_id}
    return [value(found) for found in connection.execute(_HOLDING, asked)]


def tags(connection: sa.Connection, stack_ids: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the tags of these stacks, in the order in which they were given."""
    if not stack_ids:
        return {}
    found: dict[str, list[str]] = {}
    for stack_id, tag in connection.execute(_TAGS, {"ids": list(stack_ids)}):
        found.setdefault(stack_id, []).append(tag)
    return {stack_id: tuple(each) for stack_id, each in found.items()}


def source(connection: sa.Connection, stack_id: str) -> SourceRow | None:
    """Return a stack's template, environment and files, sealed.

    One statement: an update may end, and its old goal go, at any moment.
    """
    found = connection.execute(_SOURCE, {"id": stack_id}).first()
    return None if found is None else SourceRow(*found)


_BY_ID = sa.select(*_SHOWN.values()).where(stack.c.id == sa.bindparam("id"))
TAGS = (
    sa.select(mapped(stack_tag.c.position, stack_tag.c.tag))
    .where(stack_tag.c.stack_id == stack.c.id)
    .scalar_subquery()
)
"""The tags of a stack among its columns; :func:`tagged` reads it."""

_WHOLE = sa.select(*_SHOWN.values(), stack.c.outputs, TAGS).where(stack.c.id == sa.bindparam("id"))
_BY_NAME = (
    sa.select(*_SHOWN.values())
    .where(
        stack.c.name == sa.bindparam("name"),
        stack.c.deleted_at.is_(None),
        sa.or_(
            stack.c.project_id == sa.bindparam("project_id"),
            stack.c.stack_user_project_id == sa.bindparam("project_id"),
        ),
    )
    .order_by(stack.c.created_at, stack.c.id)
    .limit(1)
)
_HOLDING = (
    sa.select(*_SHOWN.values())
    .where(
        stack.c.id.in_(
            sa.select(resource.c.stack_id).where(
                resource.c.physical_id == sa.bindparam("physical_id"),
                resource.c.is_current.is_(sa.true()),
            )
        ),
        stack.c.deleted_at.is_(None),
        stack.c.project_id == sa.bindparam("project_id"),
    )
    .limit(2)
)
_TAGS = (
    sa.select(stack_tag.c.stack_id, stack_tag.c.tag)
    .where(stack_tag.c.stack_id.in_(sa.bindparam("ids", expanding=True)))
    .order_by(stack_tag.c.stack_id, stack_tag.c.position)
)
_SOURCE = (
    sa.select(raw_template.c.template, raw_template.c.environment, raw_template_files.c.files)
    .select_from(
        stack.join(raw_template, raw_template.c.id == stack.c.template_id).outerjoin(
            raw_template_files, raw_template.c.files_id == raw_template_files.c.id
        )
    )
    .where(stack.c.id == sa.bindparam("id"))
)


def value(found: Any, tags: tuple[str, ...] = ()) -> StackRow:
    """Return the row that has the columns of :data:`LISTED`, or those of one that is shown."""
    values = dict(zip(_SHOWN, found, strict=False))  # lists go without the last ones
    for moment in ("created_at", "updated_at", "deleted_at"):
        values[moment] = values[moment] and aware(values[moment])
    return StackRow(**values, tags=tags)
