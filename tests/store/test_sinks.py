"""What is owed to sinks, on each database: written with the events, and taken up by one alone."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from stoker.store import deliveries, engines, events, sinks
from stoker.store import tables as t
from stoker.store.deliveries import Sent, Taken
from stoker.store.goal import NewSink, Operation
from stoker.store.happening import happened
from stoker.store.purge import purge
from stoker.store.traversal import moment
from stoker.store.work import EventRow, Result
from tests.store.asked import asked_by
from tests.store.traversing import START, Player, good

if TYPE_CHECKING:
    from stoker.store.database import Database

UNTIL = START + 60
HERE, THERE = NewSink("here", "place1", b"config1"), NewSink("there", "place2", b"config2")
OURS = ("event_sink", "delivery")


@pytest.fixture
def player(database: Database) -> Player:
    return Player(database)


def create(player: Player, *has: NewSink, name: str = "s") -> Operation:
    player.sinks = has
    return player.create({"a": []}, name=name)


def taken(
    database: Database, now: float = START, most: int = 10, busy: str = "", by: str | None = None
) -> list[Taken]:
    with database.write() as connection:
        return deliveries.take_up(connection, now, UNTIL, most, by, [busy] if busy else ())


def owed(database: Database, sink: Taken) -> list[str]:
    with database.read() as connection:
        found, _ = deliveries.owed(connection, sink, 100)
    return [f"{each.event.action}_{each.event.status}" for each in found]


def ids(database: Database, sink: Taken) -> list[int]:
    with database.read() as connection:
        return [each.id for each in deliveries.owed(connection, sink, 100)[0]]


def settle(database: Database, sink: Taken, sent: Sent, now: float = START) -> int:
    with database.write() as connection:
        return deliveries.settle(connection, sink, sent, now)


def count(database: Database, table: sa.Table) -> int:
    with database.read() as connection:
        return int(connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0)


def told(player: Player, claim: Any, action: str = "CREATE") -> Result:
    event = EventRow(action, "COMPLETE", "", None)
    return Result(claim, {"status": "COMPLETE"}, ended="good", events=(event,))


def test_every_event_of_a_stack_is_owed_to_each_of_its_sinks_in_its_order(
    database: Database, player: Player
) -> None:
    create(player, HERE, THERE)
    player.turn(told(player, player.turn()["a"]))
    first, second = taken(database)
    assert (first.id, first.place, first.config) == ("here", "place1", b"config1")
    wanted = ["CREATE_IN_PROGRESS", "CREATE_COMPLETE", "CREATE_COMPLETE"]
    assert owed(database, first) == owed(database, second) == wanted
    with database.read() as connection:
        found, lost = deliveries.owed(connection, first, 2)
    assert [each.event.resource_name for each in found] == ["s", "a"]
    assert (found[0].stack_name, found[0].project_id) == ("s", "p")
    assert lost == []


def test_a_stack_without_sinks_asks_nothing_of_them(database: Database, player: Player) -> None:
    without, with_sinks = asked_of(database, player), asked_of(database, player, HERE)
    assert any(name in text for text in with_sinks for name in OURS)
    assert not any(name in text for text in without for name in OURS)


def asked_of(database: Database, player: Player, *has: NewSink) -> list[str]:
    """Return what is asked for a stack's life: its beginning, a step, and an event besides."""
    found: list[str] = []

    def note(_c: Any, _k: Any, statement: str, _p: Any, _x: Any, _m: bool) -> None:  # noqa: FBT001 - the library's
        found.append(statement)

    sa.event.listen(database.engine, "before_cursor_execute", note)
    op = create(player, *has, name=f"s{len(has)}")
    player.turn(told(player, player.turn()["a"]))
    (row,) = (row for row in player.resources() if row.stack_id == op.stack_id)
    with database.write() as connection:
        happened(connection, row, START, ("SIGNAL", "COMPLETE", "heard"))
    player.begin(player.next(op, {"+a": []}))
    sa.event.remove(database.engine, "before_cursor_execute", note)
    return found


def test_that_an_event_is_owed_costs_as_many_statements_for_many_events_as_for_one(
    database: Database, player: Player
) -> None:
    op = create(player, HERE)
    stack = player.stack(op)
    for uuids in (["1"], [str(number) for number in range(50)]):
        with database.write() as connection:
            pairs = [(uuid, stack) for uuid in uuids]
            asked = asked_by(connection, partial(sinks.owe, connection, pairs, START))
        assert len(asked) == 2


def test_something_besides_a_step_is_owed_too(database: Database, player: Player) -> None:
    op = create(player, HERE)
    (row,) = (row for row in player.resources() if row.stack_id == op.stack_id)
    with database.write() as connection:
        happened(connection, row, START, ("SIGNAL", "COMPLETE", "heard"))
    (sink,) = taken(database)
    assert owed(database, sink) == ["CREATE_IN_PROGRESS", "SIGNAL_COMPLETE"]


