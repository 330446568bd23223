"""What a stack can be told to do: one action a request, named by the body's only key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.api.policy import member, reader
from stoker.api.route import Route
from stoker.api.v1.path import STACK
from stoker.errors import bad_request
from stoker.usecases.stacks import Action

if TYPE_CHECKING:
    from stoker.api.route import Ask
    from stoker.usecases.stacks import Json

_RULES = {
    "check": reader("actions:check"),
    **{
        name: member(f"actions:{name}")
        for name in ("suspend", "resume", "cancel_update", "cancel_without_rollback")
    },
}


NAMES = tuple(_RULES)


def act(ask: Ask) -> None:
    """Do what the body names; the answer is null."""
    action = _action(ask.body())
    ask.require(_RULES[action])
    match action:
        case "cancel_update":
            ask.stacks.undo(ask.caller, ask.stack)
        case "cancel_without_rollback":
            ask.stacks.cancel(ask.caller, ask.stack)
        case _:
            ask.stacks.act(ask.caller, ask.stack, Action(action))


def _action(body: Json) -> str:
    if not body:
        raise bad_request("No action specified")
    if len(body) > 1:
        raise bad_request("Multiple actions specified")
    (action,) = body
    if action not in _RULES:
        raise bad_request(f"Invalid action {action} specified")
    return action


ROUTES = (Route("POST", f"{STACK}/actions", act, member("actions:action")),)
# Heat has a policy for an action that its API does not know; policy files may name it.
RULES = (*_RULES.values(), member("actions:snapshot"))
