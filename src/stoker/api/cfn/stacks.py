"""Stacks: list, describe, create, update, cancel, delete."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stoker.api.arn import arn
from stoker.api.cfn.action import changing, looking
from stoker.api.cfn.document import text_of
from stoker.api.cfn.faults import ALREADY_EXISTS
from stoker.api.cfn.goal import change, creation
from stoker.api.cfn.page import SIZE, page, token
from stoker.usecases.stacks import EventQuery, StackQuery, StackRef

if TYPE_CHECKING:
    from stoker.api.cfn.action import Ask
    from stoker.usecases.stacks import Json, OutputView, StackView

_AT_ONCE = 20
"""How many stacks are described in one answer."""
_EVENTS = 10
_GONE = "DELETE_COMPLETE"


def ref(stack: StackView) -> StackRef:
    """Return what names the stack."""
    return StackRef(id=stack.id, name=stack.name, project_id=stack.project_id)


def status(ask: Ask, stack: StackView) -> str:
    """Return the status; the way back from an update in the words that AWS's waiters know."""
    plain = f"{stack.action}_{stack.status}"
    if stack.action != "ROLLBACK" or _goes_back_to_nothing(ask, stack):
        return plain
    return f"UPDATE_{plain}"


def index(ask: Ask) -> Json:
    """List stacks, also deleted ones where their status is asked for."""
    wanted = frozenset(ask.params.plain("StackStatusFilter"))
    query = StackQuery(limit=SIZE + 1, marker=token(ask.params), show_deleted=_GONE in wanted)
    found, following = page(ask.stacks.list(ask.caller, query), lambda each: each.id)
    shown = [_summary(ask, each) for each in found]
    chosen = [each for each in shown if not wanted or each["StackStatus"] in wanted]
    return {"StackSummaries": chosen, "NextToken": following}


def describe(ask: Ask) -> Json:
    """Describe one stack, or all."""
    if ask.params.text("StackName") is not None:
        return {"Stacks": [_described(ask, ask.stack())]}
    query = StackQuery(limit=_AT_ONCE + 1, marker=token(ask.params))
    rows = ask.stacks.list(ask.caller, query)
    found, following = page(rows, lambda each: each.id, _AT_ONCE)
    return {"Stacks": [_described(ask, ref(each)) for each in found], "NextToken": following}


def create(ask: Ask) -> Json:
    """Create a stack; one of the same ClientRequestToken is the same."""
    what = creation(ask)
    caller = ask.caller
    if again := ask.params.text("ClientRequestToken"):
        caller = replace(caller, request_id=again)
    return {"StackId": arn(ask.stacks.create(caller, what))}


def update(ask: Ask) -> Json:
    """Update a stack."""
    stack = ask.stack()
    ask.stacks.update(ask.caller, stack, change(ask, stack))
    return {"StackId": arn(stack)}


def cancel(ask: Ask) -> Json:
    """Give up an update and go back to what was before."""
    ask.stacks.undo(ask.caller, ask.stack())
    return {}


def delete(ask: Ask) -> Json:
    """Begin to delete a stack."""
    ask.stacks.delete(ask.caller, ask.stack())
    return {}


def _summary(ask: Ask, stack: StackView) -> Json:
    return {
        "StackId": arn(ref(stack)),
        "StackName": stack.name,
        "TemplateDescription": stack.description or None,
        "CreationTime": stack.created_at,
        "LastUpdatedTime": stack.updated_at,
        "DeletionTime": stack.deleted_at,
        "StackStatus": status(ask, stack),
        "StackStatusReason": stack.reason,
    }


def _described(ask: Ask, stack: StackRef) -> Json:
    found = ask.stacks.show(ask.caller, stack)
    return {
        "StackId": arn(ref(found)),
        "StackName": found.name,
        "Description": found.description or None,
        "Parameters": [
            {"ParameterKey": name, "ParameterValue": value}
            for name, value in found.parameters.items()
            if "::" not in name  # what every stack has, and none can be given
        ],
        "CreationTime": found.created_at,
        "LastUpdatedTime": found.updated_at,
        "DeletionTime": found.deleted_at,
        "StackStatus": status(ask, found),
        "StackStatusReason": found.reason,
        "DisableRollback": found.disable_rollback,
        "NotificationARNs": [],
        "TimeoutInMinutes": found.timeout_mins,
        "Capabilities": [],
        "Outputs": [_output(each) for each in found.outputs or ()],
        "Tags": [tag(each) for each in found.tags],
    }


def _goes_back_to_nothing(ask: Ask, stack: StackView) -> bool:
    """Return whether what is rolled back is the stack's making, as its last events tell."""
    mine = {"resource_name": (stack.name,), "resource_type": ("OS::Heat::Stack",)}
    events = ask.stacks.events(ask.caller, ref(stack), EventQuery(limit=_EVENTS, filters=mine))
    before = next((each.action for each in events if each.action != "ROLLBACK"), "CREATE")
    return before == "CREATE"


def _output(output: OutputView) -> Json:
    value: Any = output.error if output.value is None else output.value
    return {
        "OutputKey": output.key,
        "OutputValue": None if value is None else text_of(value),
        "Description": output.description or None,
    }


def tag(text: str) -> Json:
    """Return a tag of the native API as a key and its value."""
    key, _, value = text.partition("=")
    return {"Key": key, "Value": value}


ACTIONS = (
    looking("ListStacks", index),
    looking("DescribeStacks", describe),
    changing("CreateStack", create, ALREADY_EXISTS),
    changing("UpdateStack", update),
    changing("CancelUpdateStack", cancel),
    changing("DeleteStack", delete),
)
