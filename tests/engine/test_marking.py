"""Marking resources as faulty, and what the next operation makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stoker.errors import Conflict, NotFound, Unsupported
from stoker.store import tables as t
from stoker.usecases.stacks import Action, Mark, StackRef
from tests.app.serving import eventually
from tests.engine.house import House
from tests.engine.shelf import ANN, Fate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.store.database import Database

PAIR: dict[str, Any] = {"a": "T::Thing", "b": {"type": "T::Thing", "depends_on": "a"}}
INNER = {"x": {"type": "T::Thing"}}
NEST: dict[str, Any] = {"n": {"type": "T::Nest", "properties": {"inner": INNER}}}
FAULTY, SOUND = Mark(is_faulty=True, reason="it smells"), Mark(is_faulty=False)
FOR_A_SOUND_ONE = "state changed by resource_mark_unhealthy api"


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    house.engine.start()
    yield house
    house.engine.stop()


def mark(house: House, ref: StackRef, name: str, what: Mark = FAULTY) -> None:
    house.stacks.mark(ANN, ref, name, what)


def told(house: House, name: str) -> tuple[str, str]:
    """Return the last event of a resource."""
    with house.database.read() as connection:
        found = t.event.select().where(t.event.c.resource_name == name)
        row = connection.execute(found.order_by(t.event.c.id.desc()).limit(1)).one()
    return f"{row.action}_{row.status}", row.status_reason


def test_what_is_marked_is_replaced_by_the_next_update_and_nothing_else(house: House) -> None:
    ref = house.create(**PAIR)
    assert house.ended(ref) == "CREATE_COMPLETE"
    before = {name: row.physical_id for name, row in house.rows().items()}
    mark(house, ref, "a")
    row = house.rows()["a"]
    assert (row.action, row.status, row.status_reason) == ("CHECK", "FAILED", "it smells")
    assert told(house, "a") == ("CHECK_FAILED", "it smells")
    assert house.stack(ref).status_reason == "Stack CREATE completed successfully"
    assert house.update(ref, **PAIR) == "UPDATE_COMPLETE"
    after = {name: row.physical_id for name, row in house.rows().items()}
    assert (after["a"] != before["a"], after["b"]) == (True, before["b"])
    assert sorted(house.shelf.things) == sorted(after.values()), "the old one is gone"


def test_the_event_of_a_mark_shows_the_properties_that_the_resource_has(house: House) -> None:
    ref = house.create(**PAIR)
    house.ended(ref)
    mark(house, ref, "a")
    with house.database.read() as connection:
        found = t.event.select().where(t.event.c.resource_name == "a").order_by(t.event.c.id)
        *_, before, marked = connection.execute(found)
    assert (before.status, marked.action) == ("COMPLETE", "CHECK")
    assert marked.properties == before.properties is not None


@pytest.mark.parametrize("by", ["name", "physical_id"])
def test_what_is_marked_as_sound_again_stays(house: House, by: str) -> None:
    ref = house.create(**PAIR)
    house.ended(ref)
    name = getattr(house.rows()["a"], by)
    mark(house, ref, name)
    mark(house, ref, name, SOUND)
    assert told(house, "a") == ("CHECK_COMPLETE", FOR_A_SOUND_ONE)
    things = dict(house.shelf.things)
    assert house.update(ref, **PAIR) == "UPDATE_COMPLETE"
    assert house.shelf.things == things


def test_what_was_not_marked_is_not_changed_by_taking_a_mark_back(house: House) -> None:
    ref = house.create(**PAIR)
    house.ended(ref)
    mark(house, ref, "a", SOUND)
    assert house.states()["a"] == "CREATE_COMPLETE"
    assert told(house, "a")[0] == "CREATE_COMPLETE"


def test_a_check_that_could_not_be_made_is_answered_by_a_mark(house: House) -> None:
    ref = house.create(a="T::Thing")
    house.ended(ref)
    house.shelf.looks = [Fate.GATEWAY] * 11
    house.stacks.act(ANN, ref, Action.CHECK)
    with house.database.write() as connection:  # the time is over at once
        connection.execute(t.stack.update().values(deadline=0.0))
    assert house.ended(ref) == "CHECK_FAILED"
    # The step that was under way when the time was over still holds the row.
    eventually(lambda: house.rows()["a"].engine_id is None)
    house.shelf.looks = []
    things = dict(house.shelf.things)
    mark(house, ref, "a", SOUND)
    assert house.rows()["a"].verb is None
    assert house.update(ref, a="T::Thing") == "UPDATE_COMPLETE"
    assert house.shelf.things == things


def test_a_stack_at_work_and_its_resources_are_not_marked(house: House) -> None:
    house.engine.stop()
    ref = house.create(**PAIR)
    with pytest.raises(Conflict) as raised:
        mark(house, ref, "a")
    assert str(raised.value) == "Stack s already has an action (CREATE) in progress."
    assert house.states()["a"] == "INIT_COMPLETE"


def test_a_resource_that_is_still_held_is_not_marked(house: House) -> None:
    ref = house.create(**PAIR)
    house.ended(ref)
    with house.database.write() as connection:
        held = {"engine_id": house.engine.lease.engine_id}  # others' rows are soon nobody's
        connection.execute(t.resource.update().values(**held))
    with pytest.raises(Conflict):
        mark(house, ref, "a")


def test_what_was_never_whole_cannot_be_called_sound_and_is_made_by_the_next_update(
    house: House,
) -> None:
    house.shelf.fates = [Fate.REFUSED]
    ref = house.create(a="T::Thing")
    assert house.ended(ref) == "CREATE_FAILED"
    mark(house, ref, "a")
    assert house.states()["a"] == "CHECK_FAILED"
    with pytest.raises(Unsupported, match="Resource a was never whole"):
        mark(house, ref, "a", SOUND)
    assert house.update(ref, a="T::Thing") == "UPDATE_COMPLETE"
    assert len(house.shelf.things) == 1


def test_a_member_of_a_child_stack_is_replaced_by_an_update_of_the_root(house: House) -> None:
    ref = house.create(**NEST)
    house.ended(ref)
    child = house.stack(StackRef(house.rows()["n"].physical_id, "", "p1"))
    before = house.rows()["x"].physical_id
    mark(house, StackRef(child.id, child.name, "p1"), "x")
    assert house.update(ref, **NEST) == "UPDATE_COMPLETE"
    assert [*house.shelf.things] == [house.rows()["x"].physical_id] != [before]


def test_a_mark_makes_an_update_that_was_planned_before_it_be_planned_again(
    house: House,
) -> None:
    ref = house.create(**PAIR)
    house.ended(ref)
    version, epoch = house.stack(ref).version, house.rows()["a"].epoch
    mark(house, ref, "a")
    assert house.stack(ref).version == version + 1
    assert house.rows()["a"].epoch == epoch + 1


def test_what_is_not_there_is_not_marked(house: House) -> None:
    ref = house.create(**PAIR)
    house.ended(ref)
    with pytest.raises(NotFound):
        mark(house, ref, "c")
