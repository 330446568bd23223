"""The use cases that concern one resource of a stack: marking it as faulty or sound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.engine.operations import Operations
from stoker.engine.usecases.lookup import owned
from stoker.engine.usecases.trying import until_unmoved
from stoker.errors import Conflict, NotFound, Unsupported
from stoker.store import marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stoker.engine.records import PlanRow
    from stoker.store.database import Database
    from stoker.usecases.caller import Caller
    from stoker.usecases.stacks import Mark, StackRef

_REASON = "state changed by resource_mark_unhealthy api"


class Marking:
    """Marks resources; the next update replaces what is marked as faulty."""

    def __init__(self, database: Database, operations: Operations) -> None:
        self._database, self._operations = database, operations

    def mark(self, caller: Caller, stack: StackRef, resource: str, what: Mark) -> None:
        """Mark the resource of this name, id or reference; raises Conflict, Unsupported."""
        until_unmoved(lambda: self._mark(caller, stack, resource, what))

    def _mark(self, caller: Caller, ref: StackRef, resource: str, what: Mark) -> None:
        with self._database.read() as connection:
            stack = owned(connection, caller, ref)
        row = called(resource, self._operations.rows(stack.id))
        with self._database.write() as connection:
            reason, now = what.reason or _REASON, self._database.now()
            came = marks.mark(connection, row, now, is_faulty=what.is_faulty, reason=reason)
        if came is marks.Marked.BUSY:
            doing = f"already has an action ({stack.action}) in progress"
            raise Conflict(f"Stack {stack.name} {doing}.")
        if came is marks.Marked.UNMADE:
            raise Unsupported(
                f"Resource {row.name} was never whole, so it cannot be marked as healthy;"
                " an update of the stack makes it."
            )


def called(name: str, rows: Sequence[PlanRow]) -> Any:
    """Return the current row of this name, or else of this physical id, or with this reference;
    raises NotFound, and Unsupported where there are several."""
    # What could not be deleted is current beside what has come in its place.
    rows = sorted((row for row in rows if row.row.is_current), key=lambda row: not row.stays)
    for row in rows:
        if row.name == name:
            return row.row
    found = [x for x in rows if x.row.physical_id == name]
    found = found or [x for x in rows if x.row.physical_id and x.reference() == name]
    if not found:
        raise NotFound("Resource", name)
    if len(found) > 1:
        raise Unsupported(f"Multiple resources were found with the physical ID ({name}).")
    return found[0].row
