"""How groups change in batches; the sequences are those of real Heat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoker.errors import Invalid
from stoker.resources.heat.rolling import Group, Pace, next_members, updated
from stoker.sdk.resource import Below, Child, ChildState, Done, Step, Wait
from tests.resources.stepping import kind_of, standing

NO_CLOUD: Any = None
GROUP = "OS::Heat::ResourceGroup"
DEPLOYMENTS = "OS::Heat::SoftwareDeploymentGroup"


def group_of(size: int, *removed: str) -> Group:
    def names(count: int) -> list[str]:
        return [n for n in map(str, range(count + len(removed))) if n not in removed][:count]

    return Group(size, names, lambda name: f"new {name}", removed)


def old(*names: str) -> dict[str, str]:
    return {name: f"old {name}" for name in names}


def batches(group: Group, pace: Pace, present: Mapping[str, Any]) -> list[str]:
    """Return the members after each batch: the names, those that are new in brackets."""
    told = []
    while present != group.whole():
        present = next_members(group, pace, present)
        words = (f"[{n}]" if each.startswith("new") else n for n, each in present.items())
        told.append(" ".join(words))
        assert len(told) < 50
    return told


@pytest.mark.parametrize(
    ("group", "pace", "present", "expected"),
    [
        (group_of(4), Pace(2, 0), {}, ["[0] [1]", "[0] [1] [2] [3]"]),
        (group_of(3), Pace(2, 0), {}, ["[0] [1]", "[0] [1] [2]"]),
        (group_of(3), Pace(5, 0), old("0", "1", "2"), ["[0] [1] [2]"]),
        (
            group_of(4), Pace(1, 0), old("0", "1", "2", "3"),
            ["0 1 2 [3]", "0 1 [2] [3]", "0 [1] [2] [3]", "[0] [1] [2] [3]"],
        ),
        (
            group_of(4), Pace(2, 0, 4), old("0", "1", "2", "3"),
            [
                "0 1 2 3 [4] [5]",
                "0 1 [2] [3] [4] [5]",
                "[0] [1] [2] [3] [4] [5]",
                "[0] [1] [2] [3]",
            ],
        ),
        (group_of(4), Pace(2, 0), old("0", "1"), ["0 1 [2] [3]", "[0] [1] [2] [3]"]),
        (group_of(2), Pace(1, 0), old("0", "1", "2", "3"), ["0 [1]", "[0] [1]"]),
        (group_of(2, "0"), Pace(1, 0), old("0", "1"), ["1 [2]", "[1] [2]"]),
        (
            group_of(3), Pace(1, 0), old("0", "1", "5"),
            ["0 1 [5]", "0 [1] [5]", "[0] [1] [5]", "[0] [1] [2]"],
        ),
        (group_of(0), Pace(1, 0), old("0", "1"), [""]),
    ],
)  # fmt: skip
def test_members_change_in_batches_from_the_last_one_on(
    group: Group, pace: Pace, present: dict[str, str], expected: list[str]
) -> None:
    assert batches(group, pace, present) == expected


@given(
    st.integers(0, 7),
    st.builds(Pace, st.integers(1, 4), st.just(0.0), st.integers(0, 9)),
    st.dictionaries(st.integers(0, 8).map(str), st.sampled_from(["old", "older"]), max_size=7),
    st.sets(st.integers(0, 8).map(str), max_size=2),
)
def test_every_group_gets_there_and_keeps_enough_in_service(
    size: int, pace: Pace, present: dict[str, str], removed: set[str]
) -> None:
    group = group_of(size, *removed)
    before: Mapping[str, Any] = present
    stays = [name for name in present if name not in removed]
    for _ in range(40):
        if before == group.whole():
            break
        after = next_members(group, pace, before)
        untouched = [name for name, each in after.items() if before.get(name) == each]
        if after != group.whole():
            assert len(after) - len(untouched) <= pace.batch
            assert len(untouched) >= min(pace.in_service, size, len(stays))
        before, stays = after, list(after)
    assert before == group.whole()


def test_without_a_policy_members_are_defined_once() -> None:
    defined: list[str] = []

    def define(name: str) -> str:
        defined.append(name)
        return name

    group = Group(3, lambda size: [*map(str, range(size))], define)
    at = standing(GROUP, members(3, "a"), id="c")
    assert updated(at, group, None, Child) == Child({"0": "0", "1": "1", "2": "2"})
    assert defined == ["0", "1", "2"]


class Stack:
    """A group's own stack that reaches at once what it is asked to be."""

    def __init__(self, given: Mapping[str, Any], policy: Mapping[str, Any], type_: str = GROUP):
        self.given, self.type = given, type_
        self.policy = kind_of(type_).Policy.parse(policy)
        self.below: Below | None = None
        self.now = 1000.0
        self.goals: list[list[Any]] = []
        self.held: list[str] = []

    def run(self, verb: str, *, deadline: float | None = None) -> Done:
        """Perform the verb to its end; pauses go by at once."""
        data: Mapping[str, Any] = {}
        child = None
        while True:
            at = standing(
                self.type, self.given, id="c" if self.below else None, data=data, child=child,
                below=lambda: self.below, policy=lambda: self.policy, clock=lambda: self.now,
                deadline=deadline,
            )  # fmt: skip
            step: Step = getattr(kind_of(self.type), verb)(at, NO_CLOUD)
            match step:
                case Done():
                    return step
                case Wait(seconds=seconds, data=left):
                    self.now += seconds
                    self.goals.append([f"pause {seconds:g}"])
                    data = data if left is None else left
                case Child(template=template, parameters=parameters, data=left, held=held):
                    assert isinstance(template, Mapping)
                    self.below, child = Below(template, parameters), ChildState("c", {})
                    data = data if left is None else left
                    self.goals.append(self.values())
                    self.held.append(" ".join(sorted(held)))
                case _:
                    raise AssertionError(step)

    def values(self) -> list[Any]:
        assert self.below is not None
        assert isinstance(self.below.template, Mapping)
        return [each["properties"] for each in self.below.template["resources"].values()]


