"""Data that outlive what held them: the deletion policy Snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stoker.errors import Invalid
from tests.engine.house import House
from tests.engine.shelf import ANN, Fate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.store.database import Database

KEPT: dict[str, Any] = {"a": {"type": "T::Frail", "deletion_policy": "Snapshot"}}


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    house.engine.start()
    yield house
    house.engine.stop()


def test_a_copy_is_made_before_the_deletion(house: House) -> None:
    ref = house.create(**KEPT)
    house.ended(ref)
    made = house.rows()["a"].physical_id
    house.stacks.delete(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"
    assert (house.shelf.copies, house.shelf.things) == ([made], {})


def test_without_a_copy_nothing_is_deleted(house: House) -> None:
    ref = house.create(**KEPT)
    house.ended(ref)
    house.shelf.faults = [Fate.REFUSED]
    house.stacks.delete(ANN, ref)
    assert house.ended(ref) == "DELETE_FAILED"
    assert len(house.shelf.things) == 1
    house.stacks.delete(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"


def test_what_is_replaced_or_left_out_is_copied_too(house: House) -> None:
    ref = house.create(**KEPT, b="T::Mere")
    house.ended(ref)
    moved = {"a": {**KEPT["a"], "properties": {"place": "there"}}}
    assert house.update(ref, **moved, b="T::Mere") == "UPDATE_COMPLETE"
    assert len(house.shelf.copies) == 1
    assert house.update(ref, b="T::Mere") == "UPDATE_COMPLETE"
    assert (len(house.shelf.copies), house.shelf.things) == (2, {})


def test_what_was_never_whole_is_not_copied(house: House) -> None:
    house.shelf.faults = [Fate.REFUSED]
    ref = house.create(**KEPT)
    assert house.ended(ref) == "CREATE_FAILED"
    house.stacks.delete(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"
    assert (house.shelf.copies, house.shelf.things) == ([], {})


def test_a_type_that_has_no_copies_is_refused(house: House) -> None:
    with pytest.raises(Invalid, match="there are no snapshots of T::Thing; use Delete or Retain"):
        house.create(a={"type": "T::Thing", "deletion_policy": "Snapshot"})
