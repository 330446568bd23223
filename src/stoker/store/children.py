"""Find the stacks that resources have made: the tree below a stack.

A resource has at most one child stack that is not deleted; the child's row names the
resource by id.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from stoker.store.tables import raw_template, stack


@dataclass(frozen=True, slots=True)
class ChildRow:
    """A child stack: enough to name it, to place it in the tree and to read from it."""

    id: str
    name: str
    project_id: str
    owner_id: str
    resource_id: int
    resource_name: str
    template_id: int


def of_resource(connection: sa.Connection, stack_id: str, resource_id: int) -> ChildRow | None:
    """Return the child stack of one resource of the stack."""
    asked = {"owner_id": stack_id, "resource_id": resource_id}
    found = connection.execute(_OF_RESOURCE, asked).first()
    return None if found is None else ChildRow(*found)


def of_stack(connection: sa.Connection, stack_id: str) -> dict[int, ChildRow]:
    """Return all children of the stack by the id of the resource that made them."""
    rows = [ChildRow(*found) for found in connection.execute(_OF_STACK, {"owner_id": stack_id})]
    return {row.resource_id: row for row in rows}


def of_tree(connection: sa.Connection, root_id: str, *, deleted: bool = False) -> list[ChildRow]:
    """Return all nested stacks of a root stack; with ``deleted``, those that are gone too."""
    query = _OF_TREE_EVER if deleted else _OF_TREE
    return [ChildRow(*found) for found in connection.execute(query, {"root_id": root_id})]


def outputs(connection: sa.Connection, stack_id: str) -> bytes | None:
    """Return the outputs of a stack, sealed; None where there is no such stack."""
    value: bytes | None = connection.scalar(_OUTPUTS, {"id": stack_id})
    return value


def template(connection: sa.Connection, stack_id: str) -> bytes | None:
    """Return a stack's template, sealed; one statement, for an update may just replace it."""
    value: bytes | None = connection.scalar(_TEMPLATE, {"id": stack_id})
    return value


_EVER = (
    sa.select(
        stack.c.id,
        stack.c.name,
        stack.c.project_id,
        stack.c.owner_id,
        stack.c.parent_resource_id,
        stack.c.parent_resource_name,
        stack.c.template_id,
    )
    .where(stack.c.parent_resource_id.is_not(None), stack.c.owner_id.is_not(None))
    .order_by(stack.c.created_at, stack.c.id)
)
_ALIVE = _EVER.where(stack.c.deleted_at.is_(None))
_OF_STACK = _ALIVE.where(stack.c.owner_id == sa.bindparam("owner_id"))
_OF_RESOURCE = _OF_STACK.where(stack.c.parent_resource_id == sa.bindparam("resource_id"))
_OF_TREE = _ALIVE.where(stack.c.root_id == sa.bindparam("root_id"))
_OF_TREE_EVER = _EVER.where(stack.c.root_id == sa.bindparam("root_id"))
_OUTPUTS = sa.select(stack.c.outputs).where(stack.c.id == sa.bindparam("id"))
_TEMPLATE = (
    sa.select(raw_template.c.template)
    .join(stack, stack.c.template_id == raw_template.c.id)
    .where(stack.c.id == sa.bindparam("id"))
)
