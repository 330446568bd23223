"""Stored credentials: which are taken back, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from stoker.store import credentials
from stoker.store import tables as t

if TYPE_CHECKING:
    from stoker.store.database import Database
    from tests.store.world import World

NOW = 1_800_000_000.0
HOUR = 3600.0


def _intended(database: Database, now: float = NOW) -> int:
    with database.write() as connection:
        return credentials.intend(connection, "p1", "u1", now)


def _held(database: Database, now: float = NOW) -> int:
    id = _intended(database, now)
    with database.write() as connection:
        credentials.hold(connection, id, credentials.TRUST, b"sealed")
    return id


def _to_revoke(database: Database, abandoned_at: float) -> list[int]:
    with database.read() as connection:
        return [id for id, *_ in credentials.to_revoke(connection, abandoned_at)]


def test_what_no_stack_uses_is_taken_back_when_it_is_old(database: Database, world: World) -> None:
    old, used = _held(database), _held(database)
    _held(database, NOW + HOUR)
    world.stack("a", user_creds_id=used)
    assert _to_revoke(database, NOW + 1) == [old]


def test_an_intent_from_which_nothing_came_is_forgotten_when_it_is_old(
    database: Database,
) -> None:
    _intended(database)
    young, held = _intended(database, NOW + HOUR), _held(database)
    with database.write() as connection:
        assert not credentials.are_unmade(connection, NOW - 1)
        assert credentials.are_unmade(connection, NOW + 1)
        credentials.forget_unmade(connection, NOW + 1)
        assert set(connection.scalars(sa.select(t.user_creds.c.id))) == {young, held}


def test_who_is_alone_gives_up_at_once_what_no_stack_uses(database: Database, world: World) -> None:
    unused, used, intended = _held(database), _held(database), _intended(database)
    world.stack("a", user_creds_id=used)
    with database.write() as connection:
        credentials.release_unused(connection)
    assert _to_revoke(database, NOW - HOUR) == [unused]
    with database.read() as connection:
        left = set(connection.scalars(sa.select(t.user_creds.c.id)))
    assert left == {unused, used}
    assert intended not in left
