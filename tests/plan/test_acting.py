from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoker.graph.dag import Dag
from stoker.plan.acting import Answer, Refused, Turn, answer, plan_action, refusal, turn
from stoker.plan.decide import Recorded
from stoker.plan.node import forward
from stoker.usecases.stacks import Action
from tests.plan.wanting import Row

CHECK, SUSPEND, RESUME = Action.CHECK, Action.SUSPEND, Action.RESUME
GO, DONE, BUSY, REFUSED = Answer
MADE = Recorded("T::Plain", "CREATE", "COMPLETE", made=True, sent={"size": 1}, applied={"size": 1})


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("CREATE_COMPLETE", (GO, GO, GO)),
        ("CREATE_FAILED", (GO, GO, GO)),
        ("UPDATE_FAILED", (GO, GO, GO)),
        ("CREATE_IN_PROGRESS", (BUSY, BUSY, BUSY)),
        ("UPDATE_IN_PROGRESS", (BUSY, BUSY, BUSY)),
        ("ROLLBACK_IN_PROGRESS", (BUSY, BUSY, BUSY)),
        ("DELETE_IN_PROGRESS", (REFUSED, REFUSED, REFUSED)),
        ("DELETE_FAILED", (REFUSED, REFUSED, REFUSED)),
        ("CHECK_IN_PROGRESS", (DONE, GO, GO)),
        ("CHECK_COMPLETE", (GO, GO, GO)),
        ("CHECK_FAILED", (GO, GO, GO)),
        ("SUSPEND_IN_PROGRESS", (BUSY, DONE, GO)),
        ("SUSPEND_COMPLETE", (REFUSED, DONE, GO)),
        ("SUSPEND_FAILED", (REFUSED, GO, GO)),
        ("RESUME_IN_PROGRESS", (BUSY, GO, DONE)),
        ("RESUME_COMPLETE", (GO, GO, DONE)),
        ("RESUME_FAILED", (GO, GO, GO)),
    ],
)
def test_what_a_stack_answers(state: str, expected: tuple[Answer, ...]) -> None:
    doing, _, status = state.partition("_")
    assert tuple(answer(action, doing, status) for action in Action) == expected


def test_a_refusal_says_what_the_stack_is_in() -> None:
    assert refusal(CHECK, "SUSPEND") == "Checking a stack when it is suspended is not supported."
    assert refusal(RESUME, "DELETE") == (
        "Resuming a stack when it is being deleted is not supported."
    )


@pytest.mark.parametrize(
    ("state", "check", "suspend", "resume"),
    [
        ("CREATE_COMPLETE", "begin", "begin", "nothing"),
        ("UPDATE_COMPLETE", "begin", "begin", "nothing"),
        ("UPDATE_FAILED", "begin", "refused", "nothing"),
        ("CHECK_COMPLETE", "begin", "begin", "nothing"),
        ("CHECK_FAILED", "begin", "refused", "nothing"),
        ("SUSPEND_COMPLETE", "refused", "nothing", "begin"),
        ("SUSPEND_FAILED", "refused", "begin", "begin"),
        ("RESUME_COMPLETE", "begin", "begin", "nothing"),
        ("RESUME_FAILED", "refused", "begin", "begin"),
    ],
)
def test_what_it_means_for_a_resource(state: str, check: str, suspend: str, resume: str) -> None:
    action, _, status = state.partition("_")
    recorded = replace(MADE, action=action, status=status)
    found = [turn(each, recorded) for each in Action]
    words = ["refused" if isinstance(each, Refused) else each.value for each in found]
    assert words == [check, suspend, resume]


def test_what_was_not_made_has_nothing_to_suspend_and_is_not_well() -> None:
    new = Recorded("T::Plain", "INIT", "COMPLETE", made=False)
    assert turn(CHECK, new) == Refused("it is not created yet")
    assert (turn(SUSPEND, new), turn(RESUME, new)) == (Turn.NOTHING, Turn.NOTHING)


@pytest.mark.parametrize("status", ["FAILED", "IN_PROGRESS"])
def test_what_was_never_whole_is_found_so_and_left_alone(status: str) -> None:
    half = replace(MADE, status=status, applied=None)
    told = f"it was never whole: it is CREATE_{status}"
    found = turn(CHECK, half), turn(SUSPEND, half)
    assert found == (Refused(told, is_finding=True), Refused(told))
    assert turn(RESUME, half) is Turn.NOTHING
    seen = replace(half, action="CHECK", status="FAILED")
    assert turn(CHECK, seen) == Refused("it was never whole", is_finding=True)


def test_what_has_nothing_to_do_ends_a_check_that_it_superseded() -> None:
    whole, asleep = MADE, replace(MADE, action="SUSPEND", status="COMPLETE")
    assert turn(RESUME, whole, "check") is turn(SUSPEND, asleep, "check") is Turn.END_CHECK
    assert turn(RESUME, whole, "resume") is Turn.NOTHING
    assert turn(SUSPEND, whole, "check") is Turn.BEGIN


ROWS = [Row(1, "net"), Row(2, "port", ("net",)), Row(3, "server", ("port", "net", "gone"))]


@pytest.mark.parametrize("action", [CHECK, RESUME])
def test_needs_come_first(action: Action) -> None:
    plan = plan_action(action, ROWS)
    assert plan.needs == {
        forward(1): frozenset(),
        forward(2): {forward(1)},
        forward(3): {forward(1), forward(2)},
    }
    assert (plan.changes, plan.doomed, plan.returned) == ((), frozenset(), frozenset())


def test_users_are_suspended_first() -> None:
    assert plan_action(SUSPEND, ROWS).needs == {
        forward(1): {forward(2), forward(3)},
        forward(2): {forward(3)},
        forward(3): frozenset(),
    }


def test_what_is_on_its_way_out_is_left_alone() -> None:
    rows = [
        *ROWS,
        Row(4, "net", stays=False),
        Row(5, "old", ("net",), doomed=True),
        Row(6, "port", ("old",), stays=False),
    ]
    assert plan_action(CHECK, rows).needs == plan_action(CHECK, ROWS).needs


@given(st.lists(st.sets(st.integers(0, 8)), max_size=9))
def test_suspending_is_resuming_turned_round_and_both_come_to_an_end(needs: list[set[int]]) -> None:
    rows = [
        Row(i + 1, f"r{i}", tuple(f"r{each}" for each in sorted(need) if each < i))
        for i, need in enumerate(needs)
    ]
    resume, suspend = (plan_action(action, rows).needs for action in (RESUME, SUSPEND))
    assert {(a, b) for a, each in resume.items() for b in each} == {
        (b, a) for a, each in suspend.items() for b in each
    }
    for nodes in (resume, suspend):
        waves = list(Dag(nodes).waves())
        assert {node for wave in waves for node in wave} == {forward(row.id) for row in rows}
