from __future__ import annotations

from typing import Any

import pytest

from stoker.errors import Kind
from stoker.lang.constraints import AllowedPattern, AllowedValues, Custom, Length, Modulo, Range
from stoker.lang.events import MAX_DEPTH, TOO_DEEP
from stoker.lang.parameters import Lookup, ParameterSchema, bind
from stoker.lang.unknown import UNKNOWN


def converted(type_name: str, value: Any) -> Any:
    return ParameterSchema("p", type_name).convert(value)


@pytest.mark.parametrize(
    ("type_name", "value", "made"),
    [
        ("string", "a", "a"),
        ("string", 5, "5"),
        ("string", True, "True"),
        ("number", "5", 5),
        ("number", "5.5", 5.5),
        ("number", 5, 5),
        ("number", 1e3, 1000.0),
        ("comma_delimited_list", "a, b", ["a", " b"]),
        ("comma_delimited_list", "", []),
        ("comma_delimited_list", ["a", 1], ["a", "1"]),
        ("comma_delimited_list", 5, ["5"]),
        ("json", '{"a": [1]}', {"a": [1]}),
        ("json", {"a": 1}, {"a": 1}),
        ("json", [1], [1]),
        ("json", "5", 5),
        ("json", "", ""),
        ("boolean", "Yes", True),
        ("boolean", "0", False),
        ("boolean", 1, True),
        ("boolean", False, False),
        ("boolean", "off", False),
    ],
)
def test_a_value_becomes_its_type(type_name: str, value: Any, made: Any) -> None:
    assert converted(type_name, value) == made
    assert type(converted(type_name, value)) is type(made)


