"""What was found in order a while ago is not checked again; all else is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stoker.engine.usecases.validated import Remembered, Validated
from stoker.errors import Invalid, Problem
from stoker.usecases.stacks import Goal

GOAL = Goal({"heat_template_version": "2021-04-16"}, {"p": "a"})


class Checks:
    """Counts what is checked."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> Validated:
        self.count += 1
        return Validated({"n": self.count}, (), frozenset())


def test_the_same_goal_is_checked_once() -> None:
    remembered, checks = Remembered(), Checks()
    found = [remembered.get(replace(GOAL), "p1", checks).answer for _ in range(3)]
    assert found == [{"n": 1}] * 3


@pytest.mark.parametrize(
    "other",
    [
        replace(GOAL, template={"heat_template_version": "2018-08-31"}),
        replace(GOAL, template='{"heat_template_version":"2021-04-16"}'),
        replace(GOAL, parameters={"p": "b"}),
        replace(GOAL, environment={"parameters": {"p": "a"}}),
        replace(GOAL, environment_files=("e",), files={"e": ""}),
        replace(GOAL, files={"e": ""}),
        replace(GOAL, file="https://there.example/a.yaml"),
    ],
    ids=str,
)
def test_any_other_goal_is_checked(other: Goal) -> None:
    remembered, checks = Remembered(), Checks()
    for goal in (GOAL, other):
        remembered.get(goal, "p1", checks)
    assert checks.count == 2


def test_the_order_of_a_map_and_the_project_are_part_of_what_is_asked() -> None:
    remembered, checks = Remembered(), Checks()
    for order in (("a", "b"), ("b", "a")):
        remembered.get(replace(GOAL, parameters=dict.fromkeys(order)), "p1", checks)
    remembered.get(GOAL, "p1", checks)
    remembered.get(GOAL, "p2", checks)
    assert checks.count == 4


def test_what_is_wrong_is_checked_each_time() -> None:
    remembered, checks = Remembered(), Checks()

    def wrong() -> Any:
        raise Invalid([Problem("no")])

    for _ in range(2):
        with pytest.raises(Invalid):
            remembered.get(GOAL, "p1", wrong)
    assert remembered.get(GOAL, "p1", checks).answer == {"n": 1}


def test_what_cannot_be_told_apart_is_checked_each_time() -> None:
    remembered, checks = Remembered(), Checks()
    odd = replace(GOAL, parameters={"p": "\ud800", "q": 2**70})
    for _ in range(2):
        remembered.get(odd, "p1", checks)
    assert checks.count == 2


def test_the_oldest_answer_makes_room() -> None:
    remembered, checks = Remembered(2), Checks()
    a, b, c = (replace(GOAL, parameters={"p": each}) for each in "abc")
    for goal in (a, b, a, c, a, b):
        remembered.get(goal, "p1", checks)
    assert checks.count == 4
