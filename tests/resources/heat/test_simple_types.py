from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from stoker.errors import CloudError, Invalid
from stoker.lang.unknown import UNKNOWN
from stoker.resources.heat.random_string import below
from stoker.sdk.resource import Done, Wait
from tests.resources.recorded import Recorded
from tests.resources.stepping import counted, kind_of, standing

NO_CLOUD: Any = None


def made(type_name: str, given: Mapping[str, Any]) -> Done:
    step = kind_of(type_name).create(standing(type_name, given), NO_CLOUD)
    assert isinstance(step, Done)
    return step


def problems(type_name: str, given: Mapping[str, Any]) -> list[str]:
    kind = kind_of(type_name)
    return [each.text for each in kind.validate(kind.Props.parse(given))]


@pytest.mark.parametrize(
    ("type", "value", "expected"),
    [
        (None, {"a": [1]}, {"a": [1]}),
        ("string", 5, "5"),
        ("string", {"a": [1]}, '{"a": [1]}'),
        ("number", "5", 5),
        ("number", "5.5", 5.5),
        ("boolean", "no", False),
        ("comma_delimited_list", "a,b", ["a", "b"]),
        ("comma_delimited_list", [1, "b"], ["1", "b"]),
        ("comma_delimited_list", "", []),
        ("json", '{"a": 1}', {"a": 1}),
        ("json", [1], [1]),
    ],
)
def test_a_value_is_turned_to_its_type(type: str | None, value: Any, expected: Any) -> None:
    step = made("OS::Heat::Value", {"value": value, "type": type})
    assert step.attributes == {"value": expected}
    assert step.id == "stack-res-abc"


@pytest.mark.parametrize(
    ("type", "value"),
    [("number", "x"), ("boolean", "x"), ("json", "{"), ("json", 5), ("comma_delimited_list", {})],
)
def test_a_value_that_is_not_of_its_type_is_told(type: str, value: Any) -> None:
    assert problems("OS::Heat::Value", {"value": value, "type": type})
    with pytest.raises(Invalid):
        made("OS::Heat::Value", {"value": value, "type": type})


def test_a_value_not_known_yet_is_not_judged() -> None:
    assert problems("OS::Heat::Value", {"value": [UNKNOWN], "type": "json"}) == []


def test_a_random_string_has_what_was_asked_of_it() -> None:
    given = {
        "length": 40,
        "character_classes": [{"class": "digits", "min": 5}, {"class": "uppercase", "min": 3}],
        "character_sequences": [{"sequence": "+-", "min": 4}],
    }
    value = made("OS::Heat::RandomString", given).attributes["value"]
    count = Counter("digit" if c.isdigit() else "upper" if c.isupper() else c for c in value)
    assert len(value) == 40
    assert count["digit"] >= 5
    assert count["upper"] >= 3
    assert count["+"] + count["-"] >= 4
    assert sum(count.values()) == 40


def test_the_old_name_of_a_class_is_understood() -> None:
    value = made("OS::Heat::RandomString", {"sequence": "octdigits"}).attributes["value"]
    assert len(value) == 32
    assert set(value) <= set("01234567")


@pytest.mark.parametrize(
    "given",
    [
        {"length": 1, "character_classes": [{"class": "digits", "min": 2}]},
        {"character_classes": []},
        {"character_sequences": [{"sequence": ""}]},
    ],
)
def test_a_random_string_that_cannot_be_is_told(given: Mapping[str, Any]) -> None:
    assert problems("OS::Heat::RandomString", given)


def test_every_number_is_as_likely() -> None:
    drawn = Counter(below(3, counted()) for _ in range(1))
    entropy = iter([b"\xff\xff", b"\x00\x05"])
    assert below(3, lambda _: next(entropy)) == 2, "65535 is drawn again: 0 would be likelier"
    assert drawn.total() == 1


def test_the_reference_of_a_random_string_is_its_value() -> None:
    kind = kind_of("OS::Heat::RandomString")
    assert kind.reference(Recorded(id="i", attributes={"value": "v"})) == "v"
    assert kind.reference(Recorded(name="n")) == "n"


def test_nothing_takes_any_property_and_gives_null() -> None:
    kind = kind_of("OS::Heat::None")
    step = made("OS::Heat::None", {"any": {"thing": [1]}})
    assert step.id is not None
    assert len(step.id) == 36
    assert kind.attribute(Recorded(id=step.id), "whatever", ()) is None
    one, other = kind.Props.parse({"a": 1}), kind.Props.parse({"a": 2})
    assert one.changed(other) == frozenset()


def test_a_test_resource_waits_by_a_due_time_and_once() -> None:
    given = {"value": "v", "action_wait_secs": {"create": 3}, "wait_secs": 9, "attr_wait_secs": 1}
    at = standing("OS::Heat::TestResource", given)
    kind = kind_of("OS::Heat::TestResource")
    wait = kind.create(at, NO_CLOUD)
    assert wait == Wait(4, {"waited": True})
    done = kind.create(replace(at, data={"waited": True}), NO_CLOUD)
    assert done == Done({"output": "v"}, id="stack-res-abc")
    assert kind.delete(at, NO_CLOUD) == Wait(9, {"waited": True})


def test_a_test_resource_fails_when_told() -> None:
    with pytest.raises(CloudError, match="Test Resource failed res"):
        made("OS::Heat::TestResource", {"fail": True})


def test_a_test_resource_is_replaced_when_told() -> None:
    kind = kind_of("OS::Heat::TestResource")
    old = kind.Props.parse({"value": "a"})
    for given, forced in (
        ({"value": "b"}, frozenset()),
        ({"value": "b", "update_replace": True}, {"value", "update_replace"}),
        ({"value": "a", "update_replace_value": "x"}, {"update_replace_value"}),
    ):
        new = kind.Props.parse(given)
        assert kind.replaces(old, new, new.changed(old)) == forced


def test_a_client_to_poll_is_taken_though_none_is_polled() -> None:
    assert not problems("OS::Heat::TestResource", {"client_name": "nova", "entity_name": "servers"})
