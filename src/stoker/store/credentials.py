"""Stored credentials: intended, held, to be taken back.

Rule: a row that is held has something in one of two sealed columns, and that says what it is.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.traversal import moment

_c = t.user_creds.c
_UNUSED = ~sa.exists().where(t.stack.c.user_creds_id == _c.id)
_KEPT = (_c.trust_id, _c.secret)

TRUST = _c.trust_id.name
"""The column of a trust."""

SECRET = _c.secret.name
"""The column of a user's password."""


def intend(connection: sa.Connection, project_id: str, user_id: str, now: float) -> int:
    """Record that something of the user's is about to be made; return the row's id."""
    result = connection.execute(
        sa.insert(t.user_creds).values(
            state="INTENDED",
            mark=str(uuid4()),
            project_id=project_id,
            user_id=user_id,
            created_at=moment(now),
        )
    )
    return int(result.inserted_primary_key[0])  # type: ignore[index]  # a single-row insert has it


def hold(connection: sa.Connection, creds_id: int, column: str, sealed: bytes) -> None:
    """Record what was made, in the column of what it is."""
    connection.execute(
        sa.update(t.user_creds).where(_c.id == creds_id).values({"state": "HELD", column: sealed})
    )


def release(connection: sa.Connection, creds_id: int) -> None:
    """Mark what is held as something to be taken back."""
    connection.execute(sa.update(t.user_creds).where(_c.id == creds_id).values(state="REVOKING"))


def release_unused(connection: sa.Connection) -> None:
    """Mark what no stack uses, when no request can be on its way to use it."""
    connection.execute(sa.delete(t.user_creds).where(_c.state == "INTENDED", _UNUSED))
    connection.execute(
        sa.update(t.user_creds).where(_c.state == "HELD", _UNUSED).values(state="REVOKING")
    )


def renew(
    connection: sa.Connection, root_id: str, creds_id: int | None, held: int | None, now: float
) -> None:
    """Let a whole tree of stacks use these credentials from now on.

    Those ``held`` before are kept for a while, as credentials that nobody uses: a call may be
    under way with them. It is done again for what has come into the tree while stacks that others
    held were waited for; after that, whatever comes inherits these.
    """
    s = t.stack.c
    others = s.user_creds_id.is_distinct_from(creds_id)
    tree = sa.update(t.stack).where(s.root_id == root_id, s.deleted_at.is_(None), others)
    changed = 1
    while changed:
        changed = connection.execute(tree.values(user_creds_id=creds_id)).rowcount
    if held is not None:
        connection.execute(
            sa.update(t.user_creds).where(_c.id == held).values(created_at=moment(now))
        )


def owner(connection: sa.Connection, creds_id: int) -> tuple[str, str] | None:
    """Return the user and the project of credentials that are held; None: there are none."""
    query = sa.select(_c.user_id, _c.project_id).where(_c.id == creds_id, _c.state == "HELD")
    row = connection.execute(query).one_or_none()
    return None if row is None else (row.user_id, row.project_id)


def are_unmade(connection: sa.Connection, abandoned_at: float) -> bool:
    """Tell whether there are intents older than that from which nothing has come."""
    query = sa.select(_c.id).where(*_unmade(abandoned_at)).limit(1)
    return connection.scalar(query) is not None


def forget_unmade(connection: sa.Connection, abandoned_at: float) -> None:
    """Delete them."""
    connection.execute(sa.delete(t.user_creds).where(*_unmade(abandoned_at)))


def _unmade(abandoned_at: float) -> tuple[sa.ColumnElement[bool], ...]:
    return (_c.state == "INTENDED", _c.created_at < moment(abandoned_at), _UNUSED)


def forget(connection: sa.Connection, creds_id: int) -> None:
    """Delete the row."""
    connection.execute(
        sa.update(t.stack).where(t.stack.c.user_creds_id == creds_id).values(user_creds_id=None)
    )
    connection.execute(sa.delete(t.user_creds).where(_c.id == creds_id))


def kept(connection: sa.Connection, creds_id: int) -> tuple[str, bytes] | None:
    """Return the column in which something is held, and that, sealed; None: there is nothing."""
    row = connection.execute(sa.select(*_KEPT).where(_c.id == creds_id)).one_or_none()
    return None if row is None else _filled(row)


def is_used(connection: sa.Connection, creds_id: int) -> bool:
    """Tell whether a stack has these credentials."""
    query = sa.select(t.stack.c.id).where(t.stack.c.user_creds_id == creds_id).limit(1)
    return connection.scalar(query) is not None


def to_revoke(connection: sa.Connection, abandoned_at: float) -> list[tuple[int, str, bytes]]:
    """Return ids of the credentials whose stacks are gone, with what is ``kept`` there.

    So are those made before ``abandoned_at`` that no stack ever used.
    """
    abandoned = sa.and_(_c.state == "HELD", _c.created_at < moment(abandoned_at), _UNUSED)
    query = sa.select(_c.id, *_KEPT).where(
        sa.or_(*(each.is_not(None) for each in _KEPT)), sa.or_(_c.state == "REVOKING", abandoned)
    )
    found = ((row.id, _filled(row)) for row in connection.execute(query))
    return [(id, *filled) for id, filled in found if filled is not None]


def _filled(row: Any) -> tuple[str, bytes] | None:
    values = ((column.name, getattr(row, column.name)) for column in _KEPT)
    return next(((name, sealed) for name, sealed in values if sealed is not None), None)
