"""The answers of the read-only use cases."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.usecases.reading import Reading
from stoker.errors import Forbidden, Invalid, NotFound
from stoker.lang.expression import dump
from stoker.lang.syntax import Call
from stoker.usecases.caller import Caller
from stoker.usecases.stacks import EventQuery, ResourceQuery, StackQuery, StackRef

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.engine.kinds import Kinds
    from tests.store.world import World

ANN = Caller("u1", "ann", "p1", "demo", frozenset({"member"}))
BOB = Caller("u2", "bob", "p2", "other", frozenset({"member"}))
ROOT = Caller("u0", "root", "p0", "admin", frozenset({"admin"}), is_admin=True)
GUEST = Caller("u9", "guest", "users-of-s", "", frozenset({"heat_stack_user"}))

VERSION = "2018-08-31"


@pytest.fixture
def reading(world: World, kinds: Kinds) -> Reading:
    return Reading(world.database, kinds)


def get_attr(*args: Any) -> Any:
    return dump(Call("get_attr", list(args), VERSION))


def output(name: str, value: Any, description: str = "") -> dict[str, Any]:
    return {"name": name, "description": description, "value": value}


def s(stack_id: str, name: str = "s", project: str = "p1") -> StackRef:
    return StackRef(stack_id, name, project)


# who sees what


def test_a_stack_is_located_by_id_deleted_or_not_and_by_name_while_it_lives(
    world: World, reading: Reading
) -> None:
    alive = world.stack()
    gone = world.stack("gone", deleted_at=world.moment())
    assert reading.locate(ANN, alive) == s(alive)
    assert reading.locate(ANN, alive.replace("-", "").upper()) == s(alive)
    assert reading.locate(ANN, "s") == s(alive)
    assert reading.locate(ANN, gone) == s(gone, "gone")
    with pytest.raises(NotFound) as caught:
        reading.locate(ANN, "gone")
    assert (caught.value.kind, caught.value.name) == ("Stack", "gone")


def test_a_stack_whose_name_looks_like_an_id_is_located_by_its_name(
    world: World, reading: Reading
) -> None:
    name = world.uuid()
    stack = world.stack(name)
    assert reading.locate(ANN, name).id == stack


def test_others_do_not_learn_that_a_stack_exists(world: World, reading: Reading) -> None:
    stack = world.stack(stack_user_project_id="users-of-s")
    for text in (stack, "s"):
        with pytest.raises(NotFound):
            reading.locate(BOB, text)
    with pytest.raises(NotFound):
        reading.show(BOB, s(stack, project="p2"))
    assert reading.locate(ROOT, stack).project_id == "p1"
    assert reading.locate(GUEST, "s").id == stack
    assert reading.show(GUEST, s(stack)).id == stack


def test_a_stack_must_be_called_by_its_own_name(world: World, reading: Reading) -> None:
    stack = world.stack("s")
    with pytest.raises(NotFound):
        reading.show(ANN, s(stack, "t"))


def test_of_a_deleted_stack_only_its_record_is_left(world: World, reading: Reading) -> None:
    stack = world.stack(action="DELETE", deleted_at=world.moment(), outputs=[output("o", 1)])
    world.event(stack)
    assert reading.show(ANN, s(stack)).outputs is None
    assert reading.template(ANN, s(stack)) == {"heat_template_version": VERSION}
    assert reading.environment(ANN, s(stack))["parameters"] == {}
    assert reading.files(ANN, s(stack)) == {}
    assert len(reading.events(ANN, s(stack), EventQuery())) == 1
    asked: list[Callable[[], object]] = [
        lambda: reading.resources(ANN, s(stack), ResourceQuery()),
        lambda: reading.resource(ANN, s(stack), "r"),
        lambda: reading.metadata(ANN, s(stack), "r"),
        lambda: reading.outputs(ANN, s(stack)),
        lambda: reading.output(ANN, s(stack), "o"),
    ]
    for ask in asked:
        with pytest.raises(NotFound):
            ask()


# lists


def test_a_list_has_tags_but_neither_parameters_nor_outputs(world: World, reading: Reading) -> None:
    world.stack("a", tags=("x", "y"), parameters={"p": "1"}, outputs=[output("o", 1)])
    world.stack("b", timeout_mins=5, updated_at=world.moment())
    second, first = reading.list(ANN, StackQuery())
    assert (first.name, first.tags, first.parameters, first.outputs) == ("a", ("x", "y"), {}, None)
    assert (second.timeout_mins, second.owner, second.parent_id) == (5, "ann", None)
    assert second.updated_at is not None


def test_a_list_costs_two_queries(world: World, reading: Reading) -> None:
    for name in "abcdef":
        world.stack(name)
    with world.counted() as asked:
        assert len(reading.list(ANN, StackQuery())) == 6
    assert len([each for each in asked if each.startswith("SELECT")]) == 2


def test_filters_choose_by_column_and_other_words_choose_nothing(
    world: World, reading: Reading
) -> None:
    world.stack("a", timeout_mins=5, disable_rollback=False)
    world.stack("b", status="FAILED")

    def names(**filters: tuple[str, ...]) -> list[str]:
        query = StackQuery(filters=filters)
        found = [stack.name for stack in reading.list(ANN, query)]
        assert reading.count(ANN, query) == len(found)
        return found

    assert names(name=("a",)) == ["a"]
    assert names(timeout_mins=("5",)) == ["a"]
    assert names(disable_rollback=("False", "false")) == ["a"]
    assert names(disable_rollback=("true",)) == ["b"]
    assert names(status=("FAILED", "COMPLETE")) == ["b", "a"]
    assert names(nonsense=("x",)) == ["b", "a"]


@pytest.mark.parametrize(
    "filters", [{"timeout_mins": ("x",)}, {"timeout_mins": ("²",)}, {"disable_rollback": ("5",)}]
)
def test_a_value_that_no_column_can_have_is_refused(
    reading: Reading, filters: dict[str, tuple[str, ...]]
) -> None:
    with pytest.raises(Invalid):
        reading.list(ANN, StackQuery(filters=filters))


def test_all_projects_are_for_administrators(world: World, reading: Reading) -> None:
    world.stack("a")
    world.stack("b", project_id="p2")
    query = StackQuery(all_projects=True)
    with pytest.raises(Forbidden):
        reading.list(ANN, query)
    with pytest.raises(Forbidden):
        reading.count(ANN, query)
    assert [each.project_id for each in reading.list(ROOT, query)] == ["p2", "p1"]
    assert reading.list(ROOT, StackQuery()) == []


def test_stacks_with_a_hidden_tag_are_left_out_unless_they_are_asked_for(
    world: World, kinds: Kinds
) -> None:
    world.stack("a", tags=("secret",))
    world.stack("b")
    reading = Reading(world.database, kinds, hidden_tags=("secret",))
    assert [each.name for each in reading.list(ANN, StackQuery())] == ["b"]
    assert [each.name for each in reading.list(ANN, StackQuery(show_hidden=True))] == ["b", "a"]
    assert reading.count(ANN, StackQuery(show_hidden=True)) == 2


def test_a_page_follows_its_marker(world: World, reading: Reading) -> None:
    stacks = [world.stack(name) for name in "abc"]
    page = reading.list(ANN, StackQuery(limit=1, marker=stacks[2]))
    assert [each.name for each in page] == ["b"]
    by_name = StackQuery(sort_keys=("name",), sort_dir="desc", limit=2)
    assert [each.name for each in reading.list(ANN, by_name)] == ["c", "b"]


# one stack


def test_show_has_parameters_and_every_output_with_its_value_or_its_error(
    world: World, reading: Reading
) -> None:
    outputs = [
        output("good", get_attr("r", "a"), "the value"),
        output("bad", get_attr("r", "nope")),
        output("early", get_attr("new", "a")),
    ]
    stack = world.stack(
        description="d", parameters={"p": "1", "q": "******"}, outputs=outputs, tags=("t",)
    )
    world.resource(stack, attributes={"a": [1]})
    world.resource(stack, "new", action="INIT")
    view = reading.show(ANN, s(stack))
    assert (view.description, view.tags) == ("d", ("t",))
    assert view.parameters == {"p": "1", "q": "******"}
    assert view.outputs is not None
    good, bad, early = view.outputs
    assert (good.key, good.description, good.value, good.error) == ("good", "the value", [1], None)
    assert bad.value is None
    assert bad.error is not None
    assert "outputs.bad" in bad.error
    assert "(r nope) is incorrect" in bad.error
    assert (early.value, early.error) == (None, None)


def test_outputs_are_left_alone_when_they_are_not_wanted(world: World, reading: Reading) -> None:
    stack = world.stack(outputs=[output("o", 1)])
    view = reading.show(ANN, s(stack), resolve_outputs=False)
    assert view.outputs is None


def test_the_list_of_outputs_reads_no_resource(world: World, reading: Reading) -> None:
    stack = world.stack(outputs=[output("o", get_attr("r", "a"), "d")])
    with world.counted() as asked:
        (view,) = reading.outputs(ANN, s(stack))
    assert (view.key, view.description, view.value) == ("o", "d", None)
    assert not [each for each in asked if "FROM resource" in each]


def test_one_output_is_found_by_its_key(world: World, reading: Reading) -> None:
    stack = world.stack(outputs=[output("o", get_attr("r", "a")), output("n", None)])
    world.resource(stack, attributes={"a": 1})
    assert reading.output(ANN, s(stack), "o").value == 1
    assert reading.output(ANN, s(stack), "n").value is None
    with pytest.raises(NotFound) as caught:
        reading.output(ANN, s(stack), "x")
    assert (caught.value.kind, caught.value.name) == ("Output", "x")


def test_hidden_parameters_are_masked_in_the_environment(world: World, reading: Reading) -> None:
    template = {
        "heat_template_version": VERSION,
        "parameters": {"open": {"type": "string"}, "secret": {"type": "string", "hidden": True}},
    }
    environment = {
        "parameters": {"open": "1", "secret": "2"},
        "parameter_defaults": {"secret": "3", "elsewhere": "4"},
        "resource_registry": {"resources": {}, "My::T": "OS::Heat::None"},
        "event_sinks": [],
        "encrypted_param_names": [],
    }
    stack = world.stack(template_id=world.template(json.dumps(template), environment))
    found = reading.environment(ANN, s(stack))
    assert found["parameters"] == {"open": "1", "secret": "******"}
    assert found["parameter_defaults"] == {"secret": "******", "elsewhere": "4"}
    assert found["resource_registry"] == environment["resource_registry"]


def test_parameters_of_the_request_are_part_of_the_environment(
    world: World, reading: Reading
) -> None:
    template_id = world.template()
    stack = world.stack(template_id=template_id)
    stored = {
        "environment": {"parameters": {"a": 1, "b": 1}, "parameter_defaults": {}},
        "parameters": {"b": 2},
        "facade": None,
    }
    world.set_environment(template_id, stored)
    assert reading.environment(ANN, s(stack))["parameters"] == {"a": 1, "b": 2}


def test_the_template_is_a_document_however_it_came(world: World, reading: Reading) -> None:
    right = {"heat_template_version": VERSION, "description": "d"}
    for stored in (right, json.dumps(right), "heat_template_version: 2018-08-31\ndescription: d"):
        stack = world.stack(template_id=world.template(stored))
        assert reading.template(ANN, s(stack)) == right


def test_files_come_as_they_were_sent(world: World, reading: Reading) -> None:
    files = {"file:///a": "text", "b": "\u00e4"}
    stack = world.stack(template_id=world.template(files=files))
    assert reading.files(ANN, s(stack)) == files


# resources


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


# events


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


# speed


def test_showing_a_large_stack_is_quick(world: World, reading: Reading) -> None:
    outputs = [output(f"o{i}", get_attr(f"r{i}", "a")) for i in range(10)]
    stack = world.stack(outputs=outputs, parameters={f"p{i}": "x" for i in range(20)})
    world.many(stack, 1000, attributes={"a": 1, "show": {"x": "y" * 1000}})
    times = []
    for _ in range(5):
        start = time.perf_counter()
        view = reading.show(ANN, s(stack))
        times.append(time.perf_counter() - start)
    assert view.outputs is not None
    assert len(view.outputs) == 10
    assert min(times) < 0.01
