"""Why an operation failed: the first thing that went wrong, where it stands, what to do.

Rule: pure. A failure travels up: a nested stack's resource fails, then the resource that holds
the stack, then the stack; what is told is where it began.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stoker.cli.nesting import Key, key_of, linked
from stoker.cli.progress import Progress, State

if TYPE_CHECKING:
    from stoker.cli.gather import Gathered
    from stoker.errors import Path, Place

Row = Mapping[str, Any]
_SIGNAL = "SIGNAL_FAILED"
_STOPPED = re.compile(r"\b(aborted|cancell?ed|superseded)\b", re.IGNORECASE)
_PATH = re.compile(r"\b(?:resources|outputs|parameters|conditions)(?:\.[\w-]+|\[\d+\])+")
_STEP = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Cause:
    """The first failure; ``key`` is empty where it is the stack's own (its time-out, say)."""

    key: Key
    type: str
    status: str
    reason: str
    place: Place | None = None

    @property
    def path(self) -> str:
        return ".".join(self.key)


def first_cause(events: Sequence[Row], progress: Progress, stack: Row) -> Cause:
    """Return the first failure: from ``events``, oldest first, or from what was seen."""
    failures = [*_of_events(events, progress), *_of_items(progress)]
    failures = [each for each in failures if not _STOPPED.search(each.reason)] or failures
    if not failures:
        return Cause((), "", str(stack["stack_status"]), str(stack["stack_status_reason"]))
    first = failures[0]
    while inner := [each for each in failures if _is_within(each.key, first.key)]:
        first = inner[0]
    return first


def _of_events(events: Iterable[Row], progress: Progress) -> list[Cause]:
    known = dict(progress.homes)
    found = []
    for event in events:
        id, stack = str(event.get("physical_resource_id") or ""), linked(event, "stack")
        if id == stack:  # the stack's own; what made it fail has an event, too
            continue
        key = key_of(event, known)
        known.setdefault(id, key)  # a nested stack's id is that of the resource that holds it
        status = str(event["resource_status"])
        if status.endswith("_FAILED") and status != _SIGNAL:  # that fails nothing
            item = progress.items.get(key)
            type = str(event.get("resource_type") or (item.type if item else ""))
            reason = str(event["resource_status_reason"] or "")
            found.append(Cause(key, type, status, reason))
    return found


def _of_items(progress: Progress) -> list[Cause]:
    failed = (item for item in progress.ordered() if item.state is State.FAILED)
    return [
        Cause(item.key, item.type, item.status, item.reason)
        for item in sorted(failed, key=lambda item: item.ended or 0.0)
    ]


def _is_within(key: Key, outer: Key) -> bool:
    return len(key) > len(outer) and key[: len(outer)] == outer


def place_of(key: Key, progress: Progress, source: Gathered) -> Place | None:
    """Return where in its template a resource stands; as near as the files tell."""
    url: str | None = source.url
    found: Place | None = None
    for end in range(1, len(key) + 1):
        places = source.places.get(url or "")
        if places is not None:
            found = places.nearest(("resources", key[end - 1]))
        item = progress.items.get(key[:end])
        url = None if item is None else _template_of(item.type, source)
    return found


def _template_of(type: str, source: Gathered) -> str | None:
    """Return the URL of the template that a type is made of, where it is one of our files."""
    registry = source.environment.get("resource_registry") or {}
    url = str(registry.get(type, type))
    return url if url in source.places else None


def place_in_text(text: str, source: Gathered) -> Place | None:
    """Return the place that a message's ``resources.a.properties`` means in the template."""
    places = source.places.get(source.url or "")
    paths = sorted(_PATH.findall(text), key=len)
    return places.nearest(_steps(paths[-1])) if places is not None and paths else None


def _steps(path: str) -> Path:
    return tuple(int(step) if step.isdecimal() else step for step in _STEP.findall(path))


ADVICE = {
    "CREATE_FAILED": "Correct the cause and deploy again: what is there already stays.",
    "UPDATE_FAILED": "Correct the cause and deploy again: it goes on from what is there.",
    "DELETE_FAILED": "Correct the cause and delete again: what is gone already stays gone.",
    "ROLLBACK_COMPLETE": "All is as before the operation. Correct the cause and deploy again.",
    "ROLLBACK_FAILED": "Correct the cause and deploy again, or delete the stack.",
}
"""What to do next, by the stack's status."""
