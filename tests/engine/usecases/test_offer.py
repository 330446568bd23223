"""What stacks are made of beside their requests: the operator's registry, templates of the web."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.offer import MOST, Offer
from stoker.errors import Code, Invalid, Unfetched
from stoker.resources.index import Index
from stoker.store.database import Database
from stoker.usecases.stacks import CreateStack, Goal, StackRef, UpdateStack
from tests.engine.house import SETTINGS, House
from tests.engine.shelf import ANN

if TYPE_CHECKING:
    from collections.abc import Iterator

URL = "https://there.example/child.yaml"
OWN = "file:///etc/heat/templates/own.yaml"
CHILD = """
heat_template_version: 2018-08-31
resources:
  inner: {type: TYPE, properties: {value: WHERE}}
outputs: {where: {value: {get_attr: [inner, value]}}}
"""


def child(where: str, type_name: str = "OS::Heat::Value") -> str:
    return CHILD.replace("WHERE", where).replace("TYPE", type_name)


class Web:
    """Sites by their addresses; what is asked is noted."""

    def __init__(self, **texts: str) -> None:
        self.texts = {URL: child("web")}
        self.asked: list[str] = []

    def fetch(self, url: str, seconds: float) -> str:
        assert 0 < seconds <= 60
        self.asked.append(url)
        if url not in self.texts:
            raise Unfetched("nobody answers there")
        return self.texts[url]


@contextmanager
def open_house(database: Database, offer: Offer) -> Iterator[House]:
    house = House(database, types=Index(), settings=replace(SETTINGS, offer=offer))
    house.engine.start()
    yield house
    house.engine.stop()


def goal(registry: Any = None, **resources: Any) -> Goal:
    template = {"heat_template_version": "2018-08-31", "resources": resources}
    return Goal(template, environment={"resource_registry": registry or {}})


def made(house: House, what: Goal, ended: str = "CREATE_COMPLETE") -> StackRef:
    ref = house.stacks.create(ANN, CreateStack("s", what))
    assert house.ended(ref) == ended
    return ref


def where(house: House, ref: StackRef, name: str = "a") -> Any:
    found = house.stacks.resource(ANN, ref, name, with_attr=("where",))
    return (found.attributes or {})["where"]


def refused(call: Callable[..., Any], *args: Any) -> Invalid:
    with pytest.raises(Invalid) as raised:
        call(*args)
    return raised.value


# the operator's registry


def test_a_type_stands_for_what_the_operator_says(database: Database) -> None:
    with open_house(database, Offer({"My::Type": OWN}, {OWN: child("own")})) as house:
        ref = made(house, goal(a={"type": "My::Type"}))
        assert where(house, ref) == "own"


def test_the_request_says_more_than_the_operator(database: Database) -> None:
    offer = Offer({"My::Type": OWN}, {OWN: child("own")}, Web().fetch)
    with open_house(database, offer) as house:
        ref = made(house, goal({"My::Type": URL}, a={"type": "My::Type"}))
        assert where(house, ref) == "web"


def test_a_template_may_use_the_type_that_it_stands_for_at_any_depth(database: Database) -> None:
    own = """
heat_template_version: 2018-08-31
parameters: {value: {type: string}}
resources:
  members:
    type: OS::Heat::ResourceGroup
    properties:
      count: 1
      resource_def: {type: OS::Heat::Value, properties: {value: {get_param: value}}}
outputs:
  value: {value: {get_param: value}}
  where: {value: {get_attr: [members, resource.0.value]}}
"""
    value = {"type": "OS::Heat::Value", "properties": {"value": "deep"}}
    with open_house(database, Offer({"OS::Heat::Value": OWN}, {OWN: own})) as house:
        ref = made(house, goal(a=value))
        assert where(house, ref) == "deep"


def test_a_stack_keeps_the_template_that_the_operator_has_removed(database: Database) -> None:
    with open_house(database, Offer({"My::Type": OWN}, {OWN: child("own")})) as house:
        ref = made(house, goal(a={"type": "My::Type"}))
    with open_house(database, Offer()) as house:
        assert where(house, ref) == "own"
        house.stacks.delete(ANN, ref)
        assert house.ended(ref) == "DELETE_COMPLETE"


def test_the_operators_registry_is_not_told_as_the_stacks_own(database: Database) -> None:
    with open_house(database, Offer({"My::Type": OWN}, {OWN: child("own")})) as house:
        ref = made(house, goal(a={"type": "My::Type"}))
        shown = house.stacks.environment(ANN, ref)
        assert "My::Type" not in shown["resource_registry"]


# templates of the web


def test_a_template_is_fetched_once_and_stays_with_the_stack(database: Database) -> None:
    web = Web()
    with open_house(database, Offer(fetch=web.fetch)) as house:
        what = goal({"My::Type": URL}, a={"type": "My::Type"}, b={"type": "My::Type"})
        ref = made(house, what)
        assert where(house, ref, "b") == "web"
        web.texts = {}
        house.stacks.update(ANN, ref, UpdateStack(Goal(None), existing=True))
        assert house.ended(ref) == "UPDATE_COMPLETE"
        assert web.asked == [URL]


def test_what_fetched_templates_name_is_fetched_too(database: Database) -> None:
    web, top = Web(), "http://there.example/top.yaml"
    web.texts[top] = f"""
heat_template_version: 2018-08-31
resources: {{b: {{type: "{URL}"}}}}
outputs: {{where: {{value: {{get_attr: [b, where]}}}}}}
"""
    with open_house(database, Offer(fetch=web.fetch)) as house:
        ref = made(house, goal(a={"type": top}))
        assert where(house, ref) == "web"
        assert web.asked == [top, URL]


def test_a_type_that_is_known_only_later_is_fetched_then(database: Database) -> None:
    web = Web()
    members = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": {"get_attr": ["n", "value"]}, "resource_def": {"type": URL}},
    }
    count = {"type": "OS::Heat::Value", "properties": {"value": 1, "type": "number"}}
    with open_house(database, Offer(fetch=web.fetch)) as house:
        made(house, goal(a=members, n=count))
        assert web.asked == [URL]


def test_what_cannot_be_had_is_told_with_its_place_and_why(database: Database) -> None:
    web, missing = Web(), "https://there.example/none.yaml"
    with open_house(database, Offer(fetch=web.fetch)) as house:
        what = goal(a={"type": missing}, b={"type": missing}, c={"type": "file:///etc/x.yaml"})
        for call in (
            lambda: house.stacks.create(ANN, CreateStack("s", what)),
            lambda: house.stacks.validate(ANN, what),
        ):
            error = refused(call)
            assert [(each.at[1], each.code) for each in error.problems] == [
                (name, Code.MISSING_FILE) for name in "abc"
            ]
            assert ["nobody answers there" in each.text for each in error.problems] == [
                True, True, False,
            ]  # fmt: skip
    assert web.asked == [missing, missing]


def test_a_request_can_have_only_so_many_fetched(database: Database) -> None:
    web = Web()
    many = {f"r{n}": {"type": f"https://there.example/{n}.yaml"} for n in range(MOST + 1)}
    with open_house(database, Offer(fetch=web.fetch)) as house:
        error = refused(house.stacks.validate, ANN, goal(**many))
    assert len(web.asked) == MOST
    assert "no more are" in error.problems[-1].text


def test_all_that_a_request_wants_has_one_limit_of_time(database: Database) -> None:
    with open_house(database, Offer(fetch=Web().fetch, seconds=0.0)) as house:
        error = refused(house.stacks.validate, ANN, goal(a={"type": URL}))
    assert "all the time" in str(error)
