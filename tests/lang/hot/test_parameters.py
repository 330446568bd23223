from __future__ import annotations

from typing import Any

import pytest

from stoker.errors import Kind
from stoker.lang.constraints import AllowedPattern, AllowedValues, Custom, Length, Modulo, Range
from stoker.lang.template import read
from tests.lang.writing import NEWEST, only_problem, problems_of


def template(declared: Any) -> dict[str, Any]:
    return {"heat_template_version": NEWEST, "parameters": {"p": declared}}


def constrained(type_name: str, *constraints: Any, **more: Any) -> dict[str, Any]:
    return template({"type": type_name, "constraints": list(constraints), **more})


def test_all_that_a_parameter_may_say() -> None:
    declared = {
        "type": "string",
        "label": "L",
        "description": "D",
        "default": "x",
        "hidden": "true",
        "immutable": True,
        "tags": ["a", "b"],
        "schema": {},
        "constraints": [{"length": {"min": 1}, "description": "why"}],
    }
    schema = read(template(declared)).parameters["p"]
    assert (schema.name, schema.type, schema.label) == ("p", "string", "L")
    assert (schema.description, schema.default, schema.hidden) == ("D", "x", True)
    assert (schema.immutable, schema.tags) == (True, ("a", "b"))
    assert schema.constraints == (Length(least=1, description="why"),)


@pytest.mark.parametrize(
    ("type_name", "constraint", "made"),
    [
        ("string", {"length": {"min": "1", "max": 5}}, Length(least=1, most=5)),
        ("number", {"range": {"max": "1.5"}}, Range(most=1.5)),
        ("number", {"modulo": {"step": 4, "offset": 3}}, Modulo(step=4, offset=3)),
        ("number", {"modulo": {"step": -4, "offset": -3}}, Modulo(step=-4, offset=-3)),
        (
            "number",
            {"allowed_values": ["1", 2]},
            AllowedValues(allowed=("1", 2), same=(1, 2)),
        ),
        (
            "comma_delimited_list",
            {"allowed_values": [80]},
            AllowedValues(allowed=(80,), same=("80",)),
        ),
        ("string", {"allowed_pattern": "a+"}, AllowedPattern(pattern="a+")),
        ("boolean", {"custom_constraint": "nova.flavor"}, Custom(name="nova.flavor")),
    ],
)
def test_each_constraint(type_name: str, constraint: Any, made: Any) -> None:
    assert read(constrained(type_name, constraint)).parameters["p"].constraints == (made,)


@pytest.mark.parametrize(
    ("type_name", "constraint", "words"),
    [
        ("string", {}, "a constraint has one of the keys"),
        ("string", {"length": {"min": 1}, "range": {"min": 1}}, "one of the keys"),
        ("string", "length", "must be a map"),
        ("string", {"lenght": {}}, "is no key of a constraint"),
        ("string", {"length": 5}, "with min, max or both"),
        ("string", {"length": {}}, "with min, max or both"),
        ("string", {"length": {"mim": 1}}, "with min, max or both"),
        ("string", {"length": {"min": 1.5}}, "not a whole number"),
        ("string", {"length": {"min": "x"}}, "not a number"),
        ("number", {"length": {"min": 1}}, "cannot be used with the type number"),
        ("string", {"range": {"min": 1}}, "cannot be used with the type string"),
        ("json", {"allowed_values": ["1"]}, "cannot be used with the type json"),
        ("json", {"custom_constraint": "x"}, "cannot be used with the type json"),
        ("number", {"allowed_pattern": "x"}, "cannot be used with the type number"),
        ("number", {"modulo": {"step": 2}}, "with step and offset"),
        ("number", {"modulo": {"step": 0, "offset": 0}}, "must not be zero"),
        ("number", {"modulo": {"step": 2, "offset": 2}}, "nearer to zero"),
        ("number", {"modulo": {"step": 3, "offset": -1}}, "nearer to zero"),
        ("number", {"modulo": {"step": 1.5, "offset": 0}}, "not a whole number"),
        ("string", {"allowed_values": "a"}, "takes a list"),
        ("number", {"allowed_values": ["a"]}, "not a number"),
        ("string", {"allowed_pattern": 5}, "takes a text"),
        ("string", {"allowed_pattern": "("}, "not a regular expression"),
        ("string", {"custom_constraint": ""}, "takes the name of one"),
        ("string", None, "must be a map"),
    ],
)
def test_a_wrong_constraint_is_told(type_name: str, constraint: Any, words: str) -> None:
    problem = only_problem(read, constrained(type_name, constraint))
    assert problem.kind is Kind.SCHEMA
    assert words in problem.text


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ({"type": "String"}, "is no type of a parameter"),
        ({"type": ["string"]}, "is no type of a parameter"),
        ({}, "has no type"),
        ({"type": "string", "dfault": 1}, "is no key of a parameter"),
        ({"type": "string", "hidden": "perhaps"}, "neither true nor false"),
        ({"type": "string", "constraints": {"length": {"min": 1}}}, "must be a list"),
        ({"type": "string", "tags": "a"}, "must be a list"),
    ],
)
def test_a_wrong_declaration_is_told(declared: Any, words: str) -> None:
    problem = only_problem(read, template(declared))
    assert problem.kind is Kind.SCHEMA
    assert words in problem.text


@pytest.mark.parametrize(
    ("declared", "words", "kind"),
    [
        ({"type": "json", "default": '{"a": 1,,}'}, "not valid JSON", Kind.PARAMETER),
        ({"type": "number", "default": "x"}, "not a number", Kind.PARAMETER),
        ({"type": "boolean", "default": "x"}, "neither true nor false", Kind.PARAMETER),
        (
            {"type": "string", "default": "", "constraints": [{"length": {"min": 1}}]},
            "its length is 0, and must be at least 1",
            Kind.SCHEMA,
        ),
    ],
)
def test_a_default_must_fit(declared: Any, words: str, kind: Kind) -> None:
    problem = only_problem(read, template(declared))
    assert (problem.kind, problem.at) == (kind, ("parameters", "p", "default"))
    assert words in problem.text
    assert "'p'" in problem.text


def test_a_hidden_default_is_not_shown() -> None:
    declared = {"type": "number", "default": "secret", "hidden": True}
    assert "secret" not in only_problem(read, template(declared)).text


def test_a_custom_constraint_does_not_look_at_the_default() -> None:
    declared = constrained("string", {"custom_constraint": "nova.flavor"}, default="m1.small")
    assert read(declared).parameters["p"].default == "m1.small"


def test_all_wrong_constraints_are_told_at_once() -> None:
    found = problems_of(read, constrained("string", {"range": {"min": 1}}, {"lenght": 1}))
    assert [each.at[3] for each in found] == [0, 1]
