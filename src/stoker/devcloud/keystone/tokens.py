"""Tokens: made, kept as a digest, and worked out again each time that they are shown.

Rule: a token says nothing by itself. Whoever it stands for, and with which roles, is derived from
what is true now: a user disabled, a role revoked or a trust deleted ends it at once.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from stoker.devcloud import clock
from stoker.devcloud.caller import Caller
from stoker.devcloud.cloud import Cloud
from stoker.devcloud.keystone import directory
from stoker.devcloud.keystone.catalog import catalog
from stoker.devcloud.state import Doc, State, schema

TRUST, APPLICATION_CREDENTIAL = "identity.trust", "identity.application_credential"
EXPIRED_WINDOW = 48 * 3600.0
"""Seconds for which a service may still have an expired token validated."""

schema("""CREATE TABLE IF NOT EXISTS tokens (id TEXT PRIMARY KEY, expires REAL NOT NULL,
          json BLOB NOT NULL) WITHOUT ROWID""")


class Void(Exception):
    """A token (to be) that stands for nobody any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """What is kept of a token. ``user_id`` is who acts: a trust's trustor when he is impersonated.

    At most one scope: ``project_id``, ``domain_id`` or ``system``; with ``trust_id`` the roles
    are the trust's, with ``application_credential_id`` the credential's.
    """

    user_id: str
    methods: tuple[str, ...]
    issued_at: float
    expires_at: float
    audit_ids: tuple[str, ...]
    project_id: str = ""
    domain_id: str = ""
    system: bool = False
    trust_id: str = ""
    application_credential_id: str = ""

    @property
    def target(self) -> tuple[str, str] | None:
        """What it is scoped to, as grants name it; None when unscoped."""
        if self.project_id:
            return "project", self.project_id
        if self.domain_id:
            return "domain", self.domain_id
        return ("system", "all") if self.system else None


@dataclass(frozen=True, slots=True)
class Standing:
    """What a ticket stands for now."""

    ticket: Ticket
    user: Doc
    roles: list[Doc]
    project: Doc | None
    trust: Doc | None
    credential: Doc | None


def audit_id() -> str:
    """Give a new audit id."""
    return secrets.token_urlsafe(16)


def issue(cloud: Cloud, ticket: Ticket) -> str:
    """Keep a ticket and give the token for it."""
    token = f"gAAAAA{secrets.token_urlsafe(48)}"
    cloud.state.execute("DELETE FROM tokens WHERE expires < ?", (cloud.now() - EXPIRED_WINDOW,))
    cloud.state.execute(
        "INSERT INTO tokens (id, expires, json) VALUES (?, ?, ?)",
        (_kept(token), ticket.expires_at, orjson.dumps(asdict(ticket))),
    )
    return token


def ticket_of(state: State, token: str) -> Ticket | None:
    """Give the ticket of a token that was issued and not revoked; it may have expired."""
    rows = state.rows("SELECT json FROM tokens WHERE id = ?", (_kept(token),))
    if not rows:
        return None
    kept: dict[str, Any] = orjson.loads(rows[0][0])
    kept["methods"], kept["audit_ids"] = tuple(kept["methods"]), tuple(kept["audit_ids"])
    return Ticket(**kept)


def revoke(state: State, token: str) -> None:
    """Forget a token."""
    state.execute("DELETE FROM tokens WHERE id = ?", (_kept(token),))


def revoke_user(state: State, user_id: str) -> None:
    """Forget every token of a user."""
    state.execute("DELETE FROM tokens WHERE json ->> 'user_id' = ?", (user_id,))


