from __future__ import annotations

import shutil
from random import Random
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoker.store import tables as t
from stoker.store.database import Database
from stoker.store.traversal import NOT_FULLY, NOT_SUPPORTED, cancel, expire, moment, reset
from stoker.store.work import AtOnce, Result
from tests.store.traversing import START, Player, bad, good

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from stoker.store.claims import Claim
    from stoker.store.goal import Operation
    from stoker.store.seal import Sealer


@pytest.fixture
def player(database: Database) -> Player:
    return Player(database)


def expired(player: Player) -> list[str]:
    with player.database.write() as connection:
        return expire(connection, player.now)


# ends


def test_the_first_cause_of_a_failure_is_kept(player: Player) -> None:
    op = player.create({"a": [], "b": [], "c": []})
    claims = player.turn()
    player.turn(bad(claims["a"], "first"))
    player.turn(bad(claims["b"], "second"), good(claims["c"]))
    stack = player.stack(op)
    assert (stack.status, stack.status_reason, stack.failures) == ("FAILED", "first", 2)


def test_findings_are_all_told(player: Player) -> None:
    op = player.create({"a": [], "b": [], "c": []})
    player.turn(*map(good, player.turn().values()))
    player.begin(player.next(op, {"+a": [], "+b": [], "+c": []}, "CHECK"))
    claims = player.turn()
    player.turn(bad(claims["a"], "It failed: a", "a"), bad(claims["b"], "It failed: b", "b"))
    player.turn(bad(claims["c"], "It failed: c", "c"))
    assert player.stack(op).status_reason == "It failed: a; b; c"


@pytest.mark.parametrize(
    ("reason", "more"),
    [
        ("state changed", ""),
        (f"{NOT_SUPPORTED}T::Plain", f". {NOT_FULLY}"),
        (NOT_FULLY, f". {NOT_FULLY}"),
    ],
)
def test_a_check_that_could_not_see_everything_says_so(
    player: Player, reason: str, more: str
) -> None:
    op = player.create({"a": [], "b": []})
    player.turn(*map(good, player.turn().values()))
    player.begin(player.next(op, {"+a": [], "+b": []}, "CHECK"))
    claims = player.turn()
    player.turn(good(claims["a"], action="CHECK", status_reason=reason), good(claims["b"]))
    assert player.stack(op).status_reason == f"Stack CHECK completed successfully{more}"


@pytest.mark.parametrize("action", ["CHECK", "SUSPEND", "RESUME"])
def test_what_changes_no_goal_reaches_none(player: Player, action: str) -> None:
    op = player.create({"a": []})
    player.turn(good(player.turn()["a"]))
    reached = player.stack(op).complete_template_id
    player.begin(player.next(op, {"+a": []}))
    player.turn(bad(player.turn()["a"], "why"))
    player.begin(player.next(op, {"+a": []}, action))
    player.turn(good(player.turn()["a"]))
    stack = player.stack(op)
    assert (stack.action, stack.status) == (action, "COMPLETE")
    assert stack.complete_template_id == reached != stack.template_id


def test_a_failure_poisons_what_waited_for_it_and_nothing_else(player: Player) -> None:
    player.create({"a": [], "b": [], "c": ["a", "b"], "d": ["b"]})
    claims = player.turn()
    later = player.turn(bad(claims["a"], "why"), good(claims["b"]))
    assert {name: claim.poisoned for name, claim in later.items()} == {"c": True, "d": False}


def test_a_stack_that_was_created_has_no_time_of_update(player: Player) -> None:
    op = player.create({"a": []})
    player.turn(good(player.turn()["a"]))
    assert player.stack(op).updated_at is None


@pytest.mark.parametrize("action", ["UPDATE", "DELETE"])
def test_the_time_of_update_is_that_of_an_operations_beginning_and_then_of_its_end(
    player: Player, action: str
) -> None:
    op = player.create({"a": []})
    player.turn(good(player.turn()["a"]))
    player.now += 60
    player.begin(player.next(op, {"+a": []}, action))
    assert player.stack(op).updated_at == moment(player.now)
    player.now += 60
    player.turn(good(player.turn()["a"]))
    assert player.stack(op).updated_at == moment(player.now)


def test_the_end_of_a_delete_frees_the_name_and_gives_up_the_credentials(player: Player) -> None:
    insert = sa.insert(t.user_creds).values(
        id=7, state="HELD", mark="m", project_id="p", user_id="u", created_at=sa.func.now()
    )
    with player.database.write() as connection:
        connection.execute(insert)
    op = player.create({"a": []}, user_creds_id=7)
    player.turn(good(player.turn()["a"]))
    assert creds(player) == "HELD"
    player.begin(player.next(op, {"-a": []}, "DELETE"))
    assert creds(player) == "HELD"
    player.turn(good(player.turn()["a"]))
    stack = player.stack(op)
    assert (stack.taken_name, stack.deadline, creds(player)) == (None, None, "REVOKING")
    assert stack.deleted_at is not None


