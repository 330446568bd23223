"""Credentials kept for users: EC2 key pairs, at ``/credentials`` and ``/users/.../OS-EC2``.

Rule: an EC2 credential's id is the SHA-256 of its access key, so that both addresses name the same
thing; its secret is kept as it is, since signatures are checked with it.
"""

from __future__ import annotations

import hashlib
from typing import Any

import orjson

from stoker.devcloud.cloud import new_hex
from stoker.devcloud.exchange import Request
from stoker.devcloud.keystone import directory, policy
from stoker.devcloud.keystone.delegation import CREDENTIAL
from stoker.devcloud.keystone.entity import V3, required
from stoker.devcloud.listing import filtered
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import route
from stoker.devcloud.state import Doc, State, Taken

_EC2 = f"{V3}/users/{{user_id}}/credentials/OS-EC2"


def id_of(access: str) -> str:
    """Give the id of the credential with an access key."""
    return hashlib.sha256(access.encode()).hexdigest()


def pair_of(state: State, access: str) -> tuple[Doc, dict[str, Any]] | None:
    """Give an EC2 credential and its contents by access key, or None."""
    credential = state.get(CREDENTIAL, id_of(access))
    if credential is None or credential["type"] != "ec2":
        return None
    return credential, orjson.loads(credential["blob"])


@route("POST", f"{V3}/credentials", status=201)
def create_credential(request: Request) -> Doc:
    """Keep a credential; of an EC2 one the blob holds access and secret."""
    wanted = request.wrapped("credential")
    required(wanted, "type", "blob")
    user_id = wanted.get("user_id") or request.caller.user_id
    policy.require_self(request, user_id)
    policy.found(request, directory.USER, user_id)
    credential = {
        "id": new_hex(),
        "user_id": user_id,
        "project_id": wanted.get("project_id"),
        "type": wanted["type"],
        "blob": wanted["blob"],
    }
    if wanted["type"] == "ec2":
        credential.update(_ec2_fields(request, credential))
    return {"credential": _shown(request, _kept(request, credential))}


def _ec2_fields(request: Request, credential: Doc) -> Doc:
    if not credential["project_id"]:
        raise Refusal(400, "'project_id' is a required property of an EC2 credential")
    try:
        blob = orjson.loads(credential["blob"])
    except orjson.JSONDecodeError as error:
        raise Refusal(400, "Invalid blob in credential") from error
    if not isinstance(blob, dict) or not blob.get("access") or not blob.get("secret"):
        raise Refusal(400, "Invalid blob in credential")
    if request.caller.trust_id:
        blob["trust_id"] = request.caller.trust_id
    return {"id": id_of(blob["access"]), "blob": orjson.dumps(blob).decode()}


def _kept(request: Request, credential: Doc) -> Doc:
    try:
        return request.state.insert(CREDENTIAL, credential)
    except Taken as taken:
        text = f"Conflict occurred attempting to store credential - {credential['id']}."
        raise Refusal(409, text) from taken


def _shown(request: Request, credential: Doc) -> Doc:
    link = f"{request.cloud.url}{V3}/credentials/{credential['id']}"
    return {**credential, "links": {"self": link}}


@route("GET", f"{V3}/credentials")
def list_credentials(request: Request) -> Doc:
    """Give credentials: an admin any, others their own."""
    docs = request.state.list(CREDENTIAL)
    if not request.caller.is_admin:
        docs = [doc for doc in docs if doc["user_id"] == request.caller.user_id]
    chosen = filtered(docs, request.query, ("user_id", "type"))
    link = f"{request.cloud.url}{V3}/credentials"
    return {
        "links": {"next": None, "self": link, "previous": None},
        "credentials": [_shown(request, doc) for doc in chosen],
    }


def _one(request: Request) -> Doc:
    credential = policy.found(request, CREDENTIAL, request.params["id"])
    policy.require_self(request, credential["user_id"])
    return credential


@route("GET", f"{V3}/credentials/{{id}}")
def show_credential(request: Request) -> Doc:
    """Give one credential."""
    return {"credential": _shown(request, _one(request))}


@route("PATCH", f"{V3}/credentials/{{id}}")
def update_credential(request: Request) -> Doc:
    """Change a credential's blob, type or project."""
    wanted = request.wrapped("credential")
    changes = {n: v for n, v in wanted.items() if n in ("blob", "type", "project_id")}
    return {
        "credential": _shown(
            request, request.state.update(CREDENTIAL, {**_one(request), **changes})
        )
    }


@route("DELETE", f"{V3}/credentials/{{id}}")
def delete_credential(request: Request) -> None:
    """Forget a credential."""
    request.state.delete(CREDENTIAL, _one(request)["id"])


@route("POST", _EC2, status=201)
def create_ec2_credential(request: Request) -> Doc:
    """Make a pair of EC2 keys for a user in a project."""
    user_id, project_id = request.params["user_id"], request.object().get("tenant_id")
    policy.require_self(request, user_id)
    policy.found(request, directory.USER, user_id)
    policy.found(request, directory.PROJECT, str(project_id))
    blob = {"access": new_hex(), "secret": new_hex(), "trust_id": request.caller.trust_id or None}
    credential = {
        "id": id_of(str(blob["access"])),
        "user_id": user_id,
        "project_id": project_id,
        "type": "ec2",
        "blob": orjson.dumps(blob).decode(),
    }
    return {"credential": _ec2_shown(request, _kept(request, credential))}


def _ec2_shown(request: Request, credential: Doc) -> Doc:
    blob = orjson.loads(credential["blob"])
    user = credential["user_id"]
    link = f"{request.cloud.url}{V3}/users/{user}/credentials/OS-EC2/{blob['access']}"
    return {
        "user_id": user,
        "tenant_id": credential["project_id"],
        "access": blob["access"],
        "secret": blob["secret"],
        "trust_id": blob.get("trust_id"),
        "app_cred_id": None,
        "access_token_id": None,
        "links": {"self": link},
    }


@route("GET", _EC2)
def list_ec2_credentials(request: Request) -> Doc:
    """Give a user's EC2 keys."""
    policy.require_self(request, request.params["user_id"])
    where = {"user_id": request.params["user_id"], "type": "ec2"}
    docs = request.state.list(CREDENTIAL, where=where)
    link = f"{request.cloud.url}{request.path}"
    return {
        "links": {"next": None, "self": link, "previous": None},
        "credentials": [_ec2_shown(request, doc) for doc in docs],
    }


def _one_ec2(request: Request) -> Doc:
    policy.require_self(request, request.params["user_id"])
    found = pair_of(request.state, request.params["access"])
    if found is None or found[0]["user_id"] != request.params["user_id"]:
        raise policy.missing("credential", request.params["access"])
    return found[0]


@route("GET", f"{_EC2}/{{access}}")
def show_ec2_credential(request: Request) -> Doc:
    """Give a pair of EC2 keys."""
    return {"credential": _ec2_shown(request, _one_ec2(request))}


@route("DELETE", f"{_EC2}/{{access}}")
def delete_ec2_credential(request: Request) -> None:
    """Forget a pair of EC2 keys."""
    request.state.delete(CREDENTIAL, _one_ec2(request)["id"])
