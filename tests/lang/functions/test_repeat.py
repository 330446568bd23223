from __future__ import annotations

from typing import Any

import pytest

from tests.lang.writing import only_problem, value_of


def repeat(template: Any, for_each: Any, **more: Any) -> dict[str, Any]:
    return {"repeat": {"template": template, "for_each": for_each, **more}}


@pytest.mark.parametrize(
    ("template", "for_each", "made"),
    [
        ("<x>-<y>", {"<x>": ["a", "b"], "<y>": ["1", "2"]}, ["a-1", "a-2", "b-1", "b-2"]),
        ("<y>-<x>", {"<y>": ["1"], "<x>": ["a", "b"]}, ["1-a", "1-b"]),
        ({"k<x>": ["<x>", 1, True]}, {"<x>": ["a"]}, [{"ka": ["a", 1, True]}]),
        (True, {"<x>": ["p", "q"]}, [True, True]),
        ("<x>", {"<x>": None}, []),
        ("<x>", {"<x>": []}, []),
        ("%i%", {"%i%": [1, 2, True]}, ["1", "2", "True"]),
        ("a-b", {"a": ["b"], "b": ["c"]}, ["c-c"]),
        (None, {"<x>": ["a"]}, [None]),
    ],
)
def test_repeat(template: Any, for_each: Any, made: Any) -> None:
    assert value_of(repeat(template, for_each), "2014-10-16") == made


def test_from_2016_10_14_a_map_counts_as_its_keys() -> None:
    for_each = {"<x>": {"a": 1, "b": 2}}
    assert value_of(repeat("<x>", for_each), "2016-10-14") == ["a", "b"]
    assert "must be a list" in only_problem(value_of, repeat("<x>", for_each), "2016-04-08").text


def test_without_permutations_lists_are_gone_through_side_by_side() -> None:
    for_each = {"<x>": ["a", "b"], "<y>": ["1", "2"]}
    assert value_of(repeat("<x><y>", for_each, permutations=False)) == ["a1", "b2"]
    assert len(value_of(repeat("<x><y>", for_each, permutations=True))) == 4
    older = value_of(repeat("<x><y>", for_each, permutations=False), "2017-02-24")
    assert len(older) == 4


def test_side_by_side_with_a_list_that_is_null_there_is_nothing() -> None:
    for_each = {"<x>": ["a", "b"], "<y>": None}
    assert value_of(repeat("<x><y>", for_each, permutations=False)) == []


def test_what_is_not_put_into_a_text_may_be_anything() -> None:
    assert value_of(repeat([1], {"": [None, {"a": 1}]})) == [[1], [1]]


@pytest.mark.parametrize(
    ("for_each", "more", "text"),
    [
        ({}, {}, "must be a map of lists"),
        (["a"], {}, "must be a map of lists"),
        ({"x": "abc"}, {}, "x in for_each must be a list"),
        ({"x": [None]}, {}, "must be scalars"),
        ({"x": [["a"]]}, {}, "must be scalars"),
        ({"": ["a"]}, {}, "empty text cannot be replaced"),
        ({"x": ["a"]}, {"permutations": "yes"}, "must be true or false"),
        ({"x": ["a"], "y": []}, {"permutations": False}, "equally long"),
        ({"x": {"a": 1}}, {"permutations": False}, "must be a list"),
    ],
)
def test_repeat_says_what_is_wrong(for_each: Any, more: Any, text: str) -> None:
    assert text in only_problem(value_of, repeat("x", for_each, **more)).text
