from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from stoker.lang.expression import evaluate
from stoker.lang.functions.yaql import NoEngine, run_yaql_with
from tests.lang.writing import only_problem, outputs, resources, stack, thing, value_of


class Echo:
    """An engine that can read all but ``wrong`` and gives the question."""

    def check(self, expression: str) -> None:
        if "wrong" in expression:
            raise ValueError("cannot be read")

    def run(self, expression: str, data: Any) -> Any:
        self.check(expression)
        return [expression, data]


class Made:
    def reference(self, resource: str) -> Any:
        return resource

    def attribute(self, resource: str, name: str | None, path: tuple[Any, ...]) -> Any:
        return f"{resource}.{name}"


@pytest.fixture(autouse=True)
def engine() -> Iterator[None]:
    before = run_yaql_with(Echo())
    yield
    run_yaql_with(before)


def asked(expression: Any, **data: Any) -> dict[str, Any]:
    return {"yaql": {"expression": expression, **data}}


def test_an_expression_is_run_over_its_data() -> None:
    assert value_of(asked("$.data", data={"a": [1]})) == ["$.data", {"a": [1]}]
    assert value_of(asked("1")) == ["1", {}]


def test_what_hangs_on_a_resource_is_run_later() -> None:
    expr = asked("$.data", data={"get_attr": ["r", "x"]})
    made = stack(resources(r=thing(), s=thing(properties={"p": expr})))
    wanted = made.definitions["s"].properties
    assert made.definitions["s"].requires == {"r"}
    assert evaluate(wanted, Made()) == {"p": ["$.data", "r.x"]}


def test_an_expression_that_cannot_be_read_is_told_before_its_data_are_known() -> None:
    expr = asked("wrong", data={"get_attr": ["r", "x"]})
    problem = only_problem(stack, resources(r=thing(), s=thing(properties={"p": expr})))
    assert 'the expression "wrong" fails: "cannot be read"' in problem.text
    assert problem.at == ("resources", "s", "properties", "p", "yaql")


def test_a_failure_does_not_show_a_hidden_value() -> None:
    secret = {"p": {"type": "string", "hidden": True, "default": "wrong secret"}}
    expr = asked({"get_param": "p"}, data=1)
    (problem,) = stack(outputs(expr, "2017-09-01", parameters=secret)).outputs["o"].problems
    assert "secret" not in problem.text
    assert "fails: ******" in problem.text


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"data": 1}, "lacks expression"),
        ({"expression": 1, "data": 1}, "the expression must be text"),
        ({"expression": "$", "data": 1, "more": 1}, "does not know"),
        ("$", "needs a map"),
    ],
)
def test_the_arguments_of_yaql_are_checked(args: Any, text: str) -> None:
    assert text in only_problem(value_of, {"yaql": args}).text


def test_yaql_is_allowed_in_conditions() -> None:
    chosen = {"if": [{"equals": [asked("$", data=1), ["$", 1]]}, "yes", "no"]}
    assert stack(outputs(chosen, "2017-09-01")).outputs["o"].value == "yes"


def test_a_program_that_runs_no_yaql_says_so() -> None:
    run_yaql_with(NoEngine())
    assert "does not run yaql" in only_problem(value_of, asked("$", data=1)).text
