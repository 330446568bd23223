"""What check, suspend and resume come to: for a stack that is asked, and for each resource.

They change no goal: a resource that was not made whole, or that is not in a state for the
verb, is left exactly as it is recorded, so that the next update still finds what it has to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from stoker.plan.node import Node, forward
from stoker.plan.plan import Plan
from stoker.usecases.stacks import Action

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stoker.plan.decide import Recorded
    from stoker.plan.node import RowView

ACTIONS = frozenset(action.upper() for action in Action)
"""What the rows of stacks and resources say of them."""

_PARTICIPLE = {Action.CHECK: "Checking", Action.SUSPEND: "Suspending", Action.RESUME: "Resuming"}


class Answer(StrEnum):
    """What a stack that is asked for an action answers."""

    GO = "go"
    DONE = "done"  # or under way
    BUSY = "busy"  # with something that would stay half done
    REFUSED = "refused"


def answer(action: Action, doing: str, status: str) -> Answer:
    """Return what a stack in this state answers."""
    if doing == action.upper() and (status == "IN_PROGRESS" or _lasts(action, status)):
        return Answer.DONE
    if doing == "DELETE":
        return Answer.REFUSED
    if status == "IN_PROGRESS" and not _gives_way(action, doing):
        return Answer.BUSY
    return Answer.REFUSED if action is Action.CHECK and doing == "SUSPEND" else Answer.GO


def refusal(action: Action, doing: str) -> str:
    """Return the text of a refusal."""
    state = {"SUSPEND": "suspended", "DELETE": "being deleted"}.get(doing, doing)
    return f"{_PARTICIPLE[action]} a stack when it is {state} is not supported."


def _lasts(action: Action, status: str) -> bool:
    return action is not Action.CHECK and status == "COMPLETE"


def _gives_way(action: Action, doing: str) -> bool:
    """Suspending and resuming undo each other, and a check is only a look."""
    return doing in ACTIONS and action is not Action.CHECK


class Turn(StrEnum):
    """What an action means for a resource that it has come to."""

    BEGIN = "begin"
    NOTHING = "nothing"
    END_CHECK = "end check"  # under way in the child below, which ends for nobody now


@dataclass(frozen=True, slots=True)
class Refused:
    """The resource is not in a state for it; ``reason`` says why. ``is_finding``: a check has
    found that out, and the resource shows it."""

    reason: str
    is_finding: bool = False


def turn(action: Action, recorded: Recorded, under_way: str | None = None) -> Turn | Refused:
    """Return what the action means for the resource. What is ``under_way`` on its row may be
    another's, which this one has superseded."""
    found = _turn(action, recorded)
    return Turn.END_CHECK if found is Turn.NOTHING and under_way == Action.CHECK else found


def _turn(action: Action, recorded: Recorded) -> Turn | Refused:
    if recorded.applied is None or recorded.action in ("INIT", "DELETE"):
        return _unmade(action, recorded)
    match action:
        case Action.CHECK:
            return _check(recorded)
        case Action.SUSPEND:
            return _suspend(recorded)
        case Action.RESUME:
            return _resume(recorded)


def _unmade(action: Action, recorded: Recorded) -> Turn | Refused:
    if action is Action.RESUME or (action is Action.SUSPEND and not recorded.made):
        return Turn.NOTHING
    if recorded.action == "INIT":
        return Refused("it is not created yet")
    if recorded.action == "CHECK":  # that it was never whole is what it shows already
        return Refused("it was never whole", is_finding=True)
    text = f"it was never whole: it is {recorded.action}_{recorded.status}"
    return Refused(text, is_finding=action is Action.CHECK)


def _check(recorded: Recorded) -> Turn | Refused:
    if _is_suspended(recorded):
        return Refused("it is suspended; resume the stack first")
    return Turn.BEGIN


def _suspend(recorded: Recorded) -> Turn | Refused:
    if (recorded.action, recorded.status) == ("SUSPEND", "COMPLETE"):
        return Turn.NOTHING
    if recorded.status == "FAILED" and recorded.action not in ("SUSPEND", "RESUME"):
        return Refused(f"it is {recorded.action}_FAILED; update the stack first")
    return Turn.BEGIN


def _resume(recorded: Recorded) -> Turn | Refused:
    return Turn.BEGIN if _is_suspended(recorded) else Turn.NOTHING


def _is_suspended(recorded: Recorded) -> bool:
    """Tell whether it is, wholly or perhaps: as long as no resume has succeeded."""
    state = recorded.action, recorded.status
    return recorded.action in ("SUSPEND", "RESUME") and state != ("RESUME", "COMPLETE")


def plan_action(action: Action, rows: Iterable[RowView]) -> Plan:
    """Return the plan that takes the action to each resource of the last goal, users of a
    resource before it when they are suspended, else after it.

    These rows were all given their needs by one goal, so there is no cycle among them.
    """
    ids = {row.name: row.id for row in rows if row.stays and not row.doomed}
    pairs = [
        (row.id, ids[need])
        for row in rows
        if ids.get(row.name) == row.id
        for need in row.requires
        if need in ids
    ]
    needs: dict[Node, set[Node]] = {forward(i): set() for i in ids.values()}
    for user, need in pairs:
        first, then = (user, need) if action is Action.SUSPEND else (need, user)
        needs[forward(then)].add(forward(first))
    return Plan((), {node: frozenset(each) for node, each in needs.items()})
