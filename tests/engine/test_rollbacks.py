"""Failures that are undone: to nothing, or to the last goal that was reached."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.operations import Operations
from stoker.engine.settings import Settings
from stoker.errors import Bug, Conflict, Unsupported
from stoker.store import rollbacks
from stoker.store import tables as t
from stoker.store.traversal import expire
from stoker.usecases.stacks import Action, CreateStack, StackRef, UpdateStack
from tests.engine.house import House, goal
from tests.engine.shelf import ANN, Fate, Things

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.store.database import Database

ONE: dict[str, Any] = {"a": "T::Thing", "b": {"type": "T::Thing", "depends_on": "a"}}
TWO: dict[str, Any] = {
    "a": {"type": "T::Thing", "properties": {"size": 2}},
    "b": {"type": "T::Thing", "depends_on": "a", "properties": {"size": 2}},
    "c": {"type": "T::Thing", "depends_on": "b"},
}
REFUSED = "Resource CREATE failed: CloudError: resources."


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    house.undoes = True
    house.engine.start()
    yield house
    house.engine.stop()


@pytest.fixture
def stack(house: House) -> StackRef:
    ref = house.create(**ONE)
    assert house.ended(ref) == "CREATE_COMPLETE"
    return ref


def run_out(house: House) -> None:
    """Let the time of every stack be up."""
    with house.database.write() as connection:
        connection.execute(t.stack.update().values(deadline=0.0))
        expire(connection, house.database.now())


def states(house: House, ref: StackRef) -> list[str]:
    """Return what the stack has been in."""
    with house.database.read() as connection:
        e = t.event.c
        rows = connection.execute(t.event.select().where(e.physical_id == ref.id).order_by(e.id))
        return [f"{row.action}_{row.status}" for row in rows]


def test_a_create_that_fails_leaves_nothing_but_the_stack_and_its_reason(house: House) -> None:
    house.shelf.fates = [Fate.ANSWERED, Fate.REFUSED]
    ref = house.create(**TWO)
    assert house.ended(ref) == "ROLLBACK_COMPLETE"
    assert (house.shelf.things, house.rows()) == ({}, {})
    reason = house.stack(ref).status_reason
    assert reason.startswith(
        f"Stack ROLLBACK completed successfully. It follows: {REFUSED}b: refused"
    )
    assert states(house, ref) == [
        "CREATE_IN_PROGRESS", "CREATE_FAILED", "ROLLBACK_IN_PROGRESS", "ROLLBACK_COMPLETE",
    ]  # fmt: skip
    template = house.stacks.template(ANN, ref)
    assert template == {"heat_template_version": "2021-04-16"}
    assert house.update(ref, **ONE) == "UPDATE_COMPLETE"
    assert len(house.shelf.things) == 2


def test_an_update_that_fails_goes_back_to_the_objects_and_values_before(
    house: House, stack: StackRef
) -> None:
    before = {name: row.physical_id for name, row in house.rows().items()}
    house.shelf.fates = [Fate.ANSWERED, Fate.ANSWERED, Fate.REFUSED]
    assert house.update(stack, **TWO) == "ROLLBACK_COMPLETE"
    assert {name: row.physical_id for name, row in house.rows().items()} == before
    assert house.shelf.things.keys() == set(before.values())
    row = house.stack(stack)
    assert f"It follows: {REFUSED}c: refused" in row.status_reason
    assert set(house.stacks.template(ANN, stack)["resources"]) == set(ONE)
    assert house.update(stack, **TWO) == "UPDATE_COMPLETE"
    assert house.stack(stack).cause is None


def test_a_replaced_object_is_there_to_go_back_to_as_long_as_anything_may_fail(
    house: House,
) -> None:
    middle = {"type": "T::Mere", "depends_on": "a"}
    ref = house.create(a="T::Thing", m=middle)
    house.ended(ref)
    before = house.rows()["a"].physical_id
    house.shelf.fates = [Fate.ANSWERED, Fate.REFUSED]
    late = {"type": "T::Thing", "depends_on": "m"}
    assert house.update(ref, a=TWO["a"], m=middle, late=late) == "ROLLBACK_COMPLETE"
    assert house.rows()["a"].physical_id == before
    assert house.shelf.things.keys() == {before}


def test_tags_and_time_out_go_back_with_the_goal(house: House) -> None:
    what = CreateStack("s", goal(ONE), 7, disable_rollback=False, tags=("x", "y"))
    ref = house.stacks.create(ANN, what)
    house.ended(ref)
    house.shelf.fates = [Fate.REFUSED]
    house.stacks.update(ANN, ref, UpdateStack(goal(TWO), timeout_mins=9, tags=("z",)))
    assert house.ended(ref) == "ROLLBACK_COMPLETE"
    view = house.stacks.show(ANN, ref)
    assert (view.timeout_mins, view.tags) == (7, ("x", "y"))


def test_without_rollback_a_failure_stays(house: House) -> None:
    house.undoes = False
    house.shelf.fates = [Fate.REFUSED]
    ref = house.create(**ONE)
    assert house.ended(ref) == "CREATE_FAILED"
    what = UpdateStack(goal(TWO), disable_rollback=False)
    house.shelf.fates = [Fate.REFUSED]
    house.stacks.update(ANN, ref, what)
    assert house.ended(ref) == "UPDATE_FAILED", "no goal was ever reached to go back to"


def test_a_rollback_that_fails_tells_both_causes(house: House, stack: StackRef) -> None:
    house.shelf.fates = [Fate.REFUSED, Fate.REFUSED]
    assert house.update(stack, a=ONE["a"], b="T::Mere", c="T::Thing") == "ROLLBACK_FAILED"
    first, second = house.stack(stack).status_reason.split(". It follows: ")
    assert first.startswith(f"{REFUSED}b: refused"), "the old one was gone already"
    assert second.startswith(f"{REFUSED}c: refused")


def test_time_that_is_up_is_a_failure_to_be_undone(house: House, stack: StackRef) -> None:
    house.engine.stop()
    house.stacks.update(ANN, stack, UpdateStack(goal(TWO)))
    run_out(house)
    successor = House(house.database, house.shelf)
    successor.engine.start()
    assert successor.ended(stack) == "ROLLBACK_COMPLETE"
    successor.engine.stop()
    assert house.stack(stack).status_reason.endswith("It follows: Timed out")


def test_what_is_cancelled_without_rollback_is_not_rolled_back(
    house: House, stack: StackRef
) -> None:
    house.engine.stop()
    house.stacks.update(ANN, stack, UpdateStack(goal(TWO)))
    house.stacks.cancel(ANN, stack)
    row = house.stack(stack)
    assert (row.action, row.status, row.rollback_due) == ("UPDATE", "FAILED", None)


def test_an_update_under_way_is_taken_back(house: House, stack: StackRef) -> None:
    before = {name: row.physical_id for name, row in house.rows().items()}
    is_asked, may_end = threading.Event(), threading.Event()

    def wait() -> None:
        is_asked.set()
        may_end.wait(20)

    house.shelf.before_put = wait
    house.stacks.update(ANN, stack, UpdateStack(goal(TWO)))
    assert is_asked.wait(20)
    house.stacks.undo(ANN, stack)
    house.shelf.before_put = lambda: None
    may_end.set()
    assert house.ended(stack) == "ROLLBACK_COMPLETE"
    assert house.stack(stack).status_reason.endswith("It follows: Stack UPDATE cancelled")
    assert {name: row.physical_id for name, row in house.rows().items()} == before
    assert house.shelf.things.keys() == set(before.values())
    with pytest.raises(Unsupported, match="when stack is ROLLBACK_COMPLETE is not supported"):
        house.stacks.undo(ANN, stack)


def test_an_update_of_what_was_never_complete_is_not_taken_back(house: House) -> None:
    house.undoes = False
    house.shelf.fates = [Fate.REFUSED]
    ref = house.create(**ONE)
    house.ended(ref)
    house.engine.stop()
    house.stacks.update(ANN, ref, UpdateStack(goal(ONE)))
    with pytest.raises(Unsupported, match="was never complete"):
        house.stacks.undo(ANN, ref)


# who begins it


def failed(house: House) -> tuple[StackRef, Any]:
    """Return a stack whose update has failed, with nobody there to roll it back."""
    house.engine.stop()
    ref = house.stacks.create(ANN, CreateStack("s", goal(ONE), disable_rollback=False))
    run_out(house)
    return ref, house.stack(ref)


def test_one_engine_at_a_time_begins_it_and_the_next_one_later(house: House) -> None:
    ref, _ = failed(house)
    now = house.database.now()
    with house.database.write() as connection:
        assert rollbacks.take(connection, now, 10.0) == ref.id
        assert rollbacks.take(connection, now, 10.0) is None
        assert not rollbacks.is_due(connection, now + 9)
        assert rollbacks.take(connection, now + 11, 10.0) == ref.id


def test_a_request_takes_the_place_of_the_rollback(house: House) -> None:
    ref, before = failed(house)
    house.stacks.update(ANN, ref, UpdateStack(goal(ONE)))
    assert house.stack(ref).rollback_due is None
    with house.database.write() as connection:
        rollbacks.give_up(connection, ref.id, before.version, "why", "first", 0.0)
    assert house.stack(ref).action == "UPDATE"


def test_a_look_does_not(house: House) -> None:
    ref, _ = failed(house)
    with pytest.raises(Conflict, match="an action \\(ROLLBACK\\) in progress"):
        house.stacks.act(ANN, ref, Action.CHECK)
    assert house.stack(ref).rollback_due is not None


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (Unsupported("no such type"), "no such type"),
        (Bug("a secret"), "internal error; the engine's log says more"),
    ],
)
def test_a_rollback_that_cannot_be_planned_has_failed(
    house: House, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    ref, _ = failed(house)

    def refuse(*_given: Any) -> None:
        raise error

    monkeypatch.setattr(Operations, "roll_back", refuse)
    successor = House(house.database, house.shelf)
    successor.engine.start()
    assert successor.ended(ref) == "ROLLBACK_FAILED"
    successor.engine.stop()
    reason = f"The rollback cannot be planned: {told}. It follows: Timed out"
    assert house.stack(ref).status_reason == reason
    assert states(house, ref)[-1] == "ROLLBACK_FAILED"


def test_a_goal_is_kept_with_its_tags_and_time_out(house: House, stack: StackRef) -> None:
    operations = Operations(house.database, Things(), Settings())
    house.stacks.update(ANN, stack, UpdateStack(goal(ONE), tags=("t",), timeout_mins=3))
    house.ended(stack)
    patch = UpdateStack(replace(goal(ONE), template=None), existing=True)
    house.stacks.update(ANN, stack, patch)
    house.ended(stack)
    documents = operations.documents(house.stack(stack))
    assert (documents.tags, documents.timeout_mins) == (("t",), 3)
