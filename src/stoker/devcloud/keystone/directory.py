"""Users, projects, domains, groups, roles, and who has which role where: the stored facts.

Rule: what Keystone knows is read and written here; nothing here knows about requests. Passwords
and secrets are kept as salted digests only.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Any

from stoker.devcloud.state import Doc, State, index, schema

DOMAIN, PROJECT, USER = "identity.domain", "identity.project", "identity.user"
GROUP, ROLE = "identity.group", "identity.role"
DEFAULT_DOMAIN = "default"
_ROUNDS = 1000  # a development cloud: enough not to store a password, cheap enough for tests
_IMPLIED = {"admin": ("member",), "manager": ("member",), "member": ("reader",)}

for _kind in (PROJECT, USER, GROUP):
    index(_kind, "domain_id")
schema("""CREATE TABLE IF NOT EXISTS assignments (actor_kind TEXT NOT NULL, actor TEXT NOT NULL,
          target_kind TEXT NOT NULL, target TEXT NOT NULL, role TEXT NOT NULL,
          PRIMARY KEY (actor, target, role, actor_kind, target_kind)) WITHOUT ROWID""")
schema("CREATE INDEX IF NOT EXISTS assignments_by_target ON assignments (target)")
schema("""CREATE TABLE IF NOT EXISTS memberships (member TEXT NOT NULL, grouping TEXT NOT NULL,
          PRIMARY KEY (member, grouping)) WITHOUT ROWID""")


def digest(secret: str) -> str:
    """Give what is kept of a password: salt and digest."""
    salt = secrets.token_bytes(8)
    made = hashlib.pbkdf2_hmac("sha256", secret.encode(), salt, _ROUNDS)
    return f"{salt.hex()}:{made.hex()}"


def agrees(secret: str, kept: str) -> bool:
    """Tell whether a password is the one of which the digest was kept."""
    salt, _, made = kept.partition(":")
    again = hashlib.pbkdf2_hmac("sha256", secret.encode(), bytes.fromhex(salt), _ROUNDS)
    return hmac.compare_digest(again.hex(), made)


def by_reference(state: State, kind: str, reference: Any) -> Doc | None:
    """Find what ``{"id"}`` or ``{"name", "domain": {...}}`` means; None when it is not there."""
    if not isinstance(reference, dict):
        return None
    if "id" in reference:
        return state.get(kind, str(reference["id"]))
    name = str(reference.get("name", ""))
    if kind == DOMAIN:
        return next(iter(state.list(DOMAIN, name=name)), None)
    domain = by_reference(state, DOMAIN, reference.get("domain") or {"id": DEFAULT_DOMAIN})
    if domain is None:
        return None
    return next(iter(state.list(kind, name=name, where={"domain_id": domain["id"]})), None)


def grant(state: State, actor: tuple[str, str], target: tuple[str, str], role: str) -> None:
    """Give an actor (``("user", id)``) a role on a target (``("project", id)``)."""
    sql = """INSERT INTO assignments (actor_kind, actor, target_kind, target, role)
             VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""
    state.execute(sql, (*actor, *target, role))


def revoke(state: State, actor: tuple[str, str], target: tuple[str, str], role: str) -> bool:
    """Take a role back; tell whether it was granted."""
    sql = """DELETE FROM assignments WHERE actor_kind = ? AND actor = ? AND target_kind = ?
             AND target = ? AND role = ?"""
    return state.execute(sql, (*actor, *target, role)) > 0


def granted(state: State, actor: tuple[str, str], target: tuple[str, str]) -> list[str]:
    """Give the ids of the roles that an actor was given on a target itself."""
    sql = """SELECT role FROM assignments WHERE actor_kind = ? AND actor = ?
             AND target_kind = ? AND target = ? ORDER BY role"""
    return [row[0] for row in state.rows(sql, (*actor, *target))]


def assignments(state: State) -> list[tuple[str, str, str, str, str]]:
    """Give all grants: actor kind, actor, target kind, target, role."""
    sql = """SELECT actor_kind, actor, target_kind, target, role FROM assignments
             ORDER BY target, actor, role"""
    return [tuple(row) for row in state.rows(sql)]


def forget_assignments(state: State, id: str) -> None:
    """Remove every grant that an actor, a target or a role with this id is part of."""
    state.execute("DELETE FROM assignments WHERE actor = ? OR target = ? OR role = ?", [id] * 3)


def join(state: State, user: str, group: str) -> None:
    """Put a user in a group."""
    state.execute(
        "INSERT INTO memberships (member, grouping) VALUES (?, ?) ON CONFLICT DO NOTHING",
        (user, group),
    )


def leave(state: State, user: str, group: str) -> bool:
    """Take a user out of a group; tell whether he was in it."""
    sql = "DELETE FROM memberships WHERE member = ? AND grouping = ?"
    return state.execute(sql, (user, group)) > 0


def groups_of(state: State, user: str) -> list[str]:
    """Give the ids of a user's groups."""
    sql = "SELECT grouping FROM memberships WHERE member = ? ORDER BY grouping"
    return [row[0] for row in state.rows(sql, (user,))]


def members_of(state: State, group: str) -> list[str]:
    """Give the ids of a group's users."""
    sql = "SELECT member FROM memberships WHERE grouping = ? ORDER BY member"
    return [row[0] for row in state.rows(sql, (group,))]


def forget_memberships(state: State, id: str) -> None:
    """Remove every membership of a user or a group."""
    state.execute("DELETE FROM memberships WHERE member = ? OR grouping = ?", (id, id))


def effective_roles(state: State, user: str, target: tuple[str, str]) -> list[Doc]:
    """Give a user's roles on a target: his own, his groups', and what those imply."""
    ids = set(granted(state, ("user", user), target))
    for group in groups_of(state, user):
        ids.update(granted(state, ("group", group), target))
    return with_implied(state, ids)


def with_implied(state: State, ids: Iterable[str]) -> list[Doc]:
    """Give roles and the roles that they imply, by name."""
    roles = {doc["name"]: doc for doc in (state.get(ROLE, id) for id in ids) if doc}
    waiting = list(roles)
    while waiting:
        for name in _IMPLIED.get(waiting.pop(), ()):
            implied = next(iter(state.list(ROLE, name=name)), None)
            if implied is not None and name not in roles:
                roles[name] = implied
                waiting.append(name)
    return [roles[name] for name in sorted(roles)]


def targets_of(state: State, user: str, target_kind: str) -> list[str]:
    """Give the ids of the projects (or domains) on which a user has a role."""
    actors = [user, *groups_of(state, user)]
    marks = ", ".join("?" * len(actors))
    sql = f"""SELECT DISTINCT target FROM assignments WHERE target_kind = ?
              AND actor IN ({marks}) ORDER BY target"""  # noqa: S608 - only question marks
    return [row[0] for row in state.rows(sql, (target_kind, *actors))]
