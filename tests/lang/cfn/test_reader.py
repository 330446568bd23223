from __future__ import annotations

from typing import Any

import pytest

from stoker.errors import Kind
from stoker.lang.expression import Reference, dump, evaluate, load, references
from stoker.lang.stack import template_parameters
from stoker.lang.template import read
from stoker.lang.unknown import UNKNOWN
from tests.lang.writing import only_problem, problems_of, stack, summary

AWS = {"AWSTemplateFormatVersion": "2010-09-09"}
HEAT = {"HeatTemplateFormatVersion": "2012-12-12"}
MAPPINGS = {"Sizes": {"small": {"ram": 1, "disks": ["a", "b"]}, "big": {"ram": 8}}}
PARAMETERS = {"Size": {"Type": "String", "Default": "small"}}


def value_of(expr: Any, format: dict[str, str] = AWS, **sections: Any) -> Any:
    """Return what the expression gives as an output."""
    template = {**format, "Parameters": PARAMETERS, "Mappings": MAPPINGS, **sections}
    return stack({**template, "Outputs": {"o": {"Value": expr}}}).outputs["o"].value


@pytest.mark.parametrize("format", [AWS, HEAT])
@pytest.mark.parametrize(
    ("expr", "value"),
    [
        ({"Ref": "Size"}, "small"),
        ({"Ref": "AWS::StackName"}, "s"),
        ({"Ref": "AWS::StackId"}, "arn:openstack:heat::p:stacks/s/the-id"),
        ({"Ref": "AWS::Region"}, "ap-southeast-1"),
        ({"Fn::FindInMap": ["Sizes", "big", "ram"]}, 8),
        ({"Fn::FindInMap": ["Sizes", {"Ref": "Size"}, "disks"]}, ["a", "b"]),
        ({"Fn::Select": ["1", {"Fn::FindInMap": ["Sizes", "small", "disks"]}]}, "b"),
        ({"Fn::Join": ["-", [{"Ref": "Size"}, "x"]]}, "small-x"),
        ({"Fn::Split": [",", "a,b"]}, ["a", "b"]),
        ({"Fn::Replace": [{"a": "b"}, "aa"]}, "bb"),
        ({"Fn::Base64": "text"}, "text"),
        ({"Fn::Sub": "${Size} is ${!Size}, $5 {x} ${open"}, "small is ${Size}, $5 {x} ${open"),
        (
            {"Fn::Sub": "${AWS::StackName}/${AWS::Region}/${Size}/${Size}"},
            "s/ap-southeast-1/small/small",
        ),
        ({"Fn::Sub": "${!}"}, "${}"),
        (
            {
                "Fn::Sub": [
                    "${a}${Size}${n}${b}${e}|",
                    {
                        "a": "${Size}",
                        "Size": {"Fn::Join": ["", ["x", {"Ref": "Size"}]]},
                        "n": 4.5,
                        "b": True,
                        "e": None,
                        "unused": [],
                    },
                ]
            },
            "${Size}xsmall4.5true|",
        ),
        ({"Fn::Sub": ["none", {}]}, "none"),
        ({"Fn::MemberListToMap": ["N", "V", [".member.0.N=k", ".member.0.V=v"]]}, {"k": "v"}),
        ({"get_param": "Size"}, {"get_param": "Size"}),
        ({"get_resource": "x"}, {"get_resource": "x"}),
        ({"Ref": "Size", "other": 1}, {"Ref": "Size", "other": 1}),
    ],
)
def test_expressions(expr: Any, value: Any, format: dict[str, str]) -> None:
    assert value_of(expr, format) == value


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ({"Fn::Equals": [{"Ref": "Size"}, "small"]}, True),
        ({"Fn::Equals": [{"Fn::FindInMap": ["Sizes", {"Ref": "Size"}, "ram"]}, 8]}, False),
        ({"Fn::Not": ["Small"]}, False),
        ({"Fn::Not": [{"Fn::Equals": [1, 2]}]}, True),
        ({"Fn::And": ["Small", {"Condition": "Small"}]}, True),
        ({"Fn::Or": [{"Fn::Not": ["Small"]}, False]}, False),
        ({"Fn::Equals": [{"Fn::Sub": "${Size}-${AWS::StackName}"}, "small-s"]}, True),
        ({"Fn::Equals": [{"Fn::Sub": ["${x}", {"x": {"Ref": "Size"}}]}, "big"]}, False),
    ],
)
def test_conditions_choose_resources_outputs_and_values(condition: Any, holds: bool) -> None:  # noqa: FBT001 - a case of the table
    instance = stack(
        {
            **AWS,
            "Parameters": PARAMETERS,
            "Mappings": MAPPINGS,
            "Conditions": {"Small": {"Fn::Equals": [{"Ref": "Size"}, "small"]}, "It": condition},
            "Resources": {"r": {"Type": "T", "Condition": "It"}},
            "Outputs": {"o": {"Value": {"Fn::If": ["It", "yes", "no"]}}},
        }
    )
    assert ("r" in instance.definitions) is holds
    assert instance.outputs["o"].value == ("yes" if holds else "no")