def test_a_failed_delete_gives_up_nothing(player: Player) -> None:
    op = player.create({"a": []}, user_creds_id=7)
    player.turn(good(player.turn()["a"]))
    player.begin(player.next(op, {"-a": []}, "DELETE"))
    player.turn(bad(player.turn()["a"], "it will not go"))
    stack = player.stack(op)
    assert (stack.status, stack.deleted_at, stack.taken_name) == ("FAILED", None, "p/s")


def creds(player: Player) -> str:
    with player.database.read() as connection:
        return str(connection.scalar(sa.select(t.user_creds.c.state)))


# time


def test_a_stack_that_has_used_up_its_time_fails_and_its_work_is_superseded(
    player: Player,
) -> None:
    op = player.create({"a": [], "b": ["a"], "c": []})
    claims = player.turn()
    player.set("a", status="IN_PROGRESS", verb="create", intent_at=START)
    player.now += 3600
    assert expired(player) == [op.stack_id]
    stack = player.stack(op)
    assert (stack.status, stack.status_reason, stack.deadline) == ("FAILED", "Timed out", None)
    assert player.nodes() == []
    assert (player.row("a").status, player.row("a").status_reason) == ("FAILED", "Timed out")
    assert player.turn(good(claims["a"], physical_id="id-1"), good(claims["c"])) == {}
    assert player.row("a").physical_id == "id-1", "what a late step made is recorded"
    assert player.stack(op) == stack


def test_what_was_in_doubt_when_time_was_up_stays_in_doubt(player: Player) -> None:
    op = player.create({"a": []})
    player.set("a", verb="create", intent_at=START - 1)
    player.now += 3600
    expired(player)
    player.begin(player.next(op, {"-a": []}, "DELETE"))
    assert player.turn()["a"].in_doubt


def test_a_stack_with_time_left_goes_on(player: Player) -> None:
    op = player.create({"a": []})
    player.now += 3599
    assert expired(player) == []
    assert player.stack(op).status == "IN_PROGRESS"


def test_a_stack_that_has_ended_does_not_expire(player: Player) -> None:
    op = player.create({"a": []})
    player.turn(good(player.turn()["a"]))
    player.now += 10_000
    assert expired(player) == []
    assert player.stack(op).status == "COMPLETE"


# cancels


def cancelled(player: Player, op: Operation) -> str | None:
    with player.database.write() as connection:
        return cancel(connection, op.stack_id, player.now)


def test_a_cancelled_stack_fails_where_it_stands_and_its_work_is_superseded(
    player: Player,
) -> None:
    op = player.create({"a": [], "b": ["a"], "c": []})
    claims = player.turn()
    player.set("a", status="IN_PROGRESS", verb="create", intent_at=START)
    assert cancelled(player, op) is None
    stack, reason = player.stack(op), "Stack CREATE cancelled"
    assert (stack.status, stack.status_reason, stack.deadline) == ("FAILED", reason, None)
    assert player.events()[-1] == ("s", "CREATE", "FAILED")
    assert player.nodes() == []
    assert (player.row("a").status, player.row("b").status) == ("FAILED", "COMPLETE")
    assert player.turn(good(claims["a"], physical_id="id-1"), good(claims["c"])) == {}
    assert player.row("a").physical_id == "id-1", "what a late step made is recorded"
    assert player.stack(op) == stack


def test_a_step_that_would_go_on_does_not_bring_a_cancelled_resource_back_to_life(
    player: Player,
) -> None:
    op = player.create({"a": []})
    claim = player.turn()["a"]
    player.set("a", status="IN_PROGRESS", verb="create", intent_at=START)
    cancelled(player, op)
    going = {"action": "CREATE", "status": "IN_PROGRESS", "physical_id": "id-1"}
    player.turn(Result(claim, going, seconds=1.0))
    row = player.row("a")
    assert (row.status, row.status_reason, row.physical_id) == (
        "FAILED",
        "Stack CREATE cancelled",
        "id-1",
    )


