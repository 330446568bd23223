"""The slow audit: what it finds amiss is put right and told, and nothing else is touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from stoker.store import audit
from stoker.store import tables as t
from tests.store.traversing import Player, good

if TYPE_CHECKING:
    from stoker.store.database import Database

NEEDS = {"a": (), "b": ("a",), "c": ("a", "b")}


@pytest.fixture
def player(database: Database) -> Player:
    return Player(database)


def test_nothing_is_found_amiss_while_all_is_well(player: Player) -> None:
    op = player.create(NEEDS)
    with player.database.write() as connection:
        assert audit.mend(connection, op.stack_id, player.now) == []
    player.turn(good(player.turn()["a"]))
    with player.database.write() as connection:
        assert audit.mend(connection, op.stack_id, player.now) == []


def test_counters_and_due_rows_are_put_right_and_the_stack_ends(player: Player) -> None:
    op = player.create(NEEDS)
    s = t.sync_point.c
    with player.database.write() as connection:
        connection.execute(sa.update(t.sync_point).where(s.missing == 2).values(missing=5))
        connection.execute(sa.update(t.resource).values(due=None))
        found = audit.mend(connection, op.stack_id, player.now)
    assert [text.partition(" was ")[2] for text in found] == [
        "said to miss 5, it misses 2",
        "ready and not due",
    ]
    claims = player.turn()
    for name in NEEDS:
        claims = player.turn(good(claims[name]))
    assert player.stack(op).status == "COMPLETE"
