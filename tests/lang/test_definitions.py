from __future__ import annotations

from typing import Any

import pytest

from stoker.errors import Kind
from stoker.lang.expression import Call
from tests.lang.writing import (
    only_problem,
    outputs,
    resources,
    stack,
    thing,
)


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        (thing(properties={"x": {"get_resource": "b"}}), "no such resource"),
        (thing(properties={"x": {"get_attr": ["b", "y"]}}), "no such resource"),
        (thing(metadata={"x": {"get_resource": "b"}}), "no such resource"),
        (thing(update_policy={"x": {"get_resource": "b"}}), "no such resource"),
        (thing(depends_on="b"), "no such resource"),
        (thing(properties={"x": {"get_resource": "off"}}), "condition of that resource is false"),
    ],
)
def test_a_reference_to_nothing_is_told(definition: Any, words: str) -> None:
    off = thing(condition={"equals": [1, 2]})
    problem = only_problem(stack, resources(a=definition, off=off))
    assert problem.kind is Kind.REFERENCE
    assert problem.text.startswith('The specified reference "')
    assert words in problem.text
    assert problem.at[:2] == ("resources", "a")


@pytest.mark.parametrize(
    ("definitions", "circle"),
    [
        (
            {
                "a": thing(properties={"v": {"get_attr": ["b", "value"]}}),
                "b": thing(properties={"v": {"get_attr": ["a", "value"]}}),
            },
            "a -> b -> a",
        ),
        ({"a": thing(depends_on="a")}, "a -> a"),
        (
            {
                "z": thing(depends_on="c"),
                "c": thing(depends_on=["b"]),
                "b": thing(metadata={"x": {"get_resource": "a"}}),
                "a": thing(depends_on="c"),
            },
            "c -> b -> a -> c",
        ),
    ],
)
def test_a_circle_is_named(definitions: Any, circle: str) -> None:
    problem = only_problem(stack, resources(**definitions))
    assert problem.kind is Kind.CIRCULAR
    assert problem.text == f"Circular dependency: {circle}"
    assert problem.at == ("resources", circle[0])


def test_what_would_close_a_circle_in_a_branch_not_taken_does_not_count() -> None:
    branch = {"if": [{"equals": [1, 2]}, {"get_resource": "a"}, "x"]}
    made = stack(resources(a=thing(depends_on="b"), b=thing(properties={"p": branch})))
    assert made.definitions["b"].requires == frozenset()


@pytest.mark.parametrize(
    ("given", "policy"),
    [
        (None, "Delete"),
        ("Retain", "Retain"),
        ("snapshot", "Snapshot"),
        ({"get_param": "p"}, "Retain"),
    ],
)
def test_deletion_policies(given: Any, policy: str) -> None:
    template = resources(a=thing(deletion_policy=given))
    template["parameters"] = {"p": {"type": "string", "default": "retain"}}
    assert stack(template).definitions["a"].deletion_policy == policy


@pytest.mark.parametrize("given", ["Keep", 5, ["Delete"], {"get_resource": "b"}])
def test_a_deletion_policy_that_is_none_is_told(given: Any) -> None:
    problem = only_problem(stack, resources(a=thing(deletion_policy=given), b=thing()))
    assert problem.at == ("resources", "a", "deletion_policy")
    assert "known are Delete, Retain, Snapshot" in problem.text


def test_lower_case_policies_need_2016_10_14() -> None:
    template = resources(a=thing(deletion_policy="retain"))
    template["heat_template_version"] = "2016-04-08"
    assert "is no deletion policy" in only_problem(stack, template).text


