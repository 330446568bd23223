"""Checking, suspending and resuming whole stacks, from the request to the end."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from stoker.errors import Conflict, NotFound, Unsupported
from stoker.store import tables as t
from stoker.usecases.stacks import Action, StackRef, UpdateStack
from tests.engine.house import House, goal
from tests.engine.shelf import ANN, Fate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.store.database import Database

CHAIN: dict[str, Any] = {
    "a": "T::Thing",
    "b": {"type": "T::Thing", "depends_on": "a"},
    "c": {"type": "T::Thing", "depends_on": "b"},
}


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    house.engine.start()
    yield house
    house.engine.stop()


@pytest.fixture
def chain(house: House) -> StackRef:
    ref = house.create(**CHAIN)
    assert house.ended(ref) == "CREATE_COMPLETE"
    return ref


def events(house: House, name: str) -> list[tuple[str, str]]:
    with house.database.read() as connection:
        rows = connection.execute(
            t.event.select().where(t.event.c.resource_name == name).order_by(t.event.c.id)
        )
        return [(f"{row.action}_{row.status}", row.status_reason) for row in rows]


def lose(house: House, *names: str) -> None:
    """Take things away behind the engine's back."""
    for name in names:
        del house.shelf.things[house.rows()[name].physical_id]


# check


def test_a_check_looks_at_everything_in_order_and_changes_nothing(
    house: House, chain: StackRef
) -> None:
    before = house.stack(chain)
    assert house.act(chain, Action.CHECK) == "CHECK_COMPLETE"
    assert house.shelf.told == [("check", "a"), ("check", "b"), ("check", "c")]
    assert set(house.states().values()) == {"CHECK_COMPLETE"}
    assert events(house, "a")[-2:] == [
        ("CHECK_IN_PROGRESS", "state changed"),
        ("CHECK_COMPLETE", "state changed"),
    ]
    after = house.stack(chain)
    assert after.status_reason == "Stack CHECK completed successfully"
    kept = ("template_id", "complete_template_id", "parameters", "outputs", "timeout_mins")
    assert [getattr(before, x) for x in kept] == [getattr(after, x) for x in kept]
    assert after.updated_at is not None
    calls = house.shelf.calls
    assert house.update(chain, **CHAIN) == "UPDATE_COMPLETE"
    assert (house.shelf.calls, len(house.shelf.things)) == (calls, 3)


def test_what_has_no_check_is_told(house: House) -> None:
    ref = house.create(a="T::Thing", m="T::Mere")
    house.ended(ref)
    assert house.act(ref, Action.CHECK) == "CHECK_COMPLETE"
    assert house.rows()["m"].status_reason == "CHECK not supported for T::Mere"
    assert events(house, "m")[-1] == ("CHECK_COMPLETE", "CHECK not supported for T::Mere")
    assert house.stack(ref).status_reason == (
        "Stack CHECK completed successfully. 'CHECK' not fully supported (see resources)"
    )


def test_a_check_tells_all_that_is_wrong_and_the_next_update_mends_just_that(
    house: House,
) -> None:
    whole = {"a": "T::Thing", "b": "T::Thing", "c": CHAIN["c"], "d": "T::Thing"}
    ref = house.create(**whole)
    house.ended(ref)
    ids = {name: row.physical_id for name, row in house.rows().items()}
    lose(house, "a", "b")
    assert house.act(ref, Action.CHECK) == "CHECK_FAILED"
    first, second = house.stack(ref).status_reason.split("; ")
    assert first.startswith("Resource CHECK failed: CloudNotFound: resources.")
    assert second.startswith("CloudNotFound: resources.")
    assert {text.split("resources.")[1][0] for text in (first, second)} == {"a", "b"}
    states = house.states()
    assert (states["c"], states["d"]) == ("CREATE_COMPLETE", "CHECK_COMPLETE"), "c needs b"
    assert house.update(ref, **whole) == "UPDATE_COMPLETE"
    now = {name: row.physical_id for name, row in house.rows().items()}
    assert (now["c"], now["d"]) == (ids["c"], ids["d"])
    assert house.shelf.things.keys() == set(now.values())
    assert house.act(ref, Action.CHECK) == "CHECK_COMPLETE"


def test_a_check_loses_nothing_of_a_goal_that_was_not_reached(house: House) -> None:
    ref = house.create(a="T::Thing", b="T::Mere")
    house.ended(ref)
    house.shelf.fates = [Fate.REFUSED]
    wanted = {
        "a": {"type": "T::Thing", "properties": {"size": 2}},
        "b": {"type": "T::Mere", "depends_on": "a", "properties": {"size": 2}},
    }
    assert house.update(ref, **wanted) == "UPDATE_FAILED"
    assert house.act(ref, Action.CHECK) == "CHECK_FAILED"
    assert "resources.a: it was never whole: it is CREATE_FAILED" in house.stack(ref).status_reason
    assert house.update(ref, **wanted) == "UPDATE_COMPLETE"
    for row in house.rows().values():
        assert house.database.sealer.open(row.applied) == {"size": 2}
    assert len(house.shelf.things) == 1


