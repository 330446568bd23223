"""One node's life as pure functions: what its row says in, what to do next out.

Nothing here reads a clock, a row or a cloud. The engine claims a row, asks :func:`task`,
does that, and records what came of it; a fault goes through :func:`after_fault`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from stoker.sdk.fault import Fault
from stoker.usecases.stacks import Action


class Task(StrEnum):
    """What a worker does with a claimed row."""

    SKIP = "skip"  # something that it needs ended badly
    NOTHING = "nothing"  # clean-up of a resource that stays
    ACT = "act"  # begin what is done to the whole stack, or find that it does not apply
    LOOK = "look"  # a create call had no answer: look for what it made
    GO_ON = "go on"  # the next step of the verb under way
    FINISH = "finish"  # the same, for a verb that an older traversal began
    DECIDE = "decide"  # forward: compare and choose a verb
    DELETE = "delete"  # clean-up: begin to delete


@dataclass(frozen=True, slots=True)
class Work:
    """A claimed row as the machine sees it.

    ``forward`` is False in the clean-up part. ``ours``: the verb under way was begun in this
    traversal. ``in_doubt``: a call was intended and its answer is not recorded. ``has_data``:
    a step under way has recorded something, so that there may be parts without an id.
    ``acts``: the traversal checks, suspends or resumes what is there.
    """

    forward: bool
    poisoned: bool
    stays: bool  # current and not doomed
    verb: str | None
    ours: bool
    has_id: bool
    in_doubt: bool
    has_child: bool = False
    has_data: bool = False
    acts: bool = False


def task(work: Work) -> Task:
    """Return what to do with the row now."""
    if work.poisoned:
        return Task.SKIP
    if work.acts:
        return _acting(work)
    if work.verb == "create" and work.in_doubt and not work.has_id:
        return Task.LOOK
    if work.forward:
        return _forward(work)
    if work.stays:
        return Task.NOTHING
    return Task.GO_ON if work.verb == "delete" and work.ours else Task.DELETE


def _forward(work: Work) -> Task:
    if work.verb is None or work.verb == "delete":
        return Task.DECIDE
    if work.ours:
        return Task.GO_ON
    # A child stack is superseded by its next goal; anything else first comes to rest.
    untouched = work.verb == "create" and not (work.has_id or work.has_data)
    return Task.DECIDE if work.has_child or untouched else Task.FINISH


def _acting(work: Work) -> Task:
    if work.verb not in _ACTIONS:  # what a goal left unfinished is the next goal's
        return Task.ACT
    if work.ours:
        return Task.GO_ON
    return Task.ACT if work.has_child else Task.FINISH


_ACTIONS = frozenset(Action)


@dataclass(frozen=True, slots=True)
class Again:
    """Try again after so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Fail:
    """Give up."""


MAX_RETRIES = 10
PASSING = frozenset({Fault.BUSY, Fault.RETRY, Fault.UNKNOWN})
"""Faults that say nothing of the object itself."""

_FIRST, _LONGEST = 0.5, 30.0


def after_fault(
    fault: Fault, attempt: int, jitter: float, retry_after: float | None = None
) -> Again | Fail:
    """Return what follows the ``attempt``-th fault in a row (from 0); ``jitter`` in [0, 1)."""
    if fault not in PASSING or (fault is not Fault.BUSY and attempt >= MAX_RETRIES):
        return Fail()
    pause = min(_LONGEST, _FIRST * 2 ** min(attempt, 10)) * (0.5 + jitter / 2)
    return Again(max(pause, retry_after or 0.0))


def before_retry(tries: int, jitter: float) -> float:
    """Return how long to pause before the ``tries``-th repeat (from 1) of a create, in units."""
    return float(2 ** (tries - 1)) * (1.0 + jitter / 2)
