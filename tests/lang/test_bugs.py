"""Bug reports about Heat's template language, as small templates: what is right here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stoker.errors import Kind
from stoker.lang.environment import merge, read_environment
from stoker.lang.expression import Call, evaluate
from stoker.lang.unknown import UNKNOWN
from tests.lang.writing import only_problem, problems_of, stack, summary


def bug(shared: Path, name: str) -> str:
    (file,) = (shared / "bugs").glob(f"{name}*.yaml")
    return file.read_text()


class Nothing:
    def reference(self, resource: str) -> Any:
        return UNKNOWN

    def attribute(self, resource: str, name: str | None, path: tuple[Any, ...]) -> Any:
        return UNKNOWN


class Lists:
    """Every attribute is the list that the template of bug 10 makes."""

    def reference(self, resource: str) -> Any:
        return resource

    def attribute(self, resource: str, name: str | None, path: tuple[Any, ...]) -> Any:
        return ["1", "2"]


def test_01_an_if_without_else_vanishes(shared: Path) -> None:
    text = bug(shared, "01").replace(
        "{yaql: {expression: '$.data.s.len()', data: {s: {get_attr: [r, value]}}}}", "x"
    )
    made = stack(text)
    assert made.definitions["r"].properties == {}
    assert made.definitions["l"].properties["value"] == {"list": ["a", "c"], "map": {"k1": "v1"}}
    assert made.outputs["whole"].value is None


def test_02_null_is_a_legal_branch(shared: Path) -> None:
    made = stack(bug(shared, "02"))
    assert made.definitions["r"].properties == {"salt": None}
    assert made.outputs["o"].value is None


@pytest.mark.parametrize("strict", [True, False])
def test_04_a_json_default_that_is_not_json_names_the_parameter(shared: Path, strict: Any) -> None:
    problem = only_problem(stack, bug(shared, "04"), strict=strict)
    assert summary(problem) == (Kind.PARAMETER, "parameters.cfg.default", "7:21")
    assert "'cfg'" in problem.text


def test_05_depends_on_a_map_names_the_resource(shared: Path) -> None:
    problem = only_problem(stack, bug(shared, "05"))
    assert problem.at == ("resources", "b", "depends_on")
    assert "a resource or a list of names" in problem.text


def test_07_later_falsy_values_win(shared: Path) -> None:
    files = [{"parameters": {"n": 3, "s": "x"}}, {"parameters": {"n": 0, "s": ""}}]
    environment = merge([read_environment(each) for each in files])
    made = stack(bug(shared, "07"), environment=environment)
    assert (made.outputs["n"].value, made.outputs["s"].value) == (0, "")


def test_08_the_longest_key_is_replaced_first_and_only_once(shared: Path) -> None:
    made = stack(bug(shared, "08"))
    assert made.outputs["o"].value == "one eleven"
    assert made.outputs["swap"].value == "b a"


def test_10_repeat_takes_scalars_and_waits_for_lists(shared: Path) -> None:
    made = stack(bug(shared, "10"))
    assert made.outputs["flags"].value == [True, True]
    value = made.definitions["w"].properties["value"]
    assert isinstance(value, Call)
    assert evaluate(value, Nothing()) is UNKNOWN
    assert evaluate(value, Lists()) == ["a-1", "b-2"]


def test_11_renaming_to_itself_is_no_collision(shared: Path) -> None:
    text = bug(shared, "11")
    assert stack(text).outputs["noop"].value == {"a": 1, "b": 2}
    colliding = text.replace("{keys: {a: a}}", "{keys: {a: b}}")
    assert "two entries" in only_problem(stack, colliding).text


@pytest.mark.parametrize("strict", [True, False])
def test_25_a_circle_is_named_in_validation_too(shared: Path, strict: Any) -> None:
    problem = only_problem(stack, bug(shared, "25"), strict=strict)
    assert summary(problem)[:2] == (Kind.CIRCULAR, "resources.a")
    assert problem.text.endswith("a -> b -> a")


def test_32_list_concat_of_text_is_told(shared: Path) -> None:
    problem = only_problem(stack, bug(shared, "32"))
    assert "must be a list, not text" in problem.text


def test_34_an_empty_section_of_an_environment_counts_as_absent(shared: Path) -> None:
    environment = read_environment("parameters:\nresource_registry:\n")
    assert stack(bug(shared, "34"), environment=environment).outputs["o"].value == "fine"


def test_62_validation_names_what_the_language_can_see(shared: Path) -> None:
    text = bug(shared, "62")
    default = only_problem(stack, text, strict=False)
    assert summary(default) == (Kind.PARAMETER, "parameters.j.default", "8:19")
    joined = problems_of(stack, text.replace("{bad", "{}"), strict=False)
    assert [each.at[:2] for each in joined] == [("outputs", "o")]
