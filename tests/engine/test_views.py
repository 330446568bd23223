"""What get_resource and get_attr give of recorded resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.source import VALUES, Source
from stoker.engine.views import Outputs, Recorded, StoreRefs
from stoker.errors import Bug, Invalid
from stoker.lang.expression import dump, evaluate
from stoker.lang.syntax import Call
from stoker.lang.unknown import UNKNOWN
from stoker.store import resources
from tests.engine.kinds import Provider

if TYPE_CHECKING:
    from tests.engine.kinds import Kinds
    from tests.store.world import World

VERSION = "2018-08-31"


def recorded(world: World, kinds: Kinds, stack: str, name: str = "r") -> Recorded:
    with world.database.read() as connection:
        row = resources.named(connection, stack, [name], sealed=VALUES)[name]
    return Recorded(Source(world.database), kinds, row)


def get_attr(*args: Any) -> Call:
    return Call("get_attr", list(args), VERSION)


def output(name: str, value: Any, description: str = "") -> dict[str, Any]:
    return {"name": name, "description": description, "value": dump(value), "error": None}


# one resource


def test_a_resource_is_referred_to_by_its_id_or_else_by_its_name(
    world: World, kinds: Kinds
) -> None:
    stack = world.stack()
    world.resource(stack, "a", physical_id="x-1")
    world.resource(stack, "b", physical_id=None)
    assert recorded(world, kinds, stack, "a").reference() == "x-1"
    assert recorded(world, kinds, stack, "b").reference() == "b"


def test_a_type_may_refer_to_what_it_keeps_for_life(world: World, kinds: Kinds) -> None:
    stack = world.stack()
    world.data(world.resource(stack, type="T::Named"), value="secret")
    assert recorded(world, kinds, stack).reference() == "secret"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((), {"list": [{"k": 1}, 2], "map": {"x": None}}),
        (("list", 0, "k"), 1),
        (("list", 1), 2),
        (("list", "1"), None),
        (("list", 7), None),
        (("map", "x", "y"), None),
        (("no",), None),
        (("list", 0, "k", "deeper"), None),
    ],
    ids=str,
)
def test_a_path_is_followed_and_leads_to_null_where_it_leads_nowhere(
    world: World, kinds: Kinds, path: tuple[Any, ...], value: Any
) -> None:
    stack = world.stack()
    world.resource(stack, attributes={"b": {"list": [{"k": 1}, 2], "map": {"x": None}}})
    assert recorded(world, kinds, stack).attribute("b", path) == value


def test_a_type_that_follows_the_path_itself_is_left_alone(world: World, kinds: Kinds) -> None:
    stack = world.stack()
    world.resource(stack, type="T::Walker")
    assert recorded(world, kinds, stack).attribute("a", ("x", 1)) == ["walked", "a", "x", 1]


def test_an_attribute_that_the_type_does_not_have_is_told(world: World, kinds: Kinds) -> None:
    stack = world.stack()
    world.resource(stack)
    with pytest.raises(Invalid, match=r"The Referenced Attribute \(r nope\) is incorrect"):
        recorded(world, kinds, stack).attribute("nope")


@pytest.mark.parametrize("action", ["INIT", "DELETE"])
def test_a_resource_that_is_not_there_has_no_attributes(
    world: World, kinds: Kinds, action: str
) -> None:
    stack = world.stack()
    world.resource(stack, action=action, attributes={"a": 1})
    assert recorded(world, kinds, stack).attribute("a") is None
    assert recorded(world, kinds, stack).attribute(None) is None


def test_all_attributes_are_a_map_without_show(world: World, kinds: Kinds) -> None:
    stack = world.stack()
    world.resource(stack, "good", attributes={"a": 1, "show": {"x": 1}})
    world.resource(stack, "bad", attributes={"a": 1}, status="FAILED")
    assert recorded(world, kinds, stack, "good").attribute(None) == {"a": 1, "b": None}
    assert recorded(world, kinds, stack, "bad").attribute(None) is None


def test_a_resource_speaks_for_the_members_of_its_child_in_their_order(
    world: World, kinds: Kinds
) -> None:
    stack = world.stack()
    child = world.child(stack, world.resource(stack, type="T::Group"), "r")
    world.resource(child, "1", position=1, attributes={"a": {"k": "one"}})
    world.resource(child, "0", position=0, attributes={"a": {"k": "zero"}})
    group = recorded(world, kinds, stack)
    assert group.attribute("refs") == ["id-of-0", "id-of-1"]
    assert group.attribute("a", ("k",)) == ["zero", "one"]


def test_reading_many_members_takes_no_query_for_each(world: World, kinds: Kinds) -> None:
    stack = world.stack()
    child = world.child(stack, world.resource(stack, type="T::Group"), "r")
    world.many(child, 50, attributes={"a": 1})
    group = recorded(world, kinds, stack)
    with world.counted() as asked:
        assert group.attribute("a") == [1] * 50
    assert len([each for each in asked if each.startswith("SELECT")]) == 3


def test_a_resource_without_a_child_has_neither_members_nor_outputs(
    world: World, kinds: Kinds
) -> None:
    stack = world.stack()
    world.resource(stack, type="T::Group")
    group = recorded(world, kinds, stack)
    assert (dict(group.members), dict(group.outputs)) == ({}, {})


def test_a_provider_type_comes_of_the_template_of_its_child(world: World, kinds: Kinds) -> None:
    stack = world.stack()
    row = world.resource(stack, type="My::Type", implementation="file:///a.yaml")
    assert recorded(world, kinds, stack).kind is None
    text = "heat_template_version: 2018-08-31"
    world.child(stack, row, "r", template_id=world.template(text), outputs=[output("a", 7)])
    provider = recorded(world, kinds, stack)
    assert isinstance(provider.kind, Provider)
    assert provider.kind.made_of == ("file:///a.yaml", text)
    assert provider.attribute("a") == 7
    assert provider.attribute("b") is None


def test_a_provider_type_without_a_child_refers_by_its_row_and_has_no_attributes(
    world: World, kinds: Kinds
) -> None:
    stack = world.stack()
    world.resource(stack, implementation="file:///a.yaml", physical_id=None)
    assert recorded(world, kinds, stack).reference() == "r"
    assert recorded(world, kinds, stack).attribute("a") is None


# the resources of a stack


def test_expressions_are_evaluated_against_what_is_recorded_by_one_query(
    world: World, kinds: Kinds
) -> None:
    stack = world.stack()
    world.resource(stack, "a", attributes={"b": {"k": [5]}})
    world.resource(stack, "c", action="UPDATE")
    refs = StoreRefs(Source(world.database), kinds, stack, {"a", "c"})
    with world.counted() as asked:
        value = evaluate(
            {"x": get_attr("a", "b", "k", 0), "y": Call("get_resource", "c", VERSION)}, refs
        )
    assert value == {"x": 5, "y": "id-of-c"}
    assert len([each for each in asked if each.startswith("SELECT")]) == 1


@pytest.mark.parametrize(
    ("action", "status"),
    [
        ("INIT", "COMPLETE"),
        ("CREATE", "IN_PROGRESS"),
        ("CREATE", "FAILED"),
        ("CHECK", "FAILED"),
        ("UPDATE", "IN_PROGRESS"),
        ("DELETE", "COMPLETE"),
    ],
)
def test_a_worker_knows_nothing_of_a_resource_that_is_not_done(
    world: World, kinds: Kinds, action: str, status: str
) -> None:
    stack = world.stack()
    world.resource(stack, "a", action=action, status=status, attributes={"a": 1})
    refs = StoreRefs(Source(world.database), kinds, stack, {"a", "absent"})
    for name in ("a", "absent"):
        assert refs.reference(name) is UNKNOWN
        assert refs.attribute(name, "a", ()) is UNKNOWN
        assert refs.attribute(name, None, ()) is UNKNOWN


def test_people_see_null_until_a_resource_is_made_and_its_values_from_then_on(
    world: World, kinds: Kinds
) -> None:
    stack = world.stack()
    world.resource(stack, "new", action="INIT", physical_id=None)
    world.resource(stack, "busy", action="UPDATE", status="IN_PROGRESS", attributes={"a": 1})
    refs = StoreRefs(Source(world.database), kinds, stack, {"new", "busy", "absent"}, strict=False)
    assert [refs.reference(name) for name in ("new", "busy", "absent")] == [
        None,
        "id-of-busy",
        None,
    ]
    assert [refs.attribute(name, "a", ()) for name in ("new", "busy", "absent")] == [None, 1, None]


def test_a_name_that_was_not_to_be_loaded_is_our_own_mistake(world: World, kinds: Kinds) -> None:
    refs = StoreRefs(Source(world.database), kinds, world.stack(), {"a"})
    with pytest.raises(Bug, match="resource b"):
        refs.reference("b")


# outputs


def outputs_of(world: World, kinds: Kinds, stack: str, **options: Any) -> Outputs:
    return Outputs(Source(world.database), kinds, stack, strict=False, **options)


def test_outputs_are_evaluated_each_on_its_own(world: World, kinds: Kinds) -> None:
    stack = world.stack(
        outputs=[output("good", get_attr("r", "a")), output("bad", get_attr("r", "nope"))]
    )
    world.resource(stack, attributes={"a": 1})
    outputs = outputs_of(world, kinds, stack)
    assert list(outputs) == ["good", "bad"]
    assert "bad" in outputs
    assert outputs["good"] == 1
    with pytest.raises(Invalid) as caught:
        outputs["bad"]
    (problem,) = caught.value.problems
    assert problem.at == ("outputs", "bad", "get_attr")


def test_outputs_of_no_stack_are_none(world: World, kinds: Kinds) -> None:
    assert dict(outputs_of(world, kinds, "nowhere")) == {}


def test_only_what_the_outputs_need_is_loaded(world: World, kinds: Kinds) -> None:
    stack = world.stack(outputs=[output("fixed", 1), output("o", get_attr("r1", "a"))])
    world.many(stack, 3, attributes={"a": 1})
    outputs = outputs_of(world, kinds, stack, only="fixed")
    with world.counted() as asked:
        assert outputs["fixed"] == 1
    assert len([each for each in asked if each.startswith("SELECT")]) == 1
    with pytest.raises(Bug):
        outputs["o"]


def test_a_parent_tells_its_childs_problem_in_the_childs_words_with_the_way_to_it(
    world: World, kinds: Kinds
) -> None:
    """The report behind ``bugs/35``: the parent used to say that there is no such output."""
    broken = Call("str_split", [",", get_attr("j", "b")], VERSION)
    stack = world.stack(outputs=[output("o", get_attr("n", "a"))])
    inner = world.child(
        stack,
        world.resource(stack, "n", implementation="mid.yaml"),
        "n",
        outputs=[output("a", get_attr("m", "a"))],
    )
    innermost = world.child(
        inner,
        world.resource(inner, "m", implementation="low.yaml"),
        "m",
        root_id=stack,
        outputs=[output("a", broken)],
    )
    world.resource(innermost, "j", attributes={"b": {"no": "text"}})
    with pytest.raises(Invalid) as inside:
        outputs_of(world, kinds, innermost)["a"]
    with pytest.raises(Invalid) as outside:
        outputs_of(world, kinds, stack)["o"]
    (cause,), (told,) = inside.value.problems, outside.value.problems
    assert told.text == cause.text
    assert told.at == ("n", "m", "outputs", "a", "str_split")


def test_a_strict_parent_does_not_know_what_its_child_does_not_know(
    world: World, kinds: Kinds
) -> None:
    stack = world.stack()
    row = world.resource(stack, implementation="a.yaml")
    child = world.child(stack, row, "r", outputs=[output("a", get_attr("x", "a"))])
    world.resource(child, "x", status="IN_PROGRESS")
    assert recorded(world, kinds, stack).attribute("a") is UNKNOWN
