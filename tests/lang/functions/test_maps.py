from __future__ import annotations

from typing import Any

import pytest

from tests.lang.writing import only_problem, value_of


@pytest.mark.parametrize(
    ("args", "made"),
    [
        ([{"a": 1, "b": 1}, {"a": 2}], {"a": 2, "b": 1}),
        ([{"a": {"x": 1}}, {"a": {"y": 1}}], {"a": {"y": 1}}),
        ([None, {"a": 1}], {"a": 1}),
        ([], {}),
    ],
)
def test_map_merge(args: Any, made: Any) -> None:
    assert value_of({"map_merge": args}) == made


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"a": 1}, "needs a list of arguments"),
        (["x"], "must be a map, not text"),
        ([{"a": 1}, [1]], "must be a map, not a list"),
    ],
)
def test_map_merge_says_what_is_wrong(args: Any, text: str) -> None:
    assert text in only_problem(value_of, {"map_merge": args}).text


@pytest.mark.parametrize(
    ("whole", "how", "made"),
    [
        ({"a": 1, "b": 2}, {"keys": {"a": "a"}}, {"a": 1, "b": 2}),
        ({"a": 1}, {"keys": {"a": "z", "other": "y"}}, {"z": 1}),
        ({"a": "x"}, {"values": {"x": [1]}}, {"a": [1]}),
        ({"a": [1], "b": {}}, {"values": {"x": 1}}, {"a": [1], "b": {}}),
        ({"a": "x", "b": "y"}, {"keys": {"a": "b", "b": "a"}}, {"b": "x", "a": "y"}),
        (None, {"keys": {"a": "b"}}, {}),
        ({"a": 1}, None, {"a": 1}),
        ({"a": 1}, {"keys": None, "values": None}, {"a": 1}),
        ({"a": 1, "b": 2}, {"keys": {"a": None, "b": "c"}}, {"a": 1, "c": 2}),
        (
            {"a": 1, "b": 2, "c": 3},
            {"keys": {"a": 0, "b": True, "c": 1.5}},
            {"0": 1, "true": 2, "1.5": 3},
        ),
    ],
)
def test_map_replace(whole: Any, how: Any, made: Any) -> None:
    assert value_of({"map_replace": [whole, how]}) == made


@pytest.mark.parametrize("keys", [{"a": "b"}, {"a": "c", "b": "c"}])
def test_two_entries_never_fall_together(keys: Any) -> None:
    problem = only_problem(value_of, {"map_replace": [{"a": 1, "b": 2}, {"keys": keys}]})
    assert "two entries" in problem.text


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ([{}], "too few"),
        ([{}, {"key": {}}], "does not know"),
        ([[], {}], "first argument must be a map"),
        ([{"a": 1}, {"keys": {"a": []}}], "must be text"),
        ([{"a": 1, "b": 2}, {"keys": {"a": "b", "b": None}}], "two entries"),
    ],
)
def test_map_replace_says_what_is_wrong(args: Any, text: str) -> None:
    assert text in only_problem(value_of, {"map_replace": args}).text
