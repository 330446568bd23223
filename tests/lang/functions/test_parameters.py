from __future__ import annotations

from typing import Any

import pytest

from stoker.errors import Kind
from tests.lang.writing import only_problem, resources, stack, thing, value_of

SECTIONS = {
    "parameters": {
        "text": {"type": "string", "default": "t"},
        "list": {"type": "comma_delimited_list", "default": "a,b"},
        "map": {"type": "json", "default": {"k": ["x", {"y": 1}], "1": "one"}},
        "which": {"type": "string", "default": "list"},
    }
}


@pytest.mark.parametrize(
    ("args", "value"),
    [
        ("text", "t"),
        (["text"], "t"),
        (["list", 1], "b"),
        (["list", "1"], "b"),
        (["map", "k", 1, "y"], 1),
        (["map", 1], "one"),
        (["map", "nope"], ""),
        (["map", "k", 9], ""),
        (["map", "k", "y"], ""),
        (["text", 0], "t"),
        (["text", "-1"], "t"),
        (["text", 7], ""),
        (["text", "x"], ""),
        ({"get_param": "which"}, ["a", "b"]),
        ([{"get_param": "which"}, 0], "a"),
        ("OS::stack_name", "s"),
        ("OS::stack_id", "the-id"),
        ("OS::project_id", "p"),
    ],
)
def test_get_param(args: Any, value: Any) -> None:
    assert value_of({"get_param": args}, "2013-05-23", sections=SECTIONS) == value


@pytest.mark.parametrize("args", [[], 1, {"a": 1, "b": 2}, [["text"]], None])
def test_get_param_wants_a_name(args: Any) -> None:
    problem = only_problem(value_of, {"get_param": args}, sections=SECTIONS)
    assert "write get_param: name" in problem.text


def test_a_parameter_that_is_not_declared() -> None:
    problem = only_problem(stack, resources(a=thing(properties={"x": {"get_param": "nope"}})))
    assert problem.kind is Kind.PARAMETER_MISSING
    assert problem.text == (
        "The Parameter (nope) was not provided. The template does not declare it."
    )
