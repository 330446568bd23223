"""Signals to resources: as an action, and by the addresses that guests are given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

import orjson

from stoker.api import arn
from stoker.api.cfn.action import Action
from stoker.api.policy import stack_user
from stoker.errors import bad_request
from stoker.usecases.stacks import StackRef

if TYPE_CHECKING:
    from stoker.api.cfn.action import Ask
    from stoker.usecases.stacks import Json

SIGNAL = stack_user("cloudformation:SignalResource")
_PATH = re.compile(r"/v1/(?P<kind>waitcondition|signal)/(?P<arn>arn:.+)")
_VERBS = {"waitcondition": "PUT", "signal": "POST"}
_STATUSES = ("SUCCESS", "FAILURE")


class Target(NamedTuple):
    """What an address names."""

    stack: StackRef
    resource: str
    waits: bool


def target_of(verb: str, path: str) -> Target | None:
    """Return what a path names that signals go to, None where it is none."""
    found = _PATH.fullmatch(path)
    named = None if found is None else arn.parsed(found["arn"])
    if found is None or named is None or named.resource is None or verb != _VERBS[found["kind"]]:
        return None
    stack, name = named.stack, unquote(named.resource)
    ref = StackRef(stack.id, unquote(stack.name), stack.project_id)
    return Target(ref, name, waits=found["kind"] == "waitcondition")


def deliver(ask: Ask, target: Target) -> Json:
    """Tell a resource what the body says; of a wait condition return what it knows by then."""
    ask.stacks.signal(ask.caller, target.stack, target.resource, _details(ask.params.body))
    if not target.waits:
        return {}
    known = ask.stacks.metadata(ask.caller, target.stack, target.resource)
    return {"resource": target.resource, "metadata": known}


def signal(ask: Ask) -> Json:
    """Tell a resource that something has gone well or badly."""
    status = ask.params.needed("Status")
    if status not in _STATUSES:
        raise bad_request(f"Status must be SUCCESS or FAILURE, not {status!r}")
    details = {"id": ask.params.needed("UniqueId"), "status": status}
    ask.stacks.signal(ask.caller, ask.stack(), ask.params.needed("LogicalResourceId"), details)
    return {}


def _details(body: bytes) -> Json:
    if not body.strip():
        return {}
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise bad_request(f"The signal is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise bad_request("The signal must be a JSON object")
    return found


ACTIONS = (Action("SignalResource", signal, SIGNAL),)
