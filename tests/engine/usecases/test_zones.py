"""Fn::GetAZs: the zones are asked of the caller's cloud for each goal, and kept with it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.errors import Invalid
from stoker.resources.index import Index
from stoker.store.database import Database
from stoker.usecases.stacks import CreateStack, Goal, UpdateStack
from tests.engine.house import House
from tests.engine.shelf import ANN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.usecases.stacks import StackRef

ZONES = {"Fn::GetAZs": ""}
CHILD = """
heat_template_version: 2013-05-23
resources:
  inner: {type: OS::Heat::Value, properties: {value: {"Fn::GetAZs": ""}}}
outputs: {zones: {value: {get_attr: [inner, value]}}}
"""


class Zoned(House):
    """A house whose cloud has two zones, or others later."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, types=Index())
        self.zones: tuple[str, ...] = ("north", "south")
        self.asked = 0
        keys: Any = self.keys
        keys.cloud_for = lambda _caller: SimpleNamespace(compute=SimpleNamespace(zones=self._zones))

    def _zones(self) -> tuple[str, ...]:
        self.asked += 1
        return self.zones


@pytest.fixture
def house(database: Database) -> Iterator[Zoned]:
    house = Zoned(database)
    house.engine.start()
    yield house
    house.engine.stop()


def value(of: Any) -> dict[str, Any]:
    return {"type": "OS::Heat::Value", "properties": {"value": of}}


def goal(files: dict[str, str] | None = None, **resources: Any) -> Goal:
    outputs = {"zones": {"value": {"Fn::Join": ["/", ZONES]}}} if files is None else {}
    template = {
        "heat_template_version": "2013-05-23", "resources": resources, "outputs": outputs
    }  # fmt: skip
    return Goal(template, files=files or {})


def created(house: Zoned, what: Goal) -> StackRef:
    ref = house.stacks.create(ANN, CreateStack("s", what))
    assert house.ended(ref) == "CREATE_COMPLETE"
    return ref


def attribute(house: Zoned, ref: StackRef, resource: str, name: str) -> Any:
    return (house.stacks.resource(ANN, ref, resource, with_attr=(name,)).attributes or {})[name]


def test_resources_and_outputs_have_the_zones(house: Zoned) -> None:
    ref = created(house, goal(one=value(ZONES), two=value({"Fn::Select": [1, ZONES]})))
    assert attribute(house, ref, "one", "value") == ["north", "south"]
    assert attribute(house, ref, "two", "value") == "south"
    assert house.stacks.output(ANN, ref, "zones").value == "north/south"
    assert house.asked == 1


def test_an_update_asks_again(house: Zoned) -> None:
    what = goal(one=value(ZONES))
    ref = created(house, what)
    house.zones = ("west",)
    house.stacks.update(ANN, ref, UpdateStack(what))
    assert house.ended(ref) == "UPDATE_COMPLETE"
    assert attribute(house, ref, "one", "value") == ["west"]


def test_child_stacks_have_the_zones_of_their_parents(house: Zoned) -> None:
    ref = created(house, goal({"child.yaml": CHILD}, one={"type": "child.yaml"}))
    house.zones = ("west",)
    assert attribute(house, ref, "one", "zones") == ["north", "south"]
    assert house.asked == 1


def test_nothing_is_asked_for_a_template_without_the_function(house: Zoned) -> None:
    created(house, Goal({"heat_template_version": "2013-05-23", "resources": {"a": value(1)}}))
    assert house.asked == 0


def test_a_validation_asks_nobody_and_finds_what_is_wrong_beside_it(house: Zoned) -> None:
    house.stacks.validate(ANN, goal(one=value(ZONES)))
    with pytest.raises(Invalid) as raised:
        house.stacks.validate(ANN, goal(one=value(ZONES), two=value({"Fn::Select": [1]})))
    assert "Fn::Select" in str(raised.value)
    assert house.asked == 0


def test_a_child_that_hides_the_function_is_refused(house: Zoned) -> None:
    hiding = CHILD.replace("Fn::GetAZs", r"Fn::\x47etAZs")
    ref = house.stacks.create(
        ANN, CreateStack("s", goal({"child.yaml": hiding}, one={"type": "child.yaml"}))
    )
    assert house.ended(ref) == "CREATE_FAILED"
    assert "write it in the template's own words" in house.stack(ref).status_reason
