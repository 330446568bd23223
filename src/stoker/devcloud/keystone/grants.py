"""Role assignments: granted, checked, listed, revoked.

Rule: a grant names things that exist; what was not granted cannot be revoked (404).
"""

from __future__ import annotations

from collections.abc import Callable

from stoker.devcloud.exchange import Request
from stoker.devcloud.keystone import accounts, directory, policy
from stoker.devcloud.keystone.entity import V3
from stoker.devcloud.router import Handler, route
from stoker.devcloud.state import Doc

_KINDS = {
    "user": directory.USER,
    "group": directory.GROUP,
    "project": directory.PROJECT,
    "domain": directory.DOMAIN,
}
_FILTERS = {
    "user.id": ("user", 1),
    "group.id": ("group", 1),
    "scope.project.id": ("project", 3),
    "scope.domain.id": ("domain", 3),
}

Row = tuple[str, str, str, str, str]


def _sides(request: Request, actor: str, target: str) -> tuple[tuple[str, str], tuple[str, str]]:
    policy.require_admin(request)
    for kind in (actor, target):
        if kind != "system":
            policy.found(request, _KINDS[kind], request.params[f"{kind}_id"])
    target_id = request.params.get(f"{target}_id", "all")
    return (actor, request.params[f"{actor}_id"]), (target, target_id)


def _list(request: Request, actor: str, target: str) -> Doc:
    ids = directory.granted(request.state, *_sides(request, actor, target))
    roles = [role for role in (request.state.get(directory.ROLE, id) for id in ids) if role]
    link = f"{request.cloud.url}{request.path}"
    return {
        "links": {"next": None, "self": link, "previous": None},
        "roles": [accounts.shown_role(request, role) for role in roles],
    }


def _grant(request: Request, actor: str, target: str) -> None:
    sides = _sides(request, actor, target)
    role = policy.found(request, directory.ROLE, request.params["role_id"])
    directory.grant(request.state, *sides, role["id"])


def _check(request: Request, actor: str, target: str) -> None:
    sides = _sides(request, actor, target)
    if request.params["role_id"] not in directory.granted(request.state, *sides):
        raise policy.missing("role assignment with role", request.params["role_id"])


def _revoke(request: Request, actor: str, target: str) -> None:
    sides = _sides(request, actor, target)
    if not directory.revoke(request.state, *sides, request.params["role_id"]):
        raise policy.missing("role assignment with role", request.params["role_id"])


def _declare(target: str, actor: str) -> None:
    place = f"{V3}/system" if target == "system" else f"{V3}/{target}s/{{{target}_id}}"
    roles = f"{place}/{actor}s/{{{actor}_id}}/roles"

    def named(verb: str, call: Callable[[Request, str, str], Doc | None]) -> Handler:
        def handler(request: Request) -> Doc | None:
            return call(request, actor, target)

        handler.__name__ = f"{verb}_{target}_{actor}_role"
        return handler

    route("GET", roles)(named("list", _list))
    route("PUT", f"{roles}/{{role_id}}")(named("grant", _grant))
    route("GET", f"{roles}/{{role_id}}")(named("check", _check))
    route("DELETE", f"{roles}/{{role_id}}")(named("revoke", _revoke))


for _target in ("project", "domain", "system"):
    for _actor in ("user", "group"):
        _declare(_target, _actor)


@route("GET", f"{V3}/role_assignments")
def list_role_assignments(request: Request) -> Doc:
    """Give the grants that a query chooses; ``effective`` resolves groups and implied roles."""
    policy.require_self(request, request.first("user.id"))
    rows = directory.assignments(request.state)
    if "effective" in request.query:
        rows = _effective(request, rows)
    chosen = [row for row in rows if _is_chosen(request, row)]
    names = request.first("include_names").lower() in ("true", "1") or (
        "include_names" in request.query and not request.first("include_names")
    )
    link = f"{request.cloud.url}{request.path}"
    return {
        "links": {"next": None, "self": link, "previous": None},
        "role_assignments": [_shown(request, row, names=names) for row in chosen],
    }


def _effective(request: Request, rows: list[Row]) -> list[Row]:
    found: dict[Row, None] = {}
    for kind, actor, target_kind, target, role in rows:
        users = directory.members_of(request.state, actor) if kind == "group" else [actor]
        for user in users:
            for each in directory.with_implied(request.state, [role]):
                found["user", user, target_kind, target, each["id"]] = None
    return list(found)


def _is_chosen(request: Request, row: Row) -> bool:
    for name, (kind, place) in _FILTERS.items():
        wanted = request.first(name)
        if wanted and (row[place - 1] != kind or row[place] != wanted):
            return False
    if request.first("scope.system") and row[2] != "system":
        return False
    return request.first("role.id") in ("", row[4])


def _shown(request: Request, row: Row, *, names: bool) -> Doc:
    actor_kind, actor, target_kind, target, role = row
    scope: Doc = {"system": {"all": True}}
    if target_kind != "system":
        scope = {target_kind: _named(request, target_kind, target, names=names)}
    reference: Doc = {"id": role}
    if names:
        doc = request.state.get(directory.ROLE, role)
        reference["name"] = doc["name"] if doc else ""
    return {
        "role": reference,
        actor_kind: _named(request, actor_kind, actor, names=names),
        "scope": scope,
        "links": {"assignment": f"{request.cloud.url}{V3}/role_assignments"},
    }


def _named(request: Request, kind: str, id: str, *, names: bool) -> Doc:
    doc = request.state.get(_KINDS[kind], id) if names else None
    if doc is None:
        return {"id": id}
    shown: Doc = {"id": id, "name": doc["name"]}
    if "domain_id" in doc:
        domain = request.state.get(directory.DOMAIN, doc["domain_id"])
        shown["domain"] = {"id": doc["domain_id"], "name": domain["name"] if domain else ""}
    return shown
