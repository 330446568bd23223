from __future__ import annotations

from typing import Any

import pytest

from tests.lang.writing import only_problem, value_of

FACADE = {"metadata": {"a": 1}, "deletion_policy": "Retain", "update_policy": {}}


@pytest.mark.parametrize("part", FACADE)
def test_resource_facade_gives_what_the_parent_says(part: str) -> None:
    assert value_of({"resource_facade": part}, facade=FACADE) == FACADE[part]


def test_outside_a_nested_stack_there_is_no_facade() -> None:
    problem = only_problem(value_of, {"resource_facade": "metadata"})
    assert "only in a nested stack" in problem.text


@pytest.mark.parametrize("part", ["Metadata", None, ["metadata"]])
def test_an_unknown_part_is_refused(part: Any) -> None:
    problem = only_problem(value_of, {"resource_facade": part}, facade=FACADE)
    assert "does not know" in problem.text
