"""The stacks of a project: list and create."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stoker.api.body import Fields
from stoker.api.link import labelled
from stoker.api.policy import member, nobody, reader
from stoker.api.reply import Reply
from stoker.api.route import Route
from stoker.api.v1.goal import adopted, goal
from stoker.api.v1.path import STACKS
from stoker.errors import Conflict
from stoker.usecases.moment import moment
from stoker.usecases.stacks import CreateStack, StackQuery, StackRef

if TYPE_CHECKING:
    from stoker.api.link import Link
    from stoker.api.query import Query
    from stoker.api.route import Ask
    from stoker.usecases.stacks import Json, StackView

GLOBAL_INDEX = nobody("stacks:global_index")

_SORT = {
    "stack_name": "name",
    "stack_status": "status",
    "creation_time": "created_at",
    "updated_time": "updated_at",
}
FILTERS = {
    "id": "id",
    "name": "name",
    "stack_name": "name",
    "status": "status",
    "stack_status": "status",
    "action": "action",
    "stack_action": "action",
    "stack_status_reason": "status_reason",
    "tenant": "project_id",
    "username": "username",
    "stack_owner": "username",
    "owner_id": "owner_id",
    "parent": "owner_id",
    "stack_user_project_id": "stack_user_project_id",
    "disable_rollback": "disable_rollback",
    "timeout_mins": "timeout_mins",
}
_STATUSES = ("COMPLETE", "FAILED", "IN_PROGRESS")


def ref(stack: StackView) -> StackRef:
    """Return what names the stack."""
    return StackRef(id=stack.id, name=stack.name, project_id=stack.project_id)


def listed(stack: StackView, link: Link, *, with_project: bool = False) -> Json:
    """Return a stack as lists have it: without what its template says."""
    view: Json = {
        "id": stack.id,
        "links": [labelled(link.stack(ref(stack)), "self")],
        "stack_name": stack.name,
        "description": "",
        "stack_status": f"{stack.action}_{stack.status}",
        "stack_status_reason": stack.reason,
        "creation_time": moment(stack.created_at),
        "updated_time": moment(stack.updated_at),
        "deletion_time": moment(stack.deleted_at),
        "stack_owner": stack.owner,
        "parent": stack.parent_id,
        "stack_user_project_id": stack.stack_user_project_id,
        "tags": list(stack.tags) or None,
    }
    if with_project:
        view["project"] = stack.project_id
    return view


def index(ask: Ask) -> Json:
    """List the stacks that the query chooses."""
    query, counted = _query(ask.query), ask.query.boolean("with_count")
    caller = ask.caller
    if query.all_projects:
        # The policy is what lets a caller see all projects; the use case asks for an admin.
        ask.require(GLOBAL_INDEX)
        caller = replace(caller, is_admin=True)
    found = ask.stacks.list(caller, query)
    stacks = [listed(stack, ask.link, with_project=query.all_projects) for stack in found]
    body: Json = {"stacks": stacks}
    if query.limit and len(found) == query.limit:
        following = f"{ask.link.stacks(ask.project)}?{ask.query.with_marker(found[-1].id)}"
        body["links"] = [{"rel": "next", "href": following}]
    if counted:
        body["count"] = ask.stacks.count(caller, query)
    return body


def detail(ask: Ask) -> Json:
    """List all, whatever the query says, as Heat does."""
    stacks = ask.stacks.list(ask.caller, StackQuery())
    return {"stacks": [listed(stack, ask.link) for stack in stacks]}


def create(ask: Ask) -> Reply:
    """Create a stack; answers once it is accepted."""
    stack = ask.stacks.create(ask.caller, asked(ask))
    href = ask.link.stack(stack)
    body = {"stack": {"id": stack.id, "links": [labelled(href, "self")]}}
    return Reply(201, body, {"Location": href})


def asked(ask: Ask) -> CreateStack:
    """Return the stack that the body asks for; raises Invalid."""
    fields = Fields(ask.body())
    name = fields.text("stack_name")
    if not fields.given("stack_name") or name == "":
        fields.refuse("No stack name specified")
    timeout, rollback = fields.whole("timeout_mins"), fields.boolean("disable_rollback")
    tags = fields.tags("tags")
    if fields.given("converge"):
        fields.refuse("is for updates only", "converge")
    adopts = adopted(fields)
    template = None if adopts is None else adopts["template"]
    return CreateStack(
        goal=goal(fields, ask.house.settings, template=template),
        name=name or "",
        timeout_mins=timeout or None,
        disable_rollback=True if rollback is None else rollback,
        tags=tags or (),
        adopted=adopts,
    )


def _query(query: Query) -> StackQuery:
    return StackQuery(
        limit=query.whole("limit"),
        marker=query.last("marker"),
        sort_keys=tuple(_SORT[key] for key in query.all("sort_keys") if key in _SORT),
        sort_dir=query.choice("sort_dir", ("asc", "desc")),
        show_deleted=query.boolean("show_deleted"),
        show_nested=query.boolean("show_nested"),
        show_hidden=query.boolean("show_hidden"),
        tags=query.commas("tags"),
        tags_any=query.commas("tags_any"),
        not_tags=query.commas("not_tags"),
        not_tags_any=query.commas("not_tags_any"),
        all_projects=query.boolean("global_tenant"),
        filters=_split(query.filters(FILTERS)),
    )


def _split(filters: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Take CREATE_COMPLETE among the statuses for what it is: an action and a status.

    Several of them give each action with each status, as in Heat.
    """
    actions, statuses = list(filters.get("action", ())), []
    for text in filters.get("status", ()):
        status = next((known for known in _STATUSES if text.endswith(f"_{known}")), text)
        statuses.append(status)
        if status != text:
            actions.append(text.removesuffix(f"_{status}"))
    both = {"action": actions, "status": statuses}
    return filters | {
        column: tuple(dict.fromkeys(values)) for column, values in both.items() if values
    }


ROUTES = (
    Route("GET", STACKS, index, reader("stacks:index")),
    Route("POST", STACKS, create, member("stacks:create"), {Conflict: "StackExists"}),
    Route("GET", f"{STACKS}/detail", detail, reader("stacks:detail")),
)
