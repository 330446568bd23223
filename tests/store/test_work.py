from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store import work
from stoker.store.database import Database
from stoker.store.goal import NewRow, Operation
from stoker.store.work import EventRow, Result
from tests.store.traversing import START, Player, bad, good


@pytest.fixture
def player(database: Database) -> Player:
    return Player(database)


# claiming


def test_what_is_due_first_is_claimed_first_as_far_as_there_is_room(player: Player) -> None:
    player.create({"a": [], "b": [], "c": []})
    player.set("b", due=START - 5)
    player.set("c", due=START - 9)
    assert [*player.turn(room=2)] == ["b", "c"]
    assert [*player.turn(room=2)] == ["a"]


def test_what_is_due_later_is_left(player: Player) -> None:
    player.create({"a": []})
    player.set("a", due=START + 1)
    assert player.turn() == {}
    player.now += 1
    assert [*player.turn()] == ["a"]


def test_a_row_is_held_by_one_engine(player: Player) -> None:
    player.create({"a": []})
    claim = player.turn(engine="e1")["a"]
    assert player.turn(engine="e2") == {}
    row = player.row("a")
    assert (row.engine_id, row.epoch, row.due) == ("e1", claim.epoch, None)
    assert (claim.engine_id, claim.epoch, claim.forward) == ("e1", 1, True)


def test_a_verb_under_way_makes_the_claim_an_intent(player: Player) -> None:
    player.create({"a": [], "b": []})
    player.set("a", verb="create")
    claims = player.turn()
    assert (player.row("a").intent_at, player.row("b").intent_at) == (START, None)
    assert not claims["a"].in_doubt


def test_an_intent_from_before_is_in_doubt_and_keeps_its_time(player: Player) -> None:
    player.create({"a": []})
    player.set("a", verb="create", intent_at=START - 50)
    assert player.turn()["a"].in_doubt
    assert player.row("a").intent_at == START - 50


def test_a_claim_comes_with_its_stack_and_what_poisons_it(player: Player) -> None:
    op = player.create({"a": [], "b": ["a"]})
    claim = player.turn(bad(player.turn()["a"]))["b"]
    assert (claim.stack.id, claim.poisoned) == (op.stack_id, True)


# results that count


def test_a_step_that_goes_on_keeps_its_claim_with_a_new_intent(player: Player) -> None:
    player.create({"a": []})
    claim = player.turn()["a"]
    player.set("a", attempt=3)
    player.now += 10
    again = player.turn(Result(claim, {"verb": "create"}, on=True))["a"]
    assert (again.epoch, again.in_doubt, again.row.verb) == (claim.epoch, False, "create")
    row = player.row("a")
    assert (row.engine_id, row.intent_at, row.attempt) == ("e1", START + 10, 0)


def test_only_a_verb_or_a_hearing_under_way_has_an_intent(player: Player) -> None:
    player.create({"a": []})
    player.set("a", verb="update")
    ended = {"verb": None, "intent_at": None}  # what an older goal began, and now the newer one's
    claim = player.turn(Result(player.turn()["a"], ended, on=True))["a"]
    assert player.row("a").intent_at is None
    player.turn(Result(claim, {"inbox_read": 1}, on=True))
    assert player.row("a").intent_at == START


def test_a_step_that_waits_gives_its_row_back_with_a_due_time(player: Player) -> None:
    player.create({"a": []})
    player.turn(Result(player.turn()["a"], seconds=7.5))
    row = player.row("a")
    assert (row.engine_id, row.due) == (None, START + 7.5)


def test_a_step_that_waits_to_be_woken_is_not_due(player: Player) -> None:
    player.create({"a": []})
    player.turn(Result(player.turn()["a"]))
    row = player.row("a")
    assert (row.engine_id, row.due) == (None, None)


def test_a_wake_that_came_during_the_step_is_not_lost(player: Player) -> None:
    player.create({"a": []})
    claim = player.turn()["a"]
    player.set("a", due=START)
    assert [*player.turn(Result(claim))] == ["a"]


