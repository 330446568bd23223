"""Desired against recorded: the plan of an operation, a value that can be printed and stored.

Nodes are (forward, row); a resource whose outcome is KEEP and whose needs have no node gets
none, so that an update without change is no work at all. Forward nodes follow the template's
dependencies. A clean-up node waits for the forward node of its own row, for the forward nodes
of everything that used it or its replacement, and for the clean-up of what used it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stoker.errors import Code, Invalid, Problem
from stoker.lang.expression import evaluate
from stoker.lang.unknown import UNKNOWN
from stoker.plan.decide import Decision, Verb, decide, decide_external
from stoker.plan.node import Node, RowView, cleanup, forward
from stoker.plan.users import users

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stoker.plan.desired import Desired, Want

_IN_PLACE = (Verb.KEEP, Verb.UPDATE)


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to one resource, and why. ``row`` is None for a new one."""

    name: str
    verb: Verb
    reason: str
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Changes in the template's order, then removals; nodes with what each needs.

    ``returned`` are rows that were replaced and take their names back, ``held`` those that stay
    for now what they were to be before.
    """

    changes: tuple[Change, ...]
    needs: Mapping[Node, frozenset[Node]]
    doomed: frozenset[int] = frozenset()
    returned: frozenset[int] = frozenset()
    held: frozenset[int] = frozenset()


def plan_delete(rows: Iterable[RowView]) -> Plan:
    """Return the plan that removes every recorded resource, dependents first."""
    rows = list(rows)
    changes = tuple(Change(r.name, Verb.DELETE, "the stack is deleted", r.id) for r in rows)
    clean = {r.id: r for r in rows}
    needs = {cleanup(i): frozenset(n) for i, n in users(clean).items()}
    return Plan(changes, needs, frozenset(clean))


def plan_goal(desired: Desired, rows: Iterable[RowView], *, undoable: bool = False) -> Plan:
    """Return the plan that brings what is recorded to what is desired (a create has no rows).

    ``undoable``: it may have to be rolled back, so what is replaced goes only when everything
    that hangs on the replacement is done. Raises Invalid, with every problem, for changes that
    types do not allow.
    """
    return _Goal(desired, list(rows), undoable=undoable).plan()


def _is_begun(row: RowView) -> bool:
    recorded = row.recorded()
    return recorded.made or recorded.verb is not None


def _fixed_id(want: Want) -> Problem:
    at = ("resources", want.definition.name, "external_id")
    text = "external_id cannot change; give the resource another name"
    return Problem(text, at, want.definition.place, code=Code.EXTERNAL_ID)


class _Goal:
    """The working state of one planning."""

    def __init__(self, desired: Desired, rows: list[RowView], *, undoable: bool) -> None:
        self.desired, self.rows, self.undoable = desired, rows, undoable
        self.current = {r.name: r for r in rows if r.stays}
        self.former: dict[str, list[RowView]] = defaultdict(list)
        for row in rows:
            if row.returnable:
                self.former[row.name].append(row)
        self.returned: set[int] = set()
        self.held: set[int] = set()
        self.changes: dict[str, Change] = {}
        self.forward: dict[str, Node] = {}
        self.problems: list[Problem] = []

    def plan(self) -> Plan:
        for wave in self.desired.graph.waves():
            for name in wave:
                self._decide(name)
        if self.problems:
            raise Invalid(self.problems)
        gone = [r for r in self.rows if not self._continues(r)]
        removals = tuple(
            Change(r.name, Verb.DELETE, "the template no longer has it", r.id) for r in gone
        )
        changes = tuple(self.changes[n] for n in self.desired.wants)
        needs = {**self._forward_needs(), **self._cleanup_needs(gone)}
        self._make_room(needs, gone)
        doomed = frozenset(r.id for r in gone)
        return Plan(
            changes + removals, needs, doomed, frozenset(self.returned), frozenset(self.held)
        )

    def _continues(self, row: RowView) -> bool:
        return row.name in self.desired.wants and self.current.get(row.name) is row

    def _decide(self, name: str) -> None:
        want, row = self.desired.wants[name], self.current.get(name)
        if row is not None and self._is_held(want, row):
            self.held.add(row.id)
            self.changes[name] = Change(name, Verb.KEEP, "it changes with another goal", row.id)
            return
        decision = self._decision(want, row)
        if decision.verb not in _IN_PLACE:
            row, decision = self._former(want, row, decision)
        self.changes[name] = Change(name, decision.verb, decision.reason, row.id if row else None)
        idle = (
            decision.verb is Verb.KEEP
            and row is not None
            and row.resting
            and row.reached
            and row.same_metadata(want)
            and "pre-update" not in want.hooks
        )
        if not idle or any(n in self.forward for n in self.desired.graph.needs[name]):
            self.forward[name] = forward(row.id if row is not None else name)

    def _is_held(self, want: Want, row: RowView) -> bool:
        """Tell whether it stays what it was to be before.

        Where a goal before this one may not have come to it, that only goes for nested stacks:
        the goal that no longer holds them brings them up to date in any case.
        """
        settled = row.resting and (row.reached or want.kind.has_child)
        return row.name in self.desired.held and settled and not row.observed

    def _decision(self, want: Want, row: RowView | None) -> Decision:
        if row is None:
            return decide(want.kind, want.type_name, None, {})
        if row.observed:
            return Decision(Verb.OPEN, "it is looked at first")
        return self._as_recorded(want, row)

    def _as_recorded(self, want: Want, row: RowView) -> Decision:
        steady = not (want.kind.has_child or want.kind.always_updated)
        settled = row.resting and row.reached and steady
        if settled and row.same_definition(want) and not self._moving(want):
            return Decision(Verb.KEEP, "nothing changed")
        external = want.definition.external_id
        if external != row.external_id and _is_begun(row):
            self.problems.append(_fixed_id(want))
        if external is not None:
            return decide_external(want.type_name, row.recorded())
        try:
            wanted = evaluate(want.definition.properties, self)
        except Invalid as e:  # told when its turn comes, with the values of then
            return Decision(Verb.OPEN, str(e))
        if wanted is UNKNOWN:
            return Decision(Verb.OPEN, "it depends on values that are not known yet")
        try:
            return decide(want.kind, want.type_name, row.recorded(), wanted or {})
        except Invalid as e:
            at = ("resources", row.name, "properties")
            self.problems.extend(replace(p, at=(*at, *p.at)) for p in e.problems)
            return Decision(Verb.OPEN, str(e))

    def _former(
        self, want: Want, row: RowView | None, decision: Decision
    ) -> tuple[RowView | None, Decision]:
        """Return the row that was replaced and is just as wanted, or is a nested stack that can be
        brought to it, if there is one.

        A goal that goes back to what was must not make a third object beside it.
        """
        for former in reversed(self.former[want.definition.name]):
            back = self._as_recorded(want, former)
            if back.verb is Verb.KEEP:
                verb = Verb.OPEN if former.observed else Verb.KEEP
                back = Decision(verb, "the object that was replaced is as wanted")
            elif not (want.kind.has_child and back.verb is Verb.UPDATE):
                continue
            self.current[former.name] = former
            self.returned.add(former.id)
            return former, back
        return row, decision

    def _moving(self, want: Want) -> bool:
        return any(n in self.forward for n in want.definition.requires)

    # references during planning

    def reference(self, resource: str) -> Any:
        change, row = self.changes.get(resource), self.current.get(resource)
        steady = change is not None and change.verb in _IN_PLACE
        return row.reference() if steady and row is not None and row.resting else UNKNOWN

    def attribute(self, resource: str, name: str | None, path: tuple[Any, ...]) -> Any:
        change, row = self.changes.get(resource), self.current.get(resource)
        steady = change is not None and change.verb is Verb.KEEP
        known = steady and row is not None and row.resting
        return row.attribute(name, path) if known and row is not None else UNKNOWN

    # the graph

    def _forward_needs(self) -> dict[Node, frozenset[Node]]:
        needs = self.desired.graph.needs
        return {
            node: frozenset(self.forward[n] for n in needs[name] if n in self.forward)
            for name, node in self.forward.items()
        }

    def _cleanup_needs(self, gone: list[RowView]) -> dict[Node, frozenset[Node]]:
        clean = {r.id: r for r in gone}
        for name in self.forward:
            row = self.current.get(name)
            # A row at rest is dealt with as planned; any other is decided at its turn.
            sure = row is not None and row.resting and self.changes[name].verb in _IN_PLACE
            if row is not None and not sure:
                clean[row.id] = row
        used_by = users(clean)
        named = self._users_by_name(clean.values())
        return {
            cleanup(i): frozenset(used_by[i] | {self.forward[n] for n in named[row.name]})
            for i, row in clean.items()
        }

    def _make_room(self, needs: dict[Node, frozenset[Node]], gone: list[RowView]) -> None:
        """Let objects that hold what new ones need exclusively go first."""
        held = {value: row.id for row in gone for value in row.exclusive()}
        if not held:
            return
        for name, node in self.forward.items():
            if self.changes[name].verb in _IN_PLACE:
                continue
            for holder in {held[v] for v in self._exclusive(name) if v in held}:
                needs[node] |= {cleanup(holder)}
                needs[cleanup(holder)] = frozenset()

    def _exclusive(self, name: str) -> frozenset[object]:
        want = self.desired.wants[name]
        try:
            wanted = evaluate(want.definition.properties, self)
            if wanted is UNKNOWN:
                return frozenset()
            values: frozenset[object] = want.kind.exclusive(want.kind.Props.parse(wanted or {}))
        except Invalid:  # told when its turn comes
            return frozenset()
        return values

    def _users_by_name(self, clean: Iterable[RowView]) -> dict[str, set[str]]:
        """Return, for each name to clean, the forward names that use it or have it."""
        found: dict[str, set[str]] = {r.name: set() for r in clean}
        for row in self.rows:
            for need in row.requires:
                if need in found and row.name in self.forward:
                    found[need].add(row.name)
        for name in self.forward:
            if name in found:
                found[name].add(name)
            for need in self.desired.graph.needs[name]:
                if need in found:
                    found[need].add(name)
        if self.undoable:
            for name in found.keys() & self.forward.keys():
                found[name] |= self._last_users(name)
        return found

    def _last_users(self, name: str) -> set[str]:
        """Return, of all that hangs on it, what nothing else hangs on: done, all is done."""
        users = self.desired.graph.needed_by
        found: set[str] = set()
        seen, left = {name}, [name]
        while left:
            more = [user for user in users[left.pop()] if user in self.forward]
            found |= {user for user in more if not users[user] & self.forward.keys()}
            left += [user for user in more if user not in seen]
            seen.update(more)
        return found
