"""Objects that go to an error state while they are made, and what there is of what has failed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from stoker.store import tables as t
from stoker.usecases.stacks import UpdateStack
from tests.engine.house import SETTINGS, House, goal
from tests.engine.shelf import ANN, Fate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.store.database import Database

LIMIT = SETTINGS.action_retry_limit
SICK, REFUSED = Fate.SICK, Fate.REFUSED


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    house.engine.start()
    yield house
    house.engine.stop()


def frail(**properties: Any) -> dict[str, Any]:
    return {"type": "T::Frail", "properties": properties}


def events(house: House) -> list[str]:
    with house.database.read() as connection:
        found = t.event.select().where(t.event.c.resource_name == "a").order_by(t.event.c.id)
        return [f"{row.action}_{row.status}" for row in connection.execute(found)]


# in the course of a create


def test_what_falls_sick_is_deleted_and_made_again(house: House) -> None:
    house.shelf.faults = [SICK, SICK]
    ref = house.create(a=frail())
    assert house.ended(ref) == "CREATE_COMPLETE"
    once = ["CREATE_IN_PROGRESS", "CREATE_FAILED", "DELETE_IN_PROGRESS", "DELETE_COMPLETE"]
    assert events(house) == [*once, *once, "CREATE_IN_PROGRESS", "CREATE_COMPLETE"]
    row = house.rows()["a"]
    assert [*house.shelf.things] == [row.physical_id]
    assert (house.shelf.calls, row.progress, row.verb) == (3, None, None)
    assert house.update(ref, a=frail()) == "UPDATE_COMPLETE"
    assert house.shelf.calls == 3


def test_after_the_last_time_the_first_failure_is_told_and_the_last_object_is_left(
    house: House,
) -> None:
    house.shelf.faults = [SICK] * (LIMIT + 1)
    ref = house.create(a=frail())
    assert house.ended(ref) == "CREATE_FAILED"
    assert house.shelf.calls == LIMIT + 1
    text = "CloudError: resources.a: a fell sick, 1"
    assert house.rows()["a"].status_reason == text
    assert house.stack(ref).status_reason == f"Resource CREATE failed: {text}"
    assert [*house.shelf.things] == [house.rows()["a"].physical_id]
    house.stacks.delete(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"
    assert house.shelf.things == {}


def test_another_failure_is_final_and_the_first_is_told(house: House) -> None:
    house.shelf.faults = [SICK, REFUSED]
    ref = house.create(a=frail())
    assert house.ended(ref) == "CREATE_FAILED"
    assert house.shelf.calls == 2
    assert house.rows()["a"].status_reason == "CloudError: resources.a: a fell sick, 1"


def test_a_create_that_is_begun_again_is_as_sure_as_the_first(house: House) -> None:
    house.shelf.faults, house.shelf.fates = [SICK], [Fate.ANSWERED, Fate.LOST]
    ref = house.create(a=frail())
    assert house.ended(ref) == "CREATE_COMPLETE"
    assert [*house.shelf.things] == [house.rows()["a"].physical_id], "it was found by its mark"


def test_an_update_is_not_begun_again(house: House) -> None:
    ref = house.create(a=frail())
    house.ended(ref)
    house.shelf.faults = [SICK]
    assert house.update(ref, a=frail(size=2)) == "UPDATE_FAILED"
    assert house.shelf.calls == 1


@pytest.mark.parametrize("deleted", [True, False])
def test_another_goal_takes_over_while_a_broken_object_is_removed(
    house: House, *, deleted: bool
) -> None:
    house.shelf.faults, known, moved = [SICK], threading.Event(), threading.Event()

    def supersede() -> None:
        if known.wait(10) and not moved.is_set():
            moved.set()
            if deleted:
                house.stacks.delete(ANN, ref)
            else:
                house.stacks.update(ANN, ref, UpdateStack(goal({"a": frail(size=2)})))

    house.shelf.before_take = supersede
    ref = house.create(a=frail())
    known.set()
    assert moved.wait(10)
    assert house.ended(ref) == ("DELETE_COMPLETE" if deleted else "UPDATE_COMPLETE")
    left = [] if deleted else [house.rows()["a"].physical_id]
    assert ([*house.shelf.things], house.shelf.calls) == (left, 1 if deleted else 2)


# what there is of what has failed


def test_what_was_made_half_way_is_gone_on_with(house: House) -> None:
    house.shelf.faults = [REFUSED]
    ref = house.create(a=frail(), b={"type": "T::Mere", "depends_on": "a"})
    assert house.ended(ref) == "CREATE_FAILED"
    before = house.rows()["a"].physical_id
    assert house.update(ref, a=frail(), b="T::Mere") == "UPDATE_COMPLETE"
    assert house.states() == {"a": "CREATE_COMPLETE", "b": "CREATE_COMPLETE"}
    assert [*house.shelf.things] == [before] == [house.rows()["a"].physical_id]
    assert stored(house) == {"part": 1}, "what its first step has left is kept"


def test_what_was_made_half_way_is_changed_to_what_is_wanted_now(house: House) -> None:
    house.shelf.faults = [REFUSED]
    ref = house.create(a=frail())
    house.ended(ref)
    assert house.update(ref, a=frail(size=2)) == "UPDATE_COMPLETE"
    assert (house.states(), house.shelf.calls) == ({"a": "UPDATE_COMPLETE"}, 1)
    assert stored(house) == {"part": 1}
    house.shelf.faults = [REFUSED]
    assert house.update(ref, a=frail(size=2)) == "UPDATE_COMPLETE", "nothing is left to do"


def test_a_create_that_fails_again_half_way_fails_the_update(house: House) -> None:
    house.shelf.faults = [REFUSED, REFUSED]
    ref = house.create(a=frail())
    house.ended(ref)
    assert house.update(ref, a=frail()) == "UPDATE_FAILED"
    assert house.states() == {"a": "CREATE_FAILED"}
    assert house.update(ref, a=frail()) == "UPDATE_COMPLETE"
    assert house.shelf.calls == 1


@pytest.mark.parametrize("gone", [True, False])
def test_what_is_faulty_or_gone_is_replaced(house: House, *, gone: bool) -> None:
    house.shelf.faults = [REFUSED]
    ref = house.create(a=frail())
    house.ended(ref)
    before = house.rows()["a"].physical_id
    if gone:
        house.shelf.things.clear()
    else:
        house.shelf.sick.add(before)
    assert house.update(ref, a=frail()) == "UPDATE_COMPLETE"
    assert [*house.shelf.things] == [house.rows()["a"].physical_id] != [before]


def test_what_failed_to_be_updated_and_is_faulty_is_replaced(house: House) -> None:
    ref = house.create(a=frail())
    house.ended(ref)
    house.shelf.faults = [SICK]
    house.update(ref, a=frail(size=2))
    assert house.update(ref, a=frail(size=2)) == "UPDATE_COMPLETE"
    assert house.states() == {"a": "CREATE_COMPLETE"}
    assert len(house.shelf.things) == 1


def test_what_cannot_be_looked_at_stays_and_is_looked_at_by_the_next_update(house: House) -> None:
    house.shelf.faults = [REFUSED]
    ref = house.create(a=frail())
    house.ended(ref)
    house.shelf.looks = [REFUSED]
    assert house.update(ref, a=frail()) == "UPDATE_FAILED"
    assert house.update(ref, a=frail()) == "UPDATE_COMPLETE"
    assert house.shelf.calls == 1


def stored(house: House) -> dict[str, Any]:
    with house.database.read() as connection:
        found = connection.execute(t.resource_data.select()).all()
    return {row.key: house.database.sealer.open(row.value) for row in found}
