"""Change sets: create, describe, list, execute, delete."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from stoker.api import arn
from stoker.api.cfn.action import changing, looking
from stoker.api.cfn.faults import ALREADY_EXISTS
from stoker.api.cfn.goal import change, creation
from stoker.api.cfn.page import slice_of
from stoker.api.cfn.refused import Refused
from stoker.api.cfn.stacks import tag
from stoker.errors import Conflict, bad_request
from stoker.usecases.change_sets import Execution, Proposal, Spent, is_id
from stoker.usecases.stacks import Fate

if TYPE_CHECKING:
    from stoker.api.cfn.action import Ask
    from stoker.usecases.change_sets import ChangeSetView, ChangeView
    from stoker.usecases.stacks import Json

_NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9]{0,127}")
_ARN = re.compile(r"arn:openstack:heat::[^:/]+:changeSet/[^/]+/(?P<id>[^/]+)")
_EXECUTIONS = {
    Execution.AVAILABLE: "AVAILABLE",
    Execution.UNAVAILABLE: "UNAVAILABLE",
    Execution.DONE: "EXECUTE_COMPLETE",
}
_FATES = {
    Fate.ADDED: ("Add", None),
    Fate.UPDATED: ("Modify", "False"),
    Fate.REPLACED: ("Modify", "True"),
    Fate.DELETED: ("Remove", None),
    Fate.OPEN: ("Modify", "Conditional"),
}
_NOT_NOW = {Spent: "InvalidChangeSetStatus", Conflict: "InvalidChangeSetStatus"}


def create(ask: Ask) -> Json:
    """Plan a new stack or an update, and keep the plan."""
    name = ask.params.needed("ChangeSetName")
    if _NAME.fullmatch(name) is None:
        text = "ChangeSetName must begin with a letter and have letters, digits and hyphens only"
        raise bad_request(text)
    description = ask.params.text("Description") or ""
    if _is_update(ask):
        stack = ask.stack()
        proposal = Proposal(name, change(ask, stack), stack, description)
    else:
        proposal = Proposal(name, creation(ask), None, description)
    made = ask.house.change_sets.propose(ask.caller, proposal)
    return {"Id": _arn(made), "StackId": arn.arn(made.stack)}


def describe(ask: Ask) -> Json:
    """Describe a change set with its changes."""
    which = _which(ask)
    found = ask.house.change_sets.show(ask.caller, which.name_or_id, which.stack)
    changes, following = slice_of(found.changes, ask.params)
    return {
        **_summary(found),
        "Parameters": [
            {"ParameterKey": name, "ParameterValue": value}
            for name, value in found.parameters.items()
        ],
        "NotificationARNs": [],
        "Capabilities": [],
        "Tags": [tag(each) for each in found.tags],
        "Changes": [_change(each) for each in changes],
        "NextToken": following,
    }


def index(ask: Ask) -> Json:
    """List the change sets of a stack."""
    whole = ask.house.change_sets.list(ask.caller, _stack(ask))
    found, following = slice_of(whole, ask.params)
    return {"Summaries": [_summary(each) for each in found], "NextToken": following}


def execute(ask: Ask) -> Json:
    """Have a change set done as it was shown, or refuse it where the stack has moved since."""
    which = _which(ask)
    ask.house.change_sets.carry_out(ask.caller, which.name_or_id, which.stack)
    return {}


def delete(ask: Ask) -> Json:
    """Forget a change set."""
    which = _which(ask)
    ask.house.change_sets.drop(ask.caller, which.name_or_id, which.stack)
    return {}


class _Which(NamedTuple):
    name_or_id: str
    stack: str | None


def _which(ask: Ask) -> _Which:
    """Return what names the change set: an ARN of its own, or its name and the stack's."""
    named = ask.params.needed("ChangeSetName")
    if (found := _ARN.fullmatch(named)) is not None:
        return _Which(found["id"], None)
    if _NAME.fullmatch(named) is None and not is_id(named):
        raise Refused("ChangeSetNotFound", f"ChangeSet [{named}] does not exist")
    return _Which(named, _stack(ask))


def _stack(ask: Ask) -> str:
    wanted = ask.params.needed("StackName")
    named = arn.parsed(wanted)
    return wanted if named is None else named.stack.id


def _is_update(ask: Ask) -> bool:
    kind = ask.params.text("ChangeSetType") or "UPDATE"
    if kind not in ("CREATE", "UPDATE"):
        raise bad_request(f"ChangeSetType must be CREATE or UPDATE, not {kind!r}")
    return kind == "UPDATE"


def _arn(found: ChangeSetView) -> str:
    return f"arn:openstack:heat::{found.stack.project_id}:changeSet/{found.name}/{found.id}"


def _summary(found: ChangeSetView) -> Json:
    is_void = found.execution is Execution.UNAVAILABLE
    return {
        "ChangeSetName": found.name,
        "ChangeSetId": _arn(found),
        "StackId": arn.arn(found.stack),
        "StackName": found.stack.name,
        "Description": found.description or None,
        "CreationTime": found.created_at,
        "ExecutionStatus": _EXECUTIONS[found.execution],
        "Status": "FAILED" if is_void else "CREATE_COMPLETE",
        "StatusReason": found.reason or None,
    }


def _change(change: ChangeView) -> Json:
    action, replacement = _FATES[change.fate]
    return {
        "Type": "Resource",
        "ResourceChange": {
            "Action": action,
            "LogicalResourceId": change.name,
            "PhysicalResourceId": change.physical_id,
            "ResourceType": change.type,
            "Replacement": replacement,
            "Scope": [],
            "Details": [],
        },
    }


ACTIONS = (
    changing("CreateChangeSet", create, ALREADY_EXISTS),
    looking("DescribeChangeSet", describe),
    looking("ListChangeSets", index),
    changing("ExecuteChangeSet", execute, _NOT_NOW),
    changing("DeleteChangeSet", delete),
)
