"""The resources of a stack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.api.body import Fields, read_json
from stoker.api.link import labelled
from stoker.api.policy import member, reader, stack_user
from stoker.api.route import Route
from stoker.api.v1.path import RESOURCE, STACK
from stoker.errors import Invalid, Unsupported, bad_request
from stoker.usecases.stacks import Deaf, Mark, ResourceQuery

if TYPE_CHECKING:
    from stoker.api.link import Link
    from stoker.api.route import Ask
    from stoker.usecases.stacks import Json, ResourceView

FILTERS = {
    name: name for name in ("type", "status", "name", "action", "id", "physical_resource_id")
}
_MARK = frozenset({"mark_unhealthy", "resource_status_reason"})


def shown(resource: ResourceView, link: Link, *, detail: bool) -> Json:
    """Return a resource; description and attributes only in detail."""
    view: Json = {
        "updated_time": resource.updated_at,
        "creation_time": resource.created_at,
        "logical_resource_id": resource.name,
        "resource_name": resource.name,
        "physical_resource_id": resource.physical_id or "",
        "resource_status": f"{resource.action}_{resource.status}",
        "resource_status_reason": resource.reason,
        "resource_type": resource.type,
        "links": _links(resource, link),
        "required_by": list(resource.required_by),
    }
    if resource.parent_resource is not None:
        view["parent_resource"] = resource.parent_resource
    if detail:
        view["description"] = resource.description
        view["attributes"] = dict(resource.attributes or {})
    return view


def _links(resource: ResourceView, link: Link) -> list[dict[str, Any]]:
    links = [
        labelled(link.resource(resource.stack, resource.name), "self"),
        labelled(link.stack(resource.stack), "stack"),
    ]
    if resource.nested is not None:
        links.append(labelled(link.stack(resource.nested), "nested"))
    return links


def index(ask: Ask) -> Json:
    """List resources, down to the depth asked for."""
    ask.query.only((*FILTERS, "nested_depth", "with_detail"))
    deepest = ask.house.settings.max_nested_stack_depth
    query = ResourceQuery(
        nested_depth=min(ask.query.whole("nested_depth") or 0, deepest),
        with_detail=ask.query.boolean("with_detail"),
        filters=ask.query.filters(FILTERS),
    )
    resources = ask.stacks.resources(ask.caller, ask.stack, query)
    return {
        "resources": [shown(resource, ask.link, detail=query.with_detail) for resource in resources]
    }


def show(ask: Ask) -> Json:
    """Show one resource with its attributes."""
    wanted = ask.query.all("with_attr")
    resource = ask.stacks.resource(ask.caller, ask.stack, ask.path["resource"], wanted)
    return {"resource": shown(resource, ask.link, detail=True)}


def metadata(ask: Ask) -> Json:
    """Show the metadata of a resource, as its server reads it."""
    return {"metadata": ask.stacks.metadata(ask.caller, ask.stack, ask.path["resource"])}


def mark(ask: Ask) -> None:
    """Mark a resource as faulty, or take that back; the answer is null."""
    body = ask.body()
    if unknown := sorted(body.keys() - _MARK):
        raise bad_request(f"Invalid keys in resource mark unhealthy {unknown}")
    fields = Fields(body)
    is_faulty = fields.boolean("mark_unhealthy")
    reason = fields.text("resource_status_reason") or ""
    fields.check()
    if is_faulty is None:
        raise bad_request("Missing mandatory (mark_unhealthy) key from mark unhealthy request")
    what = Mark(is_faulty, reason)
    ask.stacks.mark(ask.caller, ask.stack, ask.path["resource"], what)


def signal(ask: Ask) -> None:
    """Tell a resource something, or let it go on where a hook holds it up; the answer is null."""
    details = read_json(ask.environ, ask.house.settings.max_json_body_size) or {}
    ask.stacks.signal(ask.caller, ask.stack, ask.path["resource"], details)


_SIGNAL_FAULTS = {
    Invalid: "InvalidBreakPointHook",
    Unsupported: "ResourceActionNotSupported",
    Deaf: "NotSupported",
}

ROUTES = (
    Route("GET", f"{STACK}/resources", index, reader("resource:index")),
    Route("GET", RESOURCE, show, reader("resource:show")),
    Route("PATCH", RESOURCE, mark, member("resource:mark_unhealthy")),
    Route(
        "POST",
        f"{RESOURCE}/signal",
        signal,
        stack_user("resource:signal"),
        faults=_SIGNAL_FAULTS,
    ),
    Route("GET", f"{RESOURCE}/metadata", metadata, stack_user("resource:metadata")),
)