def test_what_waits_to_be_removed_is_not_checked_and_goes_with_the_next_update(
    house: House, chain: StackRef
) -> None:
    house.shelf.fates = [Fate.REFUSED]
    wanted = {"a": "T::Thing", "n": "T::Thing"}
    assert house.update(chain, **wanted) == "UPDATE_FAILED"
    house.act(chain, Action.CHECK)
    assert ("check", "a") in house.shelf.told
    assert {name for verb, name in house.shelf.told if verb == "check"} <= {"a", "n"}
    assert house.update(chain, **wanted) == "UPDATE_COMPLETE"
    assert set(house.rows()) == {"a", "n"}
    assert len(house.shelf.things) == 2


def test_what_was_never_made_fails_a_check_and_is_made_by_the_next_update(house: House) -> None:
    house.shelf.fates = [Fate.REFUSED]
    ref = house.create(**CHAIN)
    assert house.ended(ref) == "CREATE_FAILED"
    assert house.act(ref, Action.CHECK) == "CHECK_FAILED"
    assert house.states() == {"a": "CHECK_FAILED", "b": "INIT_COMPLETE", "c": "INIT_COMPLETE"}
    assert house.act(ref, Action.CHECK) == "CHECK_FAILED"
    assert "resources.a: it was never whole" in house.stack(ref).status_reason
    assert house.update(ref, **CHAIN) == "UPDATE_COMPLETE"
    assert len(house.shelf.things) == 3


# suspend and resume


def test_users_are_suspended_first_and_resumed_last(house: House, chain: StackRef) -> None:
    assert house.act(chain, Action.SUSPEND) == "SUSPEND_COMPLETE"
    assert house.shelf.told == [("suspend", "c"), ("suspend", "b"), ("suspend", "a")]
    assert house.shelf.asleep == house.shelf.things.keys()
    assert events(house, "a")[-2:] == [
        ("SUSPEND_IN_PROGRESS", "state changed"),
        ("SUSPEND_COMPLETE", "state changed"),
    ]
    house.shelf.told.clear()
    assert house.act(chain, Action.RESUME) == "RESUME_COMPLETE"
    assert house.shelf.told == [("resume", "a"), ("resume", "b"), ("resume", "c")]
    assert house.shelf.asleep == set()
    assert house.stack(chain).status_reason == "Stack RESUME completed successfully"
    assert house.update(chain, a="T::Thing") == "UPDATE_COMPLETE"


def test_what_has_nothing_to_suspend_is_suspended_by_name(house: House) -> None:
    ref = house.create(m="T::Mere")
    house.ended(ref)
    assert house.act(ref, Action.SUSPEND) == "SUSPEND_COMPLETE"
    assert house.states() == {"m": "SUSPEND_COMPLETE"}
    assert house.act(ref, Action.RESUME) == "RESUME_COMPLETE"
    assert [state for state, _ in events(house, "m")][-4:] == [
        "SUSPEND_IN_PROGRESS", "SUSPEND_COMPLETE", "RESUME_IN_PROGRESS", "RESUME_COMPLETE",
    ]  # fmt: skip


def test_a_suspended_stack_can_only_be_resumed_or_deleted(house: House, chain: StackRef) -> None:
    house.act(chain, Action.SUSPEND)
    version = house.stack(chain).version
    house.stacks.act(ANN, chain, Action.SUSPEND)
    assert house.stack(chain).version == version, "it is suspended already"
    text = "Updating a stack when it is suspended is not supported."
    with pytest.raises(Unsupported, match=text):
        house.update(chain, **CHAIN)
    with pytest.raises(Unsupported, match="Checking a stack when it is suspended"):
        house.act(chain, Action.CHECK)
    house.stacks.delete(ANN, chain)
    assert house.ended(chain) == "DELETE_COMPLETE"
    assert house.shelf.things == {}
    with pytest.raises(NotFound):
        house.act(chain, Action.RESUME)


def test_a_suspend_that_fails_stops_there_and_can_be_undone(house: House, chain: StackRef) -> None:
    house.shelf.fates = [Fate.ANSWERED, Fate.REFUSED]
    assert house.act(chain, Action.SUSPEND) == "SUSPEND_FAILED"
    assert house.stack(chain).status_reason.startswith("Resource SUSPEND failed: CloudError: ")
    assert house.states() == {
        "a": "CREATE_COMPLETE", "b": "SUSPEND_FAILED", "c": "SUSPEND_COMPLETE",
    }  # fmt: skip
    assert house.act(chain, Action.RESUME) == "RESUME_COMPLETE"
    assert house.shelf.asleep == set()
    assert house.states() == {
        "a": "CREATE_COMPLETE", "b": "RESUME_COMPLETE", "c": "RESUME_COMPLETE",
    }  # fmt: skip


def test_a_resource_that_failed_is_not_suspended(house: House, chain: StackRef) -> None:
    lose(house, "c")
    house.act(chain, Action.CHECK)
    assert house.act(chain, Action.SUSPEND) == "SUSPEND_FAILED"
    assert "resources.c: it is CHECK_FAILED; update the stack first" in (
        house.stack(chain).status_reason
    )
    assert house.states()["c"] == "CHECK_FAILED", "what was found is not forgotten"
    assert house.shelf.asleep == set()


