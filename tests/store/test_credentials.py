"""Stored credentials: which are taken back, and when."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from stoker.store import credentials
from stoker.store import tables as t
from stoker.store.locks import hold

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


WAITING = {
    "postgresql": "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
    "mariadb": "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'",
}
"""How many transactions wait for a lock."""


def test_what_comes_into_a_tree_while_it_is_renewed_gets_the_new_ones_too(
    database: Database, world: World, kind: str
) -> None:
    if kind == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    old, new = _held(database), _held(database)
    root = world.stack("root", user_creds_id=old)
    nest = world.stack("nest", user_creds_id=old, root_id=root, owner_id=root, nested_depth=1)
    late = world.stack("late", user_creds_id=old, owner_id=nest, nested_depth=2)

    def renew() -> None:
        with database.write() as connection:
            hold(connection, [root])
            credentials.renew(connection, root, new, old, NOW)

    thread = threading.Thread(target=renew)
    with database.write() as connection:
        hold(connection, [nest])
        connection.execute(sa.update(t.stack).where(t.stack.c.id == late).values(root_id=root))
        thread.start()
        _wait_for_one(database, WAITING[kind])
    thread.join()
    with database.read() as connection:
        assert set(connection.scalars(sa.select(t.stack.c.user_creds_id))) == {new}


def _wait_for_one(database: Database, waiting: str) -> None:
    until = time.monotonic() + 30.0
    with database.read() as connection:
        while not connection.scalar(sa.text(waiting)):
            assert time.monotonic() < until
            time.sleep(0.15)  # MariaDB shows the same again to who looks within a tenth of a second
