"""One stack of a previewed tree, and what its references give while the plan is looked at.

A reference is known here exactly where it was when the plan was made.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from stoker.errors import Bug
from stoker.lang.unknown import UNKNOWN
from stoker.plan.decide import Verb

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stoker.engine.goals import Prepared
    from stoker.engine.records import PlanRow
    from stoker.plan.desired import Want
    from stoker.plan.plan import Change, Plan
    from stoker.store.children import ChildRow
    from stoker.usecases.stacks import StackRef

IN_PLACE = (Verb.KEEP, Verb.UPDATE)


@dataclass(frozen=True)
class Level:
    """One stack of the tree: what is recorded of it, what it is to be, and the plan between.

    ``prepared`` None: it goes, or nothing is known of its goal. ``parent`` is the resource
    whose child it is; ``before`` are the values that were hidden so far.
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
        graph = {} if self.prepared is None else self.prepared.desired.graph.needs
        needs: list[tuple[str, Iterable[str]]] = list(graph.items())
        needs += [
            (change.name, self.rows[change.row].requires)
            for change in self.plan.changes
            if change.name not in graph and change.row is not None
        ]
        found: dict[str, list[str]] = {}
        for name, each in needs:
            for need in each:
                found.setdefault(need, []).append(name)
        return {name: tuple(users) for name, users in found.items()}

    @cached_property
    def _changes(self) -> Mapping[str, Change]:
        return {each.name: each for each in self.plan.changes if each.verb is not Verb.DELETE}

    def want(self, name: str) -> Want:
        """Return what the goal wants of a resource."""
        if self.prepared is None:
            raise Bug(f"nothing is known to be wanted of {name}")
        return self.prepared.desired.wants[name]

    def row(self, change: Change) -> PlanRow | None:
        """Return what is recorded of the resource."""
        return None if change.row is None else self.rows[change.row]

    # references, as the plan had them when it decided

    def reference(self, resource: str) -> Any:
        row = self._steady(resource, IN_PLACE)
        return UNKNOWN if row is None else row.reference()

    def attribute(self, resource: str, name: str | None, path: tuple[Any, ...]) -> Any:
        row = self._steady(resource, (Verb.KEEP,))
        return UNKNOWN if row is None else row.attribute(name, path)

    def _steady(self, resource: str, verbs: tuple[Verb, ...]) -> PlanRow | None:
        change = self._changes.get(resource)
        return self.row(change) if change is not None and change.verb in verbs else None
