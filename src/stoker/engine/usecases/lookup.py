"""Find the stack that a caller names, if the caller may see it.

A project sees its own stacks and those whose users it holds; an administrator sees all by
id. Whatever else there is does not exist for the caller: NotFound, never Forbidden.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from stoker.errors import NotFound
from stoker.store import stacks
from stoker.usecases.stacks import StackRef

if TYPE_CHECKING:
    from stoker.store.stacks import Connection, StackRow
    from stoker.usecases.caller import Caller


def ref(row: StackRow) -> StackRef:
    """Return what names the stack."""
    return StackRef(row.id, row.name, row.project_id)


def located(connection: Connection, caller: Caller, name_or_id: str) -> StackRow:
    """Return the stack of this id, deleted or not, or else of this name."""
    stack_id = _as_id(name_or_id)
    found = None if stack_id is None else _visible(stacks.by_id(connection, stack_id), caller)
    found = found or stacks.by_name(connection, name_or_id, caller.project_id)
    if found is None:
        raise NotFound("Stack", name_or_id)
    return found


def owned(
    connection: Connection, caller: Caller, stack: StackRef, *, deleted: bool = False
) -> StackRow:
    """Return the stack of this id and name; one that is gone only if ``deleted``."""
    return checked(stacks.by_id(connection, stack.id), caller, stack, deleted=deleted)


def checked(
    row: StackRow | None, caller: Caller, stack: StackRef, *, deleted: bool = False
) -> StackRow:
    """Return what was read of the stack of this id if the caller may see it; raises NotFound."""
    found = _visible(row, caller)
    if found is None or found.name != stack.name:
        raise NotFound("Stack", stack.name or stack.id)
    if found.deleted_at is not None and not deleted:
        raise NotFound("Stack", stack.name)
    return found


def _visible(row: StackRow | None, caller: Caller) -> StackRow | None:
    if row is None or caller.is_admin:
        return row
    return row if caller.project_id in (row.project_id, row.stack_user_project_id) else None


def _as_id(text: str) -> str | None:
    try:
        return str(UUID(text))
    except ValueError:
        return None
