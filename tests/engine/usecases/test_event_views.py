"""What is told of events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.errors import NotFound
from stoker.usecases.stacks import EventQuery
from tests.engine.usecases.asking import ANN, s

if TYPE_CHECKING:
    from stoker.engine.usecases.reading import Reading
    from tests.store.world import World


def test_events_of_nested_stacks_name_the_stack_that_was_asked_also_when_they_are_gone(
    world: World, reading: Reading
) -> None:
    top = world.stack()
    row = world.resource(top, "g")
    child = world.child(top, row, "g", name="c", deleted_at=world.moment())
    first, second = world.event(top, "g"), world.event(child, "leaf")
    alone = reading.events(ANN, s(top), EventQuery())
    assert [(each.id, each.root) for each in alone] == [(first, None)]
    both = reading.events(ANN, s(top), EventQuery(nested_depth=1))
    assert [each.id for each in both] == [second, first]
    assert [each.stack for each in both] == [s(child, "c"), s(top)]
    assert {each.root for each in both} == {s(top)}


def test_events_are_filtered_and_paged(world: World, reading: Reading) -> None:
    stack = world.stack()
    a = world.event(stack, "a", status="FAILED", status_reason="why", physical_id="x")
    b = world.event(stack, "b", action="UPDATE")
    c = world.event(stack, "c", resource_type="T::Other")

    def ids(query: EventQuery) -> list[str]:
        return [each.id for each in reading.events(ANN, s(stack), query)]

    assert ids(EventQuery(filters={"resource_status": ("FAILED",)})) == [a]
    assert ids(EventQuery(filters={"resource_action": ("UPDATE",)})) == [b]
    assert ids(EventQuery(filters={"resource_type": ("T::Other",)})) == [c]
    assert ids(EventQuery(filters={"resource_name": ("a", "b"), "nonsense": ("x",)})) == [b, a]
    assert ids(EventQuery(limit=1, marker=c)) == [b]
    assert ids(EventQuery(sort_keys=("created_at",), sort_dir="asc")) == [a, b, c]
    (view,) = reading.events(ANN, s(stack), EventQuery(filters={"resource_name": ("a",)}))
    assert (view.reason, view.physical_id, view.properties) == ("why", "x", None)


def test_events_of_one_resource_are_its_own(world: World, reading: Reading) -> None:
    stack = world.stack()
    a = world.event(stack, "a")
    world.event(stack, "b")
    found = reading.resource_events(ANN, s(stack), "a", EventQuery())
    assert [each.id for each in found] == [a]
    assert reading.resource_events(ANN, s(stack), "x", EventQuery()) == []


def test_a_single_event_has_the_properties_of_its_resource(world: World, reading: Reading) -> None:
    stack = world.stack()
    uuid, bare = world.event(stack, "a", properties={"size": 1}), world.event(stack, "b")
    assert reading.event(ANN, s(stack), "a", uuid).properties == {"size": 1}
    assert reading.event(ANN, s(stack), "b", bare).properties == {}
    for name, event_id in (("b", uuid), ("a", "none")):
        with pytest.raises(NotFound) as caught:
            reading.event(ANN, s(stack), name, event_id)
        assert (caught.value.kind, caught.value.name) == ("Event", event_id)
