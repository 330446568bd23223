"""Domains, projects, users, groups and roles: the collections of who there is.

Rule: deleting one clears every grant, membership, credential and trust that hangs on it.
"""

from __future__ import annotations

from stoker.devcloud.cloud import new_hex
from stoker.devcloud.exchange import Request
from stoker.devcloud.keystone import delegation, directory, policy, tokens
from stoker.devcloud.keystone.entity import V3, Entity, declare, list_of, required, shown
from stoker.devcloud.listing import filtered
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import route
from stoker.devcloud.state import Doc


def _domain_for(request: Request, wanted: Doc) -> str:
    caller = request.caller
    own = caller.domain_id or caller.project_domain_id or directory.DEFAULT_DOMAIN
    domain_id = str(wanted.get("domain_id") or own)
    policy.found(request, directory.DOMAIN, domain_id)
    return domain_id


def _fresh_domain(_request: Request, wanted: Doc) -> Doc:
    required(wanted, "name")
    fixed = {"id": wanted.get("explicit_domain_id") or new_hex()}
    return {"description": "", "enabled": True, "options": {}, "tags": [], **wanted, **fixed}


def _domain_removed(request: Request, domain: Doc) -> None:
    if domain["enabled"]:
        raise Refusal(403, "Cannot delete a domain that is enabled, please disable it first.")
    for entity in (USER, GROUP, PROJECT):
        for doc in request.state.list(entity.kind, where={"domain_id": domain["id"]}):
            entity.removed(request, doc)
            request.state.delete(entity.kind, doc["id"])
    directory.forget_assignments(request.state, domain["id"])


def _fresh_project(request: Request, wanted: Doc) -> Doc:
    required(wanted, "name")
    domain_id = _domain_for(request, wanted)
    if wanted.get("parent_id") not in (None, domain_id):
        policy.found(request, directory.PROJECT, wanted["parent_id"])
    defaults: Doc = {
        "description": "",
        "enabled": True,
        "parent_id": domain_id,
        "is_domain": False,
        "tags": [],
        "options": {},
    }
    given = {name: value for name, value in wanted.items() if value is not None}
    return {**defaults, **given, "domain_id": domain_id, "id": new_hex()}


def _project_removed(request: Request, project: Doc) -> None:
    directory.forget_assignments(request.state, project["id"])
    delegation.forget(request.state, "project_id", project["id"])


def _may_read_project(request: Request, project: Doc) -> bool:
    user = request.caller.user_id
    own = request.caller.project_id == project["id"]
    return own or project["id"] in directory.targets_of(request.state, user, "project")


def _fresh_user(request: Request, wanted: Doc) -> Doc:
    required(wanted, "name")
    password = wanted.get("password")
    given = {name: value for name, value in wanted.items() if name != "password"}
    return {
        "enabled": True,
        "options": {},
        "password_expires_at": None,
        **given,
        "domain_id": _domain_for(request, wanted),
        "id": new_hex(),
        "password_digest": directory.digest(str(password)) if password else "",
    }


def _user_changed(request: Request, old: Doc, wanted: Doc) -> Doc:
    changes = {name: value for name, value in wanted.items() if name != "password"}
    if wanted.get("password"):
        changes["password_digest"] = directory.digest(str(wanted["password"]))
    if wanted.get("password") or wanted.get("enabled") is False:
        tokens.revoke_user(request.state, old["id"])
    return changes


def _user_removed(request: Request, user: Doc) -> None:
    directory.forget_assignments(request.state, user["id"])
    directory.forget_memberships(request.state, user["id"])
    tokens.revoke_user(request.state, user["id"])
    for field in ("user_id", "trustor_user_id", "trustee_user_id"):
        delegation.forget(request.state, field, user["id"])


def _user_view(_request: Request, user: Doc) -> Doc:
    return {name: value for name, value in user.items() if name != "password_digest"}


def _fresh_group(request: Request, wanted: Doc) -> Doc:
    required(wanted, "name")
    fixed = {"domain_id": _domain_for(request, wanted), "id": new_hex()}
    return {"description": "", **wanted, **fixed}


def _group_removed(request: Request, group: Doc) -> None:
    directory.forget_assignments(request.state, group["id"])
    directory.forget_memberships(request.state, group["id"])


def _fresh_role(_request: Request, wanted: Doc) -> Doc:
    required(wanted, "name")
    defaults: Doc = {"description": None, "domain_id": None, "options": {}}
    return {**defaults, **wanted, "id": new_hex()}


def _role_removed(request: Request, role: Doc) -> None:
    directory.forget_assignments(request.state, role["id"])


def _is_own_domain(request: Request, domain: Doc) -> bool:
    caller = request.caller
    return domain["id"] in (caller.domain_id, caller.project_domain_id, caller.user_domain_id)


