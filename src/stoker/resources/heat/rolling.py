"""Members of a group in batches, with pauses between them: ``rolling_update``, ``batch_create``.

Rule: what comes next is told from what the child stack is to be as yet and from what the group
is to be; so an update that takes over from an unfinished one, or a rollback, goes on from there.
Where too few members would be in service meanwhile, the group grows beyond its size for a while.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from stoker.errors import Invalid, Kind, Problem
from stoker.resources.heat.nesting import members_below
from stoker.sdk.resource import At, Child, Step, Wait
from stoker.sdk.schema import Props, prop

Definitions = Mapping[str, Any]
"""Definitions of members by name."""

_ROLLING: Final = "rolling"
_UNTIL: Final = "until"
_TOO_LONG: Final = "The current update policy will result in stack update timeout."


class Batches(Props):
    max_batch_size: int = prop("Members that change at the same time.", default=1, at_least=1)
    pause_time: float = prop("Seconds between two batches.", default=0, at_least=0)


class RollingUpdate(Batches):
    min_in_service: int = prop("Members that are there whatever changes.", default=0, at_least=0)


@dataclass(frozen=True, slots=True)
class Group:
    """What a group is to be.

    ``names(n)`` are the names of its members if it had n of them, ``define`` gives the definition
    of one. Those ``removed`` are not among them.
    """

    size: int
    names: Callable[[int], Collection[str]]
    define: Callable[[str], Any]
    removed: Collection[str] = ()

    def whole(self) -> dict[str, Any]:
        """Return all members as they are to be in the end."""
        return {name: self.define(name) for name in self.names(self.size)}

    def redefines(self, present: Definitions) -> bool:
        """Tell whether a member that stays gets another definition."""
        return any(present.get(name, each) != each for name, each in self.whole().items())


@dataclass(frozen=True, slots=True)
class Pace:
    """How many members change at a time, with how many ``in_service`` and seconds of ``pause``."""

    batch: int
    pause: float
    in_service: int = 0

    @classmethod
    def of(cls, batches: Batches | None) -> Pace | None:
        """Return the pace that an update policy says, if it says one."""
        if batches is None:
            return None
        in_service = batches.min_in_service if isinstance(batches, RollingUpdate) else 0
        return cls(batches.max_batch_size, batches.pause_time, in_service)


def created(
    at: At[Any], group: Group, first: Batches | None, child: Callable[[Definitions], Child]
) -> Step | None:
    """Return the next step of a group's creation, or None where it is all there."""
    pace = Pace.of(first)
    return _step(at, group, pace, members_below(at) if pace else {}, child)


def updated(
    at: At[Any], group: Group, rolling: Batches | None, child: Callable[[Definitions], Child]
) -> Step | None:
    """Return the next step of a group's update, or None where it is what it is to be.

    Only new definitions of members go in batches: that some come or go alone does not, as in Heat.
    """
    pace = Pace.of(rolling)
    present = members_below(at) if pace else {}
    if _ROLLING not in at.data and not (pace and group.redefines(present)):
        pace = None
    return _step(at, group, pace, present, child)


def _step(
    at: At[Any],
    group: Group,
    pace: Pace | None,
    present: Definitions,
    child: Callable[[Definitions], Child],
) -> Step | None:
    """Return the next step; ``present`` are the members that the child stack is to have as yet.

    Raises Invalid where the pauses alone would take all the time there is.
    """
    if pace is None:
        return child(group.whole()) if at.child is None else None
    if at.child is None:
        _check_time(at, group, pace, present)
    elif present == group.whole():
        return None
    elif (left := _left_of_pause(at, pace)) > 0:
        return Wait(left, {_ROLLING: True, _UNTIL: at.clock() + left})
    members = next_members(group, pace, present)
    same = (name for name, each in members.items() if present.get(name) == each)
    held = frozenset(() if members == group.whole() else same)
    return replace(child(members), data={_ROLLING: True}, held=held)


def next_members(group: Group, pace: Pace, present: Definitions) -> dict[str, Any]:
    """Return the members after the next batch: first those with the highest index change."""
    whole = group.whole()
    old = {name: each for name, each in present.items() if name not in group.removed}
    ready = sum(old.get(name) == each for name, each in whole.items())
    capacity, changes = next(_batches(group.size, len(old), ready, pace), (group.size, 0))
    names = list(group.names(capacity))
    rank = {name: group.size - i if i < group.size else capacity for i, name in enumerate(names)}
    kept = sorted(old, key=lambda name: rank.get(name, 0))[max(0, len(old) - capacity) :]
    new = [name for name in names if name not in old][: capacity - len(kept)]
    left = changes - len(new)
    members = {name: group.define(name) for name in new}
    for name in kept:
        wanted = group.define(name)
        is_changed = left > 0 and old[name] != wanted
        members[name] = wanted if is_changed else old[name]
        left -= is_changed
    if members == present:  # names have gaps that no batch fills
        return whole
    order = {name: i for i, name in enumerate(names)}
    return {name: members[name] for name in sorted(members, key=lambda n: order.get(n, capacity))}


def _batches(size: int, current: int, ready: int, pace: Pace) -> Iterator[tuple[int, int]]:
    """Yield how many members there are after each batch, and how many of them it changes or adds,
    until ``size`` members, all ``ready``, are there."""
    while not ready >= current == size:
        changes = min(pace.batch, max(size - ready, 0))
        capacity = changes + max(min(current, size - changes), min(pace.in_service, size, current))
        yield capacity, changes
        ready += changes - max(capacity - max(current, size), 0)  # what is too many does not count
        current = capacity


def _left_of_pause(at: At[Any], pace: Pace) -> float:
    until: float | None = at.data.get(_UNTIL)
    return pace.pause if until is None else until - at.clock()


def _check_time(at: At[Any], group: Group, pace: Pace, present: Definitions) -> None:
    if not pace.pause or at.deadline is None:
        return
    whole = group.whole()
    ready = sum(present.get(name) == each for name, each in whole.items())
    current = sum(name not in group.removed for name in present)
    batches = sum(1 for _ in _batches(group.size, current, ready, pace))
    if pace.pause * (batches - 1) >= at.deadline - at.clock():
        where = ("resources", at.logical_name, "update_policy")
        raise Invalid([Problem(_TOO_LONG, where, kind=Kind.PROPERTY)])