def test_a_resource_has_what_its_keys_say() -> None:
    instance = stack(
        {
            **HEAT,
            "Resources": {
                "a": {"Type": "A", "Whatever": "Heat lets it pass"},
                "b": {
                    "Type": "B",
                    "Properties": {"of": {"Ref": "a"}, "its": {"Fn::GetAtt": ["a", "Arn"]}},
                    "Metadata": {"m": 1},
                    "DependsOn": "c",
                    "DeletionPolicy": "Retain",
                    "UpdatePolicy": {"u": 1},
                    "Description": "d",
                },
                "c": {"Type": "C", "DependsOn": ["a"]},
            },
        }
    )
    b = instance.definitions["b"]
    assert (b.type, b.metadata, b.update_policy, b.deletion_policy, b.description) == (
        "B", {"m": 1}, {"u": 1}, "Retain", "d",
    )  # fmt: skip
    assert b.requires == {"a", "c"}
    assert references(b.properties) == {Reference("a", None, ()), Reference("a", "Arn", ())}


def test_what_a_text_names_is_waited_for() -> None:
    whole = {"Fn::Sub": ["${a} ${b.Outputs.X} ${v} ${!d}", {"v": {"Ref": "c"}}]}
    things = {name: {"Type": "T"} for name in "abcd"}
    instance = stack(
        {**AWS, "Resources": {**things, "r": {"Type": "T", "Properties": {"p": whole}}}}
    )
    r = instance.definitions["r"]
    assert r.requires == {"a", "b", "c"}
    assert references(r.properties) == {
        Reference("a", None, ()),
        Reference("b", "Outputs.X", ()),
        Reference("c", None, ()),
    }


class Refs:
    def reference(self, resource: str) -> Any:
        return f"id of {resource}"

    def attribute(self, resource: str, name: str | None, path: tuple[Any, ...]) -> Any:
        return UNKNOWN if path else f"{name} of {resource}"


@pytest.mark.parametrize(
    "whole",
    [
        {"Fn::Join": ["/", [{"Ref": "a"}, {"Fn::GetAtt": ["a", "Arn"]}]]},
        {"Fn::Sub": ["${a}/${a.Arn}${x}", {"x": ""}]},
    ],
    ids=str,
)
def test_what_hangs_on_resources_is_stored_and_evaluated_later(whole: Any) -> None:
    resources = {"a": {"Type": "A"}, "b": {"Type": "B", "Properties": {"p": whole}}}
    properties = stack({**AWS, "Resources": resources}).definitions["b"].properties
    assert evaluate(load(dump(properties)), Refs()) == {"p": "id of a/Arn of a"}


