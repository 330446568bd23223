"""Previews: the plan of a create or an update, shown instead of carried out.

The plan is the one that the operation would be made from, child stacks included; nothing is
written, and no cloud is asked for more than the look-ups of a validation.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from stoker.engine.goals import child_documents, thought_of
from stoker.engine.naming import physical_name
from stoker.engine.usecases import preview_views as views
from stoker.engine.views import Recorded
from stoker.errors import Bug, Invalid, LimitExceeded
from stoker.lang.expression import evaluate
from stoker.lang.unknown import UNKNOWN, is_known
from stoker.plan.decide import Verb
from stoker.plan.plan import plan_delete, plan_goal
from stoker.sdk.resource import StackInfo
from stoker.store import children, queries
from stoker.usecases.stacks import CreatePreview, Fate, StackRef, UpdatePreview

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stoker.engine.goals import Prepared
    from stoker.engine.operations import Operations
    from stoker.engine.records import PlanRow
    from stoker.engine.settings import Settings
    from stoker.plan.desired import Want
    from stoker.plan.plan import Change, Plan
    from stoker.sdk.resource import Child, Types
    from stoker.store.children import ChildRow
    from stoker.usecases.caller import Caller
    from stoker.usecases.stacks import CreateStack, PreviewTree, ResourcePreview

NO_ID = "None"
"""Stands for the id of a stack that is only planned, as Heat writes it."""

_IN_PLACE = (Verb.KEEP, Verb.UPDATE)
_FATES = {
    Verb.CREATE: Fate.ADDED,
    Verb.UPDATE: Fate.UPDATED,
    Verb.REPLACE: Fate.REPLACED,
    Verb.DELETE: Fate.DELETED,
    Verb.KEEP: Fate.UNCHANGED,
    Verb.OPEN: Fate.OPEN,
}


@dataclass(frozen=True)
class _Level:
    """One stack of the tree: what is recorded of it, what it is to be, and the plan between.

    ``prepared`` None: it goes. ``parent`` is the resource whose child it is; ``before`` are
    the values that were hidden so far.
    """

    ref: StackRef
    plan: Plan
    prepared: Prepared | None
    rows: Mapping[int, PlanRow]
    children: Mapping[int, ChildRow]
    before: frozenset[str]
    parent: str | None = None
    depth: int = 0

    @property
    def secrets(self) -> frozenset[str]:
        """The values to be masked."""
        return self.before if self.prepared is None else self.before | self.prepared.secrets

    @cached_property
    def required_by(self) -> Mapping[str, tuple[str, ...]]:
        """The names of those that need a resource, by its name."""
        found: dict[str, list[str]] = {}
        if self.prepared is not None:
            for name, needs in self.prepared.desired.graph.needs.items():
                for need in needs:
                    found.setdefault(need, []).append(name)
        for change in self.plan.changes:
            if change.verb is Verb.DELETE and change.row is not None:
                for need in self.rows[change.row].requires:
                    found.setdefault(need, []).append(change.name)
        return {name: tuple(dict.fromkeys(users)) for name, users in found.items()}

    @cached_property
    def _changes(self) -> Mapping[str, Change]:
        return {each.name: each for each in self.plan.changes if each.verb is not Verb.DELETE}

    def want(self, name: str) -> Want:
        """Return what the goal wants of a resource."""
        if self.prepared is None:
            raise Bug(f"nothing is wanted of {name}: its stack goes")
        return self.prepared.desired.wants[name]

    def row(self, change: Change) -> PlanRow | None:
        """Return what is recorded of the resource."""
        return None if change.row is None else self.rows[change.row]

    # references, as the plan had them when it decided

    def reference(self, resource: str) -> Any:
        row = self._steady(resource, _IN_PLACE)
        return UNKNOWN if row is None else row.reference()

    def attribute(self, resource: str, name: str | None, path: tuple[Any, ...]) -> Any:
        row = self._steady(resource, (Verb.KEEP,))
        return UNKNOWN if row is None else row.attribute(name, path)

    def _steady(self, resource: str, verbs: tuple[Verb, ...]) -> PlanRow | None:
        change = self._changes.get(resource)
        return self.row(change) if change is not None and change.verb in verbs else None


class Previewing:
    """Plans as answers."""

    def __init__(self, operations: Operations, types: Types, settings: Settings) -> None:
        self._operations, self._types, self._settings = operations, types, settings
        self._database = operations.database

    def create(self, caller: Caller, what: CreateStack, prepared: Prepared) -> CreatePreview:
        """Return the preview of a create."""
        ref = StackRef(NO_ID, what.name, caller.project_id)
        top = _Level(ref, plan_goal(prepared.desired, []), prepared, {}, {}, prepared.secrets)
        stack = views.stack(caller, what, prepared, ref, self._database.now())
        return CreatePreview(stack, self._tree(top))

    def update(self, stack: Any, prepared: Prepared, *, show_nested: bool) -> UpdatePreview:
        """Return the preview of an update; ``stack`` is the stack's row."""
        version = self.version(stack)
        ref = StackRef(stack.id, stack.name, stack.project_id)
        sealed = stack.secrets
        before = frozenset(() if sealed is None else self._database.sealer.open(sealed))
        top = self._level(ref, prepared, before, parent=stack.parent_resource_name)
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

    def _tree(self, level: _Level) -> PreviewTree:
        """Return what is made; a resource gives way to its child's where that is known."""
        found: list[Any] = []
        for change in level.plan.changes:
            child = self._child(level, change)
            found.append(self._made(level, change) if child is None else self._tree(child))
        return tuple(found)

    def _changes(self, level: _Level, *, nested: bool) -> Iterator[ResourcePreview]:
        """Give what happens to the resources of a stack, then to those of its children."""
        for change in level.plan.changes:
            yield self._changed(level, change)
        if nested:
            for change in level.plan.changes:
                for child in self._below(level, change):
                    yield from self._changes(child, nested=True)

    def _below(self, level: _Level, change: Change) -> Iterator[_Level]:
        """Give the child stack that goes with a resource, and the one that comes or stays."""
        fate = self._fate(level, change)[0]
        there = None if change.row is None else level.children.get(change.row)
        if there is not None and fate in (Fate.DELETED, Fate.REPLACED):
            ref = StackRef(there.id, there.name, there.project_id)
            yield self._level(ref, None, level.secrets, parent=change.name)
        if fate not in (Fate.DELETED, Fate.OPEN):
            child = self._child(level, change)
            if child is not None:
                yield child

    def _level(
        self,
        ref: StackRef,
        prepared: Prepared | None,
        before: frozenset[str],
        *,
        parent: str | None,
        depth: int = 0,
    ) -> _Level:
        rows, below = [], {}
        if ref.id != NO_ID:
            rows = self._operations.rows(ref.id)
            with self._database.read() as connection:
                below = children.of_stack(connection, ref.id)
        plan = plan_delete(rows) if prepared is None else plan_goal(prepared.desired, rows)
        by_id = {row.id: row for row in rows}
        return _Level(ref, plan, prepared, by_id, below, before, parent, depth)

    # one resource

    def _made(self, level: _Level, change: Change) -> ResourcePreview:
        want = level.want(change.name)
        return replace(
            self._planned(level, change),
            properties=views.properties(want, level, level.secrets),
        )

    def _changed(self, level: _Level, change: Change) -> ResourcePreview:
        fate, why = self._fate(level, change)
        row = level.row(change)
        shown = self._planned(level, change) if row is None else self._recorded(level, row)
        return replace(shown, fate=fate, why=views.text(why, level.secrets))

    def _fate(self, level: _Level, change: Change) -> tuple[Fate, str]:
        row = level.row(change)
        if row is not None and change.verb is not Verb.DELETE:
            if row.row.status == "IN_PROGRESS":
                return Fate.OPEN, "it is being worked on"
            if change.verb is Verb.KEEP and not row.same_metadata(level.want(change.name)):
                return Fate.UPDATED, "changed: metadata"
        return _FATES[change.verb], change.reason

    def _planned(self, level: _Level, change: Change) -> ResourcePreview:
        shown = views.planned(level.want(change.name), level.ref, level, level.secrets)
        users = level.required_by.get(change.name, ())
        return replace(shown, required_by=users, parent_resource=level.parent)

    def _recorded(self, level: _Level, row: PlanRow) -> ResourcePreview:
        view = Recorded(self._database, self._types, row.row, strict=False, children=level.children)
        shown = views.recorded(row, view, level.ref, self._database.sealer, level.secrets)
        child = level.children.get(row.id)
        return replace(
            shown,
            required_by=level.required_by.get(row.name, ()),
            nested=None if child is None else StackRef(child.id, child.name, child.project_id),
            parent_resource=level.parent,
        )

    # children

    def _child(self, level: _Level, change: Change) -> _Level | None:
        """Return the child stack as the plan makes or changes it, where that is known."""
        want = level.want(change.name)
        if not want.kind.has_child:
            return None
        row = level.row(change) if change.verb in _IN_PLACE else None
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
        self, level: _Level, want: Want, row: PlanRow | None, ref: StackRef
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

    def _goal(self, level: _Level, want: Want, row: PlanRow | None) -> Child | None:
        """Return what the resource wants of its child; with what it keeps for life, if any."""
        raw = evaluate(want.definition.properties, level)
        props = None if raw is UNKNOWN else want.kind.Props.read(raw or {}, (), [])
        if props is None:
            return None
        info = StackInfo(level.ref.id, level.ref.name, level.ref.project_id)
        at = thought_of(want, props, f"{level.ref.name}-{want.definition.name}", info)
        if row is not None:
            name = physical_name(level.ref.name, row.name, row.row.uuid, want.kind.name_limit)
            stored = Recorded(self._database, self._types, row.row).data
            at = replace(at, name=name, id=row.row.physical_id, stored=stored)
        return want.kind.child(at)
