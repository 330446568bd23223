"""Find the child stacks that resources have made.

A resource has at most one child stack that is not deleted; its row names the resource by id.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store.tables import raw_template, stack

if TYPE_CHECKING:
    from collections.abc import Collection


@dataclass(frozen=True, slots=True)
class ChildRow:
    """A child stack: enough to name it and to read from it."""

    id: str
    name: str
    project_id: str
    template_id: int


def of_resource(connection: sa.Connection, stack_id: str, resource_id: int) -> ChildRow | None:
    """Return the child stack of one resource of the stack."""
    asked = {"owner_id": stack_id, "resource_id": resource_id}
    found = connection.execute(_OF_RESOURCE, asked).first()
    return None if found is None else ChildRow(*found[:4])


def of_stacks(connection: sa.Connection, stack_ids: Collection[str]) -> dict[int, ChildRow]:
    """Return all children of these stacks by the id of the resource that made them."""
    found = connection.execute(_OF_STACKS, {"owner_ids": list(stack_ids)})
    return {row[4]: ChildRow(*row[:4]) for row in found}


def outputs(connection: sa.Connection, stack_id: str) -> bytes | None:
    """Return the outputs of a stack, sealed; None where there is no such stack."""
    value: bytes | None = connection.scalar(_OUTPUTS, {"id": stack_id})
    return value


def template(connection: sa.Connection, template_id: int) -> bytes | None:
    """Return a stored template, sealed."""
    value: bytes | None = connection.scalar(_TEMPLATE, {"id": template_id})
    return value


_CHILDREN: sa.Select[Any] = (
    sa.select(
        stack.c.id,
        stack.c.name,
        stack.c.project_id,
        stack.c.template_id,
        stack.c.parent_resource_id,
    )
    .where(stack.c.deleted_at.is_(None), stack.c.parent_resource_id.is_not(None))
    .order_by(stack.c.created_at)
)
_OF_STACKS = _CHILDREN.where(stack.c.owner_id.in_(sa.bindparam("owner_ids", expanding=True)))
_OF_RESOURCE = (
    _CHILDREN.where(
        stack.c.owner_id == sa.bindparam("owner_id"),
        stack.c.parent_resource_id == sa.bindparam("resource_id"),
    )
    .order_by(None)
    .order_by(stack.c.created_at.desc())
    .limit(1)
)
_OUTPUTS = sa.select(stack.c.outputs).where(stack.c.id == sa.bindparam("id"))
_TEMPLATE = sa.select(raw_template.c.template).where(raw_template.c.id == sa.bindparam("id"))
