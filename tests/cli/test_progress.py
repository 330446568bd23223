"""How far a graph has come, from what the API tells."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from stoker.cli.progress import Item, Progress, State, advanced, undoing


def row(name: str, status: str, *required_by: str, reason: str = "") -> dict[str, Any]:
    return {
        "resource_name": name,
        "resource_type": "OS::Heat::Value",
        "resource_status": status,
        "resource_status_reason": reason,
        "required_by": list(required_by),
    }


def looked(action: str, *looks: list[dict[str, Any]]) -> Progress:
    progress = Progress(action, {})
    for second, listed in enumerate(looks):
        progress = advanced(progress, listed, float(second))
    return progress


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("INIT_COMPLETE", State.WAITING),
        ("CREATE_IN_PROGRESS", State.WORKING),
        ("CREATE_COMPLETE", State.DONE),
        ("CREATE_FAILED", State.FAILED),
        ("CHECK_COMPLETE", State.WAITING),
    ],
)
def test_the_state_follows_from_the_status_and_the_action(status: str, state: State) -> None:
    assert looked("CREATE", [row("a", status)]).items["a"].state is state


def test_what_was_made_before_waits_for_its_delete() -> None:
    progress = looked("DELETE", [row("a", "CREATE_COMPLETE"), row("b", "DELETE_IN_PROGRESS")])
    assert progress.items["a"].state is State.WAITING
    assert progress.items["b"].state is State.WORKING


def test_a_resource_waits_for_what_it_refers_to_until_that_is_done() -> None:
    first = [row("net", "CREATE_IN_PROGRESS", "port"), row("port", "INIT_COMPLETE")]
    second = [row("net", "CREATE_COMPLETE", "port"), row("port", "INIT_COMPLETE")]
    before, after = looked("CREATE", first), looked("CREATE", first, second)
    assert before.waits_for(before.items["port"]) == ("net",)
    assert after.waits_for(after.items["port"]) == ()


def test_in_a_delete_it_waits_for_what_refers_to_it() -> None:
    progress = looked("DELETE", [row("net", "CREATE_COMPLETE", "port"), row("port", "INIT_FAILED")])
    assert progress.waits_for(progress.items["net"]) == ("port",)
    assert progress.waits_for(progress.items["port"]) == ()


def test_what_works_already_waits_for_nothing() -> None:
    progress = looked("CREATE", [row("a", "INIT_COMPLETE", "b"), row("b", "CREATE_IN_PROGRESS")])
    assert progress.waits_for(progress.items["b"]) == ()


def test_what_is_gone_from_the_list_is_deleted() -> None:
    progress = looked("DELETE", [row("a", "DELETE_IN_PROGRESS"), row("b", "CREATE_COMPLETE")], [])
    assert {item.state for item in progress.items.values()} == {State.DONE}
    assert progress.done == 2


def test_what_is_gone_from_the_list_of_a_create_is_not_done() -> None:
    progress = looked("CREATE", [row("a", "CREATE_IN_PROGRESS")], [])
    assert progress.items["a"].state is State.WORKING


def test_time_runs_from_the_first_work_to_the_end() -> None:
    working, done = [row("a", "CREATE_IN_PROGRESS")], [row("a", "CREATE_COMPLETE")]
    waiting = looked("CREATE", [row("a", "INIT_COMPLETE")])
    assert waiting.items["a"].seconds(9.0) is None
    assert looked("CREATE", [], working).items["a"].seconds(9.0) == 8.0
    assert looked("CREATE", [], working, working, done, done).items["a"].seconds(9.0) == 2.0


def test_each_comes_after_what_it_needs_and_by_name_where_that_is_open() -> None:
    listed = [
        row("z_net", "INIT_COMPLETE", "m_port"),
        row("a_server", "INIT_COMPLETE"),
        row("m_port", "INIT_COMPLETE", "a_server"),
        row("b_word", "INIT_COMPLETE"),
    ]
    names = [item.name for item in looked("CREATE", listed).ordered()]
    assert names == ["b_word", "z_net", "m_port", "a_server"]


def test_a_long_chain_is_ordered() -> None:
    names = [f"r{number:05}" for number in range(5000)]
    items = {b: Item(b, "T", (a,)) for a, b in pairwise(names)}
    items[names[0]] = Item(names[0], "T")
    assert [item.name for item in Progress("CREATE", items).ordered()] == names


def test_a_delete_is_the_create_turned_round() -> None:
    made = looked("CREATE", [row("net", "CREATE_COMPLETE", "port"), row("port", "CREATE_COMPLETE")])
    start = undoing(made)
    assert start.action == "DELETE"
    assert start.waits_for(start.items["net"]) == ("port",)
    assert [item.name for item in start.ordered()] == ["port", "net"]
    assert start.done == 0


def test_what_it_waits_for_stays_known_while_others_go() -> None:
    first = [row("net", "CREATE_COMPLETE", "port"), row("port", "DELETE_IN_PROGRESS")]
    progress = looked("DELETE", first, [row("net", "CREATE_COMPLETE")])
    assert progress.items["net"].needs == ("port",)
    assert [item.name for item in progress.ordered()] == ["port", "net"]
