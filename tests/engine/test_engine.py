"""The loop around the worker: it goes on whatever happens to a commit, a step or Keystone."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.engine import Engine
from stoker.store import tables as t
from stoker.store.database import Database
from stoker.store.passing import Passing
from stoker.usecases.stacks import StackRef
from tests.engine.house import SETTINGS, House
from tests.engine.shelf import ANN, Fate, Shelf, Things

if TYPE_CHECKING:
    from collections.abc import Iterator


class Forgetful(Database):
    """Does not answer some commits of the committing thread, though they happen."""

    unanswered: int = 0

    @contextmanager
    def write(self) -> Iterator[Any]:
        with super().write() as connection:
            yield connection
        if self.unanswered and threading.current_thread().name == "stoker-commit":
            self.unanswered -= 1
            raise Passing(ConnectionResetError(), taken_back=False)


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    yield house
    house.engine.stop()


@pytest.fixture
def forgetful(database: Database) -> Iterator[House]:
    other = Forgetful(str(database.engine.url), database.sealer)
    house = House(other)
    yield house
    house.engine.stop()
    other.close()


@pytest.mark.parametrize("unanswered", [1, 2, 5])
def test_commits_without_an_answer_lose_nothing(forgetful: House, unanswered: int) -> None:
    ref = forgetful.create(a="T::Thing", b="T::Thing")
    forgetful.database.unanswered = unanswered  # type: ignore[attr-defined]
    forgetful.engine.start()
    assert forgetful.ended(ref) == "CREATE_COMPLETE"
    assert len(forgetful.shelf.things) == 2
    recorded = {row.physical_id for row in forgetful.rows().values()}
    assert recorded == forgetful.shelf.things.keys()


def test_a_keystone_that_hangs_stops_no_beat_and_holds_up_no_stack(house: House) -> None:
    is_asked, hanging = threading.Event(), threading.Event()

    def hang() -> None:
        is_asked.set()
        hanging.wait(60)

    house.keys.tends = hang
    house.engine.start()
    assert is_asked.wait(20)
    began = house.beat()
    end = time.monotonic() + 20
    while house.beat() < began + 3:
        assert time.monotonic() < end, "the beat stands still"
        time.sleep(0.02)
    assert house.ended(house.create(a="T::Thing")) == "CREATE_COMPLETE"
    hanging.set()


def test_looking_after_credentials_goes_on_after_a_fault(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    tended: list[int] = []
    again = threading.Event()

    def tends() -> None:
        tended.append(1)
        if len(tended) > 1:
            again.set()
        raise KeyError("trust")

    house.keys.tends = tends
    house.engine.start()
    assert again.wait(10)
    assert "the thread tend failed; it goes on later" in caplog.text


def test_a_result_that_no_database_takes_fails_its_resource_alone(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    house.engine.start()
    ref = house.create(a="T::Thing", odd="T::Odd")
    assert house.ended(ref) == "CREATE_FAILED"
    rows = house.rows()
    assert (rows["a"].status, rows["odd"].status) == ("COMPLETE", "FAILED")
    assert "cannot be recorded" in caplog.text
    house.stacks.delete(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"
    assert house.shelf.things == {}, "what it had made is found by its mark"


def test_a_type_with_a_fault_fails_its_resource_and_what_it_made_is_found_later(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    house.shelf.fates = [Fate.BUG]
    house.engine.start()
    ref = house.create(a="T::Thing")
    assert house.ended(ref) == "CREATE_FAILED"
    assert "internal error" in house.rows()["a"].status_reason
    assert "KeyError" in caplog.text
    house.stacks.delete(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"
    assert house.shelf.things == {}


def test_a_row_in_doubt_whose_type_has_a_fault_stays_in_doubt(house: House) -> None:
    house.shelf.fates, house.shelf.looks = [Fate.LOST], [Fate.BUG]
    house.engine.start()
    ref = house.create(a="T::Thing")
    assert house.ended(ref) == "CREATE_FAILED"
    house.stacks.delete(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"
    assert house.shelf.things == {}


@pytest.mark.timeout(45)  # one that holds something waits for its whole time-out
@pytest.mark.parametrize("type_", ["T::Thing", "T::Mere"])
def test_an_engine_that_is_through_holds_nothing_and_stops_at_once(
    house: House, type_: str
) -> None:
    house.engine.start()
    ref = house.create(**{f"r{i}": type_ for i in range(20 * SETTINGS.threads)})
    assert house.ended(ref) == "CREATE_COMPLETE"
    house.engine.stop(timeout=60)


def test_an_engine_that_stops_leaves_nothing_held(house: House) -> None:
    house.engine.start()
    house.create(**{f"r{i}": "T::Thing" for i in range(20)})
    house.engine.stop()
    assert [row.name for row in house.rows().values() if row.engine_id is not None] == []
    successor = House(house.database)
    successor.shelf.things = house.shelf.things
    successor.engine.start()
    with house.database.read() as connection:
        ref = StackRef(connection.execute(t.stack.select()).one().id, "s", "p1")
    assert successor.ended(ref) == "CREATE_COMPLETE"
    successor.engine.stop()
    assert len(house.shelf.things) == 20


def test_two_engines_share_the_work_and_make_nothing_twice(house: House) -> None:
    other = Engine(house.database, Things(), house.keys, SETTINGS)  # type: ignore[arg-type]
    house.engine.start()
    other.start()
    ref = house.create(**{f"r{i}": "T::Thing" for i in range(60)})
    assert house.ended(ref) == "CREATE_COMPLETE"
    other.stop()
    assert len(house.shelf.things) == house.shelf.calls == 60


def test_a_row_that_waits_is_looked_at_when_it_is_due_and_not_at_the_next_look(
    database: Database,
) -> None:
    house = House(database, Shelf(fates=[Fate.BUSY]))
    keys: Any = house.keys
    house.engine = Engine(database, Things(), keys, replace(SETTINGS, look_seconds=60.0))
    ref = house.create(it="T::Thing")
    house.engine.start()
    try:
        assert house.ended(ref) == "CREATE_COMPLETE"  # within its 20 seconds
    finally:
        house.engine.stop()
    assert house.shelf.calls == 2, "one was refused"