def test_parameters_are_declared_in_cloudformations_words() -> None:
    declared = {
        "N": {"Type": "Number", "MinValue": "1", "MaxValue": 5, "ConstraintDescription": "few"},
        "S": {"Type": "String", "MinLength": "2", "AllowedPattern": "[a-z]*", "NoEcho": "true"},
        "L": {"Type": "CommaDelimitedList", "Default": "a,b", "AllowedValues": ["a", "b"]},
        "J": {"Type": "Json", "Default": "{}", "Label": "the map"},
        "B": {"Type": "Boolean", "Default": "yes", "Description": "whether"},
    }
    template = read({**AWS, "Parameters": declared})
    shown = template_parameters(template)
    assert shown["N"] | {"MinValue": 1, "MaxValue": 5, "ConstraintDescription": "few"} == shown["N"]
    assert (shown["S"]["NoEcho"], shown["S"]["MinLength"], shown["S"]["Type"]) == (
        "true", 2, "String",
    )  # fmt: skip
    assert (shown["J"]["Label"], shown["B"]["Description"]) == ("the map", "whether")
    values = stack(template.raw, parameters={"N": "3", "S": "abc"}).parameters
    assert [values[name] for name in "NSLJB"] == [3, "abc", ["a", "b"], {}, True]
    refused = only_problem(stack, template.raw, parameters={"N": 9, "S": "abc"})
    assert (refused.kind, "few" in refused.text) == (Kind.PARAMETER, True)


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"Conditions": {}}, "The template section is invalid: Conditions"),
        ({"resources": {}}, "The template section is invalid: resources"),
        ({"Resources": {"a": {}}}, "no Type"),
        ({"Resources": {"a": {"Type": 1}}}, "must be a text"),
        ({"Resources": {"a": None}}, "must be a map with a Type"),
        ({"Resources": {"a/b": {"Type": "T"}}}, "slash"),
        ({"Resources": {"a": {"Type": "T", "Properties": []}}}, "Properties must be a map"),
        ({"Resources": {"a": {"Type": "T", "DependsOn": 5}}}, "DependsOn must be"),
        ({"Resources": {"Size": {"Type": "T"}}}, "a parameter is called Size too"),
        ({"Outputs": {"o": {}}}, "no Value"),
        ({"Parameters": {"P": {"Type": "string"}}}, "is no type of a parameter"),
        ({"Parameters": {"P": {"Type": {}}}}, "is no type of a parameter"),
        ({"Parameters": {"P": {"Type": ["String"]}}}, "is no type of a parameter"),
        ({"Parameters": {"P": {}}}, "has no Type"),
        ({"Mappings": ["a"]}, "must be a map"),
        ({"Parameters": {"P": {"Type": "String", "MaxValue": 5}}}, "cannot be used with the type"),
        ({"Parameters": {"P": {"Type": "String", "AllowedPattern": "["}}}, "regular expression"),
        ({"Parameters": {"P": {"Type": "Number", "Default": "x"}}}, "not a number"),
        ({"Parameters": {"P": {"Type": "Number", "default": 1}}}, "is no key of a parameter"),
    ],
)
def test_what_is_wrong_is_told_when_it_is_read(sections: Any, words: str) -> None:
    template = {**HEAT, "Parameters": PARAMETERS, **sections}
    assert words in "; ".join(each.text for each in problems_of(read, template))


@pytest.mark.parametrize(
    ("expr", "words"),
    [
        ({"Fn::FindInMap": ["Sizes", "huge", "ram"]}, "there is small, big"),
        ({"Fn::FindInMap": ["Nothing", "a", "b"]}, "there is Sizes"),
        ({"Fn::FindInMap": ["Sizes", "big"]}, "too few"),
        ({"Fn::GetAtt": ["r"]}, "too few"),
        ({"Fn::GetAtt": {"Fn::Split": [".", "r.a"]}}, "must stand here themselves"),
        ({"Fn::GetAtt": ["nobody", "a"]}, "nobody"),
        ({"Ref": "Nobody"}, "Nobody"),
        ({"Fn::Sub": "${Nobody}"}, "Nobody"),
        ({"Fn::Sub": "${AWS::AccountId}"}, "AWS::AccountId"),
        ({"Fn::Sub": "${Nobody.Arn}"}, "Nobody"),
        ({"Fn::Sub": "${}"}, "has no name in it"),
        ({"Fn::Sub": ["${a}"]}, 'a text, or a list of a text and a map of values, not ["${a}"]'),
        ({"Fn::Sub": [{"Ref": "It"}, {}]}, "a text, or a list of a text"),
        ({"Fn::Sub": 5}, "a text, or a list of a text"),
        ({"Fn::Sub": ["${a}", {"a": [1]}]}, "${a} must be text or a number, not a list"),
        ({"Fn::If": ["It", "a"]}, "a list of three"),
    ],
)
def test_what_is_wrong_with_a_call_is_told_with_its_path(expr: Any, words: str) -> None:
    template = {
        **AWS, "Mappings": MAPPINGS, "Conditions": {"It": True},
        "Resources": {"r": {"Type": "T", "Properties": {"p": expr}}},
    }  # fmt: skip
    problem = only_problem(stack, template)
    assert words in problem.text
    assert [str(step).lower() for step in problem.at[:4]] == ["resources", "r", "properties", "p"]


