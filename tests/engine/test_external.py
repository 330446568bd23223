"""Objects of others that a template names: looked at, referred to, and left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stoker.errors import Invalid
from stoker.store import tables as t
from stoker.usecases.stacks import Action
from tests.engine.house import House
from tests.engine.shelf import ANN, Fate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.store.database import Database

THEIRS = "theirs-1"
NAMED: dict[str, Any] = {"a": {"type": "T::Thing", "external_id": THEIRS}}


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    house.shelf.things[THEIRS] = "a mark of theirs"
    house.engine.start()
    yield house
    house.engine.stop()


def events(house: House) -> list[str]:
    with house.database.read() as connection:
        found = t.event.select().where(t.event.c.resource_name == "a").order_by(t.event.c.id)
        return [f"{row.action}_{row.status}" for row in connection.execute(found)]


def test_it_is_taken_in_checked_and_left_at_the_end(house: House) -> None:
    ref = house.create(**NAMED, b={"type": "T::Thing", "depends_on": "a"})
    assert house.ended(ref) == "CREATE_COMPLETE"
    assert house.rows()["a"].physical_id == THEIRS
    assert (house.states()["a"], house.shelf.calls) == ("CHECK_COMPLETE", 1)
    steps = ["ADOPT_IN_PROGRESS", "ADOPT_COMPLETE", "CHECK_IN_PROGRESS", "CHECK_COMPLETE"]
    assert events(house) == steps
    house.stacks.delete(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"
    assert house.shelf.things == {THEIRS: "a mark of theirs"}


def test_its_properties_are_not_used_and_may_change(house: House) -> None:
    ref = house.create(**NAMED)
    house.ended(ref)
    changed = {"a": {**NAMED["a"], "properties": {"size": 7}}}
    assert house.update(ref, **changed) == "UPDATE_COMPLETE"
    assert (house.shelf.calls, house.states()["a"]) == (0, "CHECK_COMPLETE")


def test_one_that_is_not_there_fails_and_is_looked_for_again(house: House) -> None:
    del house.shelf.things[THEIRS]
    ref = house.create(**NAMED)
    assert house.ended(ref) == "CREATE_FAILED"
    assert house.stack(ref).status_reason.startswith("Resource CHECK failed: CloudNotFound")
    house.shelf.things[THEIRS] = ""
    assert house.update(ref, **NAMED) == "UPDATE_COMPLETE"
    assert (house.states()["a"], house.shelf.calls) == ("CHECK_COMPLETE", 0)


def test_one_that_cannot_be_looked_at_yet_is_looked_at_later(house: House) -> None:
    house.shelf.looks = [Fate.GATEWAY]
    ref = house.create(**NAMED)
    assert house.ended(ref) == "CREATE_COMPLETE"


def test_a_type_without_a_check_says_so(house: House) -> None:
    ref = house.create(a={"type": "T::Mere", "external_id": THEIRS})
    assert house.ended(ref) == "CREATE_COMPLETE"
    assert house.rows()["a"].status_reason == "CHECK not supported for T::Mere"
    assert house.rows()["a"].physical_id == THEIRS


@pytest.mark.parametrize(
    ("before", "after"), [(THEIRS, "theirs-2"), (THEIRS, None), (None, THEIRS)]
)
def test_its_id_does_not_change(house: House, before: str | None, after: str | None) -> None:
    def wanted(id: str | None) -> dict[str, Any]:
        return {"a": {"type": "T::Thing", **({"external_id": id} if id else {})}}

    ref = house.create(**wanted(before))
    house.ended(ref)
    with pytest.raises(Invalid, match="external_id cannot change"):
        house.update(ref, **wanted(after))
    assert house.update(ref, **wanted(before)) == "UPDATE_COMPLETE"


def test_one_that_is_left_out_of_the_template_stays(house: House) -> None:
    ref = house.create(**NAMED, b="T::Thing")
    house.ended(ref)
    assert house.update(ref, b="T::Thing") == "UPDATE_COMPLETE"
    assert THEIRS in house.shelf.things
    assert house.rows().keys() == {"b"}


def test_it_is_neither_suspended_nor_resumed(house: House) -> None:
    ref = house.create(**NAMED, b="T::Thing")
    house.ended(ref)
    assert house.act(ref, Action.SUSPEND) == "SUSPEND_COMPLETE"
    assert house.act(ref, Action.RESUME) == "RESUME_COMPLETE"
    assert {name for _, name in house.shelf.told if _ != "check"} == {"b"}
    assert house.act(ref, Action.CHECK) == "CHECK_COMPLETE"


def test_a_stack_of_others_cannot_stand_for_a_nested_one(house: House) -> None:
    with pytest.raises(Invalid, match="cannot stand for a stack of others"):
        house.create(a={"type": "T::Nest", "external_id": THEIRS})