def test_a_good_end_releases_what_waited_for_it_and_the_last_ends_the_stack(
    player: Player,
) -> None:
    op = player.create({"a": [], "b": ["a"]})
    claims = player.turn(good(player.turn()["a"]))
    assert [*claims] == ["b"]
    player.turn(good(claims["b"]))
    stack = player.stack(op)
    assert (stack.status, stack.remaining, stack.deadline) == ("COMPLETE", 0, None)
    assert player.nodes() == []


def test_results_of_one_batch_count_together(player: Player) -> None:
    op = player.create({"a": [], "b": [], "c": ["a", "b"]})
    claims = player.turn()
    assert [*player.turn(good(claims["a"]), bad(claims["b"], "why"))] == ["c"]
    assert (player.stack(op).remaining, player.stack(op).failures) == (1, 1)


def test_a_gone_row_takes_its_data_and_its_letters_along(player: Player) -> None:
    op = player.create({"a": []})
    player.turn(good(player.turn()["a"]))
    player.insert(t.resource_data, resource_id=player.rows["a"], key="k", value=b"v")
    letter = {"kind": "signal", "payload": b"", "created_at": sa.func.current_timestamp()}
    player.insert(t.inbox, resource_id=player.rows["a"], **letter)
    player.begin(player.next(op, {"-a": []}, "DELETE"))
    player.turn(replace(good(player.turn()["a"]), gone=True))
    assert [player.count(x) for x in (t.resource, t.resource_data, t.inbox)] == [0, 0, 0]
    assert player.stack(op).deleted_at is not None


def test_columns_events_and_data_are_written_with_the_result(player: Player) -> None:
    player.create({"a": []})
    event = EventRow("CREATE", "COMPLETE", "state changed", "id-1", b"sealed")
    claim = player.turn()["a"]
    player.insert(t.resource_data, resource_id=player.rows["a"], key="old", value=b"v")
    result = replace(good(claim, physical_id="id-1"), events=(event,), data={"new": b"w"})
    player.turn(result)
    assert player.row("a").physical_id == "id-1"
    assert player.events()[1] == ("a", "CREATE", "COMPLETE")
    with player.database.read() as connection:
        kept = connection.execute(sa.select(t.resource_data.c.key)).scalars().all()
    assert kept == ["new"]


# results that do not count


@pytest.mark.parametrize(
    "taken",
    [
        pytest.param({"epoch": 2}, id="its epoch went on"),
        pytest.param({"engine_id": "e2"}, id="another engine holds the row"),
        pytest.param({"engine_id": None}, id="nobody holds the row"),
    ],
)
def test_a_fenced_result_leaves_no_trace(player: Player, taken: dict[str, Any]) -> None:
    op = player.create({"a": [], "b": []})
    claims = player.turn()
    player.set("a", **taken)
    before = player.row("a")
    event = EventRow("CREATE", "COMPLETE", "state changed", "id-1")
    fenced = replace(good(claims["a"], physical_id="id-1"), events=(event,), data={"k": b"v"})
    player.turn(fenced, good(claims["b"]), room=0)
    assert player.row("a") == before
    assert player.count(t.resource_data) == 0
    assert player.stack(op).remaining == 1, "the other result of the batch counts"


def test_a_result_for_a_row_that_is_gone_is_dropped(player: Player) -> None:
    player.create({"a": [], "b": []})
    claims = player.turn()
    with player.database.write() as connection:
        connection.execute(sa.delete(t.resource).where(t.resource.c.id == player.rows["a"]))
    player.turn(good(claims["a"]), good(claims["b"]))
    assert [row.name for row in player.resources()] == ["b"]


def test_a_superseded_result_writes_what_it_did_and_nothing_else(player: Player) -> None:
    op = player.create({"a": [], "b": ["a"]})
    claim = player.turn()["a"]
    player.begin(player.next(op, {"+a": [], "+b": ["+a"]}))
    event = EventRow("CREATE", "COMPLETE", "state changed", "id-1")
    did = {"physical_id": "id-1", "sent": b"sent", "type": "T::New", "implementation": "T::New"}
    player.turn(replace(good(claim, **did), events=(event,)), room=0)
    row = player.row("a")
    assert (row.physical_id, row.sent, row.type, row.engine_id) == (
        "id-1", b"sent", "T::New", None,
    )  # fmt: skip
    assert row.implementation == "T::New", "what was sent is that type's"
    assert row.due == START
    assert player.stack(op).remaining == 2
    assert player.row("b").due is None
    assert [name for name, _, _ in player.events()] == ["s", "s"]


