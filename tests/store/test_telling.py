"""What is to be told of stacks, on each database: each event once, by whoever has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.store import telling
from tests.store.traversing import START, Player, good

if TYPE_CHECKING:
    from stoker.store.database import Database
    from stoker.store.telling import Untold

UNTIL = START + 60


@pytest.fixture
def player(database: Database) -> Player:
    return Player(database)


def taken(database: Database, now: float = START, most: int = 10) -> list[Untold]:
    with database.write() as connection:
        return telling.take_up(connection, now, UNTIL, most)


def test_the_beginning_and_the_end_of_an_operation_are_to_be_told_and_nothing_else(
    database: Database, player: Player
) -> None:
    op = player.create({"a": []})
    player.turn(good(player.turn()["a"]))
    first, last = taken(database)
    assert [(each.action, each.status) for each in (first, last)] == [
        ("CREATE", "IN_PROGRESS"), ("CREATE", "COMPLETE"),
    ]  # fmt: skip
    assert (first.stack_id, first.stack_name) == (op.stack_id, "s")
    assert last.reason == "Stack CREATE completed successfully"
    assert first.created_at.utcoffset() is not None


def test_what_was_taken_up_is_taken_by_nobody_else_for_a_while(
    database: Database, player: Player
) -> None:
    player.create({"a": []})
    (first,) = taken(database)
    assert taken(database) == []
    assert taken(database, UNTIL) == [first]


def test_what_was_told_is_told_no_more(database: Database, player: Player) -> None:
    player.create({"a": []})
    (first,) = taken(database)
    with database.write() as connection:
        telling.told(connection, [first.id])
    assert taken(database, UNTIL) == []


def test_what_is_old_is_left_out(database: Database, player: Player) -> None:
    player.create({"a": []})
    with database.write() as connection:
        telling.leave_out(connection, START)
    assert len(taken(database, most=0)) == 0
    with database.write() as connection:
        telling.leave_out(connection, START + 1)
    assert taken(database) == []


def test_many_come_some_at_a_time_in_their_order(database: Database, player: Player) -> None:
    names = [f"s{number}" for number in range(3)]
    for name in names:
        player.create({"a": []}, name=name)
    assert [each.stack_name for each in taken(database, most=2)] == names[:2]
    assert [each.stack_name for each in taken(database, most=2)] == names[2:]
