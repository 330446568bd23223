from __future__ import annotations

from tests.lang.writing import only_problem, value_of


def test_get_file_gives_the_text_that_came_along() -> None:
    assert value_of({"get_file": "f.sh"}, files={"f.sh": "#!"}) == "#!"


def test_a_missing_file_is_named() -> None:
    problem = only_problem(value_of, {"get_file": "f.sh"})
    assert "the file f.sh did not come with the request" in problem.text


def test_the_name_of_a_file_is_text() -> None:
    assert "must be text" in only_problem(value_of, {"get_file": ["f"]}).text
