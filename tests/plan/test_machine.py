from __future__ import annotations

from dataclasses import replace

import pytest

from stoker.plan.machine import MAX_RETRIES, Again, Fail, Task, Work, after_fault, task
from stoker.sdk.fault import Fault

NEW = Work(
    forward=True, poisoned=False, stays=True, verb=None, ours=False, has_id=False, in_doubt=False
)
GONE = replace(NEW, forward=False, stays=False)
CREATING = replace(NEW, verb="create", ours=True)


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        pytest.param(NEW, Task.DECIDE, id="a new row is compared with its goal"),
        pytest.param(replace(NEW, has_id=True), Task.DECIDE, id="so is one that is made"),
        pytest.param(CREATING, Task.GO_ON, id="a create of this traversal goes on"),
        pytest.param(
            replace(CREATING, in_doubt=True), Task.LOOK, id="a create in doubt is looked for"
        ),
        pytest.param(
            replace(CREATING, in_doubt=True, has_id=True),
            Task.GO_ON,
            id="not when its object is known",
        ),
        pytest.param(
            replace(CREATING, in_doubt=True, ours=False),
            Task.LOOK,
            id="a create in doubt is looked for, whoever began it",
        ),
        pytest.param(
            replace(CREATING, in_doubt=True, forward=False, stays=False),
            Task.LOOK,
            id="and also before its row is deleted",
        ),
        pytest.param(
            replace(CREATING, ours=False), Task.DECIDE, id="a create not yet sent is planned anew"
        ),
        pytest.param(
            replace(CREATING, ours=False, has_id=True),
            Task.FINISH,
            id="an older create that has its object comes to rest first",
        ),
        pytest.param(
            replace(CREATING, ours=False, has_data=True),
            Task.FINISH,
            id="so does one that has made parts without an id",
        ),
        pytest.param(
            replace(NEW, has_id=True, acts=True), Task.ACT, id="an action begins on what is there"
        ),
        pytest.param(
            replace(NEW, verb="suspend", has_id=True, ours=True, acts=True),
            Task.GO_ON,
            id="an action goes on",
        ),
        pytest.param(
            replace(NEW, verb="suspend", has_id=True, acts=True),
            Task.FINISH,
            id="an older one comes to rest first",
        ),
        pytest.param(
            replace(NEW, verb="suspend", has_id=True, has_child=True, acts=True),
            Task.ACT,
            id="on a child stack the next one takes over",
        ),
        pytest.param(
            replace(CREATING, ours=False, in_doubt=True, acts=True),
            Task.ACT,
            id="an action does not look for what a create in doubt has made",
        ),
        pytest.param(
            replace(NEW, verb="update", has_id=True, acts=True),
            Task.ACT,
            id="nor does it finish an update",
        ),
        pytest.param(
            replace(NEW, verb="check", has_id=True),
            Task.FINISH,
            id="a check comes to rest before a goal",
        ),
        pytest.param(
            replace(NEW, verb="check", has_id=True, has_child=True),
            Task.DECIDE,
            id="that of a child stack gives way to it",
        ),
        pytest.param(
            replace(NEW, verb="suspend", has_id=True, forward=False, stays=False),
            Task.DELETE,
            id="deleting does not wait for an action",
        ),
        pytest.param(
            replace(NEW, poisoned=True, acts=True), Task.SKIP, id="a poisoned action is skipped"
        ),
        pytest.param(
            replace(NEW, verb="update", has_id=True, ours=True), Task.GO_ON, id="an update goes on"
        ),
        pytest.param(
            replace(NEW, verb="update", has_id=True, in_doubt=True, ours=True),
            Task.GO_ON,
            id="an update in doubt is repeated",
        ),
        pytest.param(
            replace(NEW, verb="update", has_id=True),
            Task.FINISH,
            id="an older update comes to rest first",
        ),
        pytest.param(
            replace(NEW, verb="update", has_id=True, has_child=True),
            Task.DECIDE,
            id="a child's older operation is superseded",
        ),
        pytest.param(
            replace(NEW, verb="delete", has_id=True),
            Task.DECIDE,
            id="what was being deleted is decided anew",
        ),
        pytest.param(replace(GONE, stays=True), Task.NOTHING, id="what stays is not cleaned up"),
        pytest.param(replace(GONE, has_id=True), Task.DELETE, id="what does not stay is deleted"),
        pytest.param(
            replace(GONE, verb="delete", ours=True), Task.GO_ON, id="a delete of ours goes on"
        ),
        pytest.param(
            replace(GONE, verb="delete"), Task.DELETE, id="an older delete is begun again"
        ),
        pytest.param(
            replace(GONE, verb="update", has_id=True),
            Task.DELETE,
            id="an update under way gives way to the delete",
        ),
        pytest.param(replace(NEW, poisoned=True), Task.SKIP, id="after a failure nothing is done"),
        pytest.param(
            replace(CREATING, poisoned=True, in_doubt=True),
            Task.SKIP,
            id="not even a look: the doubt stays on the row",
        ),
    ],
)
def test_what_a_worker_does_follows_from_the_row_alone(work: Work, expected: Task) -> None:
    assert task(work) is expected


@pytest.mark.parametrize("fault", [Fault.FATAL, Fault.QUOTA, Fault.BROKEN])
def test_what_no_repetition_mends_fails_at_once(fault: Fault) -> None:
    assert after_fault(fault, 0, 0.5) == Fail()


@pytest.mark.parametrize("fault", [Fault.RETRY, Fault.UNKNOWN])
def test_a_passing_fault_is_retried_so_many_times(fault: Fault) -> None:
    assert isinstance(after_fault(fault, MAX_RETRIES - 1, 0.0), Again)
    assert after_fault(fault, MAX_RETRIES, 0.0) == Fail()


def test_a_busy_object_is_waited_for_as_long_as_the_stack_may_take() -> None:
    assert isinstance(after_fault(Fault.BUSY, 10_000, 0.0), Again)


def test_pauses_double_up_to_a_limit_and_are_spread() -> None:
    def pause(attempt: int, jitter: float) -> float:
        again = after_fault(Fault.BUSY, attempt, jitter)
        assert isinstance(again, Again)
        return again.seconds

    assert [pause(n, 0.0) for n in (0, 1, 2)] == [0.25, 0.5, 1.0]
    assert pause(50, 0.0) == 15.0
    assert 29.9 < pause(50, 0.999) <= 30.0


def test_a_service_that_says_when_is_believed_where_it_says_later() -> None:
    assert after_fault(Fault.RETRY, 0, 0.0, retry_after=7.0) == Again(7.0)
    assert after_fault(Fault.BUSY, 50, 0.0, retry_after=1.0) == Again(15.0)
