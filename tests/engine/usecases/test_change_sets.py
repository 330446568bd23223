"""Change sets: kept as they were planned, carried out as they were shown or not at all."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.engine import Engine
from stoker.engine.settings import Settings
from stoker.engine.usecases import change_sets
from stoker.engine.usecases.change_sets import ChangeSetUseCases
from stoker.engine.usecases.stacks import StackUseCases
from stoker.errors import Conflict, Invalid, LimitExceeded, NotFound
from stoker.resources.index import Index
from stoker.store import tables as t
from stoker.usecases.change_sets import Execution, Proposal, Spent
from stoker.usecases.stacks import CreateStack, Fate, Goal, StackRef, UpdateStack
from tests.engine.shelf import Keys, Shelf
from tests.engine.usecases.asking import ANN, BOB, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.store.database import Database
    from stoker.usecases.change_sets import ChangeSetView

SETTINGS = Settings(threads=2, beat_seconds=0.5, look_seconds=0.05)
SECRET = "pw-nobody-may-see"
TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "parameters": {
        "length": {"type": "number", "default": 8},
        "secret": {"type": "string", "hidden": True, "default": "none"},
    },
    "resources": {
        "word": {
            "type": "OS::Heat::RandomString",
            "properties": {"length": {"get_param": "length"}},
        },
        "note": {"type": "OS::Heat::Value", "properties": {"value": {"get_param": "length"}}},
    },
}


class House:
    """The use cases and an engine that runs."""

    def __init__(self, database: Database) -> None:
        keys: Any = Keys(Shelf())
        self.engine = Engine(database, Index(), keys, SETTINGS)
        self.stacks = StackUseCases(database, Index(), keys, SETTINGS, self.engine.wake)
        self.sets = ChangeSetUseCases(database, self.stacks)

    def new(self, name: str = "first", stack: str = "s", **parameters: Any) -> ChangeSetView:
        return self.sets.propose(ANN, Proposal(name, create(stack, **parameters)))

    def change(self, name: str, ref: StackRef, what: UpdateStack) -> ChangeSetView:
        return self.sets.propose(ANN, Proposal(name, what, ref, "why"))

    def made(self, stack: str = "s") -> StackRef:
        ref = self.stacks.create(ANN, create(stack))
        assert self.ended(ref) == "CREATE_COMPLETE"
        return ref

    def ended(self, ref: StackRef) -> str:
        end = time.monotonic() + 30
        while (found := self.stacks.show(ANN, ref)).status == "IN_PROGRESS":
            assert time.monotonic() < end, found
            time.sleep(0.01)
        return f"{found.action}_{found.status}"


def create(stack: str = "s", **parameters: Any) -> CreateStack:
    return CreateStack(stack, Goal(TEMPLATE, parameters), tags=("a", "b"))


def update(**parameters: Any) -> UpdateStack:
    return UpdateStack(Goal(None, parameters), existing=True)


def fates(found: ChangeSetView) -> dict[str, Fate]:
    return {each.name: each.fate for each in found.changes}


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    house.engine.start()
    yield house
    house.engine.stop()


def test_a_new_stack_is_made_as_it_was_shown_under_the_id_that_was_told(house: House) -> None:
    made = house.new(length=5)
    assert fates(made) == {"word": Fate.ADDED, "note": Fate.ADDED}
    assert house.sets.show(ANN, "first", "s") == made
    with pytest.raises(NotFound):
        house.stacks.locate(ANN, "s")
    ref = house.sets.carry_out(ANN, "first", "s")
    assert (ref, house.ended(ref)) == (made.stack, "CREATE_COMPLETE")
    shown = house.stacks.show(ANN, ref)
    assert (shown.parameters["length"], shown.tags) == ("5", ("a", "b"))
    assert house.sets.show(ANN, made.id, None).execution is Execution.DONE


def test_an_update_is_done_as_it_was_shown(house: House) -> None:
    ref = house.made()
    made = house.change("longer", ref, update(length=9))
    assert fates(made) == {"word": Fate.REPLACED, "note": Fate.UPDATED}
    assert (made.execution, made.description) == (Execution.AVAILABLE, "why")
    house.sets.carry_out(ANN, "longer", ref.name)
    assert house.ended(ref) == "UPDATE_COMPLETE"
    assert house.stacks.show(ANN, ref).parameters["length"] == "9"
    with pytest.raises(Spent):
        house.sets.carry_out(ANN, "longer", ref.id)


def test_where_the_stack_has_moved_since_it_is_refused(house: House) -> None:
    ref = house.made()
    made = house.change("longer", ref, update(length=9))
    house.stacks.update(ANN, ref, update(length=7))
    house.ended(ref)
    with pytest.raises(Conflict, match="changed since"):
        house.sets.carry_out(ANN, made.id, None)
    assert house.stacks.show(ANN, ref).parameters["length"] == "7"


def test_a_new_stack_whose_name_was_taken_meanwhile_is_refused(house: House) -> None:
    made = house.new()
    other = house.made()
    with pytest.raises(Conflict, match="already exists"):
        house.sets.carry_out(ANN, made.id, None)
    assert house.stacks.locate(ANN, "s") == other
    assert house.sets.list(ANN, "s") == []
    house.change("own", other, update(length=9))
    with pytest.raises(NotFound):  # nobody can reach it any more
        house.sets.show(ANN, made.id, None)


@pytest.mark.parametrize(
    ("what", "changes"),
    [
        (update(), False),
        (update(length=8), True),  # it was not said before
        (update(secret="x"), True),
        (UpdateStack(Goal(TEMPLATE), existing=True), False),
        (UpdateStack(Goal({**TEMPLATE, "outputs": {"o": {"value": 1}}}), existing=True), True),
        (replace(update(), tags=("a", "b")), False),
        (replace(update(), tags=("c",)), True),
    ],
)
def test_one_that_changes_nothing_cannot_be_carried_out(
    house: House, what: UpdateStack, changes: object
) -> None:
    ref = house.made()
    made = house.change("it", ref, what)
    assert (made.execution is Execution.AVAILABLE) is changes
    if not changes:
        assert made.reason == change_sets.NO_CHANGE
        with pytest.raises(Spent):
            house.sets.carry_out(ANN, "it", "s")


def test_hidden_values_are_masked_and_sealed(house: House, database: Database) -> None:
    made = house.new(secret=SECRET, length=3)
    assert made.parameters == {"secret": "******", "length": "3"}
    with database.read() as connection:
        row = connection.execute(t.change_set.select()).one()
    assert not [each for each in row if SECRET in str(each)]
    ref = house.sets.carry_out(ANN, made.id, None)
    house.ended(ref)
    longer = house.change("longer", ref, update(secret=SECRET, length=9))
    assert longer.parameters["secret"] == "******"


def test_what_cannot_be_planned_is_not_kept(house: House) -> None:
    with pytest.raises(Invalid):
        house.new(nothing=1)
    house.made()
    with pytest.raises(Conflict, match="already exists"):
        house.new()
    assert house.sets.list(ANN, "s") == []


def test_change_sets_of_a_planned_stack_share_its_id(house: House) -> None:
    first, second = house.new("one"), house.new("two", length=2)
    assert first.stack == second.stack
    assert [each.name for each in house.sets.list(ANN, "s")] == ["one", "two"]
    assert [each.name for each in house.sets.list(ANN, first.stack.id)] == ["one", "two"]
    with pytest.raises(Conflict, match="ChangeSet one already exists"):
        house.new("one")
    house.sets.drop(ANN, "one", "s")
    assert [each.name for each in house.sets.list(ANN, "s")] == ["two"]
    house.sets.drop(ANN, second.id, None)
    with pytest.raises(NotFound):
        house.sets.list(ANN, "s")


def test_another_project_sees_none_and_an_administrator_all(house: House) -> None:
    ref = house.made()
    made = house.change("it", ref, update(length=9))
    for ask in (house.sets.show, house.sets.drop, house.sets.carry_out):
        with pytest.raises(NotFound):
            ask(BOB, made.id, None)
        with pytest.raises(NotFound):
            ask(BOB, "it", "s")
    with pytest.raises(NotFound):
        house.sets.list(BOB, ref.id)
    assert house.sets.show(ROOT, made.id, None) == made
    with pytest.raises(NotFound):
        house.sets.show(ANN, "other", "s")


def test_a_stack_has_only_so_many(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_sets, "MOST", 1)
    house.new("one")
    with pytest.raises(LimitExceeded):
        house.new("two")


def test_what_is_spent_makes_room_for_its_name_and_for_others(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.ended(house.sets.carry_out(ANN, house.new("made").id, None))
    ref = house.stacks.locate(ANN, "s")
    house.change("void", ref, update())
    house.change("void", ref, update())
    monkeypatch.setattr(change_sets, "MOST", 3)
    for name in ("one", "void", "two"):
        house.change(name, ref, update(length=9))
    assert [each.name for each in house.sets.list(ANN, "s")] == ["one", "void", "two"]
    with pytest.raises(LimitExceeded):
        house.change("three", ref, update(length=9))
    monkeypatch.setattr(change_sets, "MOST", 9)
    with pytest.raises(Conflict, match="already exists"):
        house.change("one", ref, update(length=9))


def test_a_later_stack_of_that_name_begins_anew(house: House) -> None:
    ref = house.made()
    house.change("it", ref, update(length=9))
    house.stacks.delete(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"
    again = house.new("it")
    assert again.stack.id != ref.id
    assert [each.id for each in house.sets.list(ANN, "s")] == [again.id]