def test_what_is_cancelled_ends_in_the_stacks_below_too(player: Player) -> None:
    top, other = player.create({"a": []}), player.create({"x": []}, name="other")
    done = player.create({"b": []}, name="done", owner_id=top.stack_id)
    player.turn(good(player.turn()["b"]))
    deep = player.create({"c": []}, name="deep", owner_id=done.stack_id)
    assert cancelled(player, top) is None
    states = {name: player.stack(op).status for name, op in
              {"top": top, "done": done, "deep": deep, "other": other}.items()}  # fmt: skip
    assert states == {
        "top": "FAILED", "done": "COMPLETE", "deep": "FAILED", "other": "IN_PROGRESS",
    }  # fmt: skip


@pytest.mark.parametrize("action", ["CREATE", "DELETE"])
def test_an_operator_ends_whatever_goes_on_in_a_tree(player: Player, action: str) -> None:
    top = player.create({"a": []})
    below = player.create({"b": []}, name="below", owner_id=top.stack_id)
    if action == "DELETE":
        player.begin(player.next(top, {"-a": []}, "DELETE"))
    with player.database.write() as connection:
        assert reset(connection, top.stack_id, player.now)
        assert not reset(connection, "no such stack", player.now)
    for op in (top, below):
        stack = player.stack(op)
        assert (stack.status, stack.status_reason) == ("FAILED", "Stack status manually reset")
    assert player.nodes() == []


def test_a_cancelled_child_wakes_its_parent(player: Player) -> None:
    top = player.create({"a": []})
    row = player.rows["a"]
    child = player.create({"b": []}, name="child", owner_id=top.stack_id, parent_resource_id=row)
    player.rows["a"] = row
    player.turn()
    player.set("a", child_traversal=child.traversal_id, due=None, engine_id=None)
    assert cancelled(player, child) is None
    assert player.row("a").due == player.now
    assert player.stack(top).status == "IN_PROGRESS"


def test_there_is_nothing_to_cancel_in_a_stack_that_has_ended_or_goes(player: Player) -> None:
    op = player.create({"a": []})
    player.turn(good(player.turn()["a"]))
    before = (player.stack(op), player.events())
    assert cancelled(player, op) == "CREATE_COMPLETE"
    assert (player.stack(op), player.events()) == before
    player.begin(player.next(op, {"-a": []}, "DELETE"))
    assert cancelled(player, op) == "DELETE_IN_PROGRESS"
    assert player.stack(op).status == "IN_PROGRESS"


# every graph


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("traversals")


@pytest.fixture
def empty_file(playground: Path, sealer: Sealer) -> Iterator[Database]:
    database = Database(f"sqlite:///{playground / 'a.db'}", sealer)
    t.metadata.create_all(database.engine)
    yield database
    database.close()
    shutil.rmtree(playground)
    playground.mkdir()


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, list[str]]:
    size = draw(st.integers(1, 8))
    return {
        f"n{i}": draw(st.lists(st.sampled_from([f"n{j}" for j in range(i)]), unique=True))
        if i
        else []
        for i in range(size)
    }


@settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    graph=graphs(),
    failing=st.sets(st.integers(0, 7)),
    quick=st.sets(st.integers(0, 7)),
    seed=st.integers(0, 999),
)
def test_whatever_fails_each_node_ends_once_and_the_stack_ends_as_it_should(
    empty_file: Database,
    graph: dict[str, list[str]],
    failing: set[int],
    quick: set[int],
    seed: int,
) -> None:
    player, order = Player(empty_file), Random(seed)  # noqa: S311 - an order, no secret
    player.types = {name: "T::Quick" for name in graph if int(name[1:]) in quick}
    op = player.create(graph, name=str(uuid4()))
    ended: dict[str, bool] = {}
    flying: dict[str, Claim] = {}

    def end(claim: Claim) -> Result:
        name = claim.row.name
        assert name not in ended
        assert claim.poisoned == any(not ended[need] for need in graph[name])
        ended[name] = not claim.poisoned and int(name[1:]) not in failing
        return good(claim) if ended[name] else bad(claim, name)

    def perform(claim: Claim) -> Result | None:
        return end(claim) if order.random() < 0.8 else None

    at_once = AtOnce(frozenset({"T::Quick"}), perform)
    while flying or player.stack(op).status == "IN_PROGRESS":
        chosen = order.sample(sorted(flying), order.randint(0, len(flying)))
        results = [end(flying.pop(name)) for name in chosen]
        flying |= player.turn(*results, room=order.randint(0, 2), at_once=at_once)
        assert all(need in ended for name in flying for need in graph[name])
        assert player.stack(op).remaining == len(graph) - len(ended)
    assert ended.keys() == graph.keys()
    failures = sum(not was_good for was_good in ended.values())
    stack = player.stack(op)
    assert (stack.status, stack.failures) == ("FAILED" if failures else "COMPLETE", failures)
    assert player.nodes() == []