def test_a_resource_with_an_external_id_is_kept_and_needs_nothing() -> None:
    external = thing(external_id="x-1", properties={"p": {"get_resource": "b"}})
    made = stack(resources(a=external, b=thing())).definitions["a"]
    assert (made.external_id, made.deletion_policy) == ("x-1", "Retain")
    assert made.requires == frozenset()


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"external_id": "x", "depends_on": "b"}, "remove depends_on"),
        ({"external_id": {"get_resource": "b"}}, "known before any resource is made"),
        ({"external_id": 5}, "must be a text"),
        ({"properties": {"get_param": "OS::stack_name"}}, "must give a map"),
        ({"metadata": {"list_join": ["", []]}}, "must give a map"),
    ],
)
def test_a_definition_that_is_wrong_is_told(keys: Any, words: str) -> None:
    assert words in only_problem(stack, resources(a=thing(**keys), b=thing())).text


def test_properties_may_be_one_function() -> None:
    template = resources(
        a=thing(properties={"get_param": "p"}),
        b=thing(properties={"map_merge": [{"x": {"get_resource": "a"}}]}),
        c=thing(properties={"if": [{"equals": [1, 2]}, {"x": 1}]}),
    )
    template["parameters"] = {"p": {"type": "json", "default": {"k": "v"}}}
    made = stack(template).definitions
    assert made["a"].properties == {"k": "v"}
    assert isinstance(made["b"].properties, Call)
    assert made["b"].requires == {"a"}
    assert made["c"].properties == {}


def test_a_parameter_is_picked_apart_by_what_a_resource_tells() -> None:
    template = resources(
        a=thing(), b=thing(properties={"p": {"get_param": ["map", {"get_resource": "a"}]}})
    )
    template["parameters"] = {"map": {"type": "json", "default": {"k": "v"}}}
    made = stack(template).definitions["b"]
    assert made.requires == {"a"}
    assert made.properties["p"].args[0] == {"k": "v"}


@pytest.mark.parametrize(
    "expr",
    [
        {"get_file": {"get_resource": "a"}},
        {"resource_facade": {"get_resource": "a"}},
        {"get_resource": {"get_attr": ["a", "x"]}},
        {"get_attr": [{"get_resource": "a"}, "x"]},
        {"get_param": [{"get_resource": "a"}]},
    ],
)
def test_names_must_be_known_before_any_resource_is_made(expr: Any) -> None:
    problem = only_problem(stack, resources(a=thing(), b=thing(properties={"p": expr})))
    assert "must be known before" in problem.text or "only a resource can tell" in problem.text


@pytest.mark.parametrize(
    ("args", "version", "words"),
    [
        (["a"], "2015-04-30", "too few"),
        (["a"], "2013-05-23", "too few"),
        ([], "2021-04-16", "too few"),
        ("a", "2015-04-30", "needs a list of arguments"),
        ({"get_param": "p"}, "2021-04-16", "must stand here themselves"),
        ({"str_split": [",", "a,x"]}, "2021-04-16", "must stand here themselves"),
        (["a", 5], "2021-04-16", "the attribute's name must be text"),
        (["a", None], "2021-04-16", "the attribute's name must be text"),
        (["a", "x", []], "2021-04-16", "must be a key or an index, not a list"),
        (["a", "x", 0, {"b": 1}], "2013-05-23", "must be a key or an index, not a map"),
        (["", "x"], "2021-04-16", "needs the name of a resource"),
        ([5, "x"], "2021-04-16", "needs the name of a resource"),
    ],
)
def test_the_arguments_of_get_attr_are_checked_at_once(args: Any, version: str, words: str) -> None:
    template = outputs({"get_attr": args}, version, resources={"a": thing()})
    template["parameters"] = {"p": {"type": "json", "default": ["a", "x"]}}
    assert words in only_problem(stack, template).text


@pytest.mark.parametrize("resource", ["a", ["a"]], ids=str)
def test_all_attributes_are_asked_for_from_2015_10_15_on(resource: Any) -> None:
    template = outputs({"get_attr": resource}, "2015-10-15", resources={"a": thing()})
    assert stack(template).outputs["o"].value == Call("get_attr", ["a"], "2015-10-15")
