"""Events as answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.engine.usecases.lookup import checked, owned
from stoker.engine.usecases.resource_views import tree
from stoker.store import children, events
from stoker.store.paging import Page
from stoker.usecases.stacks import EventView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.engine.usecases.resource_views import Tree
    from stoker.store.database import Database
    from stoker.store.events import EventRow
    from stoker.store.stacks import Connection
    from stoker.usecases.caller import Caller
    from stoker.usecases.stacks import EventQuery, StackRef

_FILTERS = {
    "resource_name": "resource_name",
    "resource_type": "resource_type",
    "resource_action": "action",
    "resource_status": "status",
}


def listed(
    database: Database,
    caller: Caller,
    stack: StackRef,
    query: EventQuery,
    resource: str | None = None,
) -> list[EventView]:
    """Return the events of the stack, and of those nested in it as deep as is asked.

    Nested stacks that are gone are heard too: their events outlive them.
    """
    chosen = {_FILTERS[key]: values for key, values in query.filters.items() if key in _FILTERS}
    if resource is not None:
        chosen["resource_name"] = (resource,)
    page = Page(query.limit, query.marker, query.sort_keys, query.sort_dir)
    with database.read() as connection:
        found = _tree(connection, caller, stack, query.nested_depth)
        rows = events.of_stacks(connection, found.stack_ids, chosen, page)
    return _views(rows, found, root=query.nested_depth > 0)


def _tree(connection: Connection, caller: Caller, stack: StackRef, depth: int) -> Tree:
    if depth == 0:
        return tree(owned(connection, caller, stack, deleted=True), ())
    row, below = children.around(connection, stack.id)
    return tree(checked(row, caller, stack, deleted=True), below, depth)


def _views(rows: list[EventRow], found: Tree, *, root: bool) -> list[EventView]:
    stacks = {branch.stack.id: branch.stack for branch in found.branches}
    top = found.branches[0].stack if root else None
    return [event_view(row, stacks[row.stack_id], top) for row in rows]


def event_view(
    row: EventRow,
    stack: StackRef,
    root: StackRef | None = None,
    properties: Mapping[str, Any] | None = None,
) -> EventView:
    """Return one event."""
    return EventView(
        id=row.uuid,
        stack=stack,
        root=root,
        time=row.created_at,
        resource_name=row.resource_name,
        resource_type=row.resource_type,
        physical_id=row.physical_id,
        action=row.action,
        status=row.status,
        reason=row.reason,
        properties=properties,
    )
