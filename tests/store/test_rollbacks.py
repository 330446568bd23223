from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stoker.store import rollbacks
from stoker.store.traversal import cancel, expire
from tests.store.traversing import Player, bad, good

if TYPE_CHECKING:
    from stoker.store.database import Database
    from stoker.store.goal import Operation


@pytest.fixture
def player(database: Database) -> Player:
    return Player(database)


def failed(player: Player, **columns: Any) -> Operation:
    op = player.create({"a": []}, **({"disable_rollback": False} | columns))
    player.turn(bad(player.turn()["a"], "why"))
    return op


def due(player: Player) -> str | None:
    with player.database.write() as connection:
        return rollbacks.take(connection, player.now, 10.0)


def test_a_create_that_fails_is_due_at_once_and_for_one_engine(player: Player) -> None:
    op = failed(player)
    assert due(player) == op.stack_id
    assert due(player) is None
    player.now += 11
    assert due(player) == op.stack_id, "whoever took it is gone"


def test_nothing_is_due_where_rollback_is_disabled_or_nothing_failed(player: Player) -> None:
    failed(player, disable_rollback=True)
    player.create({"b": []}, name="t", disable_rollback=False)
    player.turn(good(player.turn()["b"]))
    assert due(player) is None


@pytest.mark.parametrize("was_complete", [True, False])
def test_an_update_goes_back_to_what_was_reached(player: Player, *, was_complete: bool) -> None:
    op = player.create({"a": []}, disable_rollback=True)
    claim = player.turn()["a"]
    player.turn(good(claim) if was_complete else bad(claim, "why"))
    player.set_stack(op, disable_rollback=False)
    player.begin(player.next(op, {"+a": []}))
    player.turn(bad(player.turn()["a"], "why"))
    assert due(player) == (op.stack_id if was_complete else None)


@pytest.mark.parametrize("action", ["DELETE", "ROLLBACK", "CHECK", "SUSPEND", "RESUME"])
def test_only_creates_and_updates_are_undone(player: Player, action: str) -> None:
    op = player.create({"a": []}, disable_rollback=False)
    player.turn(good(player.turn()["a"]))
    player.begin(player.next(op, {"-a" if action == "DELETE" else "+a": []}, action))
    player.turn(bad(player.turn()["a"], "why"))
    assert (player.stack(op).status, due(player)) == ("FAILED", None)


def test_time_that_is_up_is_undone_and_a_cancel_is_not(player: Player) -> None:
    one = player.create({"a": []}, name="one", disable_rollback=False)
    other = player.create({"b": []}, name="other", disable_rollback=False)
    player.now += 10
    player.set_stack(one, deadline=player.now)
    with player.database.write() as connection:
        expire(connection, player.now)
        cancel(connection, other.stack_id, player.now)
    assert (due(player), due(player)) == (one.stack_id, None)


def test_whatever_begins_takes_its_place(player: Player) -> None:
    op = failed(player)
    player.begin(player.next(op, {"+a": []}))
    assert due(player) is None


def test_one_that_cannot_begin_has_failed_with_both_reasons(player: Player) -> None:
    op = failed(player)
    stack = player.stack(op)
    with player.database.write() as connection:
        rollbacks.give_up(connection, stack.id, stack.version, "no", "why", player.now)
    row = player.stack(op)
    assert (row.action, row.status, row.rollback_due) == ("ROLLBACK", "FAILED", None)
    assert row.status_reason == "no. It follows: why"
    assert player.events()[-1][1:] == ("ROLLBACK", "FAILED")


def test_one_that_has_moved_is_not_given_up(player: Player) -> None:
    op = failed(player)
    before = player.stack(op)
    player.begin(player.next(op, {"+a": []}))
    with player.database.write() as connection:
        rollbacks.give_up(connection, before.id, before.version, "no", "why", player.now)
    assert player.stack(op).action == "UPDATE"