def _kept(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def standing(state: State, ticket: Ticket, now: float) -> Standing:
    """Work out what a ticket stands for.

    Raises:
        Void: its user, scope, trust or credential is gone or disabled, or no role is left.
    """
    user = _enabled(state, directory.USER, ticket.user_id)
    _enabled(state, directory.DOMAIN, user["domain_id"])
    project = None
    if ticket.project_id:
        project = _enabled(state, directory.PROJECT, ticket.project_id)
        _enabled(state, directory.DOMAIN, project["domain_id"])
    if ticket.domain_id:
        _enabled(state, directory.DOMAIN, ticket.domain_id)
    trust = _delegation(state, TRUST, ticket.trust_id, now)
    credential = _delegation(state, APPLICATION_CREDENTIAL, ticket.application_credential_id, now)
    roles = _roles(state, ticket, trust, credential)
    return Standing(ticket, user, roles, project, trust, credential)


def _enabled(state: State, kind: str, id: str) -> Doc:
    doc = state.get(kind, id)
    if doc is None or not doc["enabled"]:
        raise Void(f"{kind} {id} is gone or disabled")
    return doc


def _delegation(state: State, kind: str, id: str, now: float) -> Doc | None:
    if not id:
        return None
    doc = state.get(kind, id)
    if doc is None or (doc["expires_at"] and clock.parsed(doc["expires_at"]) <= now):
        raise Void(f"{kind} {id} is gone or expired")
    return doc


def _roles(state: State, ticket: Ticket, trust: Doc | None, credential: Doc | None) -> list[Doc]:
    target = ticket.target
    if target is None:
        return []
    giver = trust["trustor_user_id"] if trust else ticket.user_id
    if trust:
        _enabled(state, directory.USER, trust["trustor_user_id"])
        _enabled(state, directory.USER, trust["trustee_user_id"])
    roles = directory.effective_roles(state, giver, target)
    delegated = trust or credential
    if delegated:
        if not set(delegated["roles"]) <= {role["id"] for role in roles}:
            raise Void(f"{giver} lost a role that was delegated")
        roles = directory.with_implied(state, delegated["roles"])
    if not roles:
        raise Void(f"{giver} has no role on {target}")
    return roles


def caller_of(cloud: Cloud, token: str) -> Caller | None:
    """Tell who shows a token; None when it is not valid."""
    ticket = ticket_of(cloud.state, token)
    if ticket is None or ticket.expires_at <= cloud.now():
        return None
    try:
        held = standing(cloud.state, ticket, cloud.now())
    except Void:
        return None
    return Caller(
        token_id=token,
        user_id=ticket.user_id,
        user_name=held.user["name"],
        user_domain_id=held.user["domain_id"],
        roles=frozenset(role["name"] for role in held.roles),
        expires_at=_latest(held),
        project_id=ticket.project_id,
        project_name=held.project["name"] if held.project else "",
        project_domain_id=held.project["domain_id"] if held.project else "",
        domain_id=ticket.domain_id,
        trust_id=ticket.trust_id,
        application_credential_id=ticket.application_credential_id,
        restricted=bool(held.credential and not held.credential["unrestricted"]),
    )


def _latest(held: Standing) -> float:
    delegated = (each for each in (held.trust, held.credential) if each and each["expires_at"])
    ends = [held.ticket.expires_at, *(clock.parsed(each["expires_at"]) for each in delegated)]
    return min(ends)


def shown(cloud: Cloud, held: Standing, *, with_catalog: bool = True) -> dict[str, Any]:
    """Write the ``token`` object of an answer."""
    state, ticket = cloud.state, held.ticket
    body: dict[str, Any] = {
        "methods": list(ticket.methods),
        "user": {
            "domain": _domain(state, held.user["domain_id"]),
            "id": held.user["id"],
            "name": held.user["name"],
            "password_expires_at": None,
        },
        "audit_ids": list(ticket.audit_ids),
        "expires_at": clock.iso(_latest(held), micros=True),
        "issued_at": clock.iso(ticket.issued_at, micros=True),
    }
    body.update(_scope_shown(state, held))
    if ticket.target is not None:
        body["roles"] = [{"id": role["id"], "name": role["name"]} for role in held.roles]
        if with_catalog:
            body["catalog"] = catalog(cloud, ticket.project_id)
    return {**body, **_delegation_shown(held)}


def _scope_shown(state: State, held: Standing) -> dict[str, Any]:
    if held.project:
        project = held.project
        return {
            "project": {
                "domain": _domain(state, project["domain_id"]),
                "id": project["id"],
                "name": project["name"],
            },
            "is_domain": False,
        }
    if held.ticket.domain_id:
        return {"domain": _domain(state, held.ticket.domain_id)}
    return {"system": {"all": True}} if held.ticket.system else {}


def _delegation_shown(held: Standing) -> dict[str, Any]:
    if held.trust:
        return {
            "OS-TRUST:trust": {
                "id": held.trust["id"],
                "impersonation": held.trust["impersonation"],
                "trustor_user": {"id": held.trust["trustor_user_id"]},
                "trustee_user": {"id": held.trust["trustee_user_id"]},
            }
        }
    if held.credential:
        return {
            "application_credential": {
                "id": held.credential["id"],
                "name": held.credential["name"],
                "restricted": not held.credential["unrestricted"],
            }
        }
    return {}


def _domain(state: State, id: str) -> dict[str, str]:
    doc = state.get(directory.DOMAIN, id)
    return {"id": id, "name": doc["name"] if doc else id}
