"""What is wrong in branches that are not taken is told beside the answer, and refuses nothing."""

from __future__ import annotations

from typing import Any

import pytest

from stoker.engine.goals import Preparation
from stoker.errors import Code, Invalid, Problem, Severity
from stoker.resources.index import Index
from stoker.store.database import Database
from stoker.usecases.stacks import CreateStack, Goal
from tests.engine.house import House
from tests.engine.shelf import ANN

CHILD = """
heat_template_version: 2018-08-31
conditions: {never: false}
resources:
  a: {type: OS::Heat::Value, condition: never, properties: {value: {get_attr: [gone, x]}}}
"""
DEAD = """
heat_template_version: 2018-08-31
parameters:
  big: {type: boolean, default: false}
  secret: {type: string, hidden: true, default: opensesame}
conditions: {is_big: {get_param: big}}
resources:
  word:
    type: OS::Heat::RandomString
    properties:
      length: {if: [is_big, lots, 8]}
      salt: {if: [is_big, {get_attr: [gone, x]}, opensesame]}
  rest:
    type: OS::Heat::RandomString
    condition: is_big
    properties: {length: opensesame}
"""
WRONG = """
  wrong: {type: OS::Heat::RandomString, properties: {length: none}}
"""


@pytest.fixture
def house(database: Database) -> House:
    return House(database, types=Index())


def paths(problems: Any) -> list[tuple[str, Code]]:
    return [(".".join(map(str, each.at)), each.code) for each in problems]


def test_a_validation_lists_what_other_parameters_would_find(house: House) -> None:
    told = house.stacks.validate(ANN, Goal(DEAD))["problems"]
    assert [(each["path"], each["code"], each["line"]) for each in told] == [
        ("resources.word.properties.salt.if.1.get_attr", "unknown-resource", 12),
        ("resources.word.properties.length.if.1", "property-value", 11),
        ("resources.rest.properties.length", "property-value", 16),
    ]
    assert {each["severity"] for each in told} == {"warning"}


def test_no_text_shows_a_hidden_value(house: House) -> None:
    told = house.stacks.validate(ANN, Goal(DEAD))["problems"]
    assert not [each for each in told if "opensesame" in each["text"]]


def test_what_has_no_choices_has_no_such_key(house: House) -> None:
    plain = DEAD.split("conditions:", maxsplit=1)[0] + "resources: {}\n"
    assert "problems" not in house.stacks.validate(ANN, Goal(plain))


def test_a_stack_is_made_of_it_all_the_same(house: House) -> None:
    house.engine.start()
    ref = house.stacks.create(ANN, CreateStack("s", Goal(DEAD)))
    assert house.ended(ref) == "CREATE_COMPLETE"
    house.engine.stop()


@pytest.mark.parametrize("verb", ["validate", "create", "preview_create"])
def test_a_refusal_has_them_beside_its_reasons(house: House, verb: str) -> None:
    goal = Goal(DEAD + WRONG)
    with pytest.raises(Invalid) as raised:
        getattr(house.stacks, verb)(ANN, goal if verb == "validate" else CreateStack("s", goal))
    error = raised.value
    assert paths(error.problems) == [("resources.wrong.properties.length", Code.PROPERTY_VALUE)]
    assert [each.at[1] for each in error.warnings] == ["word", "word", "rest"]
    assert {each.severity for each in error.warnings} == {Severity.WARNING}
    assert "gone" not in str(error)


def test_nested_templates_are_described_also_where_they_are_misused(house: House) -> None:
    parent = "heat_template_version: 2018-08-31\nresources: {r: {type: middle.yaml}}\n"
    misused = parent.replace("middle.yaml}", "child.yaml, properties: {no: such}}")
    goal = Goal(parent, files={"middle.yaml": misused, "child.yaml": CHILD})
    found = house.stacks.validate(ANN, goal, show_nested=True)
    assert found["NestedParameters"]["r"]["NestedParameters"]["r"]["Type"] == "child.yaml"
    assert [each["path"] for each in found["problems"]] == [
        "resources.r.resources.r.resources.a.properties.value.get_attr"
    ]


def test_those_of_nested_templates_have_the_whole_way_to_them(house: House) -> None:
    parent = "heat_template_version: 2018-08-31\nresources: {r: {type: child.yaml}}\n"
    found = house.stacks.validate(ANN, Goal(parent, files={"child.yaml": CHILD}))["problems"]
    (told,) = found
    assert told["path"].startswith("resources.r.resources.a.properties.value")
    assert (told["file"], told["line"]) == ("child.yaml", 5)


def test_a_template_without_choices_is_not_looked_at_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []
    assess = Preparation.assess

    def counted(self: Preparation, *args: Any, **named: Any) -> Any:
        looked.append(1)
        return assess(self, *args, **named)

    monkeypatch.setattr(Preparation, "assess", counted)
    for template, times in (
        (DEAD.partition("conditions:")[0] + "resources: " + WRONG, 1),
        (DEAD + WRONG, 2),
    ):
        looked.clear()
        with pytest.raises(Invalid):
            house.stacks.create(ANN, CreateStack("s", Goal(template)))
        assert len(looked) == times


def test_a_template_that_cannot_be_read_has_none(house: House) -> None:
    with pytest.raises(Invalid) as raised:
        house.stacks.validate(ANN, Goal(DEAD.replace("2018-08-31", "1999-01-01")))
    assert raised.value.warnings == ()


def test_warnings_are_no_part_of_an_errors_text() -> None:
    error = Invalid([Problem("wrong")], [Problem("hm", severity=Severity.WARNING)])
    assert (str(error), len(error.warnings)) == ("wrong", 1)


def test_a_sink_to_which_nothing_is_sent_is_told(house: House) -> None:
    plain = {"heat_template_version": "2021-04-16", "resources": {}}
    ours = {"type": "webhook", "target": "https://hooks.example/"}
    sinks = [ours, {"type": "zaqar-queue", "target": "q"}]
    (told,) = house.stacks.validate(ANN, Goal(plain, environment={"event_sinks": sinks}))[
        "problems"
    ]
    assert (told["path"], told["code"]) == ("event_sinks.1.type", "sink-type")
    assert (told["severity"], told["file"]) == ("warning", None)
    text = "\nevent_sinks:\n- {target: q,\n   type: web-hook}\n"
    files = {"one.yaml": f"event_sinks: [{{type: webhook, target: {ours['target']}}}]", "two": text}
    goal = Goal(plain, environment_files=("one.yaml", "two"), files=files)
    (told,) = house.stacks.validate(ANN, goal)["problems"]
    assert (told["file"], told["line"], told["column"]) == ("two", 4, 4)
    assert told["hint"] == "did you mean webhook?"
