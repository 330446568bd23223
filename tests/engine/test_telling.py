"""Notifications: what is told of a stack, that it is told once, and again where that is unsure."""

from __future__ import annotations

from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from stoker.engine import telling
from stoker.engine.telling import Telling
from stoker.errors import Unavailable
from stoker.store import tables as t
from stoker.usecases.stacks import Action
from tests.engine.house import House
from tests.engine.shelf import Fate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.store.database import Database

THING = "T::Thing"
Told = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    house.engine.start()
    yield house
    house.engine.stop()


def told(database: Database) -> Told:
    """Return what is told by now."""
    found: Told = []
    once = Telling(database, lambda event_type, body: found.append((event_type, body))).once
    while once():
        pass
    return found


def test_each_operation_is_told_when_it_begins_and_when_it_ends(house: House) -> None:
    ref = house.create(a=THING)
    assert house.ended(ref) == "CREATE_COMPLETE"
    assert house.act(ref, Action.CHECK) == "CHECK_COMPLETE"
    found = told(house.database)
    assert [event_type for event_type, _ in found] == [
        "orchestration.stack.create.start",
        "orchestration.stack.create.end",
        "orchestration.stack.check.start",
        "orchestration.stack.check.end",
    ]
    body = found[1][1]
    times = {name: body.pop(name) for name in ("create_at", "updated_at")}
    assert times["create_at"].endswith("Z")
    assert body == {
        "tenant_id": "p1",
        "user_id": "ann",
        "user_identity": "u1",
        "username": "ann",
        "stack_identity": ref.id,
        "stack_name": "s",
        "state": "CREATE_COMPLETE",
        "state_reason": "Stack CREATE completed successfully",
        "description": "",
        "tags": [],
    }
    assert told(house.database) == []


def test_a_failure_is_told_as_an_error(house: House) -> None:
    house.shelf.fates.append(Fate.REFUSED)
    ref = house.create(a=THING)
    assert house.ended(ref) == "CREATE_FAILED"
    assert told(house.database)[-1][0] == "orchestration.stack.create.error"


def test_what_could_not_be_told_is_told_again_later(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "OURS_SECONDS", 0.0)
    house.ended(house.create(a=THING))

    def fail(event_type: str, body: dict[str, Any]) -> None:
        raise ConnectionError(event_type, body)

    with pytest.raises(ConnectionError):
        Telling(house.database, fail).once()
    assert len(told(house.database)) == 2


@pytest.mark.parametrize(
    "error", [Unavailable("the broker is away"), ZeroDivisionError("a fault of its own")]
)
def test_it_looks_by_itself_leaves_out_what_is_old_and_tries_again(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:  # fmt: skip
    monkeypatch.setattr(telling, "LOOK_SECONDS", 0.01)
    ref = house.create(a=THING)
    house.ended(ref)
    with house.database.write() as connection:
        long_ago = house.database.now() - telling.OLD_SECONDS - 1
        connection.execute(sa.update(t.event).values(tell_at=long_ago))
    heard: SimpleQueue[str] = SimpleQueue()
    failures = [error]

    def tell(event_type: str, body: dict[str, Any]) -> None:
        assert body["stack_identity"] == ref.id
        if failures:
            raise failures.pop()
        heard.put(event_type)

    monkeypatch.setattr(telling, "OURS_SECONDS", 0.0)
    teller = Telling(house.database, tell)
    teller.start()
    try:
        house.act(ref, Action.CHECK)
        found = [heard.get(timeout=20) for _ in range(2)]
    finally:
        teller.stop()
    assert found == ["orchestration.stack.check.start", "orchestration.stack.check.end"]
    assert str(error) in caplog.text
