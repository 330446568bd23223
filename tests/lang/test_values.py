"""The quick way to read a document gives what the one with places gives, or leaves it to that."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoker.errors import Invalid
from stoker.lang.events import MAX_DEPTH, build
from stoker.lang.values import Unusual, plain_value

WORDS = (
    *("a", "b", "yes", "~", "010", "1.50", "12:30", "<<", "'q'", '"\\n"', "!!str 1", "&x", "*x"),
    *("|", ">", "{a: 1}", "[b]", "- ", ": ", "? ", "#", "---", "\n", "\n  ", "\n    ", " ", "\0"),
)


def agrees(text: str) -> None:
    try:
        quick = plain_value(text)
    except Unusual:
        return
    assert json.dumps(quick) == json.dumps(build(text, "f")[0])


@given(st.lists(st.sampled_from(WORDS), max_size=20).map("".join))
def test_both_ways_give_the_same(text: str) -> None:
    agrees(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("a: yes\nb: 'yes'\nc: |\n  d\n", {"a": True, "b": "yes", "c": "d\n"}),
        ("80: a\n~: b\n1.50: c\nyes: d", {"80": "a", "null": "b", "1.5": "c", "true": "d"}),
        ("a: 1\nb: 2\na: 3", {"a": 3, "b": 2}),
        ("- [a, {b: c}]\n- {}\n-", [["a", {"b": "c"}], {}, None]),
        ('"<<": a', {"<<": "a"}),
    ],
)
def test_what_most_documents_hold_is_read_quickly(text: str, value: object) -> None:
    assert plain_value(text) == value
    assert build(text, "f")[0] == value


@pytest.mark.parametrize(
    "text",
    ["a: &x 1", "a: *x", "a: !!str 1", "<<: {a: 1}", "{a: b}: c", "[a]: b", "a: [", "a: .nan",
     "a: 0b_", 'a: "\\0"', "--- a\n--- b", "\ud800", "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)],
)  # fmt: skip
def test_what_is_unusual_or_wrong_is_left_to_the_other_way(text: str) -> None:
    with pytest.raises(Unusual):
        plain_value(text)


def test_as_deep_as_may_be_is_read_by_both() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert plain_value(text) == build(text, "f")[0]
    with pytest.raises(Invalid):
        build(f"[{text}]", "f")
