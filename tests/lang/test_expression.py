from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoker.errors import Bug, Invalid, Kind, Problem
from stoker.lang.expression import (
    ALL_ATTRIBUTES,
    Call,
    Reference,
    dump,
    evaluate,
    load,
    references,
)
from stoker.lang.unknown import UNKNOWN
from tests.lang.writing import NEWEST, only_problem, problems_of


def call(name: str, args: Any, version: str = NEWEST) -> Call:
    return Call(name, args, version)


class Known:
    """Resources with ids and attributes; what is not here is UNKNOWN."""

    def __init__(self, **attributes: Any) -> None:
        self._attributes = attributes

    def reference(self, resource: str) -> Any:
        return f"{resource}-id" if resource in self._attributes else UNKNOWN

    def attribute(self, resource: str, name: str | None, path: tuple[Any, ...]) -> Any:
        if resource not in self._attributes:
            return UNKNOWN
        if name is None:
            return self._attributes[resource]
        if name not in self._attributes[resource]:
            text = f"The Referenced Attribute ({resource} {name}) is incorrect."
            raise Invalid([Problem(text, kind=Kind.ATTRIBUTE)])
        value = self._attributes[resource][name]
        for step in path:
            value = value[step]
        return value


WORLD = Known(a={"x": {"k": ["v"]}, "n": 5})


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        ({"p": [1, None, "t"]}, {"p": [1, None, "t"]}),
        (call("get_resource", "a"), "a-id"),
        (call("get_attr", ["a", "x", "k", 0]), "v"),
        (call("get_attr", ["a", "x", "k", 0], "2014-10-16"), "v"),
        (call("get_attr", ["a", "x", "k", 0], "2013-05-23"), "v"),
        (call("get_attr", ["a", "x", "nope"], "2013-05-23"), None),
        (call("get_attr", ["a", "x", "k", "0"], "2013-05-23"), None),
        (call("get_attr", ["a", "n", "k"], "2013-05-23"), None),
        (call("get_attr", ["a"]), {"x": {"k": ["v"]}, "n": 5}),
        (call("get_resource", "b"), UNKNOWN),
        ([call("get_resource", "b"), 1], [UNKNOWN, 1]),
        (call("list_join", ["", [call("get_resource", "a"), "!"]]), "a-id!"),
        (call("list_join", ["", [call("get_resource", "b"), "!"]]), UNKNOWN),
        (call("get_attr", ["a", "x", call("get_resource", "b")]), UNKNOWN),
        (call("get_attr", ["b", "x", 0], "2013-05-23"), UNKNOWN),
        (call("pick", [{"a-id": "found"}, call("get_resource", "a")]), "found"),
        (call("pick", [["x"], call("get_resource", "a")]), ""),
        (call("equals", [call("get_resource", "b"), 1]), UNKNOWN),
    ],
)
def test_evaluate(expr: Any, value: Any) -> None:
    assert evaluate(expr, WORLD) == value


def test_every_problem_is_told_with_its_path() -> None:
    expr = {
        "p": [call("list_join", [",", [call("get_attr", ["a", "n"])]])],
        "q": call("get_attr", ["a", "nope"]),
        "r": call("list_join", [",", [call("get_attr", ["a", "nope"])]]),
    }
    found = problems_of(evaluate, expr, WORLD, ("resources", "r"))
    assert [(each.kind, each.at[2:]) for each in found] == [
        (Kind.VALIDATION, ("p", 0, "list_join")),
        (Kind.ATTRIBUTE, ("q", "get_attr")),
        (Kind.ATTRIBUTE, ("r", "list_join", 1, 0, "get_attr")),
    ]


def test_no_text_shows_a_value_that_may_be_secret() -> None:
    expr = call("list_join", [",", [call("get_attr", ["a", "n"])]])
    text = only_problem(evaluate, expr, WORLD).text
    assert text.startswith("this cannot join ******, only text")


def test_what_was_never_folded_cannot_be_evaluated() -> None:
    for name, args in (("get_param", "p"), ("get_file", "f"), ("resource_facade", "metadata")):
        with pytest.raises(Bug, match="never folded"):
            evaluate(call(name, args), WORLD)
    with pytest.raises(Bug, match="never folded"):
        evaluate(call("condition", "c"), WORLD)


@pytest.mark.parametrize(
    ("expr", "found"),
    [
        ("get_resource", set()),
        ({"get_resource": "a"}, set()),
        ([call("get_resource", "a")], {Reference("a", None, ())}),
        (call("get_attr", ["a", "x", "k", 0]), {Reference("a", "x", ("k", 0))}),
        (call("get_attr", ["a", "x", "k"], "2013-05-23"), {Reference("a", "x", ())}),
        (call("get_attr", ["a"]), {Reference("a", ALL_ATTRIBUTES, ())}),
        (
            call("get_attr", ["a", "x", "k", call("get_resource", "b"), "z"]),
            {Reference("a", "x", ("k",)), Reference("b", None, ())},
        ),
        (
            call("get_attr", ["a", call("get_attr", ["b", "y"])]),
            {Reference("a", ALL_ATTRIBUTES, ()), Reference("b", "y", ())},
        ),
        (
            {"k": call("list_join", ["", [call("get_resource", "a")]])},
            {Reference("a", None, ())},
        ),
    ],
)
def test_references(expr: Any, found: Any) -> None:
    assert references(expr) == found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("$ab", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("$ab", max_size=2), inner, max_size=3)
        | st.builds(Call, st.sampled_from(["get_resource", "list_join"]), inner, st.just(NEWEST))
        | st.just(UNKNOWN)
    ),
    max_leaves=12,
)


@given(JSON)
def test_what_is_dumped_is_json_and_loads_as_it_was(expr: Any) -> None:
    assert load(json.loads(json.dumps(dump(expr)))) == expr


@given(JSON)
def test_no_data_can_pass_for_a_call(expr: Any) -> None:
    data = dump(expr)
    assert load(dump(data)) == data


def test_a_dump_of_plain_data_is_that_data() -> None:
    data = {"get_resource": "a", "k": [{"x": None}]}
    assert dump(data) == data


@pytest.mark.parametrize("forged", [{"$": 5}, {"$": ["a", "b"]}, {"$": [1, 2, 3]}])
def test_what_dump_never_makes_is_a_bug(forged: Any) -> None:
    with pytest.raises(Bug):
        load(forged)
