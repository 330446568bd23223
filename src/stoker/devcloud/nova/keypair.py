"""Key pairs: they belong to a user, and their name is their id."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stoker.devcloud import listing
from stoker.devcloud.exchange import Reply
from stoker.devcloud.nova import problem, quota, ssh_key
from stoker.devcloud.nova.ask import Ask, compute_route, read_text
from stoker.devcloud.state import index

if TYPE_CHECKING:
    from stoker.devcloud.state import Doc, State

KIND = quota.KEYPAIR
_NAME = re.compile(r"[\w \-@.]+")
_TYPED, _OF_USERS, _NOT_GENERATED, _FREE_NAMES = 2, 10, 92, 92
_TYPES = ("ssh", "x509")

index(KIND, "user_id")


def find(state: State, user_id: str, name: str) -> Doc | None:
    """Give a user's key pair, or None."""
    return state.get(KIND, f"{user_id}/{name}")


def _found(ask: Ask) -> Doc:
    user, name = _user(ask, ask.request.first("user_id")), ask.params["name"]
    pair = find(ask.state, user, name)
    if pair is None:
        raise problem.missing(f"Keypair {name} not found for user {user}")
    return pair


def _user(ask: Ask, wanted: str | None) -> str:
    """Give whose key pairs are meant: the caller's, or from 2.10 another's, for admins."""
    if not wanted or not ask.since(_OF_USERS) or wanted == ask.caller.user_id:
        return ask.caller.user_id
    ask.only_admin("os-keypairs:show")
    return wanted


@compute_route("GET", "os-keypairs")
def list_keypairs(ask: Ask) -> Doc:
    """Give a user's key pairs."""
    user = _user(ask, ask.request.first("user_id"))
    docs = listing.ordered(ask.state.list(KIND, where={"user_id": user}), ["name"])
    docs, more = listing.paged(docs, ask.request, key="name")
    body: Doc = {"keypairs": [{"keypair": _brief(ask, pair)} for pair in docs]}
    if more:
        query = listing.next_query(ask.request, docs[-1]["name"])
        body["keypairs_links"] = [{"rel": "next", "href": f"{ask.href('os-keypairs')}?{query}"}]
    return body


@compute_route("GET", "os-keypairs/{name}")
def show_keypair(ask: Ask) -> Doc:
    """Give one key pair."""
    pair = _found(ask)
    times = {"created_at": pair["created_at"], "deleted": False, "deleted_at": None}
    more = {"updated_at": None, "id": pair["number"], "user_id": pair["user_id"]}
    return {"keypair": {**_brief(ask, pair), **times, **more}}


@compute_route("POST", "os-keypairs", status=200)
def create_keypair(ask: Ask) -> Reply:
    """Take a public key, or make a pair and show its private key this once."""
    body = ask.body("keypair")
    name = read_text(body, "name")
    if not _NAME.fullmatch(name):
        raise problem.invalid("name", name, "Keypair name contains unsafe characters")
    user = _user(ask, body.get("user_id"))
    pair = {"type": _type(ask, body), "name": name, "user_id": user}
    private, public = _keys(ask, body)
    _check_room(ask, user, name)
    pair |= {"public_key": public, "fingerprint": _fingerprint(public), "id": f"{user}/{name}"}
    inner = {"number": ask.state.count(KIND) + 1, "created_at": ask.now().rstrip("Z") + ".000000"}
    ask.state.insert(KIND, {**pair, **inner})
    shown = {**_brief(ask, pair), "user_id": user}
    status = 201 if ask.since(_TYPED) else 200
    return Reply({"keypair": shown | ({"private_key": private} if private else {})}, status=status)


def _keys(ask: Ask, body: Doc) -> tuple[str, str]:
    """Give the private key, empty where the user keeps it, and the public one."""
    if body.get("public_key"):
        return "", str(body["public_key"])
    if ask.since(_NOT_GENERATED):
        raise problem.invalid("keypair", body, "'public_key' is a required property")
    made = ssh_key.generate()
    return made.private, made.public


def _type(ask: Ask, body: Doc) -> str:
    wanted = body.get("type", "ssh") if ask.since(_TYPED) else "ssh"
    if wanted not in _TYPES:
        raise problem.invalid("type", wanted, f"'{wanted}' is not one of {list(_TYPES)}")
    return str(wanted)


def _fingerprint(public_key: str) -> str:
    try:
        return ssh_key.fingerprint(public_key)
    except ssh_key.BadKey:
        raise problem.bad_request(
            "Keypair data is invalid: failed to generate fingerprint"
        ) from None


def _check_room(ask: Ask, user: str, name: str) -> None:
    if find(ask.state, user, name):
        raise problem.conflict(f"Key pair '{name}' already exists.")
    allowed = quota.limits(ask.state, ask.caller.project_id)["key_pairs"]
    if 0 <= allowed <= ask.state.count(KIND, where={"user_id": user}):
        raise problem.forbidden("Quota exceeded, too many key pairs.")


@compute_route("DELETE", "os-keypairs/{name}", status=202)
def delete_keypair(ask: Ask) -> Reply:
    """Delete a key pair; servers that were made with it go on."""
    ask.state.delete(KIND, _found(ask)["id"])
    return Reply(status=204 if ask.since(_TYPED) else 202)


def _brief(ask: Ask, pair: Doc) -> Doc:
    names = ["name", "public_key", "fingerprint"] + (["type"] if ask.since(_TYPED) else [])
    return {name: pair[name] for name in names}
