"""The copies that a snapshot makes of a tree of stacks, and what is told of them.

All copies are rows of the stack that the snapshot is of, also those of nested stacks: they stay
when a nested stack goes. A resource's copy waits for those of what it needs, as its creation did.
What the goal has no more, or has as another type, is not copied: nothing could be brought back.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from stoker.errors import Invalid
from stoker.plan.node import Node, forward
from stoker.sdk.copies import SOURCE, copy_of
from stoker.store import children
from stoker.store.goal import NewRow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.engine.job import Job
    from stoker.engine.operations import Operations
    from stoker.engine.records import PlanRow
    from stoker.sdk.resource import Types
    from stoker.store.database import Database
    from stoker.store.work import EventRow, Result

WAY = "way"
"""In a copy's definition: the names that lead to the resource, from the stack downwards."""


@dataclass(frozen=True, slots=True)
class Copies:
    """Rows to add, and what the node of each needs."""

    rows: list[NewRow] = field(default_factory=list)
    needs: dict[Node, frozenset[Node]] = field(default_factory=dict)


class Copying:
    """Finds what a snapshot has to copy."""

    def __init__(self, operations: Operations, types: Types, snapshot_id: str) -> None:
        self._operations, self._types = operations, types
        self._snapshot_id = snapshot_id
        self.found = Copies()

    def of_stack(
        self, stack_id: str, way: tuple[str, ...] = (), before: frozenset[Node] = frozenset()
    ) -> frozenset[Node]:
        """Find the copies of a stack and those below; return their nodes."""
        rows = {r.name: r for r in self._operations.rows(stack_id) if _is_wanted(r)}
        with self._operations.database.read() as connection:
            below = children.of_stack(connection, stack_id)
        done: dict[str, frozenset[Node]] = {}
        every: frozenset[Node] = frozenset()
        for name in _in_order(rows):
            row = rows[name]
            needs = before.union(*(done[need] for need in row.requires if need in done))
            made = self._of_row(row, (*way, name), needs)
            if row.id in below:
                made |= self.of_stack(below[row.id].id, (*way, name), needs)
            done[name] = made or needs  # what is made waits for its needs itself
            every |= made
        return every

    def _of_row(
        self, row: PlanRow, way: tuple[str, ...], needs: frozenset[Node]
    ) -> frozenset[Node]:
        if not _is_copied(self._types, row):
            return frozenset()
        copy = NewRow(
            name=row.name,
            type=row.row.type,
            implementation=copy_of(row.row.implementation),
            uuid=str(uuid4()),
            position=row.row.position,
            definition=self._operations.database.sealer.seal(_definition(row, way)),
            requires=(),
            snapshot_id=self._snapshot_id,
        )
        node = forward(copy.uuid)
        self.found.rows.append(copy)
        self.found.needs[node] = needs
        return frozenset({node})


def _in_order(rows: Mapping[str, PlanRow]) -> list[str]:
    """Return the names, each after those that it needs: one goal gave them all, so without a
    ring."""
    order: dict[str, None] = {}

    def add(name: str) -> None:
        stack = [name]
        while stack:
            top = stack[-1]
            missing = [n for n in rows[top].requires if n in rows and n not in order]
            if missing:
                stack.extend(missing)
            else:
                order[stack.pop()] = None

    for name in rows:
        if name not in order:
            add(name)
    return list(order)


def _is_wanted(row: PlanRow) -> bool:
    """Tell whether the goal has the resource as what it is: after an update that failed it may
    still be what another type was to replace."""
    if not row.stays or row.doomed:
        return False
    return bool(row.definition["implementation"] == row.row.implementation)


def _is_copied(types: Types, row: PlanRow) -> bool:
    kind, recorded = types.get(row.row.implementation), row.recorded()
    if kind is None or kind.copies is None or row.external_id is not None:
        return False
    if recorded.applied is None or not recorded.has_id:
        return False
    try:
        return kind.is_copied(kind.Props.parse(recorded.applied))
    except Invalid:  # recorded under another schema
        return True


def _definition(row: PlanRow, way: tuple[str, ...]) -> dict[str, Any]:
    return {
        "type": row.row.type,
        "implementation": copy_of(row.row.implementation),
        "properties": {SOURCE: row.row.physical_id},
        "metadata": {},
        "update_policy": {},
        "deletion_policy": "Delete",
        "external_id": None,
        "description": "",
        "hidden": [],
        WAY: list(way),
    }


# what is told

_TOLD = {"CREATE": "SNAPSHOT"}


def told_of_source(job: Job, result: Result) -> Result:
    """Return the result of a copy as it is told of the resource: a snapshot that is taken of it.

    That a copy is deleted is told only where it fails.
    """
    if job.row.snapshot_id is None:
        return result
    source = job.definition["properties"][SOURCE]
    events = tuple(
        replace(event, action=_TOLD.get(event.action, event.action), physical_id=source)
        for event in result.events
        if _is_told(event)
    )
    cause = result.cause and result.cause.replace("Resource CREATE ", "Resource SNAPSHOT ", 1)
    return replace(result, events=events, cause=cause)


def _is_told(event: EventRow) -> bool:
    return event.action in _TOLD or event.status == "FAILED"


@dataclass(frozen=True, slots=True)
class Source:
    """What a copy is of: the way to the resource, its type as its template had it, and the
    implementation of the copy."""

    way: tuple[str, ...]
    type: str
    implementation: str


def source_of(database: Database, sealed: bytes) -> Source:
    """Return what a copy is of."""
    definition = database.sealer.open(sealed)
    return Source(tuple(definition[WAY]), definition["type"], definition["implementation"])