def test_a_superseded_result_begins_no_child_and_makes_no_replacement(player: Player) -> None:
    op = player.create({"a": []})
    claim = player.turn()["a"]
    player.begin(player.next(op, {"+a": []}))
    new = NewRow("a", "T", "T", player.uuid(), 0, b"", ())
    child = replace(op, stack_id=player.uuid())
    player.turn(Result(claim, replacement=new), room=0)
    player.turn(Result(claim, child=child), room=0)
    assert player.count(t.stack) == 1
    assert player.count(t.resource) == 1


# replacement


@pytest.fixture
def replaced(player: Player) -> tuple[Operation, Result]:
    """A stack in which a is being replaced, b needs a, and the result that says so."""
    op = player.create({"a": [], "b": ["a"]})
    b = player.turn(good(player.turn()["a"]))["b"]
    player.turn(good(b))
    op = player.begin(player.next(op, {"+a": [], "+b": ["+a"], "-a": ["+a", "+b"]}))
    new = NewRow("a", "T::New", "T::New", player.uuid(), 0, b"new", ())
    return op, Result(player.turn()["a"], replacement=new)


def test_a_replacement_takes_the_name_and_the_node(
    player: Player, replaced: tuple[Operation, Result]
) -> None:
    op, result = replaced
    claim = player.turn(result)["a"]
    old, new = player.row("a", current=False), player.row("a")
    assert claim.row.id == new.id != old.id
    assert (new.replaces_id, new.type, new.action) == (old.id, "T::New", "INIT")
    assert (old.engine_id, old.due) == (None, None)
    b = player.turn(good(claim))["b"]
    gone = player.turn(good(b))["a"]
    assert (gone.row.id, gone.forward) == (old.id, False)
    player.turn(replace(good(gone), gone=True))
    assert player.stack(op).status == "COMPLETE"
    assert [row.is_current for row in player.resources()] == [True, True]


def test_an_exclusive_value_is_freed_before_its_replacement_is_made(
    player: Player, replaced: tuple[Operation, Result]
) -> None:
    op, result = replaced
    gone = player.turn(replace(result, delete_first=True))["a"]
    assert not gone.forward
    assert player.row("a").due is None
    claim = player.turn(replace(good(gone), gone=True))["a"]
    assert claim.forward
    b = player.turn(good(claim))["b"]
    player.turn(good(b))
    assert player.stack(op).status == "COMPLETE"


def test_a_replacement_is_not_made_where_what_holds_its_value_cannot_go(
    player: Player, replaced: tuple[Operation, Result]
) -> None:
    op, result = replaced
    gone = player.turn(replace(result, delete_first=True))["a"]
    claim = player.turn(bad(gone, "it will not go"))["a"]
    assert claim.poisoned
    b = player.turn(bad(claim))["b"]
    player.turn(bad(b))
    assert (player.stack(op).status, player.stack(op).status_reason) == ("FAILED", "it will not go")


# children


def child_of(player: Player, op: Operation, **changes: Any) -> Operation:
    parent = {"parent_resource_id": player.rows["a"], "parent_resource_name": "a"}
    stack_id = player.uuid()
    stack = {**op.stack, **parent, "name": "c", "taken_name": None, "owner_id": op.stack_id}
    changed = {"stack_id": stack_id, "traversal_id": player.uuid(), "stack": stack, **changes}
    return replace(op, **{**changed, "new": tuple(player.new_row(x.name) for x in op.new)})


def parent_columns(child: Operation) -> dict[str, Any]:
    return {"physical_id": child.stack_id, "child_traversal": child.traversal_id}


