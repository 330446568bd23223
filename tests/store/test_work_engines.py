from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.store import engines
from tests.store.traversing import START, Player, good

if TYPE_CHECKING:
    from stoker.store.database import Database


@pytest.fixture
def player(database: Database) -> Player:
    player = Player(database)
    with player.database.write() as connection:
        for name in ("e1", "e2"):
            engines.join(connection, name, 2.0, START)
    return player


def beats(player: Player) -> dict[str, int]:
    with player.database.read() as connection:
        return engines.beats(connection)


def bury(player: Player, dead: dict[str, int], gone: set[str] | None = None) -> None:
    with player.database.write() as connection:
        engines.bury(connection, dead, gone or set(), player.now)


def test_a_beat_moves_the_counter_of_a_living_engine(player: Player) -> None:
    with player.database.write() as connection:
        assert engines.beat(connection, "e1", START)
    assert beats(player) == {"e1": 1, "e2": 0}


def test_the_rows_of_a_dead_engine_are_due_at_once_and_its_results_are_fenced(
    player: Player,
) -> None:
    op = player.create({"a": [], "b": []})
    claims = player.turn(room=1)
    other = player.turn(engine="e2")
    player.now += 10
    bury(player, {"e1": 0})
    assert beats(player) == {"e2": 0}
    again = player.turn(good(claims["a"], physical_id="x"), engine="e1", room=0)
    assert again == {}
    assert player.row("a").physical_id is None
    taken = player.turn(engine="e2")["a"]
    assert taken.epoch == claims["a"].epoch + 2
    player.turn(good(taken), good(other["b"]), engine="e2")
    assert player.stack(op).status == "COMPLETE"


def test_what_a_dead_engine_may_have_sent_is_in_doubt_from_its_burial(player: Player) -> None:
    player.create({"a": [], "b": []})
    player.turn()
    player.set("a", verb="create", intent_at=START)
    player.now += 3600  # its machine slept in between, and its call was sent when it awoke
    bury(player, {"e1": 0})
    assert (player.row("a").intent_at, player.row("b").intent_at) == (player.now, None)


def test_an_engine_that_beat_after_all_keeps_its_rows(player: Player) -> None:
    player.create({"a": []})
    claim = player.turn()["a"]
    with player.database.write() as connection:
        engines.beat(connection, "e1", START)
    bury(player, {"e1": 0})
    assert beats(player) == {"e1": 1, "e2": 0}
    assert player.row("a").epoch == claim.epoch


def test_a_dead_engine_is_told_at_its_next_beat(player: Player) -> None:
    bury(player, {"e1": 0})
    with player.database.write() as connection:
        assert not engines.beat(connection, "e1", START)


def test_rows_that_a_dead_engine_claimed_after_its_burial_are_freed_too(player: Player) -> None:
    bury(player, {"e1": 0})
    player.create({"a": []})
    player.turn(engine="e1")
    with player.database.read() as connection:
        assert engines.holders(connection) == {"e1"}
    bury(player, {}, {"e1"})
    assert [*player.turn(engine="e2")] == ["a"]


def test_an_engine_that_leaves_hands_its_rows_back_at_once(player: Player) -> None:
    player.create({"a": []})
    player.turn(engine="e1")
    with player.database.write() as connection:
        engines.leave(connection, "e1", player.now)
    assert beats(player) == {"e2": 0}
    assert [*player.turn(engine="e2")] == ["a"]


def test_engines_are_listed_and_those_found_dead_for_a_while(player: Player) -> None:
    def listed(since: float) -> dict[str, bool]:
        with player.database.read() as connection:
            found = engines.listed(connection, since)
        assert {(each.binary, each.topic) for each in found} == {("stoker-engine", "engine")}
        return {each.id: each.deleted_at is not None for each in found}

    assert listed(START) == {"e1": False, "e2": False}
    player.now += 10
    bury(player, {"e1": 0})
    assert listed(player.now) == {"e1": True, "e2": False}
    assert listed(player.now + 1) == {"e2": False}


def test_nothing_is_kept_of_an_engine_that_has_left(player: Player) -> None:
    with player.database.write() as connection:
        engines.leave(connection, "e1", player.now)
        assert [each.id for each in engines.listed(connection, START)] == ["e2"]
        assert not engines.beat(connection, "e1", player.now)


def test_a_row_that_lost_its_node_while_held_is_freed_and_not_due(player: Player) -> None:
    op = player.create({"a": [], "b": []})
    player.turn(engine="e1", room=1)
    player.begin(player.next(op, {"+b": []}))
    bury(player, {"e1": 0})
    row = player.row("a")
    assert (row.engine_id, row.due) == (None, None)


# what others have seen


def pulses(player: Player) -> dict[str, engines.Pulse]:
    with player.database.read() as connection:
        return engines.pulses(connection)


def note(player: Player, **still: tuple[int, float]) -> None:
    with player.database.write() as connection:
        engines.note_still(connection, still)


def test_the_longest_that_a_beat_was_seen_to_stand_still_is_kept(player: Player) -> None:
    note(player, e1=(0, 2.5), e2=(0, 1.0))
    note(player, e1=(0, 1.5), e2=(0, 4.0))
    assert pulses(player) == {
        "e1": engines.Pulse(0, None, 2.5),
        "e2": engines.Pulse(0, None, 4.0),
    }


def test_a_beat_makes_what_was_seen_of_the_one_before_void(player: Player) -> None:
    note(player, e1=(0, 9.0))
    with player.database.write() as connection:
        engines.beat(connection, "e1", START)
    assert pulses(player)["e1"] == engines.Pulse(1, None, 0.0)
    note(player, e1=(0, 9.5))
    assert pulses(player)["e1"].still == 0.0, "it was seen of a beat that is over"
    note(player, e1=(1, 0.5))
    assert pulses(player)["e1"].still == 0.5


def test_an_engine_says_which_process_it_is(player: Player) -> None:
    with player.database.write() as connection:
        engines.join(connection, "e3", 2.0, START, "machine/7/1")
    assert pulses(player)["e3"] == engines.Pulse(0, "machine/7/1", 0.0)