def test_what_was_taken_up_is_taken_by_nobody_else_for_a_while(
    database: Database, player: Player
) -> None:
    create(player, HERE)
    (first,) = taken(database)
    assert taken(database) == []
    (again,) = taken(database, UNTIL)
    assert (again.id, again.epoch) == (first.id, first.epoch + 1)


def test_nothing_is_due_where_nothing_is_owed(database: Database, player: Player) -> None:
    with database.read() as connection:
        assert not deliveries.is_any_due(connection, START)
    create(player, HERE)
    with database.read() as connection:
        assert deliveries.is_any_due(connection, START)
    (sink,) = taken(database)
    settle(database, sink, Sent(ids(database, sink)))
    with database.read() as connection:
        assert not deliveries.is_any_due(connection, UNTIL)
    assert count(database, t.delivery) == 0


def test_what_comes_while_a_sink_is_served_is_due_after_it(
    database: Database, player: Player
) -> None:
    create(player, HERE)
    (sink,) = taken(database)
    known = ids(database, sink)
    player.turn(good(player.turn()["a"]))
    settle(database, sink, Sent(known))
    (sink,) = taken(database)
    assert owed(database, sink) == ["CREATE_COMPLETE"]


def test_who_was_overtaken_says_what_was_sent_and_no_more(
    database: Database, player: Player
) -> None:
    create(player, HERE)
    player.turn(good(player.turn()["a"]))
    (slow,) = taken(database)
    known = ids(database, slow)
    (fast,) = taken(database, UNTIL)
    settle(database, slow, Sent(known[:1], due=UNTIL + 500, failures=7, given_up=UNTIL))
    assert ids(database, fast) == known[1:]
    assert taken(database) == []  # it is the other's still
    settle(database, fast, Sent())
    (sink,) = taken(database)
    assert sink.failures == 0


def test_a_sink_that_failed_is_due_later_and_what_is_too_old_is_given_up(
    database: Database, player: Player
) -> None:
    create(player, HERE)
    player.now += 10
    player.turn(good(player.turn()["a"]))
    (sink,) = taken(database)
    sent = Sent(due=START + 30, failures=3, given_up=START + 5)
    assert settle(database, sink, sent) == 1
    assert taken(database, START + 29) == []
    (sink,) = taken(database, START + 30)
    assert sink.failures == 3
    assert owed(database, sink) == ["CREATE_COMPLETE"]
    assert settle(database, sink, Sent(due=START + 60, given_up=START + 11)) == 1
    assert taken(database, START + 1000) == []


def test_refusals_count_as_long_as_nothing_was_taken(database: Database, player: Player) -> None:
    create(player, HERE)
    (sink,) = taken(database)
    assert sink.refusals == 0
    settle(database, sink, Sent(due=START, failures=4, refusals=3))
    (sink,) = taken(database)
    assert (sink.failures, sink.refusals) == (4, 3)
    # An engine of the version before knows nothing of refusals: it has sent some, and failed anew.
    settle(database, sink, Sent(due=START, failures=1, refusals=3))
    (sink,) = taken(database)
    assert sink.refusals == 1


def test_what_an_engine_was_sending_is_due_at_once_when_it_is_buried(
    database: Database, player: Player
) -> None:
    create(player, HERE, THERE)
    with database.write() as connection:
        for name in ("e1", "e2"):
            engines.join(connection, name, 2.0, START)
    (first,) = taken(database, most=1, by="e1")
    taken(database, by="e2")
    with database.write() as connection:
        engines.bury(connection, {"e1": 0}, (), START)
    (again,) = taken(database, by="e2")
    assert again.id == first.id
    settle(database, first, Sent(due=START + 500, failures=7))  # it is alive, and too late
    assert taken(database, START + 1) == []
    assert [each.failures for each in taken(database, UNTIL)] == [0, 0]


def test_an_engine_that_leaves_hands_on_what_it_was_sending(
    database: Database, player: Player
) -> None:
    create(player, HERE)
    taken(database, by="e1")
    with database.write() as connection:
        engines.leave(connection, "e1", START)
    assert [each.id for each in taken(database)] == ["here"]


def test_who_sends_without_being_an_engine_any_more_is_found_until_it_has_sent(
    database: Database, player: Player
) -> None:
    create(player, HERE)
    (sink,) = taken(database, by="e1")
    with database.read() as connection:
        assert engines.holders(connection) == {"e1"}
    settle(database, sink, Sent(ids(database, sink)))
    with database.read() as connection:
        assert engines.holders(connection) == set()


