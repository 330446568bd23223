"""Snapshots, their copies and abandonments as commits, on each database."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from stoker.plan.node import Node
from stoker.store import audit, queries, resources, snapshots, work
from stoker.store import tables as t
from stoker.store.abandonment import Nested, abandon
from stoker.store.beginning import begin
from stoker.store.forgetting import Forgotten, forget
from stoker.store.goal import Moved, NewRow
from stoker.store.snapshots import NewSnapshot
from stoker.store.traversal import expire
from tests.store.traversing import Player, bad, good

if TYPE_CHECKING:
    from stoker.store.database import Database
    from stoker.store.goal import Operation


@pytest.fixture
def player(database: Database) -> Player:
    return Player(database)


@pytest.fixture
def made(player: Player) -> Operation:
    """A stack of a and b (which needs a) that is complete."""
    op = player.create({"a": [], "b": ["a"]})
    for name in "ab":
        player.turn(good(player.turn()[name]), room=0)
    return op


def taking(player: Player, made: Operation) -> Operation:
    """Begin a snapshot with a copy of each of the two; b's needs a's."""
    snapshot_id = player.uuid()
    rows = {row.name: row.id for row in player.resources() if row.snapshot_id is None}
    copies = {
        name: NewRow(
            name, "T::Plain", "T::Plain#copy", player.uuid(), 0, b"", (), snapshot_id=snapshot_id
        )
        for name in "ab"
    }
    nodes = {name: Node(forward=True, row=copy.uuid) for name, copy in copies.items()}
    op = replace(
        player.next(made, {}, "SNAPSHOT"),
        traversal_id=snapshot_id,
        needs={nodes["a"]: frozenset(), nodes["b"]: frozenset({nodes["a"]})},
        new=tuple(copies.values()),
        rows=frozenset(rows.values()),
        snapshot=NewSnapshot(snapshot_id, "one", "p", b"data"),
    )
    with player.database.write() as connection:
        begin(connection, op, player.now)
    return op


def taken(player: Player, made: Operation) -> Operation:
    """Take a snapshot."""
    op = taking(player, made)
    for name in "ab":
        player.turn(good(player.turn()[name], physical_id=f"copy of {name}"), room=0)
    assert player.stack(op).status == "COMPLETE"
    return op


def shown(player: Player, op: Operation) -> Any:
    with player.database.read() as connection:
        return snapshots.one(connection, op.stack_id, op.traversal_id)


def forgotten(player: Player, op: Operation) -> Forgotten:
    with player.database.write() as connection:
        return forget(connection, op.stack_id, op.traversal_id, player.uuid(), player.now)


def test_a_snapshot_ends_with_the_operation_that_takes_it(player: Player, made: Operation) -> None:
    op = taking(player, made)
    assert (shown(player, op).action, shown(player, op).status) == ("CREATE", "IN_PROGRESS")
    first = player.turn()
    assert [claim.row.physical_id for claim in first.values()] == [None]
    player.turn(good(first["a"]), room=0)
    player.turn(good(player.turn()["b"]), room=0)
    snapshot = shown(player, op)
    assert (snapshot.status, snapshot.reason) == (
        "COMPLETE", "Stack SNAPSHOT completed successfully",
    )  # fmt: skip
    assert (snapshot.name, snapshot.data) == ("one", b"data")
    assert player.stack(op).complete_template_id == player.stack(op).template_id


def test_a_snapshot_fails_with_its_operation(player: Player, made: Operation) -> None:
    op = taking(player, made)
    player.turn(bad(player.turn()["a"], "why"), room=0)
    player.turn(bad(player.turn()["b"]), room=0)
    assert (shown(player, op).status, shown(player, op).reason) == ("FAILED", "why")


def test_copies_are_neither_planned_nor_shown_nor_counted(player: Player, made: Operation) -> None:
    op = taken(player, made)
    with player.database.read() as connection:
        names = [row.name for row in queries.resources(connection, op.stack_id)]
        every = queries.resources(connection, op.stack_id, copies=True)
        seen = resources.of_stacks(connection, [op.stack_id])
        assert queries.tree_size(connection, op.stack_id) == 2
        kept = snapshots.copies(connection, op.stack_id)
    assert (names, len(every), [row.name for row in seen]) == (["a", "b"], 4, ["a", "b"])
    assert {copy.physical_id for copy in kept} == {"copy of a", "copy of b"}


def test_a_snapshot_is_deleted_beside_an_update_of_its_stack(
    player: Player, made: Operation
) -> None:
    op = taken(player, made)
    assert forgotten(player, op) is Forgotten.BEGUN
    assert forgotten(player, op) is Forgotten.BEGUN, "it goes on"
    update = replace(player.next(made, {}), idle={}, rows=_own(player))
    with player.database.write() as connection:
        begin(connection, replace(update, needs={}), player.now)
    assert player.stack(made).status == "COMPLETE"
    claims = player.turn()
    assert set(claims) == {"a", "b"}
    assert not any(claim.forward for claim in claims.values())
    gone = [replace(good(claim), gone=True) for claim in claims.values()]
    player.turn(gone[0], room=0)
    assert shown(player, op).action == "DELETE"
    player.turn(gone[1], room=0)
    assert shown(player, op) is None
    assert [player.count(x) for x in (t.sync_point, t.snapshot)] == [0, 0]
    assert len(player.resources()) == 2
    assert player.stack(made).failures == 0


def _own(player: Player) -> frozenset[int]:
    return frozenset(row.id for row in player.resources() if row.snapshot_id is None)


def test_a_deletion_that_fails_keeps_the_first_reason_and_can_be_repeated(
    player: Player, made: Operation
) -> None:
    op = taken(player, made)
    forgotten(player, op)
    claims = player.turn()
    player.turn(bad(claims["a"], "first"), bad(claims["b"], "second"), room=0)
    snapshot = shown(player, op)
    assert (snapshot.action, snapshot.status) == ("DELETE", "FAILED")
    assert snapshot.reason in ("first", "second")
    assert player.stack(op).status_reason == "Stack SNAPSHOT completed successfully"
    assert forgotten(player, op) is Forgotten.BEGUN
    for claim in player.turn().values():
        player.turn(replace(good(claim), gone=True), room=0)
    assert shown(player, op) is None


def test_a_snapshot_that_is_being_taken_or_is_not_there_cannot_be_deleted(
    player: Player, made: Operation
) -> None:
    op = taking(player, made)
    assert forgotten(player, op) is Forgotten.BUSY
    assert forgotten(player, replace(op, traversal_id=player.uuid())) is Forgotten.ABSENT
    assert forgotten(player, replace(op, stack_id=player.uuid())) is Forgotten.ABSENT


def test_the_end_of_a_stacks_time_leaves_a_deletion_aside_alone(
    player: Player, made: Operation
) -> None:
    first = taken(player, made)
    second = taking(player, made)
    forgotten(player, first)
    player.now += 7200
    with player.database.write() as connection:
        expire(connection, player.now)
    assert (shown(player, second).status, shown(player, second).reason) == ("FAILED", "Timed out")
    for claim in player.turn().values():
        assert claim.row.snapshot_id == first.traversal_id
        player.turn(replace(good(claim), gone=True), room=0)
    assert shown(player, first) is None
    assert shown(player, second) is not None


def test_a_deletion_of_the_stack_takes_the_copies_over(player: Player, made: Operation) -> None:
    op = taken(player, made)
    forgotten(player, op)
    every = [row.id for row in player.resources()]
    delete = replace(
        player.next(made, {}, "DELETE"),
        needs={Node(forward=False, row=row): frozenset() for row in every},
        doomed=frozenset(every),
        rows=frozenset(every),
    )
    player.begin(delete)
    assert (shown(player, op).action, shown(player, op).status) == ("DELETE", "IN_PROGRESS")
    with player.database.write() as connection:
        claims = work.turn(connection, "e1", [], 100, player.now)
    assert len(claims) == 4
    player.turn(*[replace(good(claim), gone=True) for claim in claims], room=0)
    assert player.stack(made).deleted_at is not None
    assert [player.count(x) for x in (t.resource, t.snapshot, t.sync_point)] == [0, 0, 0]


# abandoning


def test_an_abandoned_tree_ends_in_one_commit(player: Player, made: Operation) -> None:
    child = player.create(
        {"x": []}, "child", owner_id=made.stack_id, root_id=made.stack_id,
        parent_resource_id=player.rows["a"], parent_resource_name="a", taken_name=None,
        nested_depth=1,
    )  # fmt: skip
    player.turn(good(player.turn()["x"]), room=0)
    rows = {row.id: row.epoch for row in player.resources() if row.stack_id == made.stack_id}
    inner = {row.id: row.epoch for row in player.resources() if row.stack_id == child.stack_id}
    op = replace(
        player.next(made, {}, "DELETE"), needs={}, rows=frozenset(rows), forgotten=rows
    )  # fmt: skip
    stale = Nested(
        child.stack_id, player.stack(child).version, {k: v + 1 for k, v in inner.items()}
    )
    with pytest.raises(Moved), player.database.write() as connection:
        abandon(connection, op, [stale], player.now)
    assert player.count(t.resource) == 3
    with player.database.write() as connection:
        abandon(connection, op, [replace(stale, rows=inner)], player.now)
    assert player.count(t.resource) == 0
    for each in (made, child):
        row = player.stack(each)
        assert (row.action, row.status, row.taken_name) == ("DELETE", "COMPLETE", None)
        assert row.deleted_at is not None


# the audit


def test_the_audit_finds_nothing_in_a_deletion_that_is_sound(
    player: Player, made: Operation
) -> None:
    op = taken(player, made)
    forgotten(player, op)
    with player.database.write() as connection:
        (snapshot_id,) = audit.deleting(connection)
        assert audit.mend_deletion(connection, snapshot_id, player.now) == []
        assert audit.mend_deletion(connection, player.uuid(), player.now) == []


def test_the_audit_puts_a_miscounted_deletion_right_and_ends_it(
    player: Player, made: Operation
) -> None:
    op = taken(player, made)
    forgotten(player, op)
    for claim in player.turn().values():
        player.turn(replace(good(claim), gone=True), room=0)
        with player.database.write() as connection:
            wrong = sa.update(t.snapshot).where(t.snapshot.c.id == op.traversal_id)
            connection.execute(wrong.values(remaining=5))
    with player.database.write() as connection:
        found = audit.mend_deletion(connection, op.traversal_id, player.now)
    assert found == ["5 copies were said to remain, 0 do"]
    assert shown(player, op) is None
    assert player.count(t.sync_point) == 0


def test_the_audit_wakes_a_copy_that_nobody_would_claim(player: Player, made: Operation) -> None:
    op = taken(player, made)
    forgotten(player, op)
    with player.database.write() as connection:
        connection.execute(sa.update(t.resource).values(due=None))
        found = audit.mend_deletion(connection, op.traversal_id, player.now)
    assert len(found) == 2
    assert set(player.turn()) == {"a", "b"}
