"""Find the stacks that resources have made: the tree below a stack.

A resource has at most one child stack that is not deleted; the child's row names the
resource by id.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from stoker.store import stacks
from stoker.store.tables import raw_template, stack

if TYPE_CHECKING:
    from stoker.store.stacks import StackRow


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


def of_tree(connection: sa.Connection, root_id: str) -> list[ChildRow]:
    """Return all nested stacks of a root stack."""
    return [ChildRow(*found) for found in connection.execute(_OF_TREE, {"root_id": root_id})]


def around(connection: sa.Connection, stack_id: str) -> tuple[StackRow | None, list[ChildRow]]:
    """Return a stack, and all that its tree has ever had nested, gone or not."""
    stack_row, rows = None, []
    for *found, resource_id in connection.execute(_AROUND, {"id": stack_id}):
        row = stacks.value(found)
        if row.id == stack_id:
            stack_row = row
        if row.owner_id is not None and resource_id is not None:
            name = str(row.parent_resource_name)
            rows.append(
                ChildRow(
                    row.id, row.name, row.project_id, row.owner_id, resource_id, name,
                    row.template_id,
                )
            )  # fmt: skip
    return stack_row, rows


def outputs(connection: sa.Connection, stack_id: str) -> bytes | None:
    """Return the outputs of a stack, sealed; None where there is no such stack."""
    value: bytes | None = connection.scalar(_OUTPUTS, {"id": stack_id})
    return value


def template(connection: sa.Connection, stack_id: str) -> bytes | None:
    """Return a stack's template, sealed; one statement, for an update may just replace it."""
    value: bytes | None = connection.scalar(_TEMPLATE, {"id": stack_id})
    return value


CHILD = (
    stack.c.id,
    stack.c.name,
    stack.c.project_id,
    stack.c.owner_id,
    stack.c.parent_resource_id,
    stack.c.parent_resource_name,
    stack.c.template_id,
)
"""The columns of a :class:`ChildRow`."""

_EVER = (
    sa.select(*CHILD)
    .where(stack.c.parent_resource_id.is_not(None), stack.c.owner_id.is_not(None))
    .order_by(stack.c.created_at, stack.c.id)
)
_ALIVE = _EVER.where(stack.c.deleted_at.is_(None))
_OF_STACK = _ALIVE.where(stack.c.owner_id == sa.bindparam("owner_id"))
_OF_RESOURCE = _OF_STACK.where(stack.c.parent_resource_id == sa.bindparam("resource_id"))
_OF_TREE = _ALIVE.where(stack.c.root_id == sa.bindparam("root_id"))
_ITSELF = stack.alias()
_AROUND = (
    sa.select(*stacks.LISTED.values(), stack.c.parent_resource_id)
    .where(
        stack.c.root_id
        == sa.select(_ITSELF.c.root_id).where(_ITSELF.c.id == sa.bindparam("id")).scalar_subquery()
    )
    .order_by(stack.c.created_at, stack.c.id)
)
_OUTPUTS = sa.select(stack.c.outputs).where(stack.c.id == sa.bindparam("id"))
_TEMPLATE = (
    sa.select(raw_template.c.template)
    .join(stack, stack.c.template_id == raw_template.c.id)
    .where(stack.c.id == sa.bindparam("id"))
)
