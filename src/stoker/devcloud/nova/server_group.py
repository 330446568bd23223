"""Server groups: which servers keep together, and which apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.devcloud import listing
from stoker.devcloud.cloud import new_id
from stoker.devcloud.exchange import Reply
from stoker.devcloud.nova import problem, quota
from stoker.devcloud.nova.ask import Ask, compute_route, read_dict, read_text

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc

KIND, SERVER = quota.GROUP, quota.SERVER
_ONE_POLICY, _SOFT, _OWNERS = 64, 15, 13
_POLICIES = ("anti-affinity", "affinity", "soft-anti-affinity", "soft-affinity")


def _found(ask: Ask) -> Doc:
    id = ask.params["group_id"]
    group = ask.state.get(KIND, id)
    if group is None or (group["project_id"] != ask.caller.project_id and not ask.caller.is_admin):
        raise problem.missing(f"Instance group {id} could not be found.")
    return group


@compute_route("GET", "os-server-groups")
def list_server_groups(ask: Ask) -> Doc:
    """Give the project's server groups."""
    everybody = ask.caller.is_admin and "all_projects" in ask.request.query
    docs = ask.state.list(KIND, project=None if everybody else ask.caller.project_id)
    start = ask.request.first("offset", "0")
    docs, _ = listing.paged(docs[int(start) if start.isdigit() else 0 :], ask.request)
    return {"server_groups": [shown(ask, group) for group in docs]}


@compute_route("GET", "os-server-groups/{group_id}")
def show_server_group(ask: Ask) -> Doc:
    """Give one server group."""
    return {"server_group": shown(ask, _found(ask))}


@compute_route("POST", "os-server-groups")
def create_server_group(ask: Ask) -> Doc:
    """Make a server group."""
    body = ask.body("server_group")
    allowed = quota.limits(ask.state, ask.caller.project_id)["server_groups"]
    if 0 <= allowed <= ask.state.count(KIND, project=ask.caller.project_id):
        raise problem.forbidden("Quota exceeded, too many server groups.")
    policy = _policy(ask, body)
    group = {
        "id": new_id(),
        "name": read_text(body, "name"),
        "policy": policy,
        "rules": _rules(ask, body, policy),
        "members": [],
        "metadata": {},
        "project_id": ask.caller.project_id,
        "user_id": ask.caller.user_id,
    }
    return {"server_group": shown(ask, ask.state.insert(KIND, group))}


def _policy(ask: Ask, body: Doc) -> str:
    name = "policy" if ask.since(_ONE_POLICY) else "policies"
    other = "policies" if ask.since(_ONE_POLICY) else "policy"
    if name not in body:
        raise problem.invalid("server_group", body, f"'{name}' is a required property")
    if other in body:
        raise problem.invalid(
            "server_group",
            body,
            f"Additional properties are not allowed ('{other}' was unexpected)",
        )
    given: Any = body[name]
    wanted = given if ask.since(_ONE_POLICY) else (given[0] if isinstance(given, list) else None)
    known = _POLICIES if ask.since(_SOFT) else _POLICIES[:2]
    if wanted not in known:
        raise problem.invalid(name, given, f"'{wanted}' is not one of {list(known)}")
    return str(wanted)


def _rules(ask: Ask, body: Doc, policy: str) -> Doc:
    rules = read_dict(body, "rules")
    if rules and (not ask.since(_ONE_POLICY) or policy != "anti-affinity"):
        raise problem.bad_request("Only anti-affinity policy supports rules.")
    limit = rules.get("max_server_per_host", 1)
    if set(rules) - {"max_server_per_host"} or not str(limit).isdigit() or int(limit) < 1:
        raise problem.invalid("rules", rules, "max_server_per_host must be at least 1")
    return {name: int(value) for name, value in rules.items()}


@compute_route("DELETE", "os-server-groups/{group_id}", status=204)
def delete_server_group(ask: Ask) -> Reply:
    """Delete a server group; its servers stay."""
    ask.state.delete(KIND, _found(ask)["id"])
    return Reply(status=204)


def shown(ask: Ask, group: Doc) -> Doc:
    """Give a server group as clients see it."""
    alive = [id for id in group["members"] if ask.state.get(SERVER, id) is not None]
    body = {"id": group["id"], "name": group["name"], "members": alive}
    if ask.since(_ONE_POLICY):
        body |= {"policy": group["policy"], "rules": group["rules"]}
    else:
        body |= {"policies": [group["policy"]], "metadata": group["metadata"]}
    if ask.since(_OWNERS):
        body |= {"project_id": group["project_id"], "user_id": group["user_id"]}
    return body
