"""Previews: the plan of a create or an update, shown instead of carried out.

The plan is the one that the operation would be made from, child stacks included; nothing is
written, and no cloud is asked for more than the look-ups of a validation.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from stoker.engine.goals import child_documents, thought_of
from stoker.engine.naming import physical_name
from stoker.engine.source import Gathered
from stoker.engine.usecases import preview_views as views
from stoker.engine.usecases.preview_level import IN_PLACE, Level
from stoker.engine.views import Recorded
from stoker.errors import Bug, Invalid, LimitExceeded
from stoker.lang.expression import evaluate
from stoker.lang.unknown import UNKNOWN, is_known
from stoker.plan.decide import Verb
from stoker.plan.plan import Plan, plan_delete, plan_goal
from stoker.sdk.resource import StackInfo
from stoker.store import queries
from stoker.usecases.stacks import CreatePreview, Fate, StackRef, UpdatePreview

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stoker.engine.goals import Prepared
    from stoker.engine.operations import Operations
    from stoker.engine.records import PlanRow
    from stoker.engine.settings import Settings
    from stoker.engine.source import Source
    from stoker.plan.desired import Want
    from stoker.plan.plan import Change
    from stoker.sdk.resource import Child, Types
    from stoker.store.children import ChildRow
    from stoker.usecases.caller import Caller
    from stoker.usecases.stacks import CreateStack, PreviewTree, ResourcePreview

NO_ID = "None"
"""Stands for the id of a stack that is only planned, as Heat writes it."""

_FATES = {
    Verb.CREATE: Fate.ADDED,
    Verb.UPDATE: Fate.UPDATED,
    Verb.REPLACE: Fate.REPLACED,
    Verb.DELETE: Fate.DELETED,
    Verb.KEEP: Fate.UNCHANGED,
    Verb.FINISH: Fate.UPDATED,
    Verb.OPEN: Fate.OPEN,
}


class Previewing:
    """Plans as answers."""

    def __init__(self, operations: Operations, types: Types, settings: Settings) -> None:
        self._operations, self._types, self._settings = operations, types, settings
        self._database = operations.database

    def create(self, caller: Caller, what: CreateStack, prepared: Prepared) -> CreatePreview:
        """Return the preview of a create."""
        ref = StackRef(NO_ID, what.name, caller.project_id)
        top = Level(ref, plan_goal(prepared.desired, []), prepared, {}, {}, prepared.secrets)
        walk = _Walk(self._operations, self._types, self._settings, Known())
        stack = views.stack(caller, what, prepared, ref, self._database.now())
        return CreatePreview(stack, walk.tree(top))

    def update(
        self, stack: Any, prepared: Prepared, *, show_nested: bool, observes: bool
    ) -> UpdatePreview:
        """Return the preview of an update; ``stack`` is the stack's row. What an update that
        ``observes`` finds is open."""
        version = self.version(stack)
        ref = StackRef(stack.id, stack.name, stack.project_id)
        sealed = stack.secrets
        before = frozenset(() if sealed is None else self._database.sealer.open(sealed))
        known = self._known(stack.id, deep=show_nested)
        for row in chain.from_iterable(known.rows.values()):
            row.looks = observes and row.is_observable
        walk = _Walk(self._operations, self._types, self._settings, known)
        top = walk.level(
            ref,
            prepared,
            before,
            parent=stack.parent_resource_name,
            depth=stack.nested_depth,
        )
        return UpdatePreview(tuple(walk.changes(top, nested=show_nested)), version)

    def version(self, stack: Any) -> str:
        """Return what changes with whatever a plan of the stack is made from."""
        with self._database.read() as connection:
            rows = queries.epochs(connection, stack.id)
            below = queries.states(connection, stack.root_id)
        state = [
            [(s.id, s.version, s.traversal_id, s.action, s.status) for s in (stack, *below)],
            [(row.id, row.epoch) for row in rows],
        ]
        return hashlib.sha256(repr(state).encode()).hexdigest()[:32]

    def _known(self, stack_id: str, *, deep: bool) -> Known:
        source = Gathered(self._database, stack_id)
        wanted = [stack_id, *(each.id for each in source.nested)] if deep else [stack_id]
        return Known(source, self._operations.rows_of(wanted, source))


@dataclass(frozen=True, slots=True)
class Known:
    """What is recorded of a stack, and of those below: all that a preview reads."""

    source: Source | None = None
    rows: Mapping[str, list[PlanRow]] = field(default_factory=dict)

    def children(self, stack_id: str) -> Mapping[int, ChildRow]:
        """Return the child stacks of a stack by the id of the resource that made each."""
        return {} if self.source is None else self.source.children(stack_id)

    def view(self, types: Types, row: PlanRow) -> Recorded:
        """Return what is recorded of a resource, as people are shown it."""
        if self.source is None:
            raise Bug(f"nothing is recorded of {row.name}")
        children = self.children(row.row.stack_id)
        return Recorded(self.source, types, row.row, strict=False, children=children)


class _Walk:
    """One walk over the plans of a stack and of those below."""

    def __init__(
        self, operations: Operations, types: Types, settings: Settings, known: Known
    ) -> None:
        self._operations, self._types, self._settings = operations, types, settings
        self._database, self._known = operations.database, known

    def tree(self, level: Level) -> PreviewTree:
        """Return what is made; a resource gives way to its child's where that is known."""
        found: list[Any] = []
        for change in level.plan.changes:
            child = self._child(level, change)
            found.append(self._made(level, change) if child is None else self.tree(child))
        return tuple(found)

    def changes(self, level: Level, *, nested: bool) -> Iterator[ResourcePreview]:
        """Give what happens to the resources of a stack, then to those of its children."""
        for change in level.plan.changes:
            yield self._changed(level, change)
        if nested:
            for change in level.plan.changes:
                for child in self._below(level, change):
                    yield from self.changes(child, nested=True)

    def _below(self, level: Level, change: Change) -> Iterator[Level]:
        """Give the child stack that goes with a resource, and the one that comes or stays."""
        fate = self._fate(level, change)[0]
        there = None if change.row is None else level.children.get(change.row)
        goes = fate in (Fate.DELETED, Fate.REPLACED)
        if there is not None and goes:
            yield self.level(_ref(there), None, level.secrets, parent=change.name)
        child = None if fate in (Fate.DELETED, Fate.OPEN) else self._child(level, change)
        if child is not None:
            yield child
        elif there is not None and not goes:
            yield self._open(_ref(there), level.secrets, parent=change.name)

    def _open(self, ref: StackRef, before: frozenset[str], *, parent: str) -> Level:
        """Return a child stack whose goal is not known before its turn."""
        level = self.level(ref, None, before, parent=parent)
        reason = "the goal of its stack is not known yet"
        changes = [replace(c, verb=Verb.OPEN, reason=reason) for c in level.plan.changes]
        return replace(level, plan=Plan(tuple(changes), {}))

    def level(
        self,
        ref: StackRef,
        prepared: Prepared | None,
        before: frozenset[str],
        *,
        parent: str | None,
        depth: int = 0,
    ) -> Level:
        rows, below = self._known.rows.get(ref.id, []), self._known.children(ref.id)
        plan = plan_delete(rows) if prepared is None else plan_goal(prepared.desired, rows)
        by_id = {row.id: row for row in rows}
        return Level(ref, plan, prepared, by_id, below, before, parent, depth)

    # one resource

    def _made(self, level: Level, change: Change) -> ResourcePreview:
        want = level.want(change.name)
        return replace(
            self._planned(level, change),
            properties=views.properties(want, level, level.secrets),
        )

    def _changed(self, level: Level, change: Change) -> ResourcePreview:
        fate, why = self._fate(level, change)
        row = level.row(change)
        shown = self._planned(level, change) if row is None else self._recorded(level, row)
        return replace(shown, fate=fate, why=views.text(why, level.secrets))

    def _fate(self, level: Level, change: Change) -> tuple[Fate, str]:
        row = level.row(change)
        if row is not None and change.verb is not Verb.DELETE:
            if row.row.status == "IN_PROGRESS":
                return Fate.OPEN, "it is being worked on"
            if change.verb is Verb.KEEP and not row.same_metadata(level.want(change.name)):
                return Fate.UPDATED, "changed: metadata"
        return _FATES[change.verb], change.reason

    def _planned(self, level: Level, change: Change) -> ResourcePreview:
        shown = views.planned(level.want(change.name), level.ref, level, level.secrets)
        users = level.required_by.get(change.name, ())
        return replace(shown, required_by=users, parent_resource=level.parent)

    def _recorded(self, level: Level, row: PlanRow) -> ResourcePreview:
        view = self._known.view(self._types, row)
        shown = views.recorded(row, view, level.ref, self._database.sealer, level.secrets)
        child = level.children.get(row.id)
        return replace(
            shown,
            required_by=level.required_by.get(row.name, ()),
            nested=None if child is None else _ref(child),
            parent_resource=level.parent,
        )

    # children

    def _child(self, level: Level, change: Change) -> Level | None:
        """Return the child stack as the plan makes or changes it, where that is known."""
        want = level.want(change.name)
        if not want.kind.has_child:
            return None
        row = level.row(change) if change.verb in IN_PLACE else None
        there = None if row is None else level.children.get(row.id)
        name = f"{level.ref.name}-{change.name}" if there is None else there.name
        ref = StackRef(NO_ID if there is None else there.id, name, level.ref.project_id)
        try:
            prepared = self._prepared(level, want, row, ref)
            if prepared is None:
                return None
            return self.level(
                ref, prepared, level.secrets, parent=change.name, depth=level.depth + 1
            )
        except Invalid as e:
            at = ("resources", change.name)
            told = [
                replace(p, at=(*at, *p.at), text=views.text(p.text, level.secrets))
                for p in e.problems
            ]
            raise Invalid(told) from e

    def _prepared(
        self, level: Level, want: Want, row: PlanRow | None, ref: StackRef
    ) -> Prepared | None:
        goal = self._goal(level, want, row)
        if goal is None or level.prepared is None or not is_known(goal.template):
            return None
        deepest = self._settings.max_nested_stack_depth
        if level.depth + 1 > deepest:
            raise LimitExceeded(f"Recursion depth exceeds {deepest}.")
        definition = want.definition
        known = {k: v for k, v in goal.parameters.items() if is_known(v)}
        documents = child_documents(
            level.prepared.documents,
            definition.name,
            definition.type,
            goal,
            facade={
                "metadata": evaluate(definition.metadata, level),
                "deletion_policy": definition.deletion_policy,
                "update_policy": definition.update_policy,
            },
            parameters=known,
            secrets=level.secrets,
        )
        info = StackInfo(ref.id, ref.name, ref.project_id)
        strict = len(known) == len(goal.parameters)
        return self._operations.preparation.alone(documents, info, strict=strict)

    def _goal(self, level: Level, want: Want, row: PlanRow | None) -> Child | None:
        """Return what the resource wants of its child; with what it keeps for life, if any."""
        raw = evaluate(want.definition.properties, level)
        props = None if raw is UNKNOWN else want.kind.Props.read(raw or {}, (), [])
        if props is None:
            return None
        info = StackInfo(level.ref.id, level.ref.name, level.ref.project_id)
        at = thought_of(want, props, f"{level.ref.name}-{want.definition.name}", info)
        if row is not None:
            name = physical_name(level.ref.name, row.name, row.row.uuid, want.kind.name_limit)
            stored = self._known.view(self._types, row).data
            at = replace(at, name=name, id=row.row.physical_id, stored=stored)
        return want.kind.child(at)


def _ref(child: ChildRow) -> StackRef:
    return StackRef(child.id, child.name, child.project_id)
