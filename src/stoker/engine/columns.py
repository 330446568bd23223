"""What is written on a resource's row where a verb begins, ends, fails or is given up.

A check that could not be carried out leaves its verb on the row: it has found nothing, and
whatever comes next repeats it first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.plan.acting import ACTIONS
from stoker.usecases.stacks import Action

if TYPE_CHECKING:
    from stoker.store.claims import Claim

REMOVE = "remove"
"""The verb that deletes a broken object in the course of a create."""

ADOPT = "adopt"
"""The verb that takes an object on; it is on the row from the request on, so that whatever is
asked for next first comes to know what there is."""

SETTLED: dict[str, Any] = {"intent_at": None}


def acting(claim: Claim) -> Action | None:
    """Return what is done to the whole stack in the claim's traversal, if that is no goal's.

    It is never done to the copies that snapshots keep.
    """
    action = claim.stack.action
    is_copy = claim.row.snapshot_id is not None
    return Action(action.lower()) if action in ACTIONS and not is_copy else None


def verb_of(claim: Claim) -> str:
    """Return the verb under way, or the one that the claim is about to begin."""
    if not claim.forward:
        return "delete"
    action = acting(claim)
    if action is not None and not is_acted_on(claim.row):
        return action
    if claim.row.verb == REMOVE:
        return "create"
    return claim.row.verb or ("create" if claim.row.action == "INIT" else "update")


def is_acted_on(row: Any) -> bool:
    """Tell whether a check, a suspend or a resume has begun on the row."""
    return row.verb is not None and is_action(row.verb)


def is_action(verb: str) -> bool:
    """Tell whether the verb changes no goal."""
    return verb.upper() in ACTIONS


def is_unbegun(claim: Claim) -> bool:
    """Tell whether an action has not begun on the claim's row: then the row is left as it is."""
    return acting(claim) is not None and not is_acted_on(claim.row)


def as_it_was(claim: Claim) -> dict[str, Any]:
    """Return the columns of a row that is left as it is: the claim has noted an intent."""
    return {"intent_at": claim.row.intent_at}


def under_way(verb: str, traversal_id: str) -> dict[str, Any]:
    """Return the columns of a row on which a verb begins."""
    return {
        "action": verb.upper(),
        "status": "IN_PROGRESS",
        "status_reason": "state changed",
        "verb": verb,
        "verb_traversal": traversal_id,
        "intent_at": None,  # going on sets it
        "child_traversal": None,
    }


def at_rest(verb: str, status: str, reason: str = "state changed") -> dict[str, Any]:
    """Return the columns of a row on which nothing goes on."""
    return {
        "action": verb.upper(),
        "status": status,
        "status_reason": reason,
        "verb": None,
        "verb_traversal": None,
        "intent_at": None,
        "child_traversal": None,
    }


def at_rest_in_doubt(verb: str, status: str, reason: str = "state changed") -> dict[str, Any]:
    """Return the columns of a row on which nothing goes on, but for a create in doubt."""
    rest = at_rest(verb, status, reason)
    return {name: rest[name] for name in rest.keys() - {"verb", "verb_traversal", "intent_at"}}


def given_up(verb: str, reason: str) -> dict[str, Any]:
    """Return the columns of a failure that says nothing of the object itself."""
    if verb == Action.CHECK:
        return at_rest_in_doubt(verb, "FAILED", reason) | SETTLED
    return at_rest(verb, "FAILED", reason)
