from __future__ import annotations

from typing import Any

import pytest

from stoker.errors import Kind
from stoker.lang.expression import Call
from stoker.lang.template import read
from stoker.lang.unknown import UNKNOWN
from stoker.lang.versions import CFN
from tests.lang.writing import only_problem, problems_of, stack, value_of

FIRST = "2013-05-23"


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        ({"Fn::Select": [1, ["a", "b"]]}, "b"),
        ({"Fn::Select": ["0", ["a"]]}, "a"),
        ({"Fn::Select": [2, ["a"]]}, ""),
        ({"Fn::Select": ["k", {"k": 1}]}, 1),
        ({"Fn::Select": ["x", {"k": 1}]}, ""),
        ({"Fn::Select": ["k", '{"k": "v"}']}, "v"),
        ({"Fn::Select": [0, ""]}, ""),
        ({"Fn::Select": [0, None]}, ""),
        ({"Fn::Join": ["-", ["a", None, "b"]]}, "a--b"),
        ({"Fn::Split": [",", "a,b"]}, ["a", "b"]),
        ({"Fn::Replace": [{"a": "b"}, "aa"]}, "bb"),
        ({"Fn::Base64": "text"}, "text"),
        (
            {"Fn::MemberListToMap": ["N", "V", [".member.0.N=k", ".member.0.V=v=w"]]},
            {"k": "v=w"},
        ),
        ({"Ref": "OS::stack_name"}, "s"),
    ],
)
def test_the_functions_of_the_first_version(expr: Any, value: Any) -> None:
    assert value_of(expr, FIRST) == value


def test_fn_resource_facade() -> None:
    expr = {"Fn::ResourceFacade": "DeletionPolicy"}
    assert value_of(expr, FIRST, facade={"deletion_policy": "Retain"}) == "Retain"
    unknown = {"Fn::ResourceFacade": "deletion_policy"}
    assert "does not know" in only_problem(value_of, unknown, FIRST, facade={}).text
    no_name = {"Fn::ResourceFacade": ["Metadata"]}
    assert "does not know" in only_problem(value_of, no_name, FIRST, facade={}).text


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        ({"Fn::Select": ["x", ["a"]]}, "whole number"),
        ({"Fn::Select": [0, "{"]}, "not valid JSON"),
        ({"Fn::Select": [0, 1]}, "must be a list"),
        ({"Fn::Split": [",", "a", 0]}, "too many"),
        ({"Fn::Base64": 1}, "must be text"),
        ({"Fn::MemberListToMap": ["N", "V", ["x"]]}, "a member looks like"),
        ({"Fn::MemberListToMap": [{}, "V", []]}, "the key name must be text"),
        ({"Fn::MemberListToMap": ["N", 1, []]}, "the value name must be text"),
        ({"Fn::MemberListToMap": ["N", "V", None]}, "must be a list"),
        ({"Fn::MemberListToMap": ["N", "V", False]}, "must be a list"),
    ],
)
def test_they_say_what_is_wrong(expr: Any, text: str) -> None:
    assert text in only_problem(value_of, expr, FIRST).text


def test_ref_means_a_resource_before_a_parameter() -> None:
    made = stack(
        {
            "heat_template_version": FIRST,
            "resources": {"r": {"type": "T"}},
            "outputs": {"o": {"value": {"Ref": "r"}}},
        }
    )
    assert made.outputs["o"].value == Call("get_resource", "r", FIRST)


def test_ref_wants_a_name_that_stands_there_itself() -> None:
    problem = only_problem(value_of, {"Ref": ["a"]}, FIRST)
    assert "must stand here itself" in problem.text


@pytest.mark.parametrize("version", ["2014-10-16", "2021-04-16"])
@pytest.mark.parametrize("name", ["Ref", "Fn::Join", "Fn::GetAZs", "Fn::Replace", "Fn::Base64"])
def test_newer_versions_say_that_a_function_is_gone(version: str, name: str) -> None:
    problem = only_problem(value_of, {name: "x"}, version)
    assert problem.kind is Kind.VERSION
    assert "was removed in heat_template_version 2014-10-16" in problem.text


def test_fn_select_stays_until_2015_10_15() -> None:
    assert value_of({"Fn::Select": [0, ["a"]]}, "2015-04-30") == "a"
    (problem,) = problems_of(value_of, {"Fn::Select": [0, ["a"]]}, "2015-10-15")
    assert problem.kind is Kind.VERSION


@pytest.mark.parametrize("region", ["", "us-east-1", {"get_param": "OS::stack_name"}, None, []])
def test_zones_are_those_of_the_cloud_whatever_region_is_named(region: Any) -> None:
    zones = ("north", "south")
    assert value_of({"Fn::GetAZs": region}, FIRST, zones=zones) == ["north", "south"]


def test_zones_go_into_other_functions() -> None:
    joined = {"Fn::Join": ["/", {"Fn::GetAZs": ""}]}
    assert value_of(joined, FIRST, zones=("north", "south")) == "north/south"
    assert value_of({"Fn::Select": [1, {"Fn::GetAZs": ""}]}, FIRST, zones=("a",)) == ""


def test_zones_that_nobody_has_asked_for_are_not_known() -> None:
    assert value_of({"Fn::GetAZs": ""}, FIRST) is UNKNOWN
    assert value_of({"Fn::Join": ["/", {"Fn::GetAZs": ""}]}, FIRST) is UNKNOWN


@pytest.mark.parametrize("version", CFN)
def test_a_template_tells_whether_it_asks_for_zones(version: str) -> None:
    key, _, date = version.partition(".")
    resource = {"Type": "T", "Properties": {"p": [{"Fn::GetAZs": ""}]}}
    assert read({key: date, "Resources": {"r": resource}}).asks_zones
    assert not read({key: date, "Resources": {"r": {"Type": "T"}}}).asks_zones