DOMAIN = Entity(
    singular="domain",
    plural="domains",
    fresh=_fresh_domain,
    within="",
    may_read=_is_own_domain,
    removed=_domain_removed,
)
PROJECT = Entity(
    singular="project",
    plural="projects",
    fresh=_fresh_project,
    filters=("domain_id", "parent_id", "is_domain", "tags"),
    fixed=("id", "domain_id", "parent_id"),
    within="domain_id",
    may_read=_may_read_project,
    removed=_project_removed,
)
USER = Entity(
    singular="user",
    plural="users",
    fresh=_fresh_user,
    filters=("domain_id",),
    fixed=("id", "domain_id"),
    within="domain_id",
    may_read=lambda request, user: user["id"] == request.caller.user_id,
    changed=_user_changed,
    removed=_user_removed,
    view=_user_view,
)
GROUP = Entity(
    singular="group",
    plural="groups",
    fresh=_fresh_group,
    filters=("domain_id",),
    fixed=("id", "domain_id"),
    within="domain_id",
    removed=_group_removed,
)
ROLE = Entity(
    singular="role",
    plural="roles",
    fresh=_fresh_role,
    filters=("domain_id",),
    within="domain_id",
    removed=_role_removed,
)
for _entity in (DOMAIN, PROJECT, USER, GROUP, ROLE):
    declare(_entity)


@route("GET", f"{V3}/users/{{id}}/projects")
def list_user_projects(request: Request) -> Doc:
    """Give the projects on which a user has a role."""
    policy.require_self(request, request.params["id"])
    return projects_of(request, request.params["id"])


def projects_of(request: Request, user_id: str) -> Doc:
    """Give the list answer with a user's projects."""
    ids = directory.targets_of(request.state, user_id, "project")
    docs = [doc for doc in (request.state.get(PROJECT.kind, id) for id in ids) if doc]
    fields = ("name", "enabled", "domain_id")
    return list_of(PROJECT, request, filtered(docs, request.query, fields))


def domains_of(request: Request, user_id: str) -> Doc:
    """Give the list answer with the domains on which a user has a role."""
    ids = directory.targets_of(request.state, user_id, "domain")
    docs = [doc for doc in (request.state.get(DOMAIN.kind, id) for id in ids) if doc]
    return list_of(DOMAIN, request, docs)


@route("POST", f"{V3}/users/{{id}}/password", status=204)
def change_password(request: Request) -> None:
    """Have a user set a new password; his tokens end."""
    user = policy.found(request, USER.kind, request.params["id"])
    wanted = request.wrapped("user")
    required(wanted, "password", "original_password")
    if not directory.agrees(str(wanted["original_password"]), user["password_digest"]):
        raise policy.unauthorized()
    changed = _user_changed(request, user, {"password": wanted["password"]})
    request.state.update(USER.kind, {**user, **changed})


@route("GET", f"{V3}/projects/{{id}}/tags")
def list_project_tags(request: Request) -> Doc:
    """Give a project's tags."""
    project = policy.found(request, PROJECT.kind, request.params["id"])
    policy.require(request, _may_read_project(request, project))
    return {"tags": project["tags"]}


@route("PUT", f"{V3}/projects/{{id}}/tags")
def put_project_tags(request: Request) -> Doc:
    """Replace a project's tags."""
    policy.require_admin(request)
    project = policy.found(request, PROJECT.kind, request.params["id"])
    wanted = request.object().get("tags")
    if not isinstance(wanted, list) or not all(isinstance(tag, str) for tag in wanted):
        raise Refusal(400, "'tags' must be a list of strings")
    tags = sorted(set(wanted))
    request.state.update(PROJECT.kind, {**project, "tags": tags})
    return {"tags": tags}


@route("GET", f"{V3}/groups/{{id}}/users")
def list_group_users(request: Request) -> Doc:
    """Give a group's members."""
    policy.require_admin(request)
    policy.found(request, GROUP.kind, request.params["id"])
    ids = directory.members_of(request.state, request.params["id"])
    docs = [doc for doc in (request.state.get(USER.kind, id) for id in ids) if doc]
    return list_of(USER, request, docs)


@route("GET", f"{V3}/users/{{id}}/groups")
def list_user_groups(request: Request) -> Doc:
    """Give a user's groups."""
    policy.require_self(request, request.params["id"])
    ids = directory.groups_of(request.state, request.params["id"])
    docs = [doc for doc in (request.state.get(GROUP.kind, id) for id in ids) if doc]
    return list_of(GROUP, request, docs)


@route("PUT", f"{V3}/groups/{{id}}/users/{{user_id}}")
def add_group_user(request: Request) -> None:
    """Put a user in a group."""
    policy.require_admin(request)
    group = policy.found(request, GROUP.kind, request.params["id"])
    user = policy.found(request, USER.kind, request.params["user_id"])
    directory.join(request.state, user["id"], group["id"])


@route("GET", f"{V3}/groups/{{id}}/users/{{user_id}}")
def check_group_user(request: Request) -> None:
    """Tell by 204 or 404 whether a user is in a group."""
    policy.require_self(request, request.params["user_id"])
    if request.params["id"] not in directory.groups_of(request.state, request.params["user_id"]):
        raise policy.missing("user in group", request.params["user_id"])


@route("DELETE", f"{V3}/groups/{{id}}/users/{{user_id}}")
def remove_group_user(request: Request) -> None:
    """Take a user out of a group."""
    policy.require_admin(request)
    if not directory.leave(request.state, request.params["user_id"], request.params["id"]):
        raise policy.missing("user in group", request.params["user_id"])


def shown_role(request: Request, role: Doc) -> Doc:
    """Write a role as answers show it."""
    return shown(ROLE, request, role)
