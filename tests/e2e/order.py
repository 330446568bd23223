"""In which order a stack's resources come and go, as its events tell.

Rule: it looks at nothing but the API's lists of events and resources, so it holds for any Heat.
An event's place in the list is its time: the times themselves are of whole seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
Edges = frozenset[tuple[str, str]]
"""Pairs of names: the second one needs the first."""


def edges(resources: Iterable[Row]) -> Edges:
    """Return who needs whom in a stack, as its list of resources says."""
    return frozenset(
        (str(each["resource_name"]), str(user))
        for each in resources
        for user in each["required_by"]
    )


def at(events: Sequence[Row], name: str, status: str) -> int:
    """Return the place of an event among the others; it must be there once."""
    found = [
        index
        for index, each in enumerate(events)
        if (each["resource_name"], each["resource_status"]) == (name, status)
    ]
    assert len(found) == 1, f"{name} {status}: {len(found)} times in {told(events)}"
    return found[0]


def assert_ordered(events: Sequence[Row], needs: Edges, action: str = "CREATE") -> None:
    """Check that each starts after all that it needs; in a delete, after all that need it."""
    for needed, user in sorted(needs):
        early, late = (user, needed) if action == "DELETE" else (needed, user)
        ended, begun = at(events, early, f"{action}_COMPLETE"), at(events, late, _begun(action))
        assert ended < begun, f"{late} began before {early} was done: {told(events)}"


def assert_together(events: Sequence[Row], names: Iterable[str], action: str = "CREATE") -> None:
    """Check that all of these have begun before the first of them is done."""
    names = sorted(names)
    begun = max(at(events, name, _begun(action)) for name in names)
    ended = min(at(events, name, f"{action}_COMPLETE") for name in names)
    assert begun < ended, f"{names} did not begin together: {told(events)}"


def first(needs: Edges, names: Iterable[str]) -> frozenset[str]:
    """Return those that need nothing."""
    return frozenset(names) - {user for _, user in needs}


def last(needs: Edges, names: Iterable[str]) -> frozenset[str]:
    """Return those that nothing needs."""
    return frozenset(names) - {needed for needed, _ in needs}


def of(events: Iterable[Row], action: str) -> list[Row]:
    """Return the events of one action."""
    return [each for each in events if str(each["resource_status"]).startswith(f"{action}_")]


def told(events: Iterable[Row]) -> str:
    """Return events as a short text."""
    return ", ".join(f"{each['resource_name']} {each['resource_status']}" for each in events)


def _begun(action: str) -> str:
    return f"{action}_IN_PROGRESS"
