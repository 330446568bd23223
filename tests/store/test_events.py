"""Events: of one stack or several, newest first, by pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoker.store import events
from stoker.store.paging import Page

if TYPE_CHECKING:
    from tests.store.world import World


def uuids(world: World, stacks: list[str], page: Page | None = None, **wanted: Any) -> list[str]:
    with world.database.read() as connection:
        found = events.of_stacks(connection, stacks, wanted, page or Page())
    return [row.uuid for row in found]


def test_events_come_newest_first_and_oldest_first_when_a_key_is_given(world: World) -> None:
    stack = world.stack()
    first, second = world.event(stack), world.event(stack)
    world.event(world.stack("other"))
    assert uuids(world, [stack]) == [second, first]
    assert uuids(world, [stack], Page(sort_keys=("created_at",))) == [first, second]
    assert uuids(world, [stack], Page(sort_dir="asc")) == [first, second]


def test_events_of_one_instant_keep_the_order_in_which_they_were_written(world: World) -> None:
    stack, now = world.stack(), world.moment()
    written = [world.event(stack, created_at=now) for _ in range(5)]
    assert uuids(world, [stack]) == written[::-1]
    middle = Page(limit=2, marker=written[3])
    assert uuids(world, [stack], middle) == [written[2], written[1]]


def test_events_are_sorted_by_type_then_by_age(world: World) -> None:
    stack = world.stack()
    b, a1, a2 = (world.event(stack, resource_type=each) for each in ("B", "A", "A"))
    page = Page(sort_keys=("resource_type",))
    assert uuids(world, [stack], page) == [a1, a2, b]
    assert uuids(world, [stack], Page(marker=a1, sort_keys=("resource_type",))) == [a2, b]


def test_an_unknown_marker_is_ignored(world: World) -> None:
    stack = world.stack()
    one = world.event(stack)
    assert uuids(world, [stack], Page(marker="nonsense")) == [one]


def test_events_are_picked_by_columns(world: World) -> None:
    stack = world.stack()
    a = world.event(stack, "a", status="FAILED")
    b = world.event(stack, "b", action="DELETE", resource_type="T::Other")
    assert uuids(world, [stack], resource_name=["a"]) == [a]
    assert uuids(world, [stack], resource_name=["a", "b"]) == [b, a]
    assert uuids(world, [stack], status=["FAILED"], action=["CREATE"]) == [a]
    assert uuids(world, [stack], resource_type=["T::Other"]) == [b]
    assert uuids(world, [stack], resource_type=["T::Other"], status=["FAILED"]) == []


def test_events_of_several_stacks_are_one_list(world: World) -> None:
    stacks = [world.stack("a"), world.stack("b")]
    written = [world.event(stacks[i % 2]) for i in range(4)]
    assert uuids(world, stacks) == written[::-1]


def test_only_a_single_event_has_its_properties(world: World) -> None:
    stack = world.stack()
    uuid = world.event(stack, properties={"size": 1})
    with world.database.read() as connection:
        (listed,) = events.of_stacks(connection, [stack], {}, Page())
        alone = events.one(connection, stack, uuid)
        assert events.one(connection, "other", uuid) is None
    assert listed.properties is None
    assert alone is not None
    assert alone.properties is not None
    assert world.database.sealer.open(alone.properties) == {"size": 1}
    assert alone.created_at.utcoffset() is not None


def test_the_newest_events_of_a_stack_are_kept(world: World) -> None:
    stack, other = world.stack(), world.stack("other")
    written = [world.event(stack) for _ in range(5)]
    theirs = world.event(other)
    with world.database.write() as connection:
        assert events.overfull(connection, 4) == [stack]
        assert events.overfull(connection, 5) == []
        events.trim(connection, stack, 2)
        events.trim(connection, other, 2)
    assert uuids(world, [stack]) == written[:2:-1]
    assert uuids(world, [other]) == [theirs]
