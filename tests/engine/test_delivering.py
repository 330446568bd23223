"""Events at webhooks: all of them in their order, whoever dies or is away, and no secret told."""

from __future__ import annotations

import base64
import hashlib
import hmac
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine import delivering
from stoker.engine.delivering import pause
from stoker.errors import LimitExceeded
from stoker.fetch import Limits, post
from stoker.store import deliveries
from stoker.store import tables as t
from stoker.usecases.stacks import Action, EventQuery, UpdateStack
from tests.app.serving import eventually
from tests.engine.hooked import (
    LAST,
    NEAR,
    SAID,
    THING,
    all_said,
    count,
    create,
    drained,
    goal,
    hook,
    sending,
)  # fmt: skip
from tests.engine.house import SETTINGS, House
from tests.engine.receiver import Receiver
from tests.engine.shelf import ANN, Fate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from stoker.store.database import Database
SECRET = "a very secret word"
TOKEN = "token-in-the-address"


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivering, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(delivering, "pause", lambda failures: 0.02)


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    house.engine.start()
    yield house
    house.engine.stop()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


def test_all_events_come_in_their_order_as_heat_tells_them(
    house: House, receiver: Receiver
) -> None:
    with sending(house.database):
        ref = create(house, hook(receiver))
        found = receiver.until(LAST)
    assert [each.said for each in found] == SAID
    assert len({each.id for each in found}) == len(found)
    (event,) = (
        each for each in house.stacks.events(ANN, ref, EventQuery()) if each.id == found[2].id
    )
    message = found[2].message
    assert message == {
        "timestamp": f"{event.time.isoformat()[:19]}Z",
        "version": "0.1",
        "type": "os.heat.event",
        "id": event.id,
        "payload": {
            "resource_name": "a",
            "physical_resource_id": event.physical_id,
            "stack_id": ref.id,
            "resource_action": "CREATE",
            "resource_status": "COMPLETE",
            "resource_status_reason": event.reason,
            "resource_type": THING,
            "resource_properties": message["payload"]["resource_properties"],
            "version": "0.1",
            "stack_name": "s",
            "root_stack_id": ref.id,
            "project_id": "p1",
        },
    }
    assert found[2].headers["content-type"] == "application/json"
    assert found[2].headers["webhook-signature"] is None


@pytest.mark.parametrize(
    ("secret", "key"),
    [(SECRET, SECRET.encode()), (f"whsec_{base64.b64encode(bytes(24)).decode()}", bytes(24))],
)
def test_who_knows_the_secret_can_check_who_sent_it_and_when(
    house: House, receiver: Receiver, secret: str, key: bytes
) -> None:
    with sending(house.database):
        create(house, hook(receiver, secret=secret))
        found = receiver.until(LAST)
    for each in found:
        sent_at = each.headers["webhook-timestamp"]
        assert abs(int(sent_at) - time.time()) < 60
        signed = f"{each.id}.{sent_at}.".encode() + each.body
        digest = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        assert each.headers["webhook-signature"] == f"v1,{digest}"


def test_events_of_nested_stacks_come_to_the_sinks_of_the_one_above(
    house: House, receiver: Receiver
) -> None:
    nest = {"type": "T::Nest", "properties": {"inner": {"a": {"type": THING}}}}
    with sending(house.database):
        ref = create(house, hook(receiver), nest=nest)
        house.ended(ref)
        drained(house.database)
    found = [receiver.next() for _ in range(receiver.received.qsize())]
    assert {each.message["payload"]["root_stack_id"] for each in found} == {ref.id}
    assert {"a CREATE_COMPLETE", "nest CREATE_COMPLETE", LAST} <= {each.said for each in found}
    of_child = {each.message["payload"]["stack_id"] for each in found} - {ref.id}
    assert len(of_child) == 1


def test_a_sink_that_is_away_delays_no_stack_and_gets_all_when_it_is_back(house: House) -> None:
    with Receiver() as away:
        pass  # its port is free again
    with sending(house.database):
        ref = create(house, hook(away))
        assert house.ended(ref) == "CREATE_COMPLETE"
        with Receiver(away.port) as back:
            assert [each.said for each in back.until(LAST)] == SAID
            drained(house.database)


def test_a_sink_that_hangs_delays_no_other_of_any_stack(house: House, receiver: Receiver) -> None:
    with Receiver() as slow, sending(house.database):
        slow.held.clear()
        sinks = [hook(slow, ttl=each) for each in range(1000, 1008)]
        ref = create(house, hook(receiver), *sinks)
        assert house.ended(ref) == "CREATE_COMPLETE"
        assert [each.said for each in receiver.until(LAST)] == SAID
        # As many as may hang at once do, and no more.
        assert slow.received.qsize() <= delivering.OF_A_PLACE
        slow.held.set()
        drained(house.database)
    assert slow.received.qsize() >= len(sinks) * len(SAID)


