"""Requests that ask no cloud are answered when what they ask for is over, if that is soon."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.usecases.lingering import PLACES, Lingering
from stoker.store import queries
from stoker.store import tables as t
from stoker.store.passing import Passing
from stoker.usecases.stacks import Action, UpdateStack
from tests.engine.house import SETTINGS, House, goal
from tests.engine.shelf import ANN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.store.database import Database
    from tests.store.world import World

LONG = 60.0
"""Seconds that no test has: who waits for so long, waits for what is over."""


def _house(database: Database, linger_seconds: float) -> House:
    return House(database, settings=replace(SETTINGS, linger_seconds=linger_seconds))


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = _house(database, LONG)
    house.engine.start()
    yield house
    house.engine.stop()


def _state(house: House, ref: Any) -> str:
    row = house.stack(ref)
    return f"{row.action}_{row.status}"


def test_what_asks_no_cloud_is_over_when_the_answer_comes(house: House) -> None:
    ref = house.create(a="T::Mere", b="T::Mere")
    assert _state(house, ref) == "CREATE_COMPLETE"
    house.stacks.update(ANN, ref, UpdateStack(goal({"a": "T::Mere"})))
    assert _state(house, ref) == "UPDATE_COMPLETE"
    house.stacks.act(ANN, ref, Action.CHECK)
    assert _state(house, ref) == "CHECK_COMPLETE"
    house.stacks.delete(ANN, ref)
    assert _state(house, ref) == "DELETE_COMPLETE"


def test_what_asks_a_cloud_is_answered_at_once(database: Database) -> None:
    house = _house(database, LONG)  # with no engine that could end anything
    ref = house.create(a="T::Thing")
    assert _state(house, ref) == "CREATE_IN_PROGRESS"
    house.stacks.update(ANN, ref, UpdateStack(goal({"b": "T::Mere"})))
    house.stacks.delete(ANN, ref)
    assert _state(house, ref) == "DELETE_IN_PROGRESS"


def test_it_is_answered_too_when_it_takes_longer(database: Database) -> None:
    house = _house(database, 0.05)
    ref = house.create(a="T::Mere")
    assert _state(house, ref) == "CREATE_IN_PROGRESS"


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"status": "IN_PROGRESS"}, True),
        ({"status": "FAILED", "rollback_due": 1.0}, True),
        ({"status": "FAILED"}, False),
        ({"status": "COMPLETE"}, False),
    ],
)
def test_a_failure_is_not_over_while_the_way_back_is_to_come(
    world: World, columns: dict[str, Any], *, expected: bool
) -> None:
    stack_id = world.stack("s", **columns)
    with world.database.read() as connection:
        assert queries.is_under_way(connection, stack_id) is expected


def test_others_are_answered_at_once_while_all_places_are_taken(world: World) -> None:
    stack_id = world.stack("s", action="CREATE", status="IN_PROGRESS")
    waits = Lingering(world.database, LONG)
    those = [threading.Thread(target=waits.until_over, args=(stack_id,)) for _ in range(PLACES)]
    for each in those:
        each.start()
    waits.until_over(stack_id)
    assert all(each.is_alive() for each in those)
    _end(world.database, stack_id)
    for each in those:
        each.join()
    waits.until_over(stack_id)  # the places are free again


def _end(database: Database, stack_id: str) -> None:
    with database.write() as connection:
        connection.execute(t.stack.update().where(t.stack.c.id == stack_id), {"status": "COMPLETE"})


def test_a_request_that_is_accepted_does_not_fail_by_waiting(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> bool:
        raise Passing(ConnectionResetError(), taken_back=False)

    monkeypatch.setattr(queries, "is_under_way", away)
    waits = Lingering(world.database, LONG)
    for _ in range(PLACES + 1):
        waits.until_over("s")
