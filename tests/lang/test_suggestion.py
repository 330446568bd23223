"""What may have been meant by a name that is not known."""

from __future__ import annotations

import time

import pytest

from stoker.lang.suggestion import meant


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("nam", "did you mean name?"),
        ("NETWORK", "did you mean network?"),
        ("netwrok", "did you mean network?"),
        ("else", ""),
        ("", ""),
    ],
)
def test_a_near_name_is_meant(word: str, hint: str) -> None:
    assert meant(word, ["name", "network", "flavor"]) == hint


def test_the_first_problems_alone_get_a_hint() -> None:
    assert meant("nam", ["name"], told=49)
    assert meant("nam", ["name"], told=50) == ""


def test_neither_long_nor_many_names_cost_much() -> None:
    begun = time.process_time()
    assert meant("x" * 100_000, ["x" * 99_999]) == ""
    assert meant("nam", [f"n{i}" for i in range(100_000)] + ["x" * 1_000_000]) == ""
    assert time.process_time() - begun < 2
