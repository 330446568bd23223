"""One stack, named in full: show, update, delete, and what it was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.api.body import Fields
from stoker.api.faults import accepted
from stoker.api.link import labelled
from stoker.api.policy import like, member, reader
from stoker.api.reply import Reply
from stoker.api.route import Route
from stoker.api.v1 import outputs, stacks
from stoker.api.v1.goal import goal
from stoker.api.v1.path import STACK
from stoker.usecases.moment import moment
from stoker.usecases.stacks import UpdateStack

if TYPE_CHECKING:
    from stoker.api.link import Link
    from stoker.api.route import Ask
    from stoker.usecases.stacks import Json, StackView

_PATCH = member("stacks:update_patch")
UPDATE_NO_CHANGE = like("stacks:update_no_change", _PATCH)


def shown(stack: StackView, link: Link) -> Json:
    """Return all that there is to say of a stack."""
    description = stack.description or "No description"
    view: Json = {
        "stack_name": stack.name,
        "id": stack.id,
        "links": [labelled(link.stack(stacks.ref(stack)), "self")],
        "creation_time": moment(stack.created_at),
        "updated_time": moment(stack.updated_at),
        "deletion_time": moment(stack.deleted_at),
        "notification_topics": [],
        "parameters": dict(stack.parameters),
        "description": description,
        "template_description": description,
        "capabilities": [],
        "disable_rollback": stack.disable_rollback,
        "timeout_mins": stack.timeout_mins,
        "stack_owner": stack.owner,
        "parent": stack.parent_id,
        "stack_user_project_id": stack.stack_user_project_id,
        "tags": list(stack.tags),
        "stack_status": f"{stack.action}_{stack.status}",
        "stack_status_reason": stack.reason,
    }
    if stack.outputs is not None:
        view["outputs"] = [outputs.shown(output) for output in stack.outputs]
    return view


def show(ask: Ask) -> Json:
    """Show the stack; a deleted one too, by its id."""
    resolve = ask.query.boolean("resolve_outputs", default=True)
    stack = ask.stacks.show(ask.caller, ask.stack, resolve_outputs=resolve)
    return {"stack": shown(stack, ask.link)}


def replace(ask: Ask) -> Reply:
    """PUT: what is not given is not wanted."""
    return _update(ask, ask.body(), existing=False)


def patch(ask: Ask) -> Reply:
    """PATCH: what is not given is kept. Asking for nothing new has a policy of its own."""
    body = ask.body()
    news = any(value for key, value in body.items() if key != "existing")
    ask.require(_PATCH if news else UPDATE_NO_CHANGE)
    return _update(ask, body, existing=True)


def delete(ask: Ask) -> Reply:
    """Begin to delete the stack."""
    ask.stacks.delete(ask.caller, ask.stack)
    return Reply(204)


def template(ask: Ask) -> Json:
    """Give the template as it was stored."""
    return ask.stacks.template(ask.caller, ask.stack)


def environment(ask: Ask) -> Json:
    """Give the merged environment, hidden values masked."""
    return ask.stacks.environment(ask.caller, ask.stack)


def files(ask: Ask) -> Json:
    """Give the files that came with the template."""
    return ask.stacks.files(ask.caller, ask.stack)


def asked(ask: Ask, body: Json, *, existing: bool) -> UpdateStack:
    """Return the update that the body asks for; raises Invalid, Unsupported.

    A header If-Match holds what the preview that it goes by had as ETag.
    """
    fields = Fields(body)
    timeout, rollback = fields.whole("timeout_mins"), fields.boolean("disable_rollback")
    tags, cleared = fields.tags("tags"), fields.names("clear_parameters")
    observe = fields.boolean("converge") or False
    expected = ask.environ.get("HTTP_IF_MATCH", "*").strip()
    return UpdateStack(
        goal=goal(fields, ask.house.settings, template_needed=not existing),
        existing=existing,
        clear_parameters=cleared,
        timeout_mins=timeout or None,
        disable_rollback=rollback,
        tags=tags,
        observe=observe,
        expected=None if expected == "*" else expected.strip('"'),
    )


def _update(ask: Ask, body: Json, *, existing: bool) -> Reply:
    ask.stacks.update(ask.caller, ask.stack, asked(ask, body, existing=existing))
    return accepted()


ROUTES = (
    Route("GET", STACK, show, reader("stacks:show")),
    Route("PUT", STACK, replace, member("stacks:update")),
    Route("PATCH", STACK, patch, None),
    Route("DELETE", STACK, delete, member("stacks:delete")),
    Route("GET", f"{STACK}/template", template, reader("stacks:template")),
    Route("GET", f"{STACK}/environment", environment, reader("stacks:environment")),
    Route("GET", f"{STACK}/files", files, reader("stacks:files")),
)
RULES = (_PATCH, UPDATE_NO_CHANGE)
