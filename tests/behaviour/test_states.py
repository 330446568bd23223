"""What can be done to a stack, and in which states (6.2 of the captured facts)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.errors import Invalid, NotFound, Unsupported
from stoker.store import tables as t
from stoker.usecases.stacks import Action, CreateStack, UpdateStack
from tests.behaviour.proof import Row, check, first_cells, section
from tests.engine.house import goal
from tests.engine.shelf import ANN, Fate

if TYPE_CHECKING:
    from pathlib import Path

    from stoker.usecases.stacks import StackRef
    from tests.engine.house import House

HERE = "behaviour/test_states.py"
ROWS = (
    Row(
        "create",
        (
            f"{HERE}::test_things_are_made_in_order_and_each_state_is_told",
            "engine/test_rollbacks.py::test_a_create_that_fails_leaves_nothing_but_the_stack_and_its_reason",
        ),
        "rollback: where to",
    ),
    Row(
        "update",
        (
            f"{HERE}::test_an_update_is_taken_in_every_state_but_two",
            "plan/test_plan.py::test_a_removed_resource_goes_after_its_former_users_let_go",
        ),
    ),
    Row(
        "delete",
        (
            f"{HERE}::test_a_delete_is_taken_in_every_state",
            "engine/test_snapshots.py::test_snapshots_and_their_copies_go_with_the_stack",
            "plan/test_plan.py::test_a_delete_removes_every_row_users_first",
        ),
    ),
    Row("suspend", ("engine/test_acting.py::test_users_are_suspended_first_and_resumed_last",)),
    Row("resume", ("engine/test_acting.py::test_users_are_suspended_first_and_resumed_last",)),
    Row(
        "check",
        (
            "engine/test_acting.py::test_a_check_looks_at_everything_in_order_and_changes_nothing",
            "engine/test_acting.py::test_a_check_tells_all_that_is_wrong_and_the_next_update_mends_just_that",
            "store/test_traversal.py::test_findings_are_all_told",
            "store/test_traversal.py::test_a_failure_poisons_what_waited_for_it_and_nothing_else",
        ),
    ),
    Row(
        "snapshot",
        (
            "engine/test_snapshots.py::test_a_snapshot_copies_in_the_order_of_creation_and_touches_no_resource",
            "engine/test_snapshots.py::test_a_stack_at_work_takes_no_snapshot_and_one_that_takes_it_no_update",
        ),
    ),
    Row(
        "restore",
        (
            "engine/test_snapshots.py::test_a_restore_brings_data_back_each_time_and_only_by_request",
            "engine/test_snapshots.py::test_a_restore_that_fails_is_rolled_back",
        ),
    ),
    Row(
        "adopt",
        (
            "engine/test_abandoning.py::test_what_is_abandoned_and_adopted_is_the_same_in_all",
            "engine/test_abandoning.py::test_what_is_gone_fails_the_adoption_and_is_not_rolled_back",
        ),
    ),
    Row("cancel_update", ("engine/test_rollbacks.py::test_an_update_under_way_is_taken_back",)),
    Row(
        "cancel_without_rollback",
        (
            "store/test_traversal.py::test_a_cancelled_stack_fails_where_it_stands_and_its_work_is_superseded",
            "store/test_traversal.py::test_what_is_cancelled_ends_in_the_stacks_below_too",
            "store/test_traversal.py::test_there_is_nothing_to_cancel_in_a_stack_that_has_ended_or_goes",
        ),
    ),
    Row(
        "rollback",
        (
            "engine/test_rollbacks.py::test_an_update_that_fails_goes_back_to_the_objects_and_values_before",
            "engine/test_rollbacks.py::test_a_rollback_that_fails_tells_both_causes",
        ),
        "rollback: where to",
    ),
)
STATES = [
    f"{action}_{status}"
    for action in ("CREATE", "UPDATE", "ROLLBACK", "CHECK", "RESUME", "SUSPEND", "DELETE")
    for status in ("COMPLETE", "FAILED")
]
STATES.remove("DELETE_COMPLETE")  # there is no stack any more
FIXED = ("SUSPEND_COMPLETE", "SUSPEND_FAILED", "DELETE_FAILED")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_shows_a_row_is_there(row: Row) -> None:
    check(row)


def test_no_action_is_left_out(shared: Path) -> None:
    known = first_cells(section(shared, "6.2"))[1:]
    assert [row.name for row in ROWS] == known


def told(house: House) -> list[str]:
    """Return the events: whose, the state, and for stacks the reason."""
    with house.database.read() as connection:
        rows = connection.execute(t.event.select().order_by(t.event.c.id)).all()
    return [
        f"{row.resource_name} {row.action}_{row.status}"
        + (f" {row.status_reason}" if row.resource_type == "OS::Heat::Stack" else "")
        for row in rows
    ]


def test_things_are_made_in_order_and_each_state_is_told(house: House) -> None:
    ref = house.create(a="T::Mere", b={"type": "T::Mere", "depends_on": "a"})
    assert house.ended(ref) == "CREATE_COMPLETE"
    assert told(house) == [
        "s CREATE_IN_PROGRESS Stack CREATE started",
        "a CREATE_IN_PROGRESS",
        "a CREATE_COMPLETE",
        "b CREATE_IN_PROGRESS",
        "b CREATE_COMPLETE",
        "s CREATE_COMPLETE Stack CREATE completed successfully",
    ]


def test_a_failure_is_told_of_the_resource_and_the_stack(house: House) -> None:
    house.shelf.fates = [Fate.REFUSED]
    ref = house.create(a="T::Thing")
    assert house.ended(ref) == "CREATE_FAILED"
    reason = "Resource CREATE failed: CloudError: resources.a: refused"
    assert house.stack(ref).status_reason == reason
    assert told(house)[-2:] == ["a CREATE_FAILED", f"s CREATE_FAILED {reason}"]


def put(house: House, ref: StackRef, state: str) -> None:
    """Have the stack be in a state as if an operation had ended so."""
    action, _, status = state.partition("_")
    with house.database.write() as connection:
        connection.execute(t.stack.update().values(action=action, status=status))
    assert house.stack(ref).action == action


@pytest.mark.parametrize("state", STATES)
def test_an_update_is_taken_in_every_state_but_two(house: House, state: str) -> None:
    ref = house.create(a="T::Mere")
    house.ended(ref)
    put(house, ref, state)
    wanted = UpdateStack(goal({"a": "T::Mere", "b": "T::Mere"}))
    if state in FIXED:
        with pytest.raises(Unsupported, match="Updating a stack when it is"):
            house.stacks.update(ANN, ref, wanted)
        return
    house.stacks.update(ANN, ref, wanted)
    assert house.ended(ref) == "UPDATE_COMPLETE"
    assert set(house.states()) == {"a", "b"}


@pytest.mark.parametrize(
    "state", ["CREATE_FAILED", "UPDATE_COMPLETE", "CHECK_FAILED", "SUSPEND_COMPLETE", *FIXED[1:]]
)
def test_a_delete_is_taken_in_every_state(house: House, state: str) -> None:
    ref = house.create(a="T::Mere")
    house.ended(ref)
    put(house, ref, state)
    house.stacks.delete(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"
    assert house.states() == {}


@pytest.mark.parametrize("action", list(Action)[:3])
def test_nothing_is_done_to_a_stack_that_is_gone(house: House, action: Action) -> None:
    ref = house.create(a="T::Mere")
    house.ended(ref)
    house.stacks.delete(ANN, ref)
    house.ended(ref)
    with pytest.raises(NotFound):
        house.stacks.act(ANN, ref, action)


NAMES: list[tuple[str, bool]] = [
    ("a", True), ("A.b_c-9", True), ("a" * 255, True),
    ("", False), ("9a", False), ("-a", False), ("a b", False), ("a" * 256, False), ("ä", False),
]  # fmt: skip


def test_a_name_begins_with_a_letter_and_is_no_longer_than_255(house: House) -> None:
    for name, is_good in NAMES:
        what = CreateStack(name, goal({}))
        if is_good:
            assert house.stacks.create(ANN, what).name == name
            continue
        with pytest.raises(Invalid, match="Invalid stack name"):
            house.stacks.create(ANN, what)
