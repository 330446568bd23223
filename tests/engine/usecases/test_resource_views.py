"""What is told of resources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.errors import NotFound
from stoker.usecases.stacks import ResourceQuery
from tests.engine.usecases.asking import ANN, get_attr, s

if TYPE_CHECKING:
    from stoker.engine.usecases.reading import Reading
    from tests.store.world import World


def test_resources_tell_who_needs_them_and_what_is_nested_in_them(
    world: World, reading: Reading
) -> None:
    stack = world.stack()
    world.resource(stack, "a", type="My::T", implementation="T::Plain", physical_id=None)
    group = world.resource(stack, "g", requires=["a"])
    world.resource(stack, "z", requires=["g", "a"])
    child = world.child(stack, group, "g", name="s-g-1")
    a, g, z = reading.resources(ANN, s(stack), ResourceQuery())
    assert (a.name, a.type, a.physical_id, a.required_by) == ("a", "My::T", None, ("g", "z"))
    assert (g.required_by, g.nested) == (("z",), s(child, "s-g-1"))
    assert (z.required_by, z.nested, z.parent_resource) == ((), None, None)
    assert a.stack == s(stack)
    assert a.attributes is None


def nested(world: World) -> tuple[str, str, str]:
    """Make a stack whose resource ``g`` holds a stack whose resource ``h`` holds a stack."""
    top = world.stack()
    middle = world.child(top, world.resource(top, "g"), "g", name="m")
    low = world.child(middle, world.resource(middle, "h"), "h", name="l", root_id=top)
    world.resource(low, "leaf")
    return top, middle, low


@pytest.mark.parametrize(
    ("depth", "right"),
    [(0, ["g"]), (1, ["g", "h"]), (2, ["g", "h", "leaf"]), (9, ["g", "h", "leaf"])],
)
def test_nested_resources_are_listed_as_deep_as_is_asked(
    world: World, reading: Reading, depth: int, right: list[str]
) -> None:
    top, middle, low = nested(world)
    found = reading.resources(ANN, s(top), ResourceQuery(nested_depth=depth))
    assert [each.name for each in found] == right
    above = {"g": (top, None, middle), "h": (middle, "g", low), "leaf": (low, "h", None)}
    for each in found:
        stack, parent, child = above[each.name]
        assert (each.stack.id, each.parent_resource) == (stack, parent)
        assert (each.nested.id if each.nested else None) == child


def test_below_a_nested_stack_only_its_own_branch_is_listed(world: World, reading: Reading) -> None:
    top, middle, _low = nested(world)
    other = world.child(top, world.resource(top, "x"), "x")
    world.resource(other, "not-mine")
    found = reading.resources(ANN, s(middle, "m"), ResourceQuery(nested_depth=3))
    assert [(each.name, each.parent_resource) for each in found] == [("h", "g"), ("leaf", "h")]


@pytest.mark.parametrize("depth", [0, 2])
def test_a_long_list_costs_no_more_queries_than_a_short_one(
    world: World, reading: Reading, depth: int
) -> None:
    top, _middle, low = nested(world)
    world.many(low, 300)
    with world.counted() as asked:
        reading.resources(ANN, s(top), ResourceQuery(nested_depth=depth))
    assert len([each for each in asked if each.startswith("SELECT")]) == 3


def test_resources_are_filtered_the_type_by_a_part_of_it(world: World, reading: Reading) -> None:
    stack = world.stack()
    world.resource(stack, "a", type="OS::Nova::Server", status="FAILED")
    world.resource(stack, "b", type="OS::Nova::KeyPair", physical_id="key")
    world.resource(stack, "c", type="OS::Neutron::Net", action="UPDATE", requires=["a"])

    def names(**filters: tuple[str, ...]) -> list[str]:
        found = reading.resources(ANN, s(stack), ResourceQuery(filters=filters))
        return [each.name for each in found]

    assert names(type=("Nova",)) == ["a", "b"]
    assert names(type=("Server", "Net")) == ["a", "c"]
    assert names(status=("FAILED",)) == ["a"]
    assert names(name=("a", "c")) == ["a", "c"]
    assert names(action=("UPDATE",), type=("Net",)) == ["c"]
    assert names(physical_resource_id=("key",)) == ["b"]
    assert names(id=("none",)) == []
    (a,) = reading.resources(ANN, s(stack), ResourceQuery(filters={"name": ("a",)}))
    assert a.required_by == ("c",)  # who needs it is told whether or not it is listed


def test_detail_adds_description_and_attributes(world: World, reading: Reading) -> None:
    stack = world.stack()
    world.resource(stack, attributes={"a": 1}, definition={"description": "d"})
    world.resource(stack, "new", action="INIT")
    first, second = reading.resources(ANN, s(stack), ResourceQuery(with_detail=True))
    assert (first.description, first.attributes) == ("d", {"a": 1, "b": None})
    assert (second.description, second.attributes) == ("", {"a": None, "b": None})


def test_one_resource_is_shown_with_its_attributes_and_those_that_were_asked_for(
    world: World, reading: Reading
) -> None:
    stack = world.stack()
    row = world.resource(stack, attributes={"a": 1})
    world.resource(stack, "user", requires=["r"])
    child = world.child(stack, row, "r")
    view = reading.resource(ANN, s(stack), "r", ["b", "nope"])
    assert view.attributes == {"a": 1, "b": None, "nope": None}
    assert view.required_by == ("user",)
    assert view.nested is not None
    assert view.nested.id == child
    with pytest.raises(NotFound) as caught:
        reading.resource(ANN, s(stack), "x")
    assert (caught.value.kind, caught.value.name) == ("Resource", "x")


def test_a_type_that_shows_a_map_shows_that(world: World, reading: Reading) -> None:
    stack = world.stack()
    world.resource(stack, attributes={"a": 1, "show": {"status": "ACTIVE"}})
    view = reading.resource(ANN, s(stack), "r", ["a"])
    assert view.attributes == {"status": "ACTIVE", "a": 1}


def test_an_empty_show_hides_nothing(world: World, reading: Reading) -> None:
    stack = world.stack()
    world.resource(stack, attributes={"a": 1, "show": {}})
    assert reading.resource(ANN, s(stack), "r").attributes == {"a": 1, "b": None}


def test_a_resource_of_a_type_that_is_gone_is_shown_without_attributes(
    world: World, reading: Reading
) -> None:
    stack = world.stack()
    world.resource(stack, type="T::Gone", attributes={"a": 1})
    assert reading.resource(ANN, s(stack), "r").attributes == {}


def test_metadata_is_the_resources_own_and_until_then_the_templates(
    world: World, reading: Reading
) -> None:
    stack = world.stack()
    world.resource(stack, "a", metadata={"own": 1}, definition={"metadata": {"template": 1}})
    world.resource(stack, "b", definition={"metadata": {"of": get_attr("a", "a")}})
    world.resource(stack, "c", metadata=None)
    assert reading.metadata(ANN, s(stack), "a") == {"own": 1}
    assert reading.metadata(ANN, s(stack), "b") == {"of": None}
    assert reading.metadata(ANN, s(stack), "c") == {}
    with pytest.raises(NotFound):
        reading.metadata(ANN, s(stack), "x")
