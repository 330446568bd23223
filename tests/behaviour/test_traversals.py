"""How an operation goes on, whoever dies or comes in between (6.3 of the captured facts).

What Heat does step by step is not what is done here; each row names what shows that the same
comes of it, or what document says that something better does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.behaviour.proof import Row, check, first_cells, section

if TYPE_CHECKING:
    from pathlib import Path

STEPS = (
    Row(
        "1. a request stores its goal, and the newest one wins",
        (
            "store/test_goal.py::test_another_request_in_between_means_to_plan_again",
            "e2e/test_operations.py::test_two_updates_at_once_end_as_the_one_accepted_last",
        ),
    ),
    Row(
        "2. counters of the traversal before go",
        ("store/test_goal.py::test_a_new_goal_forgets_the_counters_of_the_one_before",),
    ),
    Row(
        "3. the best row of a name is used again",
        (
            "plan/test_plan.py::test_the_newest_row_of_a_name_goes_on_and_older_ones_go",
            "plan/test_plan.py::test_an_object_that_was_replaced_takes_its_name_back_where_it_is_as_wanted",
            "plan/test_plan.py::test_a_row_whose_deletion_was_begun_gives_its_name_to_a_new_one",
        ),
    ),
    Row(
        "4. the graph forward, and its clean-up turned round",
        (
            "plan/test_plan.py::test_every_plan_can_be_carried_out_and_leaves_the_goal",
            "plan/test_plan.py::test_a_replaced_object_goes_when_all_that_used_it_is_through",
            "plan/test_plan.py::test_a_clean_up_waits_for_the_forward_node_of_its_own_name",
        ),
    ),
    Row(
        "5. a counter for each node and one for the stack",
        (
            "store/test_goal.py::test_the_stack_counts_its_nodes_and_each_node_its_needs",
            "store/test_goal.py::test_what_needs_nothing_is_due_at_once_and_nothing_else_is",
        ),
    ),
    Row(
        "6. a step: create, update, replace, clean up; an old traversal's does nothing",
        (
            "store/test_work.py::test_a_replacement_takes_the_name_and_the_node",
            "store/test_work.py::test_a_superseded_result_writes_what_it_did_and_nothing_else",
            "store/test_traversal.py::test_a_stack_that_has_used_up_its_time_fails_and_its_work_is_superseded",
        ),
    ),
    Row(
        "7. success hands on values and releases what waited",
        (
            "store/test_work.py::test_a_good_end_releases_what_waited_for_it_and_the_last_ends_the_stack",
            "store/test_work.py::test_results_of_one_batch_count_together",
        ),
    ),
    Row(
        "8. the last node ends the stack, and what is not needed any more goes",
        (
            "store/test_goal.py::test_the_last_complete_goal_is_kept_until_the_next_is_complete",
            "store/test_traversal.py::test_the_end_of_a_delete_frees_the_name_and_gives_up_the_credentials",
            "store/test_traversal.py::test_a_failed_delete_gives_up_nothing",
        ),
    ),
    Row(
        "9. a failure fails the stack, and is rolled back where that is wanted",
        (
            "store/test_traversal.py::test_whatever_fails_each_node_ends_once_and_the_stack_ends_as_it_should",
            "store/test_rollbacks.py::test_only_creates_and_updates_are_undone",
        ),
        "a resource fails",
    ),
)
CASES = (
    Row(
        "resource lock",
        (
            "store/test_work.py::test_a_row_is_held_by_one_engine",
            "store/test_work.py::test_a_fenced_result_leaves_no_trace",
        ),
    ),
    Row(
        "busy resource, owner alive",
        (
            "store/test_goal.py::test_a_row_that_is_held_waits_for_its_engine_and_is_then_due",
            "store/test_work.py::test_what_was_done_in_a_child_counts_no_more_once_its_parent_supersedes_it",
        ),
    ),
    Row(
        "owner dead",
        (
            "store/test_work_engines.py::test_the_rows_of_a_dead_engine_are_due_at_once_and_its_results_are_fenced",
            "crash/test_matrix.py::test_a_disturbed_run_ends_as_an_undisturbed_one",
        ),
        "an engine dies",
    ),
    Row(
        "never locked but same template",
        ("engine/test_engine.py::test_commits_without_an_answer_lose_nothing",),
    ),
    Row(
        "update while update",
        (
            "e2e/test_operations.py::test_an_update_over_a_running_create_reaches_the_new_goal",
            "e2e/test_bugs.py::test_38_the_newest_goal_wins",
        ),
    ),
    Row(
        "delete while create",
        (
            "e2e/test_operations.py::test_a_delete_over_a_running_create_leaves_nothing",
            "e2e/test_operations.py::test_a_delete_over_a_running_create_of_nested_stacks",
        ),
    ),
    Row(
        "engine death in legacy mode",
        ("engine/test_others.py::test_who_has_the_state_to_himself_frees_the_rows_of_all_others",),
    ),
    Row(
        "abandoned traversal after whole-engine loss",
        (
            "app/test_serve.py::test_after_a_kill_of_everything_it_goes_on_where_it_was",
            "kill/test_kill.py::test_a_kill_of_everything_loses_nothing",
        ),
        "an engine dies",
    ),
    Row(
        "mark unhealthy",
        (
            "engine/test_marking.py::test_what_is_marked_is_replaced_by_the_next_update_and_nothing_else",
        ),
        "marking a resource unhealthy",
    ),
    Row(
        "rollback with replaced resource",
        (
            "engine/test_rollbacks.py::test_a_replaced_object_is_there_to_go_back_to_as_long_as_anything_may_fail",
            "e2e/test_bugs.py::test_23_the_original_is_taken_up_again",
        ),
        "a replacement that shares an exclusive value",
    ),
    Row(
        "retry of state writes",
        ("engine/test_engine.py::test_commits_without_an_answer_lose_nothing",),
    ),
    Row(
        "test aid",
        ("engine/test_engine.py::test_two_engines_share_the_work_and_make_nothing_twice",),
    ),
)
TIMES = (
    Row(
        "the request's minutes, or the default, for the whole tree",
        (
            "store/test_traversal.py::test_a_stack_that_has_used_up_its_time_fails_and_its_work_is_superseded",
            "e2e/test_bugs.py::test_17_no_nested_stack_has_more_time_than_its_parent",
            "engine/test_rollbacks.py::test_time_that_is_up_is_a_failure_to_be_undone",
        ),
    ),
)


@pytest.mark.parametrize("row", STEPS + CASES + TIMES, ids=lambda row: row.name)
def test_what_shows_a_row_is_there(row: Row) -> None:
    check(row)


def test_no_step_and_no_case_is_left_out(shared: Path) -> None:
    text = section(shared, "6.3")
    assert [row.name for row in CASES] == first_cells(text)[1:]
    steps = [each for each in text.splitlines() if each[:1].isdigit()]
    assert [row.name.split(".")[0] for row in STEPS] == [each.split(".")[0] for each in steps]
