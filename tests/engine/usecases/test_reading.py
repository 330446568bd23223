"""What is told of stacks, and to whom."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from stoker.engine.usecases.reading import Reading
from stoker.errors import Forbidden, Invalid, NotFound
from stoker.usecases.stacks import EventQuery, ResourceQuery, StackQuery
from tests.engine.usecases.asking import ANN, BOB, GUEST, ROOT, VERSION, get_attr, output, s
from tests.engine.usecases.conftest import no_cloud

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.engine.kinds import Kinds
    from tests.store.world import World


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


def test_a_list_costs_one_query(world: World, reading: Reading) -> None:
    for name in "abcdef":
        world.stack(name)
    with world.counted() as asked:
        assert len(reading.list(ANN, StackQuery())) == 6
    assert len([each for each in asked if each.startswith("SELECT")]) == 1


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
    reading = Reading(world.database, kinds, no_cloud, hidden_tags=("secret",))
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


def test_an_output_that_a_child_cannot_give_is_told_in_the_words_that_clients_know(
    world: World, reading: Reading
) -> None:
    stack = world.stack(outputs=[output("o", get_attr("n", "a"))])
    parent = world.resource(stack, "n", implementation="mid.yaml")
    inner = world.child(stack, parent, "n", outputs=[output("a", get_attr("r", "nope"))])
    world.resource(inner, attributes={"a": 1})
    view = reading.output(ANN, s(stack), "o")
    assert view.value is None
    assert view.error == ("Error in n output a: The Referenced Attribute (r nope) is incorrect.")


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
    environment = {"parameters": {"a": 1, "b": 1}, "parameter_defaults": {}}
    stored = {
        "environment": {**environment, "resource_registry": {"resources": {}}},
        "parameters": {"b": 2},
        "facade": None,
    }
    world.set_environment(template_id, stored)
    assert reading.environment(ANN, s(stack))["parameters"] == {"a": 1, "b": 2}


def test_template_files_named_as_types_are_in_the_registry(world: World, reading: Reading) -> None:
    resources = {"a": {"type": "a.yaml"}, "b": {"type": "OS::Heat::None"}, "c": {"type": "b.yaml"}}
    template = {"heat_template_version": VERSION, "resources": resources}
    environment = {
        "parameters": {},
        "parameter_defaults": {},
        "resource_registry": {"resources": {}, "b.yaml": "other.yaml"},
    }
    stack = world.stack(template_id=world.template(json.dumps(template), environment))
    assert reading.environment(ANN, s(stack))["resource_registry"] == {
        "a.yaml": "a.yaml", "b.yaml": "other.yaml", "resources": {},
    }  # fmt: skip


def test_the_template_is_a_document_however_it_came(world: World, reading: Reading) -> None:
    right = {"heat_template_version": VERSION, "description": "d"}
    for stored in (right, json.dumps(right), "heat_template_version: 2018-08-31\ndescription: d"):
        stack = world.stack(template_id=world.template(stored))
        assert reading.template(ANN, s(stack)) == right


def test_files_come_as_they_were_sent(world: World, reading: Reading) -> None:
    files = {"file:///a": "text", "b": "\u00e4"}
    stack = world.stack(template_id=world.template(files=files))
    assert reading.files(ANN, s(stack)) == files


def test_files_do_not_tell_what_is_hidden(world: World, reading: Reading) -> None:
    files = {"file:///env.yaml": "parameters: {pw: T0PS3CR3T}"}
    stack = world.stack(template_id=world.template(files=files), secrets=world.seal(["T0PS3CR3T"]))
    assert reading.files(ANN, s(stack)) == {"file:///env.yaml": "parameters: {pw: ******}"}
