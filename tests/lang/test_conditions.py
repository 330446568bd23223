from __future__ import annotations

from typing import Any

import pytest

from stoker.lang.unknown import UNKNOWN
from tests.lang.writing import (
    NEWEST,
    only_problem,
    outputs,
    problems_of,
    resources,
    stack,
    thing,
    value_of,
)


def conditional(condition: Any, **parameters: Any) -> dict[str, Any]:
    template = resources(r=thing(condition=condition))
    template["parameters"] = {
        "n": {"type": "number", "default": 1},
        "f": {"type": "boolean", "default": True},
        "t": {"type": "string", "default": "true"},
        "open": {"type": "boolean"},
    }
    template["conditions"] = {"yes": True, "no": {"not": "yes"}, **parameters}
    return template


@pytest.mark.parametrize(
    ("condition", "there"),
    [
        (True, True),
        (False, False),
        ("yes", True),
        ("no", False),
        ({"get_param": "f"}, True),
        ({"equals": [{"get_param": "n"}, 1]}, True),
        ({"equals": ["yes", "no"]}, False),
        ({"not": {"get_param": "f"}}, False),
        ({"and": ["yes", True, {"get_param": "f"}]}, True),
        ({"and": ["yes", "no"]}, False),
        ({"or": ["no", {"not": "no"}]}, True),
        ({"or": ["no", False]}, False),
        ({"contains": ["a", ["a"]]}, True),
    ],
)
def test_a_condition_decides_whether_a_resource_is_there(condition: Any, there: Any) -> None:
    instance = stack(conditional(condition), strict=False)
    assert ("r" in instance.definitions) is there


@pytest.mark.parametrize(
    ("condition", "there"),
    [
        ({"get_param": "open"}, True),
        ({"not": {"get_param": "open"}}, True),
        ({"and": [{"get_param": "open"}, "no"]}, False),
        ({"and": [{"get_param": "open"}, "yes"]}, True),
        ({"or": [{"get_param": "open"}, "yes"]}, True),
        ({"not": {"or": [{"get_param": "open"}, "yes"]}}, False),
        ({"equals": [{"get_param": "open"}, 1]}, True),
    ],
)
def test_a_condition_that_is_open_counts_as_there(condition: Any, there: Any) -> None:
    instance = stack(conditional(condition), strict=False)
    assert ("r" in instance.definitions) is there


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("nope", 'The condition "nope" is not defined'),
        ({"get_param": "t"}, "must be true or false"),
        ({"and": [{"get_param": "n"}, True]}, "must be true or false"),
        ({"not": {"get_param": "n"}}, "must be true or false"),
        ({"and": [True]}, "too few"),
        ({"and": "yes"}, "needs a list"),
        ({"equals": [1]}, "too few"),
    ],
)
def test_a_condition_that_decides_nothing_is_told(condition: Any, words: str) -> None:
    problem = only_problem(stack, conditional(condition), strict=False)
    assert words in problem.text
    assert problem.at[:3] == ("resources", "r", "condition")


def test_a_circle_of_conditions_is_told() -> None:
    template = conditional("yes", a={"not": "b"}, b={"not": "a"})
    problem = only_problem(stack, template, strict=False)
    assert problem.text.startswith("Circular definition of conditions: ")
    assert problem.at[0] == "conditions"


@pytest.mark.parametrize(
    ("args", "version", "value"),
    [
        (["yes", 1, 2], "2015-04-30", 1),
        (["no", 1, 2], "2016-10-14", 2),
        ([False, 1], "2021-04-16", None),
        ([True, None, 2], "2021-04-16", None),
        ([{"equals": [1, 1]}, {"k": [1]}, 2], "2021-04-16", {"k": [1]}),
        ([True, {"if": [False, 1, 2]}, 3], "2021-04-16", 2),
    ],
)
def test_if(args: Any, version: str, value: Any) -> None:
    no: Any = {"not": "yes"} if version > "2016" else False
    sections = {"conditions": {"yes": True, "no": no}}
    assert value_of({"if": args}, version, sections=sections) == value


def test_an_if_without_else_leaves_nothing_behind() -> None:
    expr = {"list": ["a", {"if": [False, "b"]}, "c"], "map": {"k": 1, "l": {"if": [False, 1]}}}
    assert value_of(expr) == {"list": ["a", "c"], "map": {"k": 1}}
    joined = {"list_join": [",", ["a", {"if": [False, "b"]}]]}
    assert value_of(joined) == "a"


@pytest.mark.parametrize(
    ("args", "version"),
    [
        ([True, 1], "2018-08-31"),
        ([True], "2021-04-16"),
        ([True, 1, 2, 3], "2021-04-16"),
        ({"a": 1}, "2021-04-16"),
        ([], "2021-04-16"),
    ],
)
def test_an_if_of_the_wrong_shape_is_told(args: Any, version: str) -> None:
    assert "if: needs a list" in only_problem(value_of, {"if": args}, version).text


def test_when_a_condition_is_open_both_branches_are_checked() -> None:
    template = resources(
        a=thing(properties={"p": {"if": ["open", {"list_join": [",", [3]]}, {"digest": 1}]}})
    )
    template["parameters"] = {"p": {"type": "boolean"}}
    template["conditions"] = {"open": {"get_param": "p"}}
    assert len(problems_of(stack, template, strict=False)) == 2
    template["resources"]["a"]["properties"]["p"] = {"if": ["open", {"get_resource": "x"}, 2]}
    assert stack(template, strict=False).definitions["a"].properties == {"p": UNKNOWN}


def refused_values(**conditions: Any) -> dict[str, Any]:
    parameters = {"s": {"type": "string", "default": "abc"}}
    named = {"wrong": {"not": {"get_param": "s"}}, **conditions}
    return outputs({"if": ["used", 1, 2]}, NEWEST, parameters=parameters, conditions=named)


def test_values_of_a_condition_that_nothing_uses_are_not_looked_at() -> None:
    assert stack(refused_values(used=True)).outputs["o"].value == 1
    assert stack(refused_values(used=True, other={"not": "wrong"})).outputs["o"].value == 1
    undeclared = {"equals": [{"get_param": "nothing"}, 1]}
    assert stack(refused_values(used=True, other=undeclared)).outputs["o"].value == 1


def test_values_of_a_condition_that_is_used_by_way_of_another_are_told() -> None:
    problem = only_problem(stack, refused_values(used={"not": "wrong"}))
    assert problem.at == ("conditions", "wrong", "not")


@pytest.mark.parametrize(
    ("condition", "words"),
    [({"equals": [1]}, "too few"), ({"not": "nothing"}, "is not defined")],
)
def test_what_is_wrong_whatever_the_parameters_are_is_told_of_any_condition(
    condition: Any, words: str
) -> None:
    assert words in only_problem(stack, refused_values(used=True, other=condition)).text


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ({"or": [True, {"get_param": "s"}]}, 1),
        ({"and": [{"equals": [1, 2]}, {"get_param": "s"}, "wrong"]}, 2),
        ({"or": [False, {"or": [True, "wrong"]}]}, 1),
    ],
)
def test_what_follows_a_part_that_decides_is_not_evaluated(condition: Any, value: int) -> None:
    made = stack(refused_values(used=condition))
    assert made.outputs["o"].value == value


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ({"or": [{"get_param": "s"}, True]}, "must be true or false"),
        ({"or": [True, {"and": [True]}]}, "too few"),
        ({"and": [False, "nothing"]}, "is not defined"),
    ],
)
def test_what_is_wrong_beside_a_part_that_decides_is_told(condition: Any, words: str) -> None:
    assert words in only_problem(stack, refused_values(used=condition)).text
