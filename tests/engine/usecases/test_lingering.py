"""Requests that ask no cloud are answered when what they ask for is over, if that is soon."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.usecases.lingering import PLACES, Lingering
from stoker.store import queries
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


def test_others_are_answered_at_once_while_all_places_are_taken(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, has_looked, is_over = [], threading.Semaphore(0), threading.Event()

    def look(*_: Any) -> bool:
        looks.append(threading.get_ident())
        has_looked.release()
        is_over.wait(20)
        return False

    monkeypatch.setattr(queries, "is_under_way", look)
    waits = Lingering(database, LONG)
    those = [threading.Thread(target=waits.until_over, args=("s",)) for _ in range(PLACES)]
    for each in those:
        each.start()
    assert all(has_looked.acquire(timeout=20) for _ in those)
    waits.until_over("s")
    assert len(looks) == PLACES, "the one who came last did not look"
    is_over.set()
    for each in those:
        each.join()
    waits.until_over("s")
    assert len(looks) == PLACES + 1, "and the places are free again"


def test_a_request_that_is_accepted_does_not_fail_by_waiting(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def away(*_: Any) -> bool:
        looks.append(1)
        raise Passing(ConnectionResetError(), taken_back=False)

    monkeypatch.setattr(queries, "is_under_way", away)
    waits = Lingering(database, LONG)
    for _ in range(PLACES + 1):
        waits.until_over("s")
    assert len(looks) == PLACES + 1, "nor does it keep its place"