# stacks in stacks


NESTED = {"x": {"type": "T::Thing"}, "y": {"type": "T::Mere", "depends_on": "x"}}
NEST: dict[str, Any] = {
    "a": "T::Thing",
    "n": {"type": "T::Nest", "properties": {"inner": NESTED}},
}


@pytest.fixture
def nest(house: House) -> StackRef:
    ref = house.create(**NEST)
    assert house.ended(ref) == "CREATE_COMPLETE"
    return ref


def test_child_stacks_are_checked_suspended_and_resumed_with_their_parents(
    house: House, nest: StackRef
) -> None:
    for action in Action:
        assert house.act(nest, action) == f"{action.upper()}_COMPLETE"
        assert {row.action for row in house.rows().values()} == {action.upper()}
    with house.database.read() as connection:
        stacks = list(connection.execute(t.stack.select()))
    assert {f"{row.action}_{row.status}" for row in stacks} == {"RESUME_COMPLETE"}
    assert {verb for verb, name in house.shelf.told if name == "x"} == set(Action)


def _resume_amid(house: House, nest: StackRef, action: Action) -> None:
    """Begin the action, and resume when it has come to a thing in the child; see that end."""
    is_asked, may_go = threading.Event(), threading.Event()

    def wait() -> None:
        is_asked.set()
        may_go.wait(20)

    house.shelf.before_check = house.shelf.before_change = wait
    house.stacks.act(ANN, nest, action)
    assert is_asked.wait(20)
    house.stacks.act(ANN, nest, Action.RESUME)
    may_go.set()
    assert house.ended(nest) == "RESUME_COMPLETE"


def test_a_resume_takes_over_from_a_suspend_that_has_reached_a_child(
    house: House, nest: StackRef
) -> None:
    """The parent's row says then that it is being suspended."""
    _resume_amid(house, nest, Action.SUSPEND)
    assert house.shelf.asleep == set()
    with house.database.read() as connection:
        stacks = list(connection.execute(t.stack.select()))
    assert {row.action for row in stacks} == {"RESUME"}


def test_a_resume_takes_over_from_a_check_that_has_reached_a_child(
    house: House, nest: StackRef
) -> None:
    """There is nothing to resume, and yet nobody waits for the child's check any more."""
    _resume_amid(house, nest, Action.CHECK)
    row = house.rows()["n"]
    assert (row.action, row.status, row.verb) == ("CHECK", "COMPLETE", None)


def test_a_parent_tells_that_its_child_cannot_be_checked_whole(
    house: House, nest: StackRef
) -> None:
    house.act(nest, Action.CHECK)
    text = "'CHECK' not fully supported (see resources)"
    assert house.rows()["n"].status_reason == text
    assert house.stack(nest).status_reason == f"Stack CHECK completed successfully. {text}"


def test_what_fails_in_a_child_is_told_with_its_path_and_mended_in_place(
    house: House, nest: StackRef
) -> None:
    child = house.rows()["n"].physical_id
    lose(house, "x")
    assert house.act(nest, Action.CHECK) == "CHECK_FAILED"
    assert house.stack(nest).status_reason.startswith(
        "Resource CHECK failed: CloudNotFound: resources.n.resources.x: "
    )
    assert house.update(nest, **NEST) == "UPDATE_COMPLETE"
    rows = house.rows()
    assert rows["n"].physical_id == child
    assert house.shelf.things.keys() == {rows["a"].physical_id, rows["x"].physical_id}


# what goes on at the same time


def test_a_goal_under_way_is_not_given_up_for_a_look(house: House) -> None:
    house.engine.stop()
    ref = house.create(**CHAIN)
    for action in Action:
        with pytest.raises(Conflict, match="already has an action \\(CREATE\\) in progress"):
            house.stacks.act(ANN, ref, action)


def test_a_check_gives_way_to_an_update_and_what_it_found_counts(
    house: House, chain: StackRef
) -> None:
    is_asked, may_look = threading.Event(), threading.Event()

    def wait() -> None:
        is_asked.set()
        may_look.wait(20)

    lose(house, "a")
    house.shelf.before_check = wait
    house.stacks.act(ANN, chain, Action.CHECK)
    assert is_asked.wait(20)
    house.stacks.act(ANN, chain, Action.CHECK)  # is under way
    house.stacks.update(ANN, chain, UpdateStack(goal(CHAIN)))
    may_look.set()
    assert house.ended(chain) == "UPDATE_COMPLETE"
    assert house.shelf.told == [], "the others were not asked any more"
    assert house.shelf.things.keys() == {row.physical_id for row in house.rows().values()}


def test_resuming_overtakes_suspending_and_all_are_awake_in_the_end(
    house: House, chain: StackRef
) -> None:
    house.stacks.act(ANN, chain, Action.SUSPEND)
    assert house.act(chain, Action.RESUME) == "RESUME_COMPLETE"
    assert house.shelf.asleep == set()
