from __future__ import annotations

from tests.lang.writing import only_problem, value_of


def test_yaql_says_that_it_is_not_supported_yet() -> None:
    problem = only_problem(value_of, {"yaql": {"expression": "$.data", "data": {}}})
    assert "not supported yet" in problem.text


def test_the_arguments_of_yaql_are_checked() -> None:
    assert "lacks data" in only_problem(value_of, {"yaql": {"expression": "$"}}).text
