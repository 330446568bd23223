"""Getting, validating and revoking tokens: ``/auth``.

Rule: whatever is wrong with who one says one is, the answer is the same 401; a scope that one has
no role on is a 401 too, and so is a trust that is gone; a token that proves nothing any more is
a 404.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from stoker.devcloud.exchange import Reply, Request
from stoker.devcloud.keystone import accounts, directory, policy, tokens
from stoker.devcloud.keystone.catalog import catalog
from stoker.devcloud.keystone.entity import V3
from stoker.devcloud.keystone.tokens import Ticket
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import route
from stoker.devcloud.state import Doc


@dataclass(frozen=True, slots=True)
class _Proof:
    """Who somebody turned out to be, by which methods."""

    user: Doc
    methods: tuple[str, ...]
    old: Ticket | None = None
    credential: Doc | None = None


@route("POST", f"{V3}/auth/tokens", status=201, public=True)
def create_token(request: Request) -> Reply:
    """Give a token for a password, a token or an application credential, in a scope."""
    auth = request.wrapped("auth")
    identity = auth.get("identity")
    if not isinstance(identity, dict) or not identity.get("methods"):
        raise Refusal(400, "'identity' with its 'methods' is a required property of 'auth'")
    proof = _proven(request, identity)
    ticket = _scoped(request, _unscoped(request, proof), proof, auth.get("scope"))
    held = _standing(request, ticket)
    if held.trust and held.trust["remaining_uses"] is not None:
        _use_up(request, held.trust)
    headers = {"X-Subject-Token": tokens.issue(request.cloud, ticket), "Vary": "X-Auth-Token"}
    body = tokens.shown(request.cloud, held, with_catalog="nocatalog" not in request.query)
    return Reply({"token": body}, headers=headers)


def _standing(request: Request, ticket: Ticket) -> tokens.Standing:
    try:
        return tokens.standing(request.state, ticket, request.cloud.now())
    except tokens.Void as void:
        if ticket.trust_id:
            raise Refusal(403, "The trust gives no access: a role was lost.") from void
        raise policy.unauthorized() from void


def _proven(request: Request, identity: dict[str, Any]) -> _Proof:
    proof: _Proof | None = None
    for method in identity["methods"]:
        check = _METHODS.get(method)
        given = identity.get(method)
        if check is None:
            raise policy.unauthorized()
        if not isinstance(given, dict):
            raise Refusal(400, f"'{method}' is a required property of 'identity'")
        again = check(request, given)
        if proof is not None and proof.user["id"] != again.user["id"]:
            raise policy.unauthorized()
        methods = dict.fromkeys([*(proof.methods if proof else ()), *again.methods])
        proof = replace(again, methods=tuple(methods))
    if proof is None or not proof.user["enabled"]:
        raise policy.unauthorized()
    return proof


def _by_password(request: Request, given: dict[str, Any]) -> _Proof:
    reference = given.get("user")
    user = directory.by_reference(request.state, directory.USER, reference)
    kept = user["password_digest"] if user else ""
    password = reference.get("password") if isinstance(reference, dict) else None
    if user is None or not kept or not directory.agrees(str(password), kept):
        raise policy.unauthorized()
    return _Proof(user, ("password",))


def _by_token(request: Request, given: dict[str, Any]) -> _Proof:
    token = str(given.get("id", ""))
    ticket = tokens.ticket_of(request.state, token)
    if ticket is None or request.cloud.caller_of(token) is None:
        raise policy.missing("token", "it is unknown")
    user = request.state.get(directory.USER, ticket.user_id)
    if user is None:
        raise policy.unauthorized()
    return _Proof(user, (*ticket.methods, "token"), old=ticket)


def _by_application_credential(request: Request, given: dict[str, Any]) -> _Proof:
    credential = _credential(request, given)
    secret = str(given.get("secret", ""))
    if credential is None or not directory.agrees(secret, credential["secret_digest"]):
        raise policy.unauthorized()
    user = request.state.get(directory.USER, credential["user_id"])
    if user is None:
        raise policy.unauthorized()
    return _Proof(user, ("application_credential",), credential=credential)


def _credential(request: Request, given: dict[str, Any]) -> Doc | None:
    if "id" in given:
        return request.state.get(tokens.APPLICATION_CREDENTIAL, str(given["id"]))
    user = directory.by_reference(request.state, directory.USER, given.get("user"))
    if user is None:
        return None
    found = request.state.list(
        tokens.APPLICATION_CREDENTIAL,
        name=str(given.get("name", "")),
        where={"user_id": user["id"]},
    )
    return next(iter(found), None)


_METHODS = {
    "password": _by_password,
    "token": _by_token,
    "application_credential": _by_application_credential,
}


def _unscoped(request: Request, proof: _Proof) -> Ticket:
    now = request.cloud.now()
    parent = proof.old.audit_ids[-1:] if proof.old else ()
    latest = now + request.cloud.options.token_seconds
    return Ticket(
        user_id=proof.user["id"],
        methods=tuple(dict.fromkeys(proof.methods)),
        issued_at=now,
        expires_at=min(latest, proof.old.expires_at) if proof.old else latest,
        audit_ids=(tokens.audit_id(), *parent),
    )


def _scoped(request: Request, ticket: Ticket, proof: _Proof, scope: Any) -> Ticket:
    if proof.credential is not None:
        if scope:
            raise policy.unauthorized()
        credential = proof.credential
        return replace(
            ticket,
            project_id=credential["project_id"],
            application_credential_id=credential["id"],
        )
    _refuse_rescoping(proof)
    if scope == "unscoped" or (isinstance(scope, dict) and "unscoped" in scope):
        return ticket
    if not scope:
        return _in_default_project(request, ticket, proof.user)
    if not isinstance(scope, dict):
        raise Refusal(400, "'scope' is neither an object nor 'unscoped'")
    if "OS-TRUST:trust" in scope:
        return _in_trust(request, ticket, scope["OS-TRUST:trust"])
    return _in_place(request, ticket, scope)


def _refuse_rescoping(proof: _Proof) -> None:
    if proof.old and (proof.old.trust_id or proof.old.application_credential_id):
        raise Refusal(403, "A token from a trust or application credential cannot be rescoped.")


def _in_default_project(request: Request, ticket: Ticket, user: Doc) -> Ticket:
    project = user.get("default_project_id")
    roles = directory.effective_roles(request.state, user["id"], ("project", project or ""))
    return replace(ticket, project_id=project) if project and roles else ticket


def _in_place(request: Request, ticket: Ticket, scope: dict[str, Any]) -> Ticket:
    for name, kind in (("project", directory.PROJECT), ("domain", directory.DOMAIN)):
        if name in scope:
            doc = directory.by_reference(request.state, kind, scope[name])
            if doc is None:
                raise policy.unauthorized()
            if name == "project":
                return replace(ticket, project_id=doc["id"])
            return replace(ticket, domain_id=doc["id"])
    if "system" in scope:
        return replace(ticket, system=True)
    raise Refusal(400, "'scope' names no project, domain, system or trust")


def _in_trust(request: Request, ticket: Ticket, reference: Any) -> Ticket:
    trust_id = str(reference.get("id", "")) if isinstance(reference, dict) else ""
    trust = request.state.get(tokens.TRUST, trust_id)
    if trust is None:
        raise policy.unauthorized()
    if trust["remaining_uses"] == 0:
        raise Refusal(403, f"No remaining uses for trust: {trust_id}.")
    if ticket.user_id != trust["trustee_user_id"]:
        raise Refusal(403, "User is not a trustee.")
    acting = trust["trustor_user_id"] if trust["impersonation"] else ticket.user_id
    project_id = trust["project_id"] or ""
    return replace(ticket, user_id=acting, trust_id=trust_id, project_id=project_id)


def _use_up(request: Request, trust: Doc) -> None:
    left = trust["remaining_uses"] - 1
    request.state.update(tokens.TRUST, {**trust, "remaining_uses": left})


@route("GET", f"{V3}/auth/tokens")
def validate_token(request: Request) -> Reply:
    """Say what a token stands for: to its user, to services and to admins."""
    subject, ticket = _subject(request)
    if ticket.expires_at <= request.cloud.now() and not _may_be_expired(request, ticket):
        raise policy.missing("token", "it has expired")
    try:
        held = tokens.standing(request.state, ticket, request.cloud.now())
    except tokens.Void as void:
        raise policy.missing("token", str(void)) from void
    body = tokens.shown(request.cloud, held, with_catalog="nocatalog" not in request.query)
    return Reply({"token": body}, headers={"X-Subject-Token": subject, "Vary": "X-Auth-Token"})


def _may_be_expired(request: Request, ticket: Ticket) -> bool:
    asked = request.first("allow_expired").lower() in ("1", "true")
    return asked and ticket.expires_at + tokens.EXPIRED_WINDOW > request.cloud.now()


@route("DELETE", f"{V3}/auth/tokens")
def revoke_token(request: Request) -> None:
    """End a token."""
    subject, _ = _subject(request)
    tokens.revoke(request.state, subject)


def _subject(request: Request) -> tuple[str, Ticket]:
    subject = request.header("X-Subject-Token")
    if not subject:
        raise Refusal(400, "The X-Subject-Token header is missing.")
    ticket = tokens.ticket_of(request.state, subject)
    if ticket is None:
        raise policy.missing("token", "it is unknown")
    is_own = ticket.user_id == request.caller.user_id
    policy.require(request, is_own or "service" in request.caller.roles)
    return subject, ticket


@route("GET", f"{V3}/auth/catalog")
def show_auth_catalog(request: Request) -> Doc:
    """Give the catalog of the token shown."""
    caller = request.caller
    if not caller.project_id and not caller.domain_id:
        raise policy.forbidden(request)
    link = f"{request.cloud.url}{V3}/auth/catalog"
    return {"catalog": catalog(request.cloud, caller.project_id), "links": {"self": link}}


@route("GET", f"{V3}/auth/projects")
def list_auth_projects(request: Request) -> Doc:
    """Give the projects that the caller may have a token for."""
    return accounts.projects_of(request, request.caller.user_id)


@route("GET", f"{V3}/auth/domains")
def list_auth_domains(request: Request) -> Doc:
    """Give the domains that the caller may have a token for."""
    return accounts.domains_of(request, request.caller.user_id)


@route("GET", f"{V3}/auth/system")
def show_auth_system(request: Request) -> Doc:
    """Tell whether the caller may have a token for the system."""
    user = request.caller.user_id
    roles = directory.effective_roles(request.state, user, ("system", "all"))
    return {"system": [{"all": True}] if roles else [], "links": {}}
