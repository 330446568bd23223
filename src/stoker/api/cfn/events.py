"""What happened to stacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.api.arn import arn
from stoker.api.cfn.action import looking
from stoker.api.cfn.page import SIZE, page, token
from stoker.usecases.stacks import EventQuery

if TYPE_CHECKING:
    from stoker.api.cfn.action import Ask
    from stoker.usecases.stacks import EventView, Json


def describe(ask: Ask) -> Json:
    """List what happened to a stack, newest first."""
    query = EventQuery(limit=SIZE + 1, marker=token(ask.params))
    events = ask.stacks.events(ask.caller, ask.stack(), query)
    found, following = page(events, lambda each: each.id)
    return {"StackEvents": [_shown(each) for each in found], "NextToken": following}


def _shown(event: EventView) -> Json:
    return {
        "StackId": arn(event.stack),
        "EventId": event.id,
        "StackName": event.stack.name,
        "LogicalResourceId": event.resource_name,
        "PhysicalResourceId": event.physical_id,
        "ResourceType": event.resource_type,
        "Timestamp": event.time,
        "ResourceStatus": f"{event.action}_{event.status}",
        "ResourceStatusReason": event.reason,
        "ResourceProperties": "{}",
    }


ACTIONS = (looking("DescribeStackEvents", describe),)
