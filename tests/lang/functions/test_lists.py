from __future__ import annotations

from typing import Any

import pytest

from tests.lang.writing import only_problem, value_of


@pytest.mark.parametrize("name", ["list_concat", "merge_list"])
@pytest.mark.parametrize(
    ("args", "made"),
    [([["a"], ["b", "a"]], ["a", "b", "a"]), ([None, ["a"]], ["a"]), ([[]], []), ([], [])],
)
def test_list_concat(name: str, args: Any, made: Any) -> None:
    assert value_of({name: args}) == made


def test_text_is_not_taken_for_a_list_of_letters() -> None:
    problem = only_problem(value_of, {"list_concat": ["v1", "v2"]})
    assert "must be a list, not text" in problem.text


def test_list_concat_unique_keeps_the_first_of_equals() -> None:
    args = [["b", "a", {"k": 1}], ["a", {"k": 1}, 1], [1, "c"]]
    assert value_of({"list_concat_unique": args}) == ["b", "a", {"k": 1}, 1, "c"]


@pytest.mark.parametrize(
    ("args", "made"),
    [
        ([["a"], ["a", "b", "a"]], ["b"]),
        ([[], ["a"]], ["a"]),
        ([None, ["a"]], ["a"]),
        ([["a"], None], None),
        ([["a"], []], []),
        (["", ["a"]], ["a"]),
        ([[{"k": 1}, 2], [{"k": 1}, 2, 3]], [3]),
    ],
)
def test_filter(args: Any, made: Any) -> None:
    assert value_of({"filter": args}) == made


@pytest.mark.parametrize("args", ["a", [["a"]], [["a"], "ab"], [["a"], {"a": 1}], ["a", ["a"]]])
def test_filter_wants_two_lists(args: Any) -> None:
    assert "list" in only_problem(value_of, {"filter": args}).text


@pytest.mark.parametrize(
    ("args", "holds"),
    [
        (["a", ["a"]], True),
        ([1, ["1"]], False),
        (["b", "abc"], True),
        (["d", "abc"], False),
    ],
)
def test_contains(args: Any, holds: Any) -> None:
    assert value_of({"contains": args}) is holds


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["a", {"a": 1}], "can look into a list or a text"),
        (["a", None], "can look into a list or a text"),
        ([1, "abc"], "must be text"),
        (["a"], "too few"),
    ],
)
def test_contains_says_what_is_wrong(args: Any, text: str) -> None:
    assert text in only_problem(value_of, {"contains": args}).text
