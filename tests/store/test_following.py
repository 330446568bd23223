"""What is ended in the transaction that releases it: rows of types that only compute."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.claims import ahead
from stoker.store.traversal import HEAD_START
from stoker.store.work import AtOnce, EventRow, Result
from tests.store.traversing import START, Player, bad, good

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.store.claims import Claim
    from stoker.store.database import Database

QUICK = "T::Quick"
DONE = EventRow("CREATE", "COMPLETE", "state changed", None)


@pytest.fixture
def player(database: Database) -> Player:
    return Player(database, types=dict.fromkeys("bcdef", QUICK))


def at_once(perform: Callable[[Claim], Result | None]) -> AtOnce:
    return AtOnce(frozenset({QUICK}), perform)


def done(claim: Claim) -> Result:
    """Return a good end with what it leaves on the row, and an event."""
    id = f"id of {claim.row.name}"
    return Result(claim, {"physical_id": id, "status": "COMPLETE"}, events=(DONE,), ended="good")


def test_a_chain_ends_in_one_transaction_in_order(player: Player) -> None:
    op = player.create({"a": [], "b": ["a"], "c": ["b"], "d": ["c"]})
    held = player.turn()
    assert not player.turn(done(held["a"]), at_once=at_once(done))
    assert player.stack(op).status == "COMPLETE"
    assert [name for name, _, status in player.events() if status == "COMPLETE"][:-1] == [*"abcd"]
    for name in "bcd":
        row = player.row(name)
        assert (row.physical_id, row.engine_id, row.due) == (f"id of {name}", None, None)
    assert player.nodes() == []


def test_what_has_several_needs_waits_for_the_last_however_far_it_is(player: Player) -> None:
    op = player.create({"a": [], "b": ["a"], "c": ["b"], "d": ["a", "c"]})
    order: list[str] = []

    def perform(claim: Claim) -> Result:
        order.append(claim.row.name)
        return done(claim)

    player.turn(done(player.turn()["a"]), at_once=at_once(perform))
    assert order == [*"bcd"]
    assert player.stack(op).status == "COMPLETE"


def test_what_follows_a_failure_is_poisoned(player: Player) -> None:
    op = player.create({"a": [], "b": ["a"], "c": ["b"]})
    poisoned: list[bool] = []

    def perform(claim: Claim) -> Result:
        poisoned.append(claim.poisoned)
        return bad(claim)

    player.turn(bad(player.turn()["a"], "no"), at_once=at_once(perform))
    stack = player.stack(op)
    assert (poisoned, stack.status, stack.status_reason) == ([True, True], "FAILED", "no")
    assert stack.failures == 3


def test_rows_of_other_types_and_what_is_left_are_claimed(player: Player) -> None:
    op = player.create({"a": [], "b": ["a"], "x": ["a"], "c": ["b"], "d": ["b", "x"]})

    def perform(claim: Claim) -> Result | None:
        return None if claim.row.name == "c" else done(claim)

    held = player.turn(done(player.turn()["a"]), at_once=at_once(perform))
    assert {name: claim.poisoned for name, claim in held.items()} == {"x": False, "c": False}
    assert player.stack(op).remaining == 3
    player.turn(*map(done, held.values()), at_once=at_once(done))
    assert player.stack(op).status == "COMPLETE"


@pytest.mark.parametrize(
    "not_over",
    [{"on": True}, {"seconds": 1.0}, {"ended": None}, {"heard": 1}, {"listened": {1: 1}}],
    ids=lambda changes: next(iter(changes)),
)
def test_what_is_not_over_at_once_has_not_happened(
    player: Player, not_over: dict[str, Any]
) -> None:
    player.create({"a": [], "b": ["a"]})
    perform = at_once(lambda claim: replace(done(claim), **not_over))
    held = player.turn(done(player.turn()["a"]), room=0, at_once=perform)
    row = player.row("b")
    assert (held, row.physical_id, row.due) == ({}, None, START - HEAD_START)
    assert [event for event in player.events() if event[0] == "b"] == []


def test_a_row_that_goes_is_deleted_with_what_follows(player: Player) -> None:
    first = player.create({"a": [], "b": ["a"]})
    player.turn(done(player.turn()["a"]), at_once=at_once(done))
    op = player.begin(player.next(first, {"-b": [], "-a": ["-b"]}, "DELETE"))
    player.set("a", implementation=QUICK)
    gone = at_once(lambda claim: replace(good(claim), gone=True))
    player.turn(replace(good(player.turn()["b"]), gone=True), at_once=gone)
    assert (player.stack(op).status, player.resources()) == ("COMPLETE", [])


def test_what_an_engine_holds_already_is_left_to_it(player: Player) -> None:
    player.create({"a": [], "b": ["a"]})
    held = player.turn()
    player.set("b", engine_id="e2", epoch=1)
    asked: list[Claim] = []

    def perform(claim: Claim) -> Result:
        asked.append(claim)
        return done(claim)

    player.turn(done(held["a"]), at_once=at_once(perform))
    assert (asked, player.row("b").engine_id) == ([], "e2")


@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
def test_a_row_that_another_transaction_has_locked_is_not_waited_for(player: Player) -> None:
    op = player.create({"a": [], "b": ["a"], "c": ["a"]})
    stacks = {op.stack_id: player.turn()["a"].stack}
    nodes = [node.id for node in player.nodes()]
    mine = sa.select(t.resource.c.id).where(t.resource.c.id == player.rows["b"])
    with player.database.write() as other, player.database.write() as connection:
        other.execute(mine.with_for_update()).all()
        found = ahead(connection, "e1", nodes, {QUICK}, stacks)
    assert [claim.row.name for claim in found] == ["c"]