def test_a_child_begins_with_the_step_and_its_end_wakes_its_parent(player: Player) -> None:
    op = player.create({"a": []})
    claim, child = player.turn()["a"], child_of(player, op)
    inner = player.turn(Result(claim, parent_columns(child), child=child))["a"]
    assert inner.row.stack_id == child.stack_id
    outer = player.turn(good(inner))["a"]
    assert (outer.row.stack_id, outer.row.child_traversal) == (op.stack_id, child.traversal_id)
    player.turn(good(outer))


def test_a_child_without_work_wakes_its_parent_in_the_same_commit(player: Player) -> None:
    op = player.create({"a": []})
    claim, child = player.turn()["a"], child_of(player, op, needs={}, new=())
    child = replace(child, new=())
    again = player.turn(Result(claim, parent_columns(child), child=child))["a"]
    assert again.row.id == claim.row.id
    assert again.row.child_traversal == child.traversal_id


def test_what_was_done_in_a_child_counts_no_more_once_its_parent_supersedes_it(
    player: Player,
) -> None:
    op = player.create({"a": []})
    claim, child = player.turn()["a"], child_of(player, op)
    inner = player.turn(Result(claim, parent_columns(child), child=child))["a"]
    player.begin(player.next(op, {"+a": []}))
    outer = player.turn()["a"]
    newer = player.next(child, {"-a": []}, action="DELETE")
    begun = Result(outer, parent_columns(newer), child=newer)
    again = player.turn(begun, Result(inner, ended="good", gone=True))["a"]
    assert (again.row.id, again.forward) == (inner.row.id, False)
    outer = player.turn(Result(again, ended="good", gone=True))["a"]
    assert (outer.row.stack_id, outer.row.child_traversal) == (op.stack_id, newer.traversal_id)


def test_a_child_that_moved_on_has_the_step_done_anew(player: Player) -> None:
    op = player.create({"a": []})
    claim, child = player.turn()["a"], child_of(player, op)
    moved = replace(child, version=5)
    event = EventRow("CREATE", "IN_PROGRESS", "state changed", None)
    again = player.turn(Result(claim, parent_columns(moved), child=moved, events=(event,)))["a"]
    assert (again.row.id, again.row.physical_id) == (claim.row.id, None)
    assert player.count(t.stack) == 1
    assert len(player.events()) == 1


def test_the_end_of_a_child_that_its_parent_gave_up_wakes_nobody(player: Player) -> None:
    op = player.create({"a": []})
    claim, child = player.turn()["a"], child_of(player, op)
    inner = player.turn(Result(claim, parent_columns(child), child=child))["a"]
    with player.database.write() as connection:
        mine = t.resource.c.id == claim.row.id
        connection.execute(sa.update(t.resource).where(mine).values(child_traversal=player.uuid()))
    assert player.turn(good(inner)) == {}


# a commit without an answer


def test_rows_that_an_engine_holds_without_knowing_it_are_given_back(player: Player) -> None:
    player.create({"a": [], "b": [], "c": []})
    claims = player.turn(room=2)
    player.turn(engine="e2")
    known = [claims["a"]]  # the answer with b was lost
    with player.database.write() as connection:
        work.disown(connection, "e1", known, player.now)
    rows = {row.name: (row.engine_id, row.epoch, row.due) for row in player.resources()}
    assert rows == {"a": ("e1", 1, None), "b": (None, 2, START), "c": ("e2", 1, None)}


def test_a_row_claimed_anew_in_the_lost_commit_is_given_back_too(player: Player) -> None:
    player.create({"a": []})
    before = player.turn()["a"]
    player.turn(Result(before, seconds=0.0))  # and claimed again, which the engine never heard
    with player.database.write() as connection:
        work.disown(connection, "e1", [before], player.now)
    row = player.row("a")
    assert (row.engine_id, row.epoch, row.due) == (None, 3, START)


def test_a_stack_is_overdue_from_its_deadline_on(player: Player) -> None:
    player.create({"a": []})

    def is_overdue(seconds: float) -> bool:
        with player.database.read() as connection:
            return work.overdue(connection, START + seconds)

    assert not is_overdue(3599)
    assert is_overdue(3600)
