"""How far a stack's graph has come: a value that each look at the API moves on.

Rule: pure. What is seen comes in as the API's answers and a time in seconds; what is shown goes
out as values. A resource is known by its path: the names from the stack down to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from stoker.cli.nesting import Key, homes, key_of

Mark = tuple[str, str, str]
"""By what a row is seen to have changed: status, time of its last change, physical id."""
Row = Mapping[str, Any]


class State(StrEnum):
    """Where a resource stands in the operation that is watched; the values are its symbols."""

    WAITING = "·"
    KEPT = "="
    WORKING = "●"
    DONE = "✔"
    FAILED = "✘"


@dataclass(frozen=True, slots=True)
class Item:
    """A resource. ``needs`` are those that it waits for; times are None until they come.

    ``idle`` is the last look at which nobody had worked on what has ended by the next one.
    ``was`` is how it stood before the operation; None for one that was not there.
    """

    key: Key
    type: str
    needs: tuple[Key, ...] = ()
    state: State = State.WAITING
    status: str = ""
    reason: str = ""
    begun: float | None = None
    ended: float | None = None
    idle: float | None = None
    was: Mark | None = None

    @property
    def name(self) -> str:
        return self.key[-1]

    @property
    def path(self) -> str:
        return ".".join(self.key)

    def seconds(self, now: float) -> float | None:
        """Return how long it has been worked on; None when nobody saw that."""
        if self.begun is None:
            return None
        return (now if self.ended is None else self.ended) - self.begun

    @property
    def at_most(self) -> float | None:
        """The most that it can have taken, where nobody saw it worked on."""
        if self.begun is not None or self.ended is None or self.idle is None:
            return None
        return self.ended - self.idle


@dataclass(frozen=True, slots=True)
class Progress:
    """The graph of one operation: ``action`` is CREATE, UPDATE, DELETE or another of Heat's.

    ``homes`` has the key of the resource that each nested stack belongs to, by the stack's id;
    ``looked`` is when it was looked at, or when the operation was asked for; None: nobody knows.
    """

    action: str
    items: Mapping[Key, Item] = field(default_factory=dict)
    homes: Mapping[str, Key] = field(default_factory=dict)
    looked: float | None = None

    def count(self, *states: State) -> int:
        """Return how many are in one of the states."""
        return sum(item.state in states for item in self.items.values())

    def waits(self) -> dict[Key, tuple[Key, ...]]:
        """Return what each that cannot begin yet waits for.

        One that is there already waits when something that it needs is being worked on: only
        then can be known whether it changes, too.
        """
        found: dict[Key, tuple[Key, ...]] = {}
        for item in self.ordered():
            if item.state in (State.WAITING, State.KEPT):
                names = tuple(key for key in item.needs if self._holds_up(key, item, found))
                if names:
                    found[item.key] = names
        return found

    def _holds_up(self, key: Key, item: Item, waiting: Mapping[Key, object]) -> bool:
        need = self.items.get(key)
        if need is None or need.state is State.DONE:
            return False
        if State.KEPT in (item.state, need.state):
            return need.state in (State.WORKING, State.FAILED) or key in waiting
        return True

    def ordered(self) -> list[Item]:
        """Return the items as a tree: each after what it needs, and what is in it after it."""
        depths: dict[Key, int] = {}
        for key in self.items:
            _measure(key, self.items, depths)
        return sorted(self.items.values(), key=lambda item: _rank(item.key, depths))


def beginning(action: str, listed: Sequence[Row] = (), *, since: str = "") -> Progress:
    """Return the start of an operation on the resources that are there.

    ``since`` is when it began, if that was before the look: what has changed after it counts
    as done by it.
    """
    before = [row for row in listed if not since or str(row.get("updated_time") or "") < since]
    start = advanced(Progress(action), before, 0.0)
    marks = {key_of(row, start.homes): _mark(row) for row in before}
    items = {
        key: Item(key, item.type, item.needs, status=item.status, was=marks[key])
        for key, item in start.items.items()
    }
    start = replace(start, items=items)
    return advanced(replace(start, looked=None), listed, 0.0) if listed else start


def advanced(before: Progress, listed: Sequence[Row], now: float) -> Progress:
    """Return the progress after a look: ``listed`` is the API's list of resources at ``now``."""
    known = {**before.homes, **homes(listed)}
    rows = _one_each(listed, known)
    needs = _needs(rows, before.action)
    items = dict(before.items)
    for key, row in rows.items():
        item = items.get(key)
        if item is None:
            item = Item(key, str(row["resource_type"]), needs[key])
        elif before.action != "DELETE":  # there needs get less as others are deleted
            item = replace(item, type=str(row["resource_type"]), needs=needs[key])
        items[key] = _moved(item, row, before.action, now, before.looked)
    for key in items.keys() - rows.keys():
        items[key] = _gone(items[key], before, now)
    return Progress(before.action, items, known, now)


