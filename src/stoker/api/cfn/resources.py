"""The resources of a stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.api.arn import arn
from stoker.api.cfn.action import Action, looking
from stoker.api.cfn.document import Embedded
from stoker.api.cfn.page import slice_of
from stoker.api.cfn.refused import Refused
from stoker.api.policy import stack_user
from stoker.usecases.stacks import ResourceQuery

if TYPE_CHECKING:
    from stoker.api.cfn.action import Ask
    from stoker.usecases.stacks import Json, ResourceView, StackRef

_MOST = 100


def index(ask: Ask) -> Json:
    """List the resources of a stack."""
    whole = ask.stacks.resources(ask.caller, ask.stack(), ResourceQuery())
    found, following = slice_of(whole, ask.params)
    shown = [_plain(each) | {"LastUpdatedTimestamp": each.updated_at} for each in found]
    return {"StackResourceSummaries": shown, "NextToken": following}


def describe(ask: Ask) -> Json:
    """Describe one resource, with the metadata that its server reads."""
    stack, name = ask.stack(), ask.params.needed("LogicalResourceId")
    found = ask.stacks.resource(ask.caller, stack, name)
    detail = {
        **_owned(found),
        "LastUpdatedTimestamp": found.updated_at,
        "Description": found.description,
        "Metadata": Embedded(ask.stacks.metadata(ask.caller, stack, name)),
    }
    return {"StackResourceDetail": detail}


def describe_all(ask: Ask) -> Json:
    """Describe resources of the stack that is named, or that has an object of this id."""
    name = ask.params.text("LogicalResourceId")
    filters = {"name": (name,)} if name is not None else {}
    found = ask.stacks.resources(ask.caller, _stack(ask), ResourceQuery(filters=filters))
    shown = [_owned(each) | {"Timestamp": each.updated_at} for each in found[:_MOST]]
    return {"StackResources": shown}


def _stack(ask: Ask) -> StackRef:
    params = ask.params
    physical_id = params.text("PhysicalResourceId")
    if params.text("StackName") is None and physical_id is not None:
        return ask.stacks.holder(ask.caller, physical_id)
    if physical_id is not None:
        text = "StackName and PhysicalResourceId cannot both be given"
        raise Refused("InvalidParameterCombination", text)
    return ask.stack()


def _plain(resource: ResourceView) -> Json:
    return {
        "LogicalResourceId": resource.name,
        "PhysicalResourceId": resource.physical_id,
        "ResourceType": resource.type,
        "ResourceStatus": f"{resource.action}_{resource.status}",
        "ResourceStatusReason": resource.reason,
    }


def _owned(resource: ResourceView) -> Json:
    stack = {"StackId": arn(resource.stack), "StackName": resource.stack.name}
    return {**_plain(resource), **stack}


ACTIONS = (
    looking("ListStackResources", index),
    looking("DescribeStackResources", describe_all),
    Action("DescribeStackResource", describe, stack_user("cloudformation:DescribeStackResource")),
)
