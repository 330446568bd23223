from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from stoker.lang.unknown import UNKNOWN
from stoker.resources.chosen_id import chosen_id
from stoker.sdk.cloud import Cloud
from stoker.sdk.resource import Done, Next
from tests.resources.recorded import Recorded
from tests.resources.stepping import kind_of, standing

FLAVOR, GROUP = "OS::Nova::Flavor", "OS::Nova::ServerGroup"
SIZE = {"ram": 64, "vcpus": 1}


class Recording:
    """Nova, as a list of answers by path, and the bodies that were sent."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers = answers
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.compute = self

    def get(self, path: str, **_query: Any) -> Any:
        return self.answers[path]

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        self.sent.append((path, dict(body)))
        return {key: {"id": "made", **value} for key, value in body.items()}


def test_a_flavor_is_sent_as_heat_sends_it_with_an_id_that_follows_from_its_mark() -> None:
    nova = Recording({})
    step = kind_of(FLAVOR).create(standing(FLAVOR, SIZE), cast("Cloud", nova))
    assert isinstance(step, Done)
    assert nova.sent == [
        (
            "/flavors",
            {
                "flavor": {
                    "name": "stack-res-abc",
                    "id": chosen_id("mark-1"),
                    "ram": 64,
                    "vcpus": 1,
                    "disk": 0,
                    "swap": 0,
                    "OS-FLV-EXT-DATA:ephemeral": 0,
                    "rxtx_factor": 1.0,
                    "os-flavor-access:is_public": True,
                }
            },
        )
    ]


def test_ids_follow_from_marks_alone() -> None:
    assert chosen_id("a") == chosen_id("a") != chosen_id("b")
    assert len(chosen_id("a")) == len("00000000-0000-0000-0000-000000000000")


@pytest.mark.parametrize("flavorid", ["auto", None])
def test_an_automatic_id_is_chosen_by_us(flavorid: str | None) -> None:
    nova = Recording({})
    at = standing(FLAVOR, {**SIZE, "flavorid": flavorid})
    kind_of(FLAVOR).create(at, cast("Cloud", nova))
    assert nova.sent[0][1]["flavor"]["id"] == chosen_id("mark-1")


def test_a_flavor_shows_itself() -> None:
    shown = {"os-flavor-access:is_public": False, "extra_specs": {"a": "b"}}
    view = Recorded(id="f", attributes=shown)
    kind = kind_of(FLAVOR)
    assert kind.attribute(view, "is_public", ()) is False
    assert kind.attribute(view, "extra_specs", ()) == {"a": "b"}
    assert kind.attribute(view, "show", ()) == shown


def test_a_flavors_name_and_id_are_held_by_one_at_a_time() -> None:
    kind = kind_of(FLAVOR)
    held = kind.exclusive(kind.Props.parse({**SIZE, "name": "n", "flavorid": "i"}))
    assert held == {("flavor", "n"), ("flavor id", "i")}
    open_ = kind.Props.parse({**SIZE, "name": UNKNOWN, "flavorid": UNKNOWN})
    assert kind.exclusive(open_) == frozenset()
    assert kind.exclusive(kind.Props.parse(SIZE)) == frozenset()


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({}, {"name": "stack-res-abc", "policy": "anti-affinity"}),
        (
            {"policies": ["soft-affinity"]},
            {"name": "stack-res-abc", "policy": "soft-affinity"},
        ),
        (
            {"rules": {"max_server_per_host": 2}},
            {
                "name": "stack-res-abc",
                "policy": "anti-affinity",
                "rules": {"max_server_per_host": 2},
            },
        ),
    ],
)
def test_a_group_is_sent_as_heat_sends_it(
    given: Mapping[str, Any], sent: Mapping[str, Any]
) -> None:
    nova = Recording({})
    kind_of(GROUP).create(standing(GROUP, given), cast("Cloud", nova))
    assert nova.sent == [("/os-server-groups", {"server_group": sent})]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"policies": []}, "give a policy"),
        ({"policies": ["affinity"], "rules": {"max_server_per_host": 1}}, "not for affinity"),
    ],
)
def test_a_group_that_cannot_be_is_told(given: Mapping[str, Any], text: str) -> None:
    kind = kind_of(GROUP)
    (found,) = kind.validate(kind.Props.parse(given))
    assert text in str(found)


def test_a_group_with_open_policies_is_not_judged() -> None:
    kind = kind_of(GROUP)
    props = kind.Props.parse({"policies": UNKNOWN, "rules": {"max_server_per_host": 1}})
    assert list(kind.validate(props)) == []


class Groups:
    """Nova's list of groups, in pages of two."""

    def __init__(self, *groups: tuple[str, str, str]) -> None:
        names = ("id", "name", "policy")
        self.rows: list[dict[str, Any]] = [
            {**dict(zip(names, each, strict=True)), "rules": {}} for each in groups
        ]
        self.compute = self

    def get(self, _path: str, *, limit: int, offset: int) -> Any:
        return {"server_groups": self.rows[offset : offset + min(limit, 2)]}


def test_only_a_group_that_was_not_there_before_is_ours() -> None:
    """Also where the list comes in pages."""
    kind, policy = kind_of(GROUP), "anti-affinity"
    before = Groups(("1", "n", policy), ("2", "x", policy), ("3", "n", policy))
    step = kind.create(standing(GROUP, {"name": "n"}), cast("Cloud", before))
    assert isinstance(step, Next)
    assert step.data == {"others": ["1", "3"]}
    at = standing(GROUP, {"name": "n"}, data=step.data)
    assert kind.find(at, cast("Cloud", before)) is None
    rows = (("1", "n", policy), ("3", "n", policy), ("4", "n", "affinity"), ("5", "n", policy))
    found = kind.find(at, cast("Cloud", Groups(*rows)))
    assert found is not None
    assert found.id == "5"
    assert kind.find(standing(GROUP, {"name": "n"}), cast("Cloud", Groups(*rows))) is None
