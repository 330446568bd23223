"""Application credentials: a secret with which a program acts as its user in one project.

Rule: a user's own affair, admins excepted for reading and deleting; the secret is shown once and
kept as a digest; a restricted one cannot breed others.
"""

from __future__ import annotations

import secrets

from stoker.devcloud import clock
from stoker.devcloud.cloud import new_hex
from stoker.devcloud.exchange import Request
from stoker.devcloud.keystone import directory, policy
from stoker.devcloud.keystone.entity import V3, required
from stoker.devcloud.keystone.tokens import APPLICATION_CREDENTIAL as KIND
from stoker.devcloud.listing import filtered
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import route
from stoker.devcloud.state import Doc

_ALL = f"{V3}/users/{{user_id}}/application_credentials"
_ONE = f"{_ALL}/{{credential_id}}"


@route("POST", _ALL, status=201)
def create_application_credential(request: Request) -> Doc:
    """Make one for the token's project."""
    wanted = request.wrapped("application_credential")
    required(wanted, "name")
    policy.require_unrestricted(request)
    caller = request.caller
    if request.params["user_id"] != caller.user_id or not caller.project_id:
        raise policy.forbidden(request)
    if request.state.list(KIND, name=wanted["name"], where={"user_id": caller.user_id}):
        text = f"duplicate entry found with name {wanted['name']}"
        raise Refusal(
            409, f"Conflict occurred attempting to store application_credential - {text}."
        )
    secret = str(wanted.get("secret") or secrets.token_urlsafe(48))
    credential = {
        "id": new_hex(),
        "name": wanted["name"],
        "description": wanted.get("description"),
        "user_id": caller.user_id,
        "project_id": caller.project_id,
        "expires_at": _expiry(request, wanted.get("expires_at")),
        "unrestricted": bool(wanted.get("unrestricted", False)),
        "roles": _roles(request, wanted.get("roles")),
        "system": None,
        "secret_digest": directory.digest(secret),
    }
    request.state.insert(KIND, credential)
    return {"application_credential": {**_shown(request, credential), "secret": secret}}


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


def _roles(request: Request, references: list[Doc] | None) -> list[str]:
    caller = request.caller
    target = ("project", caller.project_id)
    roles = directory.effective_roles(request.state, caller.user_id, target)
    held = {role["id"]: role["name"] for role in roles if role["name"] in caller.roles}
    if not references:
        return list(held)
    chosen = []
    for reference in references:
        ids = [i for i, name in held.items() if reference in ({"id": i}, {"name": name})]
        if not ids:
            raise Refusal(400, "The user does not have a role that was asked for.")
        chosen += ids
    return chosen


def _shown(request: Request, credential: Doc) -> Doc:
    bare = {name: value for name, value in credential.items() if name != "secret_digest"}
    roles = (request.state.get(directory.ROLE, id) for id in credential["roles"])
    user = credential["user_id"]
    link = f"{request.cloud.url}{V3}/users/{user}/application_credentials/{credential['id']}"
    return {
        **bare,
        "roles": [
            {"id": role["id"], "name": role["name"], "domain_id": None} for role in roles if role
        ],
        "links": {"self": link},
    }


@route("GET", _ALL)
def list_application_credentials(request: Request) -> Doc:
    """Give a user's."""
    policy.require_self(request, request.params["user_id"])
    docs = request.state.list(KIND, where={"user_id": request.params["user_id"]})
    link = f"{request.cloud.url}{request.path}"
    return {
        "links": {"next": None, "self": link, "previous": None},
        "application_credentials": [
            _shown(request, doc) for doc in filtered(docs, request.query, ("name",))
        ],
    }


def _own(request: Request) -> Doc:
    policy.require_self(request, request.params["user_id"])
    credential = policy.found(request, KIND, request.params["credential_id"])
    if credential["user_id"] != request.params["user_id"]:
        raise policy.missing("application credential", credential["id"])
    return credential


@route("GET", _ONE)
def show_application_credential(request: Request) -> Doc:
    """Give one, without its secret."""
    return {"application_credential": _shown(request, _own(request))}


@route("DELETE", _ONE)
def delete_application_credential(request: Request) -> None:
    """End one, and every token that was had with it."""
    policy.require_unrestricted(request)
    request.state.delete(KIND, _own(request)["id"])
