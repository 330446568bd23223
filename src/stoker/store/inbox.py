"""What resources are told by signals: mail that waits for a step, and the state that came of it.

Signals of a type that takes them purely are folded at once: its inbox holds one row, the state
that has come of all of them, and the row's id says how far that goes. Of other types it holds
the mail that no step has heard yet; ``inbox_read`` on the resource's row is the mail whose
hearing has begun. Whoever writes here holds the stack, so ids go up with the commits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.engines import IS_FREE, IS_NOT_DUE
from stoker.store.goal import Moved
from stoker.store.locks import hold
from stoker.store.traversal import moment

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from sqlalchemy import Connection

MAIL, STATE = "mail", "state"

_i, _r = t.inbox.c, t.resource.c

IS_BEGUN = sa.exists().where(_i.id == _r.inbox_read)
"""The hearing of mail has begun that the resource still has."""


@dataclass(frozen=True, slots=True)
class Letter:
    """One row of an inbox; ``payload`` sealed."""

    id: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Listened:
    """A resource that may be listened to, and its state; None while it was told nothing."""

    row_id: int
    implementation: str
    state: Letter | None


# of whoever signals


def addressed(connection: Connection, stack_id: str, row_id: int) -> Any:
    """Return the row, which stays as it is until the commit; raises Moved where it is gone."""
    hold(connection, [stack_id])
    query = sa.select(t.resource).where(_r.id == row_id).with_for_update()
    row = connection.execute(query).one_or_none()
    if row is None or not row.is_current:
        raise Moved(f"resource {row_id} has been replaced")
    return row


def settle(connection: Connection, row_id: int, state: bytes, now: float) -> None:
    """Write the state that has come of all signals so far."""
    forget(connection, [row_id])
    _put(connection, row_id, STATE, state, now)


def post(connection: Connection, row_id: int, mail: bytes, now: float) -> None:
    """Leave mail for the resource's next step, which is due at once."""
    _put(connection, row_id, MAIL, mail, now)
    connection.execute(sa.update(t.resource).where(_r.id == row_id).values(due=now))


def waiting(connection: Connection, row_id: int) -> int:
    """Return how much mail waits."""
    query = sa.select(sa.func.count()).where(_i.resource_id == row_id, _i.kind == MAIL)
    return int(connection.scalar(query) or 0)


def rouse(
    connection: Connection, stack_id: str, listens: Callable[[str], bool], now: float
) -> None:
    """Make those of the stack due that wait in a step and whose type ``listens``.

    One that is being claimed or committed just now is left alone: its step looks again.
    """
    query = (
        sa.select(_r.id, _r.implementation)
        .where(_r.stack_id == stack_id, _r.verb.is_not(None))
        .where(_r.due > now, _r.engine_id.is_(None))
        .order_by(_r.id)
        .with_for_update(skip_locked=True)
    )
    ids = [row.id for row in connection.execute(query) if listens(row.implementation)]
    if ids:
        connection.execute(sa.update(t.resource).where(_r.id.in_(ids)).values(due=now))


def _put(connection: Connection, row_id: int, kind: str, payload: bytes, now: float) -> None:
    connection.execute(
        sa.insert(t.inbox).values(
            resource_id=row_id, kind=kind, payload=payload, created_at=moment(now)
        )
    )


# of whoever listens


def state(connection: Connection, row_id: int) -> Letter | None:
    """Return the state that has come of the resource's signals."""
    return _newest(connection, row_id, STATE)


def listened(connection: Connection, stack_id: str, reference: str) -> Listened | None:
    """Return the current resource of the stack that has this physical id, and its state."""
    query = sa.select(_r.id, _r.implementation).where(
        _r.stack_id == stack_id, _r.physical_id == reference, _r.is_current.is_(True)
    )
    row = connection.execute(query.order_by(_r.id).limit(1)).one_or_none()
    return row and Listened(row.id, row.implementation, state(connection, row.id))


def oldest(connection: Connection, row_id: int) -> Letter | None:
    """Return the mail that is to be heard next."""
    query = sa.select(_i.id, _i.payload).where(_i.resource_id == row_id, _i.kind == MAIL)
    row = connection.execute(query.order_by(_i.id).limit(1)).one_or_none()
    return row and Letter(row.id, row.payload)


def _newest(connection: Connection, row_id: int, kind: str) -> Letter | None:
    query = sa.select(_i.id, _i.payload).where(_i.resource_id == row_id, _i.kind == kind)
    row = connection.execute(query.order_by(_i.id.desc()).limit(1)).one_or_none()
    return row and Letter(row.id, row.payload)


# of whoever commits


def forget(connection: Connection, row_ids: Iterable[int]) -> None:
    """Forget the state of resources."""
    connection.execute(
        sa.delete(t.inbox).where(_i.resource_id.in_(list(row_ids)), _i.kind == STATE)
    )


def take_out(connection: Connection, letters: Collection[int], silenced: Collection[int]) -> None:
    """Take out letters that were heard, and the states of resources that are to forget theirs."""
    if letters:
        connection.execute(sa.delete(t.inbox).where(_i.id.in_(letters)))
    if silenced:
        forget(connection, silenced)


def newest(connection: Connection, row_ids: Collection[int]) -> dict[int, int]:
    """Return how far the inbox goes of each of these resources that has something in it."""
    if not row_ids:
        return {}
    query = (
        sa.select(_i.resource_id, sa.func.max(_i.id).label("newest"))
        .where(_i.resource_id.in_(row_ids))
        .group_by(_i.resource_id)
    )
    return {row.resource_id: int(row.newest) for row in connection.execute(query)}


def overlooked(connection: Connection) -> list[int]:
    """Return the resources at rest whose mail nobody is about to hear: their turn was lost."""
    mail = sa.select(_i.resource_id).where(_i.kind == MAIL)
    query = (
        sa.select(_r.id)
        .where(_r.id.in_(mail), IS_NOT_DUE, IS_FREE, _r.verb.is_(None), _r.is_current.is_(True))
        .where(_r.action != "INIT")
    )  # what is not there yet hears when it is
    return list(connection.scalars(query))


def remind(connection: Connection, row_ids: Sequence[int], now: float) -> None:
    """Make them due, where they still are at rest."""
    free = sa.select(_r.id).where(_r.id.in_(row_ids), _r.due.is_(None), _r.engine_id.is_(None))
    ids = list(connection.scalars(free.order_by(_r.id).with_for_update(skip_locked=True)))
    connection.execute(sa.update(t.resource).where(_r.id.in_(ids)).values(due=now))
