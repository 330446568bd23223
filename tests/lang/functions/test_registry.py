"""Which functions each version has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stoker.lang.functions.registry import condition_functions, value_functions
from stoker.lang.versions import HOT
from tests.lang.writing import only_problem, outputs, stack, value_of

SINCE = {
    "repeat": "2014-10-16",
    "if": "2015-04-30",
    "digest": "2015-04-30",
    "str_split": "2015-10-15",
    "map_merge": "2016-04-08",
    "map_replace": "2016-10-14",
    "yaql": "2016-10-14",
    "filter": "2017-02-24",
    "str_replace_strict": "2017-02-24",
    "contains": "2017-02-24",
    "merge_list": "2017-02-24",
    "list_concat": "2017-09-01",
    "list_concat_unique": "2017-09-01",
    "make_url": "2017-09-01",
    "str_replace_vstrict": "2017-09-01",
}
IN_CONDITIONS = {
    "get_param": "2014-10-16",
    "equals": "2016-04-08",
    "not": "2016-04-08",
    "and": "2016-04-08",
    "or": "2016-04-08",
    "yaql": "2016-10-14",
    "contains": "2017-02-24",
}
ALWAYS = (
    "get_param",
    "get_resource",
    "get_attr",
    "get_file",
    "list_join",
    "str_replace",
    "resource_facade",
)


@pytest.mark.parametrize("version", HOT)
def test_a_version_has_the_functions_that_it_should(version: str) -> None:
    inherited = ("Fn::", "Ref")
    known = {name for name in value_functions(version) if not name.startswith(inherited)}
    assert known == {*ALWAYS, *(name for name, since in SINCE.items() if since <= version)}


@pytest.mark.parametrize("version", HOT)
def test_a_version_has_the_conditions_that_it_should(version: str) -> None:
    wanted = {name for name, since in IN_CONDITIONS.items() if since <= version}
    assert condition_functions(version) == wanted


@pytest.mark.parametrize("version", HOT)
def test_every_function_of_heat_is_known_at_its_version(version: str, shared: Path) -> None:
    api = shared / "facts" / "api"
    file = f"heat_template_version.{version}.json"
    plain = _names(api / f"functions-{file}")
    with_conditions = _names(api / f"functions-cond-{file}")
    assert plain <= value_functions(version)
    assert with_conditions - plain <= condition_functions(version)


def _names(file: Path) -> set[str]:
    answer: Any = json.loads(file.read_text())
    return {each["functions"] for each in answer["template_functions"]}


@pytest.mark.parametrize(("name", "since"), SINCE.items())
def test_before_its_version_a_function_is_plain_data(name: str, since: str) -> None:
    before = HOT[HOT.index(since) - 1]
    assert value_of({name: ["x"]}, before) == {name: ["x"]}


@pytest.mark.parametrize("name", ["equals", "not", "and", "or", "pick", "condition"])
def test_what_belongs_to_conditions_is_data_elsewhere(name: str) -> None:
    assert value_of({name: ["x"]}) == {name: ["x"]}


def test_a_map_with_two_keys_is_data() -> None:
    data = {"get_param": "a", "x": 1}
    assert value_of(data) == data


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("list_join", ["-", ["a"]]),
        ("str_replace", {"template": "a", "params": {}}),
        ("str_replace_strict", {"template": "a", "params": {}}),
        ("str_replace_vstrict", {"template": "a", "params": {}}),
        ("repeat", {"template": "%", "for_each": {"%": ["a"]}}),
        ("yaql", {"expression": "1", "data": {}}),
        ("filter", [["b"], ["a"]]),
        ("contains", ["a", ["a"]]),
        ("make_url", {"scheme": "http"}),
    ],
)
def test_arguments_that_must_be_written_are_not_computed(name: str, args: Any) -> None:
    sections = {"parameters": {"p": {"type": "json", "default": args}}}
    template = outputs({name: {"get_param": "p"}}, HOT[-1], **sections)
    assert "must stand here themselves, not get_param" in only_problem(stack, template).text


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("str_split", [",", "a,b"]),
        ("map_merge", [{"a": 1}]),
        ("digest", ["md5", "a"]),
        ("list_concat", [["a"]]),
        ("list_concat_unique", [["a"]]),
        ("map_replace", [{"a": 1}, {"keys": {"a": "b"}}]),
        ("get_param", ["p", 1]),
    ],
)
def test_arguments_may_be_computed_where_heat_takes_that(name: str, args: Any) -> None:
    sections = {"parameters": {"p": {"type": "json", "default": args}}}
    computed = value_of({name: {"get_param": "p"}}, sections=sections)
    assert computed == value_of({name: args}, sections=sections)
