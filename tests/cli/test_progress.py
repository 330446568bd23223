"""How far a graph has come, from what the API tells."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from stoker.cli.nesting import Key
from stoker.cli.progress import (
    Item,
    Progress,
    State,
    advanced,
    as_before,
    beginning,
    doubtful,
)
from tests.cli.rows import looked, row


def states(progress: Progress) -> dict[str, State]:
    return {item.path: item.state for item in progress.ordered()}


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("INIT_COMPLETE", State.WAITING),
        ("CREATE_IN_PROGRESS", State.WORKING),
        ("CREATE_COMPLETE", State.DONE),
        ("CREATE_FAILED", State.FAILED),
    ],
)
def test_the_state_follows_from_the_status(status: str, state: State) -> None:
    assert states(looked("CREATE", [row("a", status)])) == {"a": state}


def test_what_was_made_before_waits_for_its_delete() -> None:
    listed = [row("a", "CREATE_COMPLETE"), row("b", "DELETE_IN_PROGRESS")]
    assert states(looked("DELETE", listed)) == {"a": State.WAITING, "b": State.WORKING}


def test_an_old_failure_waits_for_its_delete_too() -> None:
    start = beginning("DELETE", [row("a", "CREATE_FAILED")])
    assert states(start) == {"a": State.WAITING}
    after = advanced(start, [row("a", "DELETE_FAILED")], 1.0)
    assert states(after) == {"a": State.FAILED}


def test_a_resource_waits_for_what_it_refers_to_until_that_is_done() -> None:
    first = [row("net", "CREATE_IN_PROGRESS", "port"), row("port", "INIT_COMPLETE")]
    second = [row("net", "CREATE_COMPLETE", "port"), row("port", "INIT_COMPLETE")]
    assert looked("CREATE", first).waits() == {("port",): (("net",),)}
    assert looked("CREATE", first, second).waits() == {}


def test_in_a_delete_it_waits_for_what_refers_to_it() -> None:
    progress = looked("DELETE", [row("net", "CREATE_COMPLETE", "port"), row("port", "INIT_FAILED")])
    assert progress.waits() == {("net",): (("port",),)}


def test_what_works_already_waits_for_nothing() -> None:
    progress = looked("CREATE", [row("a", "INIT_COMPLETE", "b"), row("b", "CREATE_IN_PROGRESS")])
    assert progress.waits() == {}


def test_in_an_update_what_nobody_has_touched_is_kept() -> None:
    before = [row("a", "CREATE_COMPLETE"), row("b", "CREATE_FAILED"), row("c", "UPDATE_COMPLETE")]
    after = advanced(beginning("UPDATE", before), [*before, row("d", "CREATE_IN_PROGRESS")], 1.0)
    assert states(after) == {
        "a": State.KEPT,
        "b": State.KEPT,
        "c": State.KEPT,
        "d": State.WORKING,
    }


@pytest.mark.parametrize(
    "change",
    [
        {"resource_status": "UPDATE_COMPLETE"},
        {"updated_time": "2030-01-01T00:00:09Z"},
        {"physical_resource_id": "another"},
    ],
)
def test_in_an_update_whatever_has_moved_is_done(change: dict[str, str]) -> None:
    before = row("a", "CREATE_COMPLETE", updated_time="2030-01-01T00:00:00Z")
    after = advanced(beginning("UPDATE", [before]), [{**before, **change}], 1.0)
    assert states(after) == {"a": State.DONE}


def test_what_nobody_saw_begin_has_taken_less_than_the_time_between_two_looks() -> None:
    progress = looked("CREATE", [row("a", "INIT_COMPLETE")], [row("a", "CREATE_COMPLETE")])
    assert (progress.items["a",].seconds(9.0), progress.items["a",].at_most) == (None, 1.0)
    later = advanced(progress, [row("a", "CREATE_COMPLETE")], 5.0)
    assert later.items["a",].at_most == 1.0
    seen = looked("CREATE", [row("a", "CREATE_IN_PROGRESS")], [row("a", "CREATE_COMPLETE")])
    assert (seen.items["a",].seconds(9.0), seen.items["a",].at_most) == (1.0, None)
    assert looked("CREATE", [row("a", "CREATE_COMPLETE")]).items["a",].at_most is None


def test_only_a_later_time_leaves_a_doubt_whether_something_was_done() -> None:
    before = [
        row(name, "CREATE_COMPLETE", updated_time="2030-01-01T00:00:00Z", physical_resource_id="i")
        for name in ("time", "status", "id", "none")
    ]
    later = "2030-01-01T00:00:09Z"
    after = [
        {**before[0], "updated_time": later},
        {**before[1], "updated_time": later, "resource_status": "UPDATE_COMPLETE"},
        {**before[2], "updated_time": later, "physical_resource_id": "another"},
        before[3],
        row("new", "CREATE_COMPLETE", updated_time=later),
    ]
    start = beginning("UPDATE", before)
    assert doubtful(start, after) == {("time",)}
    assert doubtful(beginning("DELETE", before), after) == frozenset()
    known = as_before(start, after, frozenset({("time",)}))
    assert doubtful(known, after) == frozenset()
    assert states(advanced(known, after, 1.0)) == {
        "time": State.KEPT,
        "status": State.DONE,
        "id": State.DONE,
        "none": State.KEPT,
        "new": State.DONE,
    }


def test_what_was_worked_on_is_done_even_when_it_looks_as_before() -> None:
    before, working = [row("a", "UPDATE_COMPLETE")], [row("a", "UPDATE_IN_PROGRESS")]
    progress = beginning("UPDATE", before)
    for listed in (working, before):
        progress = advanced(progress, listed, 1.0)
    assert states(progress) == {"a": State.DONE}


def test_what_there_is_waits_only_for_what_is_being_changed() -> None:
    def listed(status: str) -> list[dict[str, object]]:
        return [
            row("a", status, "b"),
            row("b", "CREATE_COMPLETE", "c"),
            row("c", "CREATE_COMPLETE"),
        ]

    start = beginning("UPDATE", listed("CREATE_COMPLETE"))
    assert start.waits() == {}
    working = advanced(start, listed("UPDATE_IN_PROGRESS"), 1.0)
    assert working.waits() == {("b",): (("a",),), ("c",): (("b",),)}
    assert advanced(working, listed("UPDATE_COMPLETE"), 2.0).waits() == {}


def test_what_has_changed_since_the_operation_began_counts_as_its_work() -> None:
    old = row("old", "CREATE_COMPLETE", updated_time="2030-01-01T00:00:00Z")
    new = row("new", "UPDATE_COMPLETE", updated_time="2030-01-01T00:00:05Z")
    start = beginning("UPDATE", [old, new], since="2030-01-01T00:00:03Z")
    assert states(start) == {"new": State.DONE, "old": State.KEPT}


def test_what_is_gone_from_the_list_is_deleted() -> None:
    progress = looked("DELETE", [row("a", "DELETE_IN_PROGRESS"), row("b", "CREATE_COMPLETE")], [])
    assert progress.count(State.DONE) == 2


def test_what_a_rollback_takes_away_is_deleted_but_not_what_never_began() -> None:
    listed = [row("a", "CREATE_FAILED", "b"), row("b", "INIT_COMPLETE")]
    progress = looked("CREATE", listed, [])
    assert states(progress) == {"a": State.DONE, "b": State.WAITING}
    assert progress.items["a",].status == "DELETE_COMPLETE"


def test_time_runs_from_the_first_work_to_the_end() -> None:
    working, done = [row("a", "CREATE_IN_PROGRESS")], [row("a", "CREATE_COMPLETE")]
    assert looked("CREATE", [row("a", "INIT_COMPLETE")]).items["a",].seconds(9.0) is None
    assert looked("CREATE", [], working).items["a",].seconds(9.0) == 8.0
    assert looked("CREATE", [], working, working, done, done).items["a",].seconds(9.0) == 2.0


def test_what_nobody_saw_working_has_no_time() -> None:
    assert looked("CREATE", [row("a", "CREATE_COMPLETE")]).items["a",].seconds(9.0) is None


def test_a_second_turn_goes_on_with_the_time() -> None:
    working, done = [row("a", "UPDATE_IN_PROGRESS")], [row("a", "UPDATE_COMPLETE")]
    progress = looked("UPDATE", working, done, working)
    assert states(progress) == {"a": State.WORKING}
    assert progress.items["a",].seconds(9.0) == 9.0


def test_each_comes_after_what_it_needs_and_by_name_where_that_is_open() -> None:
    listed = [
        row("z_net", "INIT_COMPLETE", "m_port"),
        row("a_server", "INIT_COMPLETE"),
        row("m_port", "INIT_COMPLETE", "a_server"),
        row("b_word", "INIT_COMPLETE"),
    ]
    names = [item.name for item in looked("CREATE", listed).ordered()]
    assert names == ["b_word", "z_net", "m_port", "a_server"]


def test_what_is_nested_stands_below_what_holds_it_members_by_number() -> None:
    members = [row(str(number), "INIT_COMPLETE", within="g") for number in (10, 9, 0)]
    listed = [*members, row("z", "INIT_COMPLETE"), row("group", "CREATE_IN_PROGRESS", nested="g")]
    paths = [item.path for item in looked("CREATE", listed).ordered()]
    assert paths == ["group", "group.0", "group.9", "group.10", "z"]


def test_names_in_different_nested_stacks_stay_apart() -> None:
    listed = [
        row("a", "CREATE_COMPLETE", nested="x"),
        row("b", "CREATE_COMPLETE", nested="y"),
        row("net", "CREATE_COMPLETE", "port", within="x"),
        row("port", "CREATE_IN_PROGRESS", within="x"),
        row("port", "INIT_COMPLETE", within="y"),
    ]
    progress = looked("CREATE", listed)
    assert progress.items["a", "port"].needs == (("a", "net"),)
    assert progress.items["b", "port"].needs == ()


def test_of_two_objects_of_one_resource_the_one_that_is_worked_on_is_shown() -> None:
    for listed in (
        [row("a", "DELETE_IN_PROGRESS"), row("a", "CREATE_COMPLETE")],
        [row("a", "CREATE_COMPLETE"), row("a", "DELETE_IN_PROGRESS")],
    ):
        assert states(looked("UPDATE", listed)) == {"a": State.WORKING}


def test_a_long_chain_is_ordered() -> None:
    keys: list[Key] = [(f"r{number:05}",) for number in range(5000)]
    items = {b: Item(b, "T", (a,)) for a, b in pairwise(keys)}
    items[keys[0]] = Item(keys[0], "T")
    assert [item.key for item in Progress("CREATE", items).ordered()] == keys


def test_a_circle_in_what_is_told_does_not_hang() -> None:
    listed = [row("a", "INIT_COMPLETE", "b"), row("b", "INIT_COMPLETE", "a")]
    assert {item.name for item in looked("CREATE", listed).ordered()} == {"a", "b"}


def test_what_it_waits_for_stays_known_while_others_go() -> None:
    first = [row("net", "CREATE_COMPLETE", "port"), row("port", "DELETE_IN_PROGRESS")]
    progress = looked("DELETE", first, [row("net", "CREATE_COMPLETE")])
    assert progress.items["net",].needs == (("port",),)
    assert [item.name for item in progress.ordered()] == ["port", "net"]


def test_looking_again_changes_nothing_where_nothing_has_moved() -> None:
    listed = [
        row("a", "CREATE_IN_PROGRESS", "b", nested="n"),
        row("x", "INIT_COMPLETE", within="n"),
    ]
    progress = looked("CREATE", listed)
    assert advanced(progress, listed, 5.0) == replace(progress, looked=5.0)