def test_a_sink_that_another_has_locked_holds_up_no_burial_and_is_found_later(
    database: Database, player: Player, kind: str
) -> None:
    if kind == "sqlite":
        pytest.skip("who writes there is alone")
    create(player, HERE)
    taken(database, by="e1")
    mine = sa.select(t.event_sink.c.id).with_for_update()
    with database.write() as owing, database.write() as burying:
        owing.execute(mine)
        engines.bury(burying, {}, {"e1"}, START)
    with database.read() as connection:
        assert engines.holders(connection) == {"e1"}
    with database.write() as connection:
        engines.bury(connection, {}, {"e1"}, START)
    assert [each.id for each in taken(database)] == ["here"]


def test_sinks_of_busy_places_are_left_alone(database: Database, player: Player) -> None:
    create(player, HERE, THERE)
    assert [each.id for each in taken(database, busy="place1")] == ["there"]
    assert [each.id for each in taken(database)] == ["here"]


def test_an_update_gives_a_stack_other_sinks_and_what_is_owed_to_the_old_one_stays(
    database: Database, player: Player
) -> None:
    op = create(player, HERE)
    player.turn(good(player.turn()["a"]))
    for new in ((THERE,), (), None):
        player.begin(player.next(op, {"+a": []}) if new is None else changed(player, op, *new))
        player.turn(good(player.turn()["a"]))
    assert count(database, t.event_sink) == 2
    here, there = taken(database)
    assert owed(database, here) == ["CREATE_IN_PROGRESS", "CREATE_COMPLETE"]
    assert owed(database, there) == ["UPDATE_IN_PROGRESS", "UPDATE_COMPLETE"]


def changed(player: Player, op: Operation, *new: NewSink) -> Operation:
    return replace(player.next(op, {"+a": []}), sinks=new)


def test_a_sink_that_is_not_wanted_any_more_goes_when_nothing_is_owed_to_it(
    database: Database, player: Player
) -> None:
    op = create(player, HERE)
    player.turn(good(player.turn()["a"]))
    (sink,) = taken(database)
    settle(database, sink, Sent(ids(database, sink)))
    player.begin(changed(player, op, THERE))
    player.turn(good(player.turn()["a"]))
    player.begin(changed(player, op, THERE))  # what is there stays as it is
    assert [each.id for each in taken(database)] == ["there"]
    assert count(database, t.event_sink) == 1


def test_events_that_go_are_owed_no_more(database: Database, player: Player) -> None:
    op = create(player, HERE)
    player.turn(told(player, player.turn()["a"]))
    with database.write() as connection:
        assert events.trim(connection, op.stack_id, 1) == 2
        assert events.trim(connection, op.stack_id, 1) == 0
    (sink,) = taken(database)
    assert owed(database, sink) == ["CREATE_COMPLETE"]


def test_what_is_owed_and_not_there_can_be_done_with(database: Database, player: Player) -> None:
    create(player, HERE)
    with database.write() as connection:
        connection.execute(sa.delete(t.event))
    (sink,) = taken(database)
    with database.read() as connection:
        found, lost = deliveries.owed(connection, sink, 10)
    assert (found, len(lost)) == ([], 1)
    settle(database, sink, Sent(lost))
    assert taken(database, UNTIL) == []


def test_all_goes_with_a_stack_that_is_purged(database: Database, player: Player) -> None:
    create(player, THERE, name="other")
    op = create(player, HERE)
    with database.write() as connection:
        gone = sa.update(t.stack).where(t.stack.c.id == op.stack_id)
        connection.execute(gone.values(deleted_at=moment(START - 1)))
    assert purge(database, START, None, 10) == 1
    assert [each.id for each in taken(database)] == ["there"]
    assert count(database, t.event_sink) == count(database, t.delivery) == 1


def test_who_owes_more_and_who_has_sent_all_wait_for_each_other(
    database: Database, player: Player, kind: str
) -> None:
    if kind == "sqlite":
        pytest.skip("who writes there is alone")
    op = create(player, HERE)
    stack = player.stack(op)
    (sink,) = taken(database)
    known = ids(database, sink)
    event = str(player.uuid())
    settling = threading.Thread(target=settle, args=(database, sink, Sent(known)))
    with database.write() as connection:
        values = {"uuid": event, "stack_id": op.stack_id, "resource_name": "s", "action": "CREATE"}
        values |= {"resource_type": "T", "status": "COMPLETE", "status_reason": ""}
        at = moment(START)
        connection.execute(sa.insert(t.event).values(**values, created_at=at))
        sinks.owe(connection, [(event, stack)], START)
        settling.start()
        settling.join(0.3)
        assert settling.is_alive()
    settling.join(10)
    (sink,) = taken(database)
    assert owed(database, sink) == ["CREATE_COMPLETE"]