@pytest.mark.parametrize(
    ("type_name", "value", "words"),
    [
        ("number", "x", "not a number"),
        ("number", [], "not a number"),
        ("number", "nan", "not a finite number"),
        ("number", "inf", "not a finite number"),
        ("boolean", "maybe", "neither true nor false"),
        ("boolean", 2, "neither true nor false"),
        ("comma_delimited_list", {"a": 1}, "is a map"),
        ("json", "{", "not valid JSON"),
    ],
)
def test_a_value_that_is_not_its_type_is_told(type_name: str, value: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        converted(type_name, value)


@pytest.mark.parametrize(
    ("type_name", "constraint", "good", "bad", "words"),
    [
        ("string", Length(least=1, most=3), "abc", "abcd", "its length is 4, and must be 1 to 3"),
        ("string", Length(most=3), "", "abcd", "at most 3"),
        ("json", Length(least=1), {"a": 1}, {}, "its length is 0, and must be at least 1"),
        ("comma_delimited_list", Length(most=1), "a", "a,b", "its length is 2"),
        ("number", Range(least=1, most=2.5), "2.5", 3, '"3" is out of range: it must be 1 to 2.5'),
        ("number", Modulo(step=4, offset=3), 7, 8, "3 plus a multiple of 4"),
        ("number", Modulo(step=-4, offset=-3), -7, 7, "-3 plus a multiple of -4"),
        ("number", AllowedValues(allowed=("1",), same=(1,)), 1, 2, "allowed are 1"),
        ("boolean", AllowedValues(allowed=(True,), same=(True,)), "yes", "no", "allowed are True"),
        (
            "comma_delimited_list",
            AllowedValues(allowed=("a", "b"), same=("a", "b")),
            "a,b,a",
            "a,c",
            "allowed are a, b",
        ),
        ("string", AllowedPattern(pattern="a+"), "aa", "aab", "does not match the pattern a+"),
        ("string", AllowedPattern(pattern="a", description="As!"), "a", "b", "As!"),
    ],
)
def test_a_constraint_says_why(
    type_name: str, constraint: Any, good: Any, bad: Any, words: str
) -> None:
    schema = ParameterSchema("p", type_name, constraints=(constraint,))
    assert bind({"p": schema}, {"p": good}, {}).problems == ()
    (problem,) = bind({"p": schema}, {"p": bad}, {}).problems
    assert problem.kind is Kind.PARAMETER
    assert problem.text.startswith("Parameter 'p' is invalid: ")
    assert words in problem.text


def test_a_hidden_value_is_never_shown() -> None:
    constraints = (
        AllowedPattern(pattern="a"),
        AllowedValues(allowed=("a",), same=("a",)),
        Length(most=1),
    )
    schema = ParameterSchema("p", "string", hidden=True, constraints=constraints)
    found = bind({"p": schema}, {"p": "secret"}, {}).problems
    assert len(found) == 3
    assert "secret" not in " ".join(each.text for each in found)


def test_a_value_that_is_nested_too_deep_is_told() -> None:
    deep: list[Any] = []
    for _ in range(MAX_DEPTH):
        deep = [deep]
    schemas = {"p": ParameterSchema("p", "json")}
    assert bind(schemas, {"p": deep[0]}, {}).problems == ()
    (problem,) = bind(schemas, {"p": deep}, {}).problems
    assert TOO_DEEP in problem.text


def test_a_value_is_given_or_from_the_defaults_or_its_own() -> None:
    schemas = {name: ParameterSchema(name, "string", default="own") for name in "abcd"}
    bound = bind(schemas, {"a": "given", "b": None}, {"a": "x", "b": "default", "c": ""})
    assert bound.values == {"a": "given", "b": "default", "c": "", "d": "own"}


def test_false_and_zero_are_values() -> None:
    schemas = {"n": ParameterSchema("n", "number", default=9), "s": ParameterSchema("s", "string")}
    assert bind(schemas, {"n": 0, "s": ""}, {}).values == {"n": 0, "s": ""}


def test_what_is_missing_or_unknown_is_told() -> None:
    bound = bind({"p": ParameterSchema("p", "string")}, {"q": 1, "OS::stack_id": 2}, {"r": 3})
    assert [(each.kind, each.text) for each in bound.problems] == [
        (Kind.PARAMETER_UNKNOWN, "The Parameter (q) was not defined in template."),
        (Kind.PARAMETER_UNKNOWN, "The Parameter (OS::stack_id) was not defined in template."),
        (Kind.PARAMETER_MISSING, "The Parameter (p) was not provided."),
    ]


def test_when_not_strict_a_missing_value_is_unknown() -> None:
    bound = bind({"p": ParameterSchema("p", "string")}, {}, {}, strict=False)
    assert (bound.values, bound.problems) == ({"p": UNKNOWN}, ())


def test_what_is_not_known_yet_is_not_checked() -> None:
    length = (Length(most=1),)
    schemas = {
        "s": ParameterSchema("s", "string", constraints=length),
        "l": ParameterSchema("l", "comma_delimited_list", constraints=length),
        "j": ParameterSchema("j", "json", constraints=(Custom(name="c"),)),
    }
    given = {"s": UNKNOWN, "l": ["a", UNKNOWN], "j": {"k": UNKNOWN}}
    bound = bind(schemas, given, {})
    assert bound.values == given
    assert (bound.problems, bound.lookups) == ((), ())


def test_a_custom_constraint_comes_out_as_a_lookup() -> None:
    custom = (Custom(name="nova.flavor"),)
    schemas = {
        "a": ParameterSchema("a", "string", constraints=custom, default="m1"),
        "b": ParameterSchema("b", "number", constraints=custom),
    }
    bound = bind(schemas, {"b": "x"}, {})
    assert bound.lookups == (Lookup("nova.flavor", "m1", ("parameters", "a"), None),)
    assert len(bound.problems) == 1


@pytest.mark.parametrize(
    ("old", "changed"), [("5", False), (5, False), (6, True), (None, False), ("x", False)]
)
def test_an_immutable_parameter_keeps_its_value(old: Any, changed: Any) -> None:
    schema = ParameterSchema("p", "number", immutable=True)
    found = bind({"p": schema}, {"p": 5}, {}, previous={"p": old}).problems
    assert bool(found) is changed
    assert all(each.kind is Kind.IMMUTABLE for each in found)


def test_another_parameter_may_change() -> None:
    schema = ParameterSchema("p", "number")
    assert bind({"p": schema}, {"p": 5}, {}, previous={"p": 6}).problems == ()
