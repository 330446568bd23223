"""Trusts: a user lets another act for him in a project, with some of his roles.

Rule: only the trustor himself makes one, with roles that he has in the token at hand, never out of
a restricted application credential or a trust that may not be handed on.
"""

from __future__ import annotations

from stoker.devcloud import clock
from stoker.devcloud.cloud import new_hex
from stoker.devcloud.exchange import Request
from stoker.devcloud.keystone import accounts, directory, policy
from stoker.devcloud.keystone.entity import V3, required
from stoker.devcloud.keystone.tokens import TRUST
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import route
from stoker.devcloud.state import Doc

_TRUSTS = f"{V3}/OS-TRUST/trusts"
_ONE = f"{_TRUSTS}/{{trust_id}}"


@route("POST", _TRUSTS, status=201)
def create_trust(request: Request) -> Doc:
    """Make a trust."""
    wanted = request.wrapped("trust")
    required(wanted, "trustor_user_id", "trustee_user_id", "impersonation")
    policy.require_unrestricted(request)
    if not isinstance(wanted["impersonation"], bool):
        text = f"{wanted['impersonation']!r} is not of type 'boolean'"
        raise Refusal(400, f"Invalid input for field/attribute impersonation. Value: {text}")
    if wanted["trustor_user_id"] != request.caller.user_id:
        raise policy.forbidden(request)
    policy.found(request, directory.USER, wanted["trustee_user_id"])
    parent = _parent(request)
    trust = {
        "id": new_hex(),
        "trustor_user_id": wanted["trustor_user_id"],
        "trustee_user_id": wanted["trustee_user_id"],
        "project_id": wanted.get("project_id"),
        "impersonation": wanted["impersonation"],
        "expires_at": _expiry(request, wanted.get("expires_at")),
        "remaining_uses": _uses(wanted.get("remaining_uses")),
        "deleted_at": None,
        "roles": _delegated(request, wanted),
        "allow_redelegation": bool(wanted.get("allow_redelegation")),
        **_redelegation(wanted, parent),
    }
    request.state.insert(TRUST, trust)
    return {"trust": _shown(request, trust)}


def _parent(request: Request) -> Doc | None:
    if not request.caller.trust_id:
        return None
    parent = policy.found(request, TRUST, request.caller.trust_id)
    if not parent["allow_redelegation"] or not parent["redelegation_count"]:
        raise policy.forbidden(request)
    return parent


def _redelegation(wanted: Doc, parent: Doc | None) -> Doc:
    asked = int(wanted.get("redelegation_count") or (3 if wanted.get("allow_redelegation") else 0))
    if parent is None:
        return {"redelegation_count": asked, "redelegated_trust_id": None}
    left = parent["redelegation_count"] - 1
    return {"redelegation_count": min(asked, left), "redelegated_trust_id": parent["id"]}


def _expiry(request: Request, text: str | None) -> str | None:
    if not text:
        return None
    try:
        moment = clock.parsed(text)
    except ValueError as error:
        raise Refusal(400, f"'expires_at' is no ISO 8601 time: {text}") from error
    if moment <= request.cloud.now():
        raise Refusal(400, "The expiration must be in the future.")
    return clock.iso(moment, micros=True)


def _uses(value: object) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or value < 1:
        raise Refusal(400, "'remaining_uses' must be a positive integer or null.")
    return value


def _delegated(request: Request, wanted: Doc) -> list[str]:
    project = wanted.get("project_id")
    held: dict[str, str] = {}
    if project:
        policy.found(request, directory.PROJECT, project)
        roles = directory.effective_roles(
            request.state, request.caller.user_id, ("project", project)
        )
        held = {r["id"]: r["name"] for r in roles if r["name"] in request.caller.roles}
    ids = []
    for reference in wanted.get("roles") or ():
        id = reference.get("id") or _role_named(request, str(reference.get("name")))
        if id not in held:
            raise policy.missing("role", id)
        ids.append(id)
    if project and not ids:
        raise Refusal(403, "At least one role should be specified.")
    return ids


def _role_named(request: Request, name: str) -> str:
    for role in request.state.list(directory.ROLE, name=name):
        return str(role["id"])
    raise Refusal(404, f"Role {name} is not defined")


def _shown(request: Request, trust: Doc) -> Doc:
    link = f"{request.cloud.url}{_TRUSTS}/{trust['id']}"
    bare = {name: value for name, value in trust.items() if name != "allow_redelegation"}
    roles = (request.state.get(directory.ROLE, id) for id in trust["roles"])
    return {
        **bare,
        "roles": [accounts.shown_role(request, role) for role in roles if role],
        "roles_links": {"self": f"{link}/roles", "next": None, "previous": None},
        "links": {"self": link},
    }


@route("GET", _TRUSTS)
def list_trusts(request: Request) -> Doc:
    """Give trusts: an admin any, others those that they gave or hold."""
    where = {
        name: request.first(name)
        for name in ("trustor_user_id", "trustee_user_id")
        if request.first(name)
    }
    policy.require(request, request.caller.user_id in where.values())
    now = request.cloud.now()
    trusts = [trust for trust in request.state.list(TRUST, where=where) if _lasts(trust, now)]
    link = f"{request.cloud.url}{_TRUSTS}"
    return {
        "links": {"next": None, "self": link, "previous": None},
        "trusts": [_without_roles(_shown(request, trust)) for trust in trusts],
    }


def _without_roles(trust: Doc) -> Doc:
    return {name: value for name, value in trust.items() if name not in ("roles", "roles_links")}


def _lasts(trust: Doc, now: float) -> bool:
    return not trust["expires_at"] or clock.parsed(trust["expires_at"]) > now


def _readable(request: Request) -> Doc:
    trust = policy.found(request, TRUST, request.params["trust_id"])
    if not _lasts(trust, request.cloud.now()):
        raise policy.missing("trust", trust["id"])
    sides = (trust["trustor_user_id"], trust["trustee_user_id"])
    policy.require(request, request.caller.user_id in sides)
    return trust


@route("GET", _ONE)
def show_trust(request: Request) -> Doc:
    """Give one trust to a side of it."""
    return {"trust": _shown(request, _readable(request))}


@route("GET", f"{_ONE}/roles")
def list_trust_roles(request: Request) -> Doc:
    """Give a trust's roles."""
    return {"roles": _shown(request, _readable(request))["roles"], "links": {}}


@route("GET", f"{_ONE}/roles/{{role_id}}")
def show_trust_role(request: Request) -> Doc:
    """Give one of a trust's roles."""
    for role in _shown(request, _readable(request))["roles"]:
        if role["id"] == request.params["role_id"]:
            return {"role": role}
    raise policy.missing("role", request.params["role_id"])


@route("DELETE", _ONE)
def delete_trust(request: Request) -> None:
    """End a trust, and those that were redelegated from it; the trustor's right."""
    trust = policy.found(request, TRUST, request.params["trust_id"])
    policy.require_self(request, trust["trustor_user_id"])
    _remove(request, trust["id"])


def _remove(request: Request, trust_id: str) -> None:
    for each in request.state.list(TRUST):
        if each["redelegated_trust_id"] == trust_id:
            _remove(request, each["id"])
    request.state.delete(TRUST, trust_id)
