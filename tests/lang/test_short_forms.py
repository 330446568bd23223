"""CloudFormation's short forms in YAML are the long ones, in its templates and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from stoker.lang.environment import read_environment
from stoker.lang.events import MAX_DEPTH
from stoker.lang.source import parse
from stoker.lang.template import parsed, read
from tests.lang.writing import only_problem, summary

HEAD = "AWSTemplateFormatVersion: '2010-09-09'\nMetadata:\n"


def value(text: str) -> Any:
    return parsed(f"{HEAD}  v: {text}\n", "f").value["Metadata"]["v"]


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("!Ref Port", {"Ref": "Port"}),
        ("!Ref 80", {"Ref": "80"}),
        ("!Ref 'yes'", {"Ref": "yes"}),
        ("!GetAtt a.b", {"Fn::GetAtt": ["a", "b"]}),
        ("!GetAtt a.Outputs.b", {"Fn::GetAtt": ["a", "Outputs.b"]}),
        ("!GetAtt [a, !Ref b]", {"Fn::GetAtt": ["a", {"Ref": "b"}]}),
        ("!GetAtt a", {"Fn::GetAtt": "a"}),
        ("!Sub '${a}'", {"Fn::Sub": "${a}"}),
        ("!Sub ['${a}', {a: !Ref b}]", {"Fn::Sub": ["${a}", {"a": {"Ref": "b"}}]}),
        ("!Sub |\n    ${a}\n    b\n", {"Fn::Sub": "${a}\nb\n"}),
        ("!Join ['-', [!Ref a, b]]", {"Fn::Join": ["-", [{"Ref": "a"}, "b"]]}),
        ("!Select [0, !GetAZs '']", {"Fn::Select": [0, {"Fn::GetAZs": ""}]}),
        ("!Select [0, !Split [',', a]]", {"Fn::Select": [0, {"Fn::Split": [",", "a"]}]}),
        ("!Base64 {Ref: a}", {"Fn::Base64": {"Ref": "a"}}),
        ("!FindInMap [a, b, c]", {"Fn::FindInMap": ["a", "b", "c"]}),
        ("!If [c, 1, 2]", {"Fn::If": ["c", 1, 2]}),
        (
            "!And [!Condition a, !Not [!Or [!Equals [1, 2], b]]]",
            {
                "Fn::And": [
                    {"Condition": "a"},
                    {"Fn::Not": [{"Fn::Or": [{"Fn::Equals": [1, 2]}, "b"]}]},
                ]
            },
        ),
        ("[&x !Ref a, *x]", [{"Ref": "a"}, {"Ref": "a"}]),
        ("[&x !Join ['', [a]], *x]", [{"Fn::Join": ["", ["a"]]}, {"Fn::Join": ["", ["a"]]}]),
    ],
)
def test_a_short_form_is_the_long_one(short: str, long: Any) -> None:
    assert value(short) == long


def test_what_is_in_it_has_its_place() -> None:
    text = f"{HEAD}  v: !Join\n    - ''\n    - - !GetAtt a.b\n      - !Ref c\n"
    places = parsed(text, "f").places
    inside = ("Metadata", "v", "Fn::Join", 1)
    found = {
        path: (places[path].line, places[path].column)
        for path in (
            (*inside[:3],),
            (*inside, 0, "Fn::GetAtt"),
            (*inside, 0, "Fn::GetAtt", 1),
            (*inside, 1, "Ref"),
        )
    }
    assert list(found.values()) == [(3, 6), (5, 9), (5, 9), (6, 9)]


@pytest.mark.parametrize(
    "tag", ["!ImportValue a", "!Cidr [a]", "!ref a", "!Fn::Join [a]", "!!set {a}"]
)
def test_another_tag_has_no_meaning(tag: str) -> None:
    problem = only_problem(read, f"{HEAD}  v: {tag}\n")
    assert "has no meaning in a template" in problem.text
    assert summary(problem)[2] == "3:6"


@pytest.mark.parametrize("text", ["!Ref a", "!Sub [a]", "!If {a: b}"])
def test_they_are_cloudformations_alone(text: str) -> None:
    hot = f"heat_template_version: 2021-04-16\nresources:\n  r: {text}\n  s: !Ref b\n"
    for problem in (only_problem(read, hot), only_problem(parsed, hot, "f")):
        assert f"the YAML tag '{text.split(maxsplit=1)[0]}' has no meaning" in problem.text
        assert summary(problem)[2] == "3:6"
    environment = f"parameters:\n  p: {text}\n"
    assert summary(only_problem(read_environment, environment))[2] == "2:6"
    assert summary(only_problem(parse, environment, "f"))[2] == "2:6"


@pytest.mark.parametrize(
    ("form", "levels"), [("!Ref a", 1), ("!GetAtt a.b", 2), ("!Join [a]", 2), ("{Ref: a}", 1)]
)
def test_they_are_as_deep_as_the_long_ones(form: str, levels: int) -> None:
    """Two levels are around the value of ``v``."""
    most = MAX_DEPTH - 2 - levels
    value("[" * most + form + "]" * most)
    deep = f"{HEAD}  v: {'[' * (most + 1)}{form}{']' * (most + 1)}\n"
    assert "nested at most" in only_problem(parsed, deep, "f").text


def test_maps_around_short_forms_count_as_levels_too() -> None:
    most = (MAX_DEPTH - 2) // 2
    value("!Base64 [" * most + "]" * most)
    deep = f"{HEAD}  v: {'!Base64 [' * (most + 1)}{']' * (most + 1)}\n"
    assert "nested at most" in only_problem(parsed, deep, "f").text