def members(count: int, value: Any) -> dict[str, Any]:
    return {"count": count, "resource_def": {"type": "T", "properties": {"v": value}}}


def test_a_group_is_made_in_batches_with_pauses_between() -> None:
    stack = Stack(members(3, "a"), {"batch_create": {"max_batch_size": 2, "pause_time": 4}})
    stack.run("create")
    assert stack.goals == [[{"v": "a"}] * 2, ["pause 4"], [{"v": "a"}] * 3]


def test_a_group_changes_in_batches_with_pauses_between() -> None:
    policy = {"rolling_update": {"max_batch_size": 2, "pause_time": 0.5, "min_in_service": 1}}
    stack = Stack(members(3, "a%index%"), policy)
    stack.run("create")
    stack.given = members(3, "b%index%")
    stack.goals.clear()
    stack.run("update")
    assert stack.goals == [
        [{"v": "a0"}, {"v": "b1"}, {"v": "b2"}],
        ["pause 0.5"],
        [{"v": "b0"}, {"v": "b1"}, {"v": "b2"}],
    ]


def test_what_is_no_part_of_a_batch_is_held_until_the_last_one() -> None:
    stack = Stack(members(3, "a"), {"rolling_update": {"min_in_service": 3}})
    stack.run("create")
    stack.given = members(3, "b")
    stack.run("update")
    assert stack.held == ["", "0 1 2", "0 1 3", "0 2 3", "1 2 3", ""]


def test_a_group_that_only_grows_or_shrinks_does_so_at_once() -> None:
    stack = Stack(members(3, "a"), {"rolling_update": {}})
    stack.run("create")
    stack.given = members(6, "a")
    stack.run("update")
    assert stack.goals == [[{"v": "a"}] * 3, [{"v": "a"}] * 6]


def test_a_policy_of_null_is_none() -> None:
    stack = Stack(members(3, "a"), {"rolling_update": None, "batch_create": None})
    stack.run("create")
    stack.given = members(3, "b")
    stack.run("update")
    assert stack.goals == [[{"v": "a"}] * 3, [{"v": "b"}] * 3]


def test_values_that_look_like_functions_stay_what_they_are() -> None:
    stack = Stack(members(2, {"get_file": "x"}), {"rolling_update": {}})
    stack.run("create")
    stack.given = members(2, "b")
    stack.goals.clear()
    stack.run("update")
    aside = {"get_param": ["literals", "0"]}
    assert stack.goals == [[{"v": aside}, {"v": "b"}], [{"v": "b"}, {"v": "b"}]]


def test_pauses_that_take_all_the_time_are_refused() -> None:
    stack = Stack(members(3, "a"), {"batch_create": {"pause_time": 30}})
    with pytest.raises(Invalid, match="will result in stack update timeout"):
        stack.run("create", deadline=1060.0)
    stack.run("create", deadline=1061.0)


def test_deployments_go_in_batches_too() -> None:
    servers = {"one": "1", "two": "2", "three": "3"}
    given = {"servers": servers, "config": "c"}
    stack = Stack(given, {"rolling_update": {"max_batch_size": 2}}, DEPLOYMENTS)
    stack.run("create")
    stack.given = {"servers": servers, "config": "d"}
    stack.goals.clear()
    stack.run("update")
    assert [sorted(each["config"] for each in goal) for goal in stack.goals] == [
        ["c", "d", "d"], ["d", "d", "d"],
    ]  # fmt: skip