def test_several_that_send_share_what_there_is(house: House, receiver: Receiver) -> None:
    with sending(house.database), sending(house.database), sending(house.database):
        ref = create(house, *(hook(receiver, ttl=each) for each in range(1000, 1006)))
        house.ended(ref)
        drained(house.database)
    assert receiver.received.qsize() == 6 * len(SAID)


DYING = """
import os, sys
from functools import partial
from stoker.engine import delivering
from stoker.engine.lease import Lease
from stoker.engine.processes import process_of
from stoker.fetch import Limits, post
from stoker.store.database import Database
from stoker.store.seal import KEY_BYTES, Sealer
from tests.engine.house import SETTINGS

url, ours, is_engine = sys.argv[1:]
delivering.OURS_SECONDS = float(ours)
database = Database(url, Sealer(b"k" * KEY_BYTES))
lease = Lease(database, SETTINGS, process=process_of(os.getpid()))
if is_engine == "True":
    lease.join()
send = partial(post, limits=Limits(0, 60.0, private=True))
delivering.Delivering(database, send, lambda: lease.engine_id).start()
sys.stdin.read()
"""


@pytest.mark.parametrize(("ours", "is_engine"), [("3600", True), ("0.5", False)])
def test_when_who_sends_is_killed_another_sends_what_may_not_have_come(
    house: House, receiver: Receiver, ours: str, *, is_engine: bool
) -> None:
    create(house, hook(receiver))
    house.engine.stop()
    receiver.held.clear()
    url = house.database.engine.url.render_as_string(hide_password=False)
    child = subprocess.Popen(
        (sys.executable, "-c", DYING, url, ours, str(is_engine)), stdin=subprocess.PIPE
    )
    first = receiver.next()
    child.send_signal(signal.SIGKILL)
    child.communicate()
    receiver.held.set()
    with sending(house.database):
        house.engine = House(house.database).engine
        house.engine.start()
        again = receiver.until(LAST)
    assert list(dict.fromkeys(each.said for each in again)) == SAID
    assert (first.id, first.body) == (again[0].id, again[0].body)