@pytest.mark.parametrize("empty", [[], "", 0, False], ids=str)
def test_a_section_that_is_empty_counts_as_absent(empty: Any) -> None:
    sections = dict.fromkeys(("Mappings", "Parameters", "Resources", "Outputs"), empty)
    template = read({**HEAT, **sections})
    assert (template.resources, template.outputs, template.parameters) == ({}, {}, {})


def test_a_description_that_is_no_text_is_shown_as_its_json() -> None:
    words = {"Description": ["a"], "Label": {"a": 1}, "ConstraintDescription": [1]}
    parameter = {"Type": "String", "MinLength": 1, **words}
    output = {"Value": 1, "Description": {}}
    template = read(
        {**AWS, "Description": [], "Parameters": {"P": parameter}, "Outputs": {"O": output}}
    )
    declared = template.parameters["P"]
    assert (template.description, template.outputs["O"].description) == ("[]", "{}")
    assert (declared.description, declared.label) == ('["a"]', '{"a": 1}')
    assert declared.constraints[0].description == "[1]"


def test_an_output_without_a_condition_may_say_so() -> None:
    outputs = {"O": {"Value": 1, "Condition": None}}
    assert read({**AWS, "Outputs": outputs}).outputs["O"].condition is True


@pytest.mark.parametrize(
    "asks", [{"Ref": "r"}, {"Fn::Sub": "${r}"}, {"Fn::Sub": "${r.Arn}"}], ids=str
)
def test_a_condition_asks_no_resource(asks: Any) -> None:
    conditions = {"C": {"Fn::Equals": [asks, 1]}}
    problem = only_problem(
        read, {**AWS, "Conditions": conditions, "Resources": {"r": {"Type": "T"}}}
    )
    assert "a condition knows parameters only" in problem.text


TEXT = """
HeatTemplateFormatVersion: '2012-12-12'
Parameters:
  Secret:
    Type: String
    NoEcho: true
Resources:
  web:
    Type: T
    Properties:
      name:
        Fn::Select: [x, [1, 2]]
"""


def test_a_problem_that_is_found_later_has_its_line_all_the_same() -> None:
    problem = only_problem(stack, TEXT, parameters={"Secret": "s"})
    kind, path, place = summary(problem)
    assert (kind, path) == (Kind.VALIDATION, "resources.web.properties.name.Fn::Select")
    assert place == "12:9"


def test_lower_case_policies_are_no_policies_here() -> None:
    template = {**AWS, "Resources": {"r": {"Type": "T", "DeletionPolicy": "retain"}}}
    assert "no deletion policy" in only_problem(stack, template).text


def test_a_name_in_a_text_that_is_nothing_has_the_place_of_the_text() -> None:
    text = TEXT.replace("Fn::Select: [x, [1, 2]]", "!Sub ['x', {}]\n      other: !Sub '${Gone}'")
    problem = only_problem(stack, text, parameters={"Secret": "s"})
    _, path, place = summary(problem)
    assert path.startswith("resources.web.properties.other.Fn::Sub")
    assert place == "13:14"


def test_no_text_shows_a_hidden_value_that_was_put_in() -> None:
    whole = {"Fn::Sub": ["${a}", {"a": [{"Ref": "Secret"}]}]}
    template = {
        **AWS,
        "Parameters": {"Secret": {"Type": "String", "NoEcho": True, "Default": "opensesame"}},
        "Resources": {"r": {"Type": "T", "Properties": {"p": whole}}},
    }
    assert "opensesame" not in only_problem(stack, template).text
