"""How far a stack's graph has come: a value that each look at the API moves on.

Rule: pure. What is seen comes in as the API's answers and a time in seconds; what is shown goes
out as values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any


class State(StrEnum):
    """Where a resource stands in the operation that is watched; the values are its symbols."""

    WAITING = "·"
    WORKING = "●"
    DONE = "✔"
    FAILED = "✘"


@dataclass(frozen=True, slots=True)
class Item:
    """A resource. ``needs`` are the names that it waits for; times are None until they come."""

    name: str
    type: str
    needs: tuple[str, ...] = ()
    state: State = State.WAITING
    status: str = ""
    reason: str = ""
    begun: float | None = None
    ended: float | None = None

    def seconds(self, now: float) -> float | None:
        """Return how long it has been worked on; None when it was not yet."""
        if self.begun is None:
            return None
        return (now if self.ended is None else self.ended) - self.begun


@dataclass(frozen=True, slots=True)
class Progress:
    """The graph of one operation: ``action`` is CREATE, UPDATE or DELETE."""

    action: str
    items: Mapping[str, Item]

    @property
    def done(self) -> int:
        return sum(item.state is State.DONE for item in self.items.values())

    def waits_for(self, item: Item) -> tuple[str, ...]:
        """Return the names of what has to be done before the item can begin."""
        if item.state is not State.WAITING:
            return ()
        return tuple(
            name
            for name in item.needs
            if name in self.items and self.items[name].state is not State.DONE
        )

    def ordered(self) -> list[Item]:
        """Return the items so that each comes after what it needs; by name where that is open."""
        depths: dict[str, int] = {}
        for name in self.items:
            _measure(name, self.items, depths)
        return sorted(self.items.values(), key=lambda item: (depths[item.name], item.name))


def undoing(done: Progress) -> Progress:
    """Return the start of the delete of what ``done`` made: the same graph, the other way round."""
    users: dict[str, list[str]] = {name: [] for name in done.items}
    for item in done.items.values():
        for name in item.needs:
            if name in users:
                users[name].append(item.name)
    return Progress(
        "DELETE",
        {
            item.name: Item(item.name, item.type, tuple(sorted(users[item.name])))
            for item in done.items.values()
        },
    )


def _measure(name: str, items: Mapping[str, Item], depths: dict[str, int]) -> None:
    """Note the depth of ``name`` and of all below it, without recursion: chains may be long."""
    pending = [name]
    while pending:
        current = pending[-1]
        needs = [each for each in items[current].needs if each in items]
        unknown = [each for each in needs if each not in depths]
        if current in depths or not unknown:
            depths.setdefault(current, 1 + max((depths[each] for each in needs), default=-1))
            pending.pop()
        else:
            pending += unknown


def advanced(before: Progress, listed: Sequence[Mapping[str, Any]], now: float) -> Progress:
    """Return the progress after a look: ``listed`` is the API's list of resources at ``now``."""
    needs = _needs(listed, before.action)
    items = dict(before.items)
    for row in listed:
        name = str(row["resource_name"])
        # What was seen first stays: it gets less as others are deleted.
        known = items.get(name) or Item(name, str(row["resource_type"]), needs[name])
        items[name] = _moved(
            known,
            str(row["resource_status"]),
            str(row.get("resource_status_reason") or ""),
            (before.action, now),
        )
    if before.action == "DELETE":
        here = {str(row["resource_name"]) for row in listed}
        for name in items.keys() - here:
            items[name] = _moved(items[name], "DELETE_COMPLETE", "", (before.action, now))
    return Progress(before.action, items)


def _needs(listed: Sequence[Mapping[str, Any]], action: str) -> dict[str, tuple[str, ...]]:
    """Return what each waits for: what it refers to; in a delete what refers to it."""
    required_by = {str(row["resource_name"]): tuple(row["required_by"]) for row in listed}
    if action == "DELETE":
        return {name: tuple(sorted(users)) for name, users in required_by.items()}
    needs: dict[str, list[str]] = {name: [] for name in required_by}
    for name, users in required_by.items():
        for user in users:
            if user in needs:
                needs[user].append(name)
    return {name: tuple(sorted(names)) for name, names in needs.items()}


def _moved(item: Item, status: str, reason: str, at: tuple[str, float]) -> Item:
    action, now = at
    state = _state(status, action)
    if state is State.WAITING:
        return replace(item, status=status, reason=reason)
    begun = now if item.begun is None else item.begun
    over = state in (State.DONE, State.FAILED)
    ended = (now if item.ended is None else item.ended) if over else None
    return replace(item, state=state, status=status, reason=reason, begun=begun, ended=ended)


def _state(status: str, action: str) -> State:
    doing, _, outcome = status.partition("_")
    if doing != action:
        return State.WAITING
    return {"COMPLETE": State.DONE, "FAILED": State.FAILED}.get(outcome, State.WORKING)