def doubtful(before: Progress, listed: Sequence[Row]) -> frozenset[Key]:
    """Return what looks as it did before the operation, but for the time of its last change.

    A service may set that time where it only looked whether something is to be done.
    """
    if before.action in ("CREATE", "DELETE"):
        return frozenset()
    known = {**before.homes, **homes(listed)}
    rows = {key_of(row, known): _mark(row) for row in listed}
    return frozenset(
        key
        for key, (status, time, id) in rows.items()
        if (item := before.items.get(key)) is not None
        and item.begun is None
        and item.was is not None
        and item.was != (status, time, id)
        and (item.was[0], item.was[2]) == (status, id)
    )


def as_before(before: Progress, listed: Sequence[Row], keys: frozenset[Key]) -> Progress:
    """Return the progress that takes how ``keys`` look now for how they were before."""
    known = {**before.homes, **homes(listed)}
    marks = {key_of(row, known): _mark(row) for row in listed}
    items = {
        key: replace(item, was=marks[key]) if key in keys else item
        for key, item in before.items.items()
    }
    return replace(before, items=items)


def _rank(key: Key, depths: Mapping[Key, int]) -> tuple[tuple[int, int, int, str], ...]:
    """Return what sorts keys as a tree: at each level by depth, then by number or name."""
    return tuple(
        (
            depths.get(key[: end + 1], 0),
            0 if name.isdecimal() else 1,
            int(name) if name.isdecimal() else 0,
            name,
        )
        for end, name in enumerate(key)
    )


def _measure(key: Key, items: Mapping[Key, Item], depths: dict[Key, int]) -> None:
    """Note the depth of ``key`` and of all below it, without recursion: chains may be long."""
    pending = [key]
    entered: set[Key] = set()
    while pending:
        current = pending[-1]
        needs = [each for each in items[current].needs if each in items]
        unknown = [each for each in needs if each not in depths and each not in entered]
        entered.add(current)
        if current in depths or not unknown:
            depths.setdefault(current, 1 + max((depths.get(each, 0) for each in needs), default=-1))
            pending.pop()
        else:
            pending += unknown


def _one_each(listed: Sequence[Row], known: Mapping[str, Key]) -> dict[Key, Row]:
    """Return the rows by key; of two objects of one resource the one that is worked on."""
    rows: dict[Key, Row] = {}
    for row in listed:
        key = key_of(row, known)
        if key not in rows or not str(rows[key]["resource_status"]).endswith("IN_PROGRESS"):
            rows[key] = row
    return rows


def _needs(rows: Mapping[Key, Row], action: str) -> dict[Key, tuple[Key, ...]]:
    """Return what each waits for: what it refers to; in a delete what refers to it."""
    users = {
        key: sorted((*key[:-1], str(name)) for name in row.get("required_by") or ())
        for key, row in rows.items()
    }
    if action == "DELETE":
        return {key: tuple(found) for key, found in users.items()}
    needs: dict[Key, list[Key]] = {key: [] for key in rows}
    for key, found in users.items():
        for user in found:
            if user in needs:
                needs[user].append(key)
    return {key: tuple(sorted(found)) for key, found in needs.items()}


def _mark(row: Row) -> Mark:
    names = ("resource_status", "updated_time", "physical_resource_id")
    status, updated, id = (str(row.get(name) or "") for name in names)
    return status, updated, id


def _moved(item: Item, row: Row, action: str, now: float, idle: float | None) -> Item:
    status = str(row["resource_status"])
    state = _state(item, row, action)
    item = replace(
        item,
        state=state,
        status=status,
        reason=str(row.get("resource_status_reason") or ""),
    )
    if state is State.WORKING:
        return replace(item, begun=now if item.begun is None else item.begun, ended=None)
    if state in (State.DONE, State.FAILED) and item.ended is None:
        return replace(item, ended=now, idle=idle)
    return item


def _state(item: Item, row: Row, action: str) -> State:
    doing, _, outcome = str(row["resource_status"]).partition("_")
    if outcome == "IN_PROGRESS":
        return State.WORKING
    if doing == "INIT":
        return State.WAITING
    if item.was == _mark(row) and item.begun is None:
        return State.WAITING if action == "DELETE" else State.KEPT
    if outcome == "FAILED":
        return State.FAILED
    return State.DONE if action != "DELETE" or doing == "DELETE" else State.WAITING


def _gone(item: Item, before: Progress, now: float) -> Item:
    """Return an item that is not listed any more; what never began leaves no trace."""
    if before.action != "DELETE" and item.state is State.WAITING:
        return item
    if item.ended is None or item.state is State.FAILED:
        item = replace(item, ended=now, idle=before.looked)
    return replace(item, state=State.DONE, status="DELETE_COMPLETE", reason="")
