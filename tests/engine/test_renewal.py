"""Stored credentials that do not serve any more give way to those of whoever asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stoker.errors import NotFound
from stoker.store import tables as t
from stoker.usecases.stacks import Action, StackRef, UpdateStack
from tests.engine.house import House, goal
from tests.engine.shelf import ANN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.store.database import Database

INNER = {"x": {"type": "T::Thing"}}
TREE: dict[str, Any] = {
    "n": {"type": "T::Nest", "properties": {"inner": INNER}},
    "a": {"type": "T::Thing"},
}


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    house.engine.start()
    yield house
    house.engine.stop()


def held(house: House) -> list[int | None]:
    with house.database.read() as connection:
        return list(connection.scalars(t.stack.select().with_only_columns(t.stack.c.user_creds_id)))


def test_credentials_that_serve_are_kept(house: House) -> None:
    ref = house.create(**TREE)
    house.ended(ref)
    assert house.update(ref, **TREE) == "UPDATE_COMPLETE"
    assert held(house) == [1, 1]


def test_an_update_gives_the_whole_tree_the_credentials_of_who_asks(house: House) -> None:
    ref = house.create(**TREE)
    house.ended(ref)
    house.keys.serving = False
    assert house.update(ref, **TREE) == "UPDATE_COMPLETE"
    assert held(house) == [2, 2]


def test_so_does_a_delete(house: House) -> None:
    ref = house.create(a="T::Thing")
    house.ended(ref)
    house.keys.serving = False
    house.stacks.delete(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"
    assert held(house) == [2]


def test_a_tree_that_needed_none_gets_some_at_once_also_below(house: House) -> None:
    inner = {"y": {"type": "T::Mere"}}
    ref = house.create(n={"type": "T::Nest", "properties": {"inner": inner}})
    house.ended(ref)
    assert held(house) == [None, None]
    assert house.update(ref, n=TREE["n"]) == "UPDATE_COMPLETE"
    assert (held(house), len(house.shelf.things)) == ([1, 1], 1)


def test_it_is_told_whether_a_request_brings_anything_of_its_own_into_the_stack(
    house: House,
) -> None:
    ref = house.create(a="T::Thing")
    house.ended(ref)
    snapshot = house.stacks.snapshot(ANN, ref, None)
    house.ended(ref)
    assert house.keys.as_it_is
    house.update(ref, a="T::Thing", b="T::Thing")
    assert not house.keys.as_it_is
    house.stacks.restore(ANN, ref, snapshot.id)
    house.ended(ref)
    assert not house.keys.as_it_is
    house.stacks.delete(ANN, ref)
    assert house.keys.as_it_is


def test_what_is_only_looked_at_keeps_its_credentials(house: House) -> None:
    ref = house.create(a="T::Thing")
    house.ended(ref)
    house.keys.serving = False
    assert house.act(StackRef(ref.id, ref.name, ref.project_id), Action.CHECK) == "CHECK_COMPLETE"
    assert held(house) == [1]


@pytest.mark.parametrize("action", [Action.CHECK, Action.SUSPEND])
def test_credentials_that_are_lost_give_way_to_those_of_who_has_something_done(
    house: House, action: Action
) -> None:
    ref = house.create(**TREE)
    house.ended(ref)
    house.keys.lost = True
    assert house.act(ref, action) == f"{action.upper()}_COMPLETE"
    assert held(house) == [2, 2]


def test_so_they_do_where_an_update_is_undone(house: House) -> None:
    ref = house.create(a="T::Mere", b="T::Thing")
    house.ended(ref)
    house.engine.stop()
    house.stacks.update(ANN, ref, UpdateStack(goal({"a": "T::Mere"})))
    house.keys.lost = True
    house.stacks.undo(ANN, ref)
    again = House(house.database, house.shelf)
    again.engine.start()
    assert again.ended(ref) == "ROLLBACK_COMPLETE"
    again.engine.stop()
    assert held(house) == [2]


def test_so_they_do_where_a_snapshot_is_deleted(house: House) -> None:
    ref = house.create(**TREE)
    house.ended(ref)
    snapshot = house.stacks.snapshot(ANN, ref, None)
    house.ended(ref)
    house.keys.lost = True
    with pytest.raises(NotFound):
        house.stacks.forget_snapshot(ANN, ref, "another")
    assert held(house) == [1, 1], "what is refused renews nothing"
    house.stacks.forget_snapshot(ANN, ref, snapshot.id)
    assert (held(house), house.stacks.snapshots(ANN, ref)) == ([3, 3], [])
