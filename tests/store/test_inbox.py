"""Signals as rows: the newest state, mail in its order, and who is woken by them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from stoker.store import inbox
from stoker.store import tables as t
from stoker.store.goal import Moved
from stoker.store.work import Result
from tests.store.traversing import START, Player, good

if TYPE_CHECKING:
    from stoker.store.database import Database


@pytest.fixture
def player(database: Database) -> Player:
    player = Player(database)
    player.create({"h": [], "c": []})
    return player


def told(player: Player, state: bytes, name: str = "h") -> None:
    with player.database.write() as connection:
        row = inbox.addressed(connection, player.row("c").stack_id, player.rows[name])
        inbox.settle(connection, row.id, state, player.now)


def posted(player: Player, mail: bytes, name: str = "h") -> None:
    with player.database.write() as connection:
        inbox.post(connection, player.rows[name], mail, player.now)


def state(player: Player) -> inbox.Letter | None:
    with player.database.read() as connection:
        return inbox.state(connection, player.rows["h"])


def letters(player: Player) -> list[bytes]:
    with player.database.read() as connection:
        return [row.payload for row in connection.execute(t.inbox.select().order_by(t.inbox.c.id))]


def rest(player: Player) -> None:
    """End the whole stack."""
    player.turn(*(good(each) for each in player.turn().values()), room=0)


def test_only_the_newest_state_is_kept_and_each_is_further_on(player: Player) -> None:
    assert state(player) is None
    told(player, b"one")
    first = state(player)
    told(player, b"two")
    second = state(player)
    assert first is not None
    assert second is not None
    assert (second.payload, second.id > first.id, letters(player)) == (b"two", True, [b"two"])


def test_a_resource_that_has_been_replaced_is_not_told(player: Player) -> None:
    player.set("h", is_current=False)
    with pytest.raises(Moved):
        told(player, b"one")


def test_another_resource_is_found_by_its_id_within_the_stack(player: Player) -> None:
    player.set("h", physical_id="p1")
    told(player, b"one")
    stack_id = player.row("h").stack_id
    with player.database.read() as connection:
        found = inbox.listened(connection, stack_id, "p1")
        assert inbox.listened(connection, "another", "p1") is None
        assert inbox.listened(connection, stack_id, "p2") is None
    assert found is not None
    assert (found.row_id, found.implementation) == (player.rows["h"], "T::Plain")
    assert found.state is not None
    assert found.state.payload == b"one"


@pytest.mark.parametrize(("read", "due"), [(0, START), (10**9, START + 60)])
def test_a_wait_is_over_at_once_where_there_is_more_than_was_read(
    player: Player, read: int, due: float
) -> None:
    claim = player.turn()["c"]
    told(player, b"one")
    player.turn(Result(claim, seconds=60.0, listened={player.rows["h"]: read}), room=0)
    assert player.row("c").due == due


def test_a_wait_for_nobody_or_for_silence_goes_on(player: Player) -> None:
    claim = player.turn()["c"]
    player.turn(Result(claim, seconds=60.0, listened={player.rows["h"]: 0}), room=0)
    assert player.row("c").due == START + 60


def rouse(player: Player) -> None:
    with player.database.write() as connection:
        stack_id = player.row("c").stack_id
        inbox.rouse(connection, stack_id, lambda kind: kind == "T::Plain", player.now)


def test_who_waits_is_woken_and_who_is_held_or_at_rest_is_not(player: Player) -> None:
    claims = player.turn()
    player.turn(Result(claims["c"], {"verb": "create"}, seconds=60.0), room=0)
    rouse(player)
    assert player.row("c").due == START
    held = player.turn()["c"]
    rouse(player)
    assert player.row("c").due is None
    player.turn(good(replace(held)), room=0)
    player.set("c", verb=None)
    rouse(player)
    assert player.row("c").due is None


def test_mail_makes_a_resource_at_rest_due_and_its_claim_ends_no_node(player: Player) -> None:
    rest(player)
    posted(player, b"one")
    posted(player, b"two")
    claim = player.turn()["h"]
    assert claim.at_rest
    with player.database.read() as connection:
        first = inbox.oldest(connection, player.rows["h"])
        assert inbox.waiting(connection, player.rows["h"]) == 2
    assert first is not None
    assert first.payload == b"one"
    player.turn(Result(claim, {"inbox_read": first.id}, heard=first.id, seconds=0.0), room=0)
    assert letters(player) == [b"two"]
    assert player.turn()["h"].at_rest


def test_that_a_hearing_was_cut_off_is_known_however_often_its_row_is_claimed_anew(
    player: Player,
) -> None:
    rest(player)
    posted(player, b"one")
    claim = player.turn()["h"]
    with player.database.read() as connection:
        letter = inbox.oldest(connection, player.rows["h"])
    assert letter is not None
    begun = player.turn(Result(claim, {"inbox_read": letter.id}, on=True), room=0)["h"]
    assert not begun.in_doubt
    for _ in range(2):
        player.set("h", engine_id=None, due=player.now)  # whoever held it has died
        assert player.turn()["h"].in_doubt
    done = replace(begun, epoch=player.row("h").epoch)
    player.turn(Result(done, {"intent_at": None}, heard=letter.id, seconds=0.0), room=0)
    assert not player.turn()["h"].in_doubt


def test_a_row_without_a_verb_or_mail_intends_nothing_when_it_is_claimed(player: Player) -> None:
    rest(player)
    posted(player, b"one")
    player.set("h", intent_at=START)
    player.turn()
    assert player.row("h").intent_at is None


def test_a_node_under_way_is_not_at_rest(player: Player) -> None:
    assert not any(claim.at_rest for claim in player.turn().values())


def test_what_was_heard_is_gone_also_where_a_newer_goal_took_over(player: Player) -> None:
    rest(player)
    posted(player, b"one")
    claim = player.turn()["h"]
    with player.database.read() as connection:
        letter = inbox.oldest(connection, player.rows["h"])
    assert letter is not None
    player.set("h", traversal_id="another")
    player.turn(Result(claim, heard=letter.id, data={"said": b"one"}), room=0)
    assert letters(player) == []
    assert player.row("h").engine_id is None


def test_what_is_silenced_forgets_its_state_and_keeps_its_mail(player: Player) -> None:
    claim = player.turn()["c"]
    told(player, b"state")
    posted(player, b"mail")
    player.turn(Result(claim, silenced=(player.rows["h"],)), room=0)
    assert letters(player) == [b"mail"]


def test_mail_that_nobody_is_about_to_hear_is_found(player: Player) -> None:
    rest(player)
    posted(player, b"one")
    player.set("h", due=None, action="CREATE")
    with player.database.write() as connection:
        overlooked = inbox.overlooked(connection)
        inbox.remind(connection, overlooked, player.now + 1)
    assert (overlooked, player.row("h").due) == ([player.rows["h"]], START + 1)
    with player.database.read() as connection:
        assert inbox.overlooked(connection) == []


@pytest.mark.parametrize(
    "columns", [{"engine_id": "e1"}, {"verb": "create"}, {"is_current": False}, {"action": "INIT"}]
)
def test_mail_of_what_is_held_or_half_way_waits_for_its_turn(
    player: Player, columns: dict[str, object]
) -> None:
    rest(player)
    posted(player, b"one")
    player.set("h", **{"due": None, "action": "CREATE", **columns})
    with player.database.read() as connection:
        assert inbox.overlooked(connection) == []
