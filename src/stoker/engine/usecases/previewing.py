"""Previews: the plan of a create or an update, shown instead of carried out.

The plan is the one that the operation would be made from, child stacks included; nothing is
written, and no cloud is asked for more than the look-ups of a validation.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stoker.engine.goals import child_documents, thought_of
from stoker.engine.naming import physical_name
from stoker.engine.source import Source
from stoker.engine.usecases import preview_views as views
from stoker.engine.usecases.preview_level import IN_PLACE, Level
from stoker.engine.views import Recorded
from stoker.errors import Invalid, LimitExceeded
from stoker.lang.expression import evaluate
from stoker.lang.unknown import UNKNOWN, is_known
from stoker.plan.decide import Verb
from stoker.plan.plan import Plan, plan_delete, plan_goal
from stoker.sdk.resource import StackInfo
from stoker.store import children, queries
from stoker.usecases.stacks import CreatePreview, Fate, StackRef, UpdatePreview

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.engine.goals import Prepared
    from stoker.engine.operations import Operations
    from stoker.engine.records import PlanRow
    from stoker.engine.settings import Settings
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
        stack = views.stack(caller, what, prepared, ref, self._database.now())
        return CreatePreview(stack, self._tree(top))

    def update(self, stack: Any, prepared: Prepared, *, show_nested: bool) -> UpdatePreview:
        """Return the preview of an update; ``stack`` is the stack's row."""
        version = self.version(stack)
        ref = StackRef(stack.id, stack.name, stack.project_id)
        sealed = stack.secrets
        before = frozenset(() if sealed is None else self._database.sealer.open(sealed))
        top = self._level(
            ref,
            prepared,
            before,
            parent=stack.parent_resource_name,
            depth=stack.nested_depth,
        )
        return UpdatePreview(tuple(self._changes(top, nested=show_nested)), version)

    def version(self, stack: Any) -> str:
        """Return what changes with whatever a plan of the stack is made from."""
        with self._database.read() as connection:
            rows = queries.resources(connection, stack.id)
            tree = children.of_tree(connection, stack.root_id)
            below = [queries.stack(connection, each.id) for each in tree]
        state = [
            [(s.id, s.version, s.traversal_id, s.action, s.status) for s in (stack, *below)],
            [(row.id, row.epoch) for row in rows],
        ]
        return hashlib.sha256(repr(state).encode()).hexdigest()[:32]

    # walking

    def _tree(self, level: Level) -> PreviewTree:
        """Return what is made; a resource gives way to its child's where that is known."""
        found: list[Any] = []
        for change in level.plan.changes:
            child = self._child(level, change)
            found.append(self._made(level, change) if child is None else self._tree(child))
        return tuple(found)

    def _changes(self, level: Level, *, nested: bool) -> Iterator[ResourcePreview]:
        """Give what happens to the resources of a stack, then to those of its children."""
        for change in level.plan.changes:
            yield self._changed(level, change)
        if nested:
            for change in level.plan.changes:
                for child in self._below(level, change):
                    yield from self._changes(child, nested=True)

    def _below(self, level: Level, change: Change) -> Iterator[Level]:
        """Give the child stack that goes with a resource, and the one that comes or stays."""
        fate = self._fate(level, change)[0]
        there = None if change.row is None else level.children.get(change.row)
        goes = fate in (Fate.DELETED, Fate.REPLACED)
        if there is not None and goes:
            yield self._level(_ref(there), None, level.secrets, parent=change.name)
        child = None if fate in (Fate.DELETED, Fate.OPEN) else self._child(level, change)
        if child is not None:
            yield child
        elif there is not None and not goes:
            yield self._open(_ref(there), level.secrets, parent=change.name)

    def _open(self, ref: StackRef, before: frozenset[str], *, parent: str) -> Level:
        """Return a child stack whose goal is not known before its turn."""
        level = self._level(ref, None, before, parent=parent)
        reason = "the goal of its stack is not known yet"
        changes = [replace(c, verb=Verb.OPEN, reason=reason) for c in level.plan.changes]
        return replace(level, plan=Plan(tuple(changes), {}))

    def _level(
        self,
        ref: StackRef,
        prepared: Prepared | None,
        before: frozenset[str],
        *,
        parent: str | None,
        depth: int = 0,
    ) -> Level:
        rows, below = [], {}
        if ref.id != NO_ID:
            rows = self._operations.rows(ref.id)
            with self._database.read() as connection:
                below = children.of_stack(connection, ref.id)
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
        source = Source(self._database)
        view = Recorded(source, self._types, row.row, strict=False, children=level.children)
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
            return self._level(
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
            stored = Recorded(Source(self._database), self._types, row.row).data
            at = replace(at, name=name, id=row.row.physical_id, stored=stored)
        return want.kind.child(at)


def _ref(child: ChildRow) -> StackRef:
    return StackRef(child.id, child.name, child.project_id)
