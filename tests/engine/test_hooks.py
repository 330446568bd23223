"""Hooks that hold resources up, and what an environment forbids."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from stoker.errors import Invalid, NotFound, Unsupported
from stoker.store import tables as t
from stoker.usecases.stacks import CreateStack, Goal, StackRef, UpdateStack
from tests.engine.house import House
from tests.engine.shelf import ANN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from stoker.store.database import Database

CHAIN: dict[str, Any] = {
    "a": {"type": "T::Frail"},
    "b": {"type": "T::Mere", "depends_on": "a"},
}


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    house.engine.start()
    yield house
    house.engine.stop()


def goal(own: dict[str, Any], size: int = 1, resources: dict[str, Any] = CHAIN) -> Goal:
    changed = {**resources, "a": {**resources["a"], "properties": {"size": size}}}
    template = {"heat_template_version": "2021-04-16", "resources": changed}
    return Goal(template, environment={"resource_registry": {"resources": own}})


def begun(house: House, *hooks: str, pattern: str = "a") -> StackRef:
    what = CreateStack("s", goal({pattern: {"hooks": [*hooks]}}))
    return house.stacks.create(ANN, what)


def held(house: House, ref: StackRef, hook: str, name: str = "a") -> None:
    """Return once the hook holds the resource up."""
    until(lambda: told(house, name)[-1:] == [reason(hook)], f"{hook} holds {name}")
    assert house.stack(ref).status == "IN_PROGRESS"


def reason(hook: str) -> str:
    return f"{hook[hook.index('-') + 1 :].upper()} paused until Hook {hook} is cleared"


def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def told(house: House, name: str) -> list[str]:
    with house.database.read() as connection:
        found = t.event.select().where(t.event.c.resource_name == name).order_by(t.event.c.id)
        rows = connection.execute(found).all()
    return [
        f"{row.action}_{row.status}"
        if row.status_reason == "state changed"
        else str(row.status_reason)
        for row in rows
    ]


def clear(house: House, ref: StackRef, hook: str, name: str = "a") -> None:
    house.stacks.signal(ANN, ref, name, {"unset_hook": hook})


def test_a_create_waits_before_and_after_and_so_does_what_needs_it(house: House) -> None:
    ref = begun(house, "pre-create", "post-create")
    held(house, ref, "pre-create")
    assert (house.states()["a"], house.shelf.things) == ("INIT_COMPLETE", {})
    clear(house, ref, "pre-create")
    held(house, ref, "post-create")
    assert house.states() == {"a": "CREATE_COMPLETE", "b": "INIT_COMPLETE"}
    clear(house, ref, "post-create")
    assert house.ended(ref) == "CREATE_COMPLETE"
    assert told(house, "a") == [
        reason("pre-create"),
        "Hook pre-create is cleared",
        "CREATE_IN_PROGRESS",
        "CREATE_COMPLETE",
        reason("post-create"),
        "Hook post-create is cleared",
    ]
    assert (house.shelf.calls, house.rows()["a"].progress) == (1, None)
    assert house.update(ref, **CHAIN) == "UPDATE_COMPLETE"
    assert house.shelf.calls == 1


def test_an_update_waits_before_whether_or_not_there_is_anything_to_change(house: House) -> None:
    hooks = {"a": {"hooks": "pre-update"}}
    ref = begun(house)
    house.ended(ref)
    for size in (1, 1, 2):
        house.stacks.update(ANN, ref, UpdateStack(goal(hooks, size)))
        held(house, ref, "pre-update")
        clear(house, ref, "pre-update")
        assert house.ended(ref) == "UPDATE_COMPLETE"
    assert told(house, "a")[-2:] == ["UPDATE_IN_PROGRESS", "UPDATE_COMPLETE"]


def test_an_update_waits_after_a_change(house: House) -> None:
    hooks = {"*": {"hooks": ["pre-update", "post-update"]}}
    ref = begun(house)
    house.ended(ref)
    house.stacks.update(ANN, ref, UpdateStack(goal(hooks, 2)))
    held(house, ref, "pre-update")
    clear(house, ref, "pre-update")
    held(house, ref, "post-update")
    clear(house, ref, "post-update")
    held(house, ref, "pre-update", "b")
    clear(house, ref, "pre-update", "b")
    assert house.ended(ref) == "UPDATE_COMPLETE"
    assert told(house, "a")[-4:-1] == [
        "UPDATE_IN_PROGRESS",
        "UPDATE_COMPLETE",
        reason("post-update"),
    ]


def test_a_delete_waits_before_and_after(house: House) -> None:
    ref = begun(house, "pre-delete", "post-delete")
    house.ended(ref)
    house.stacks.delete(ANN, ref)
    held(house, ref, "pre-delete")
    assert len(house.shelf.things) == 1
    clear(house, ref, "pre-delete")
    held(house, ref, "post-delete")
    assert house.shelf.things == {}
    clear(house, ref, "post-delete")
    assert house.ended(ref) == "DELETE_COMPLETE"
    assert house.rows() == {}


def test_a_new_goal_takes_over_from_what_is_held_and_a_hook_of_before_is_not_set_any_more(
    house: House,
) -> None:
    ref = begun(house, "pre-create")
    held(house, ref, "pre-create")
    house.stacks.update(ANN, ref, UpdateStack(goal({})))
    assert house.ended(ref) == "UPDATE_COMPLETE"
    assert len(house.shelf.things) == 1
    with pytest.raises(Invalid):
        clear(house, ref, "pre-create")


def test_a_stack_whose_time_is_over_holds_nothing(house: House) -> None:
    ref = begun(house, "pre-create")
    held(house, ref, "pre-create")
    with house.database.write() as connection:
        connection.execute(t.stack.update().values(deadline=0.0))
    assert house.ended(ref) == "CREATE_FAILED"
    with pytest.raises(Invalid, match='The "pre-create" hook is not defined on a'):
        clear(house, ref, "pre-create")
    house.stacks.delete(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"


def test_another_engine_holds_what_the_first_one_held(house: House) -> None:
    ref = begun(house, "pre-create")
    held(house, ref, "pre-create")
    with house.database.write() as connection:  # as an audit or a burial makes it due
        connection.execute(t.resource.update().where(t.resource.c.name == "a").values(due=0.0))
    until(lambda: (house.rows()["a"].due or 0) > 0, "it was looked at again")
    assert told(house, "a") == [reason("pre-create")], "it is told once"
    assert house.states()["a"] == "INIT_COMPLETE"


def test_what_is_no_hook_or_is_not_set_is_refused(house: House) -> None:
    ref = begun(house, "pre-create")
    held(house, ref, "pre-create")
    with pytest.raises(Invalid, match='Invalid hook type "pre-party" for a'):
        clear(house, ref, "pre-party")
    with pytest.raises(Invalid, match='The "post-create" hook is not defined on a'):
        clear(house, ref, "post-create")
    with pytest.raises(Invalid):
        clear(house, ref, "pre-create", "b")
    with pytest.raises(NotFound):
        clear(house, ref, "pre-create", "c")
    with pytest.raises(Unsupported, match="signal is not supported for resource"):
        house.stacks.signal(ANN, ref, "a", {"x": 1})
    assert house.states()["a"] == "INIT_COMPLETE"


@pytest.mark.parametrize("size", [1, 2])
def test_a_restricted_update_fails_and_changes_nothing(house: House, size: int) -> None:
    ref = begun(house)
    house.ended(ref)
    restricted = {"a": {"restricted_actions": "update"}}
    house.stacks.update(ANN, ref, UpdateStack(goal(restricted, size)))
    if size == 1:
        assert house.ended(ref) == "UPDATE_COMPLETE", "there is nothing to do"
        return
    assert house.ended(ref) == "UPDATE_FAILED"
    text = "update is restricted for resource."
    reason = f"Resource UPDATE failed: ResourceActionRestricted: resources.a: {text}"
    assert house.stack(ref).status_reason == reason
    assert told(house, "a")[-1] == text, "clients look for just this"
    assert house.states()["a"] == "CREATE_COMPLETE"
    house.stacks.update(ANN, ref, UpdateStack(goal({}, size)))
    assert house.ended(ref) == "UPDATE_COMPLETE"
    assert house.states()["a"] == "UPDATE_COMPLETE"


def test_a_restricted_replacement_fails_and_makes_nothing(house: House) -> None:
    ref = house.create(a="T::Thing")
    house.ended(ref)
    wanted = {"a": {"type": "T::Thing"}}
    own = {"a": {"restricted_actions": ["replace"]}}
    house.stacks.update(ANN, ref, UpdateStack(goal(own, 2, wanted)))
    assert house.ended(ref) == "UPDATE_FAILED"
    assert "replace is restricted for resource." in house.stack(ref).status_reason
    assert told(house, "a")[-1] == "replace is restricted for resource."
    assert len(house.shelf.things) == 1
