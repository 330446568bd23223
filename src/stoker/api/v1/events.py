"""What happened to a stack and its resources."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from stoker.api import event_stream
from stoker.api.link import labelled
from stoker.api.policy import reader
from stoker.api.reply import Reply
from stoker.api.route import Route
from stoker.api.v1.following import Follower
from stoker.api.v1.path import RESOURCE, STACK
from stoker.errors import NotFound
from stoker.usecases.stacks import EventQuery

if TYPE_CHECKING:
    from stoker.api.link import Link
    from stoker.api.route import Ask
    from stoker.usecases.stacks import EventView, Json

_INDEX = reader("events:index")
_SORT = {"event_time": "created_at", "resource_type": "resource_type"}
FILTERS = {
    name: name for name in ("resource_name", "resource_type", "resource_action", "resource_status")
}


def listed(event: EventView, link: Link) -> Json:
    """Return an event as lists have it."""
    resource = link.resource(event.stack, event.resource_name)
    links = [
        labelled(f"{resource}/events/{event.id}", "self"),
        labelled(resource, "resource"),
        labelled(link.stack(event.stack), "stack"),
    ]
    if event.root is not None:
        links.append(labelled(link.stack(event.root), "root_stack"))
    return {
        "id": event.id,
        "links": links,
        "event_time": event.time,
        "logical_resource_id": event.resource_name,
        "resource_name": event.resource_name,
        "physical_resource_id": event.physical_id,
        "resource_status": f"{event.action}_{event.status}",
        "resource_status_reason": event.reason,
    }


def shown(event: EventView, link: Link) -> Json:
    """Return an event asked for by its id."""
    return {
        **listed(event, link),
        "resource_type": event.resource_type,
        "resource_properties": dict(event.properties or {}),
    }


def of_stack(ask: Ask) -> Json | Reply:
    """List what happened to the stack, newest first unless asked otherwise.

    Who asks for a stream is told from the beginning on, or from what was told last, and then
    what happens; that the stack has gone and there is no more is a 204.
    """
    if event_stream.is_wanted(ask.environ):
        return _stream(ask)
    events = ask.stacks.events(ask.caller, ask.stack, _query(ask))
    return {"events": [listed(event, ask.link) for event in events]}


def _stream(ask: Ask) -> Reply:
    query = _query(ask)
    query = replace(query, marker=event_stream.last_id(ask.environ) or query.marker)
    follower = Follower(partial(ask.stacks.events, ask.caller, ask.stack), query)

    def look() -> list[bytes]:
        return [event_stream.message(e.id, listed(e, ask.link)) for e in follower.news()]

    first = look()
    if query.marker is not None and not first:
        stack = ask.stacks.show(ask.caller, ask.stack, resolve_outputs=False)
        if stack.deleted_at is not None:
            return Reply(204)
    return event_stream.streamed(ask.environ, first, look)


def of_resource(ask: Ask) -> Json:
    """List what happened to one resource."""
    query, name = _query(ask), ask.path["resource"]
    events = ask.stacks.resource_events(ask.caller, ask.stack, name, query)
    # Whoever follows a resource's events with a marker comes to their end; that is no error.
    if not events and query.marker is None:
        raise NotFound("Events", name)
    return {"events": [listed(event, ask.link) for event in events]}


def show(ask: Ask) -> Json:
    """Show one event, with the properties that its resource had."""
    event = ask.stacks.event(ask.caller, ask.stack, ask.path["resource"], ask.path["event"])
    return {"event": shown(event, ask.link)}


def _query(ask: Ask) -> EventQuery:
    query = ask.query
    return EventQuery(
        nested_depth=min(
            query.whole("nested_depth") or 0, ask.house.settings.max_nested_stack_depth
        ),
        limit=query.whole("limit"),
        marker=query.last("marker"),
        sort_keys=tuple(_SORT[key] for key in query.all("sort_keys") if key in _SORT),
        sort_dir=query.choice("sort_dir", ("asc", "desc")),
        filters=query.filters(FILTERS),
    )


ROUTES = (
    Route("GET", f"{STACK}/events", of_stack, _INDEX),
    Route("GET", f"{RESOURCE}/events", of_resource, _INDEX),
    Route("GET", f"{RESOURCE}/events/{{event}}", show, reader("events:show")),
)
