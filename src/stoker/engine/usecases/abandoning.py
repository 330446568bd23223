"""The use cases of exports: a stack as a document, and a stack that is let go of with it.

What the document tells of is the caller's from then on. What it cannot tell of (an object that
was replaced and not removed yet, a part of a creation that failed, a snapshot's copy) is deleted
first, so that nothing is forgotten; the stack ends with the last of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from stoker.engine.usecases.changing import Changing, busy
from stoker.engine.usecases.exporting import exported, exported_resource
from stoker.engine.usecases.lookup import owned
from stoker.engine.usecases.trying import until_unmoved
from stoker.errors import Conflict, NotFound, Unsupported
from stoker.plan.node import cleanup
from stoker.store import children
from stoker.store.abandonment import Nested, abandon
from stoker.store.goal import Operation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stoker.engine.records import PlanRow
    from stoker.usecases.caller import Caller
    from stoker.usecases.stacks import Json, StackRef


@dataclass
class _Tree:
    """What an export has met: rows of the stack itself, and the stacks below it."""

    document: Json
    rows: Sequence[PlanRow]
    nested: list[Nested] = field(default_factory=list)
    unsettled: list[str] = field(default_factory=list)


class Abandoning(Changing):
    """Exports stacks, and lets go of them."""

    def export(self, caller: Caller, stack: StackRef) -> Json:
        """Return the stack as a document; raises Unsupported, NotFound."""
        self._check_enabled()
        with self._database.read() as connection:
            stack_id = owned(connection, caller, stack).id
        return until_unmoved(lambda: self._tree(self._operations.stack(stack_id)).document)

    def abandon(self, caller: Caller, stack: StackRef) -> Json:
        """Forget the stack and return it as a document; raises Unsupported, Conflict."""
        self._check_enabled()
        return until_unmoved(lambda: self._abandon(caller, stack))

    def _check_enabled(self) -> None:
        if not self._settings.enable_stack_abandon:
            raise Unsupported("Stack Abandon is not supported.")

    def _abandon(self, caller: Caller, ref: StackRef) -> Json:
        stack = self._stack(caller, ref)
        if stack.deleted_at is not None:
            raise NotFound("Stack", stack.name)
        if stack.owner_id is not None:
            raise Unsupported("A nested stack cannot be abandoned without the one that it is in.")
        if stack.status == "IN_PROGRESS" or stack.rollback_due is not None:
            raise busy(stack, stack.action)
        tree = self._tree(stack)
        if tree.unsettled:
            raise Conflict(
                f"What is there of {', '.join(tree.unsettled)} is not settled;"
                " update the stack first, or delete it."
            )
        now = self._database.now()
        operation = self._operation(stack, tree)
        write = partial(abandon, op=operation, nested=tree.nested, now=now)
        if operation.needs:  # something is to be deleted before
            self._write_opened(caller, stack, write)
        else:
            self._database.again(write)
        self._wake()
        return tree.document

    def _operation(self, stack: Any, tree: _Tree) -> Operation:
        rows = self._operations.rows(stack.id, copies=True)
        known = {row.id: row for row in tree.rows if _is_let_go(row)}
        left = [row.id for row in rows if row.id not in known]
        return Operation(
            stack_id=stack.id,
            traversal_id=str(uuid4()),
            action="DELETE",
            stack={},
            needs={cleanup(i): frozenset() for i in left},
            seconds=self._operations.seconds(stack.timeout_mins),
            version=stack.version,
            doomed=frozenset(left),
            rows=frozenset(row.id for row in rows),
            forgotten={i: row.row.epoch for i, row in known.items()},
        )

    def _tree(self, stack: Any, way: str = "") -> _Tree:
        documents = self._operations.documents(stack)
        rows = self._operations.rows(stack.id)
        with self._database.read() as connection:
            below = children.of_stack(connection, stack.id)
        tree, resources = _Tree({}, rows), {}
        for row in sorted(rows, key=lambda each: int(each.row.position)):
            if not _is_let_go(row):
                continue
            child = below.get(row.id)
            if child is None:
                resources[row.name] = exported_resource(self._database, self._types, row.row)
            else:
                inner = self._nested(child.id, f"{way}{row.name}.")
                data = exported_resource(self._database, self._types, row.row)["resource_data"]
                own = {"resource_data": data} if data else {}
                resources[row.name] = {**inner.document, **own}
                tree.nested += inner.nested
                tree.unsettled += inner.unsettled
        tree.document = exported(stack, documents, self._tags(stack), resources)
        return tree

    def _nested(self, stack_id: str, way: str) -> _Tree:
        stack = self._operations.stack(stack_id)
        tree = self._tree(stack, way)
        tree.unsettled += [f"{way}{row.name}" for row in tree.rows if not _is_let_go(row)]
        if stack.status == "IN_PROGRESS":
            tree.unsettled.append(way.removesuffix("."))
        kept = self._operations.rows(stack_id, copies=True)
        tree.unsettled += [f"{way}{row.name} (a copy)" for row in kept if row.row.snapshot_id]
        epochs = {row.id: int(row.row.epoch) for row in tree.rows}
        tree.nested.insert(0, Nested(stack.id, stack.version, epochs))
        return tree


def _is_let_go(row: PlanRow) -> bool:
    """Tell whether an export says all that there is of a resource."""
    recorded = row.recorded()
    is_whole = recorded.has_id or (recorded.verb is None and not recorded.made)
    return row.stays and not row.doomed and is_whole and row.row.engine_id is None
