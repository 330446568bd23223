from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoker.errors import Invalid
from stoker.lang.functions.strings import str_replace
from tests.lang.writing import only_problem, value_of

OLD = "2013-05-23"
JSON = "2015-10-15"


def replaced(template: str, params: dict[str, Any], name: str = "str_replace") -> dict[str, Any]:
    return {name: {"template": template, "params": params}}


@pytest.mark.parametrize(
    ("template", "params", "text"),
    [
        ("$p1 $p11", {"$p1": "one", "$p11": "eleven"}, "one eleven"),
        ("a b", {"a": "b", "b": "a"}, "b a"),
        ("x", {"x": None}, ""),
        ("x y z", {"x": 1, "y": 1.5, "z": True}, "1 1.5 True"),
        ("x", {"x": {"b": 1, "a": [2]}}, '{"a": [2], "b": 1}'),
        ("x", {"x": ["é"]}, '["\\u00e9"]'),
        ("a.b", {".": "-"}, "a-b"),
        ("nothing", {}, "nothing"),
        ("xx", {"x": "$&\\1"}, "$&\\1$&\\1"),
    ],
)
def test_str_replace(template: str, params: dict[str, Any], text: str) -> None:
    assert value_of(replaced(template, params)) == text


@pytest.mark.parametrize("version", [OLD, "2014-10-16", "2015-04-30"])
def test_old_versions_put_in_scalars_only(version: str) -> None:
    assert value_of(replaced("a", {"a": 1}), version) == "1"
    problem = only_problem(value_of, replaced("a", {"a": [1]}), version)
    assert "only scalars" in problem.text


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ("x", "needs a map"),
        ({"template": "x"}, "lacks params"),
        ({"template": 1, "params": {}}, "the template must be text, not a number"),
        ({"template": "x", "params": ["x"]}, "params must be a map"),
        ({"template": "x", "params": {"": "y"}}, "empty text cannot be replaced"),
    ],
)
def test_str_replace_says_what_is_wrong(args: Any, text: str) -> None:
    assert text in only_problem(value_of, {"str_replace": args}).text


def test_str_replace_leaves_other_arguments_alone() -> None:
    assert value_of({"str_replace": {"template": "x", "params": {}, "more": 1}}) == "x"


def test_strict_wants_every_key_in_the_template() -> None:
    assert value_of(replaced("ab", {"a": 1}, "str_replace_strict"), "2017-02-24") == "1b"
    strict = replaced("$p11", {"$p1": 1, "$p11": 2}, "str_replace_strict")
    assert "does not hold" in only_problem(value_of, strict).text


@pytest.mark.parametrize("empty", [None, "", [], {}])
def test_vstrict_wants_values_that_are_not_empty(empty: Any) -> None:
    very = replaced("ab", {"a": empty}, "str_replace_vstrict")
    assert "is empty" in only_problem(value_of, very).text


@pytest.mark.parametrize("falsy", [0, False])
def test_vstrict_takes_zero_and_false(falsy: Any) -> None:
    very = replaced("ab", {"a": falsy}, "str_replace_vstrict")
    assert value_of(very) == f"{falsy}b"


@given(st.text("ab$", max_size=20), st.dictionaries(st.text("ab$", min_size=1), st.text("ab$")))
def test_what_is_put_in_is_never_looked_at_again(template: str, params: dict[str, str]) -> None:
    marked = {key: f"<{index}>" for index, key in enumerate(params)}
    text = str_replace({"template": template, "params": marked})
    for index, value in enumerate(params.values()):
        text = text.replace(f"<{index}>", f"<{value}>")
    wrapped = {key: f"<{value}>" for key, value in params.items()}
    assert str_replace({"template": template, "params": wrapped}) == text


@given(st.text(max_size=20), st.text(min_size=1, max_size=3), st.text(max_size=5))
def test_one_key_is_replaced_as_python_does(template: str, key: str, value: str) -> None:
    made = str_replace({"template": template, "params": {key: value}})
    assert made == template.replace(key, value)


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ([", ", ["a", "b"], ["c"]], "a, b, c"),
        (["-", ["a", None, "b"]], "a--b"),
        ([",", None, ["a"]], "a"),
        ([",", []], ""),
        ([",", [{"k": 1}, [2]]], '{"k": 1},[2]'),
    ],
)
def test_list_join(args: Any, text: str) -> None:
    assert value_of({"list_join": args}, JSON) == text


@pytest.mark.parametrize("version", [OLD, JSON, "2021-04-16"])
@pytest.mark.parametrize("item", [3, True, 1.5])
def test_list_join_takes_no_number_in_any_version(version: str, item: Any) -> None:
    problem = only_problem(value_of, {"list_join": [",", [item]]}, version)
    assert "put quotes around a number" in problem.text


def test_old_list_join_takes_one_list_of_text() -> None:
    assert value_of({"list_join": ["", ["a", None]]}, OLD) == "a"
    assert "too many" in only_problem(value_of, {"list_join": ["", [], []]}, OLD).text
    assert "only text" in only_problem(value_of, {"list_join": ["", [[]]]}, OLD).text


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ([","], "too few"),
        ({}, "needs a list"),
        ([1, []], "the delimiter must be text"),
        ([",", "ab"], "what is joined must be a list"),
    ],
)
def test_list_join_says_what_is_wrong(args: Any, text: str) -> None:
    assert text in only_problem(value_of, {"list_join": args}).text


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        ([",", "a,b"], ["a", "b"]),
        ([",", "a,b", 1], "b"),
        ([",", "a,b", "0"], "a"),
        ([",", None], None),
        ([",", ""], [""]),
        (["", None], None),
        ([None, "a b"], ["a", "b"]),
    ],
)
def test_str_split(args: Any, parts: Any) -> None:
    assert value_of({"str_split": args}, JSON) == parts


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ([",", "a", 1], "index 1 is not within"),
        ([",", "a", "x"], "must be a whole number"),
        ([",", ["a"]], "what is split must be text"),
        (["", "a"], "must not be empty"),
        ([","], "too few"),
    ],
)
def test_str_split_says_what_is_wrong(args: Any, text: str) -> None:
    assert text in only_problem(value_of, {"str_split": args}).text


def test_a_function_raises_invalid_when_it_is_called_directly() -> None:
    with pytest.raises(Invalid, match="lacks template, params"):
        str_replace({})