def test_no_private_address_is_told_anything_and_that_is_given_up(
    house: House, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    public = partial(post, limits=Limits(0, 5.0))
    with sending(house.database, public):
        ref = create(house, hook(receiver, ttl=1) | {"target": receiver.url(f"/{TOKEN}")})
        assert house.ended(ref) == "CREATE_COMPLETE"
        drained(house.database)
    assert receiver.received.empty()
    assert "127.0.0.1 has no public address" in caplog.text
    assert f"of stack {ref.id} that 127.0.0.1:{receiver.port} has not taken in 1 s" in caplog.text
    assert TOKEN not in caplog.text


def test_neither_the_address_nor_the_secret_is_in_the_database(
    house: House, receiver: Receiver, tmp_path: Path
) -> None:
    sink = hook(receiver, secret=SECRET) | {"target": receiver.url(f"/{TOKEN}")}
    with sending(house.database):
        ref = create(house, sink)
        assert receiver.until(LAST)[0].path == f"/{TOKEN}"
    files = list(tmp_path.glob("a.db*"))
    everything = b"".join(each.read_bytes() for each in files)
    assert ref.id.encode() in everything
    assert SECRET.encode() not in everything
    assert TOKEN.encode() not in everything


def test_an_update_sends_from_now_on_where_it_says(house: House, receiver: Receiver) -> None:
    with sending(house.database), Receiver() as other:
        ref = create(house, hook(receiver))
        house.ended(ref)
        house.stacks.update(ANN, ref, UpdateStack(goal(hook(other))))
        assert [each.said for each in other.until("s UPDATE_COMPLETE")] == [
            "s UPDATE_IN_PROGRESS", "s UPDATE_COMPLETE",
        ]  # fmt: skip
        drained(house.database)
        house.stacks.update(ANN, ref, UpdateStack(goal()))
        house.ended(ref)
        assert count(house.database, t.event_sink) == 0
    assert receiver.received.qsize() == len(SAID)


def test_what_has_no_goal_of_its_own_is_told_too(house: House, receiver: Receiver) -> None:
    with sending(house.database):
        ref = create(house, hook(receiver))
        house.ended(ref)
        house.act(ref, Action.SUSPEND)
        receiver.until("s SUSPEND_COMPLETE")
        house.stacks.delete(ANN, ref)
        receiver.until("s DELETE_COMPLETE")


def test_the_way_back_from_a_failed_creation_is_told(house: House, receiver: Receiver) -> None:
    house.undoes = True
    house.shelf.fates.append(Fate.REFUSED)
    with sending(house.database):
        ref = create(house, hook(receiver))
        assert house.ended(ref) == "ROLLBACK_COMPLETE"
        receiver.until("s ROLLBACK_COMPLETE")


def test_what_fails_without_a_reason_of_its_receiver_is_in_the_log_and_tried_again(
    house: House, receiver: Receiver, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(delivering, "OURS_SECONDS", 0.1)
    faults = [ZeroDivisionError("a fault of its own")]

    def faulty(url: str, body: bytes, headers: Mapping[str, str]) -> None:
        if faults:
            raise faults.pop()
        NEAR(url, body, headers)

    with sending(house.database, faulty):
        create(house, hook(receiver))
        # Where the machine is slow another has taken the sink up meanwhile.
        assert list(dict.fromkeys(each.said for each in receiver.until(LAST))) == SAID
    assert "a fault of its own" in caplog.text


def test_a_look_that_fails_is_logged_and_the_next_look_happens(
    house: House, receiver: Receiver, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    faults = [ZeroDivisionError("a fault of its own")]
    take_up = deliveries.take_up

    def faulty(*args: Any, **named: Any) -> list[deliveries.Taken]:
        if faults:
            raise faults.pop()
        return take_up(*args, **named)

    monkeypatch.setattr(deliveries, "take_up", faulty)
    with sending(house.database):
        create(house, hook(receiver))
        assert [each.said for each in receiver.until(LAST)] == SAID
    assert "a fault of its own" in caplog.text


def test_who_is_told_to_end_does_so_though_a_receiver_hangs_and_nothing_is_lost(
    house: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivering, "STOP_SECONDS", 0.1)
    monkeypatch.setattr(delivering, "OURS_SECONDS", 0.5)
    receiver.held.clear()
    with sending(house.database):
        house.ended(create(house, hook(receiver)))
        first = receiver.next()
        begun = time.monotonic()
    assert time.monotonic() - begun < 3
    receiver.held.set()
    with sending(house.database):
        assert receiver.until(LAST)[-1].said == LAST
    assert first.said == SAID[0]


def test_a_sink_of_another_type_gets_nothing_as_before(house: House) -> None:
    ref = create(house, {"type": "zaqar-queue", "target": "q", "ttl": 60})
    assert house.ended(ref) == "CREATE_COMPLETE"
    assert house.stack(ref).sinks is None
    assert count(house.database, t.delivery) == 0


def test_equal_sinks_are_one_and_more_than_ten_are_refused(
    house: House, receiver: Receiver
) -> None:
    many = [hook(receiver, ttl=each) for each in range(1, 12)]
    with pytest.raises(LimitExceeded, match="10 webhooks"):
        create(house, *many)
    house.ended(create(house, *many[:10], many[0]))
    assert count(house.database, t.event_sink) == 10


def test_it_waits_longer_each_time_but_never_long() -> None:
    assert [0.7 < pause(n) / 2 ** (n - 1) < 1.3 for n in range(1, 10)] == [True] * 9
    assert 450 <= pause(100) <= 750


def test_other_sinks_reach_the_stacks_below_with_the_next_update(
    house: House, receiver: Receiver
) -> None:
    nest = {"type": "T::Nest", "properties": {"inner": {"a": {"type": THING}}}}
    with sending(house.database), Receiver() as other:
        ref = create(house, hook(receiver), nest=nest)
        house.ended(ref)
        drained(house.database)
        house.stacks.update(ANN, ref, UpdateStack(goal(hook(other), nest=nest)))
        assert house.ended(ref) == "UPDATE_COMPLETE"
        house.act(ref, Action.CHECK)
        drained(house.database)
    assert {"a CHECK_COMPLETE", "s CHECK_COMPLETE"} <= set(all_said(other))
    assert not any("CHECK" in each for each in all_said(receiver))


def test_what_a_stack_keeps_no_more_is_given_up_and_that_is_told(
    database: Database, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    settings = replace(SETTINGS, max_events_per_stack=2, audit_seconds=0.05)
    house = House(database, settings=settings)
    house.engine.start()
    ref = create(house, hook(receiver))
    house.ended(ref)
    eventually(lambda: count(database, t.delivery) == 2)
    eventually(lambda: f"gave up 2 events of stack {ref.id}" in caplog.text)
    house.engine.stop()
    with sending(database):
        assert [each.said for each in receiver.until(LAST)] == SAID[2:]
