"""What a create or an update would do; nothing is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.api.policy import member, reader
from stoker.api.reply import Reply
from stoker.api.route import Route
from stoker.api.v1 import stack, stacks
from stoker.api.v1.path import STACK, STACKS
from stoker.usecases.moment import moment
from stoker.usecases.stacks import Fate, ResourcePreview

if TYPE_CHECKING:
    from stoker.api.route import Ask
    from stoker.usecases.stacks import Json, PreviewTree, StackRef

_FATES = (Fate.UNCHANGED, Fate.UPDATED, Fate.REPLACED, Fate.ADDED, Fate.DELETED)
_NOT_YET = ("stack_status", "stack_status_reason")


def create(ask: Ask) -> Json:
    """Show the stack that the body asks for, with its resources."""
    preview = ask.stacks.preview_create(ask.caller, stacks.asked(ask))
    view = stack.shown(preview.stack, ask.link)
    plain = {key: value for key, value in view.items() if key not in _NOT_YET}
    return {"stack": plain | {"resources": _tree(preview.resources)}}


def replace(ask: Ask) -> Reply:
    """PUT: what is not given is not wanted."""
    return _update(ask, existing=False)


def patch(ask: Ask) -> Reply:
    """PATCH: what is not given is kept."""
    return _update(ask, existing=True)


def shown(resource: ResourcePreview) -> Json:
    """Return a resource as previews have it: with identities instead of links."""
    identity = _identity(resource.stack)
    view: Json = {
        "updated_time": moment(resource.updated_at),
        "creation_time": moment(resource.created_at),
        "resource_name": resource.name,
        "physical_resource_id": resource.physical_id or "",
        "resource_action": resource.action,
        "resource_status": resource.status,
        "resource_status_reason": resource.reason,
        "resource_type": resource.type,
        "resource_identity": identity | {"path": f"/resources/{resource.name}"},
        "stack_identity": identity,
        "stack_name": resource.stack.name,
        "required_by": list(resource.required_by),
        "description": resource.description,
        "metadata": resource.metadata,
        "attributes": resource.attributes,
    }
    if resource.parent_resource is not None:
        view["parent_resource"] = resource.parent_resource
    if resource.nested is not None:
        view["nested_stack_id"] = _identity(resource.nested)
    if resource.properties is not None:
        view["properties"] = resource.properties
    if resource.fate is not None:
        view["change"] = {"fate": resource.fate, "reason": resource.why}
    return view


def _update(ask: Ask, *, existing: bool) -> Reply:
    what = stack.asked(ask, ask.body(), existing=existing)
    nested = ask.query.boolean("show_nested")
    preview = ask.stacks.preview_update(ask.caller, ask.stack, what, show_nested=nested)
    changes: dict[str, list[Json]] = {fate.value: [] for fate in _FATES}
    for each in preview.resources:
        # What is decided only at its turn may be an update, and Heat has no list for it.
        fate = Fate.UPDATED if each.fate in (None, Fate.OPEN) else each.fate
        changes[fate.value].append(shown(each))
    return Reply(200, {"resource_changes": changes}, {"ETag": f'"{preview.version}"'})


def _tree(resources: PreviewTree) -> list[Any]:
    return [shown(r) if isinstance(r, ResourcePreview) else _tree(r) for r in resources]


def _identity(ref: StackRef) -> Json:
    return {
        "tenant": ref.project_id,
        "stack_name": ref.name,
        "stack_id": ref.id,
        "path": "",
    }


ROUTES = (
    Route("POST", f"{STACKS}/preview", create, reader("stacks:preview")),
    Route("PUT", f"{STACK}/preview", replace, member("stacks:preview_update")),
    Route("PATCH", f"{STACK}/preview", patch, member("stacks:preview_update_patch")),
)
