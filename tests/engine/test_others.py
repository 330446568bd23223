from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import pytest

from stoker.engine.lease import Lease
from stoker.engine.others import Others, bury_process
from stoker.engine.settings import Settings
from stoker.store import engines
from stoker.store import tables as t

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.store.database import Database
    from tests.store.world import World

    Join = Callable[..., "Peer"]

SETTINGS = Settings(beat_seconds=2.0, dead_seconds=10.0)


@dataclass
class Clock:
    """A clock that goes when it is told."""

    seconds: float = 100.0

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Peer:
    """An engine: what it says of itself, and how it sees the others; its clock is its own."""

    lease: Lease
    others: Others
    clock: Clock
    ended: set[str | None] = field(default_factory=set)

    def wait(self, seconds: float) -> None:
        self.clock.seconds += seconds

    @property
    def name(self) -> str:
        return self.lease.engine_id


@pytest.fixture
def joined(database: Database) -> Join:
    return partial(join, database)


def join(database: Database, clock: Clock | None = None, process: str | None = None) -> Peer:
    clock, ended = clock or Clock(), set[str | None]()
    lease = Lease(database, SETTINGS, clock, process)
    lease.join()
    return Peer(lease, Others(database, SETTINGS, lease, clock, ended.__contains__), clock, ended)


def alive(database: Database) -> set[str]:
    with database.read() as connection:
        return set(engines.beats(connection))


def still(database: Database, peer: Peer) -> float:
    with database.read() as connection:
        return engines.pulses(connection)[peer.name].still


# a beat that stands still


def test_an_engine_whose_beat_stands_still_is_buried(joined: Join, database: Database) -> None:
    me, other = joined(), joined()
    assert not me.others.look()
    for _ in range(3):
        me.wait(3.3)
        assert not me.others.look()
    me.wait(0.2)
    assert me.others.look()
    assert alive(database) == {me.name}
    assert not other.lease.beat()


def test_nobody_is_buried_for_a_time_in_which_the_database_was_away(
    joined: Join, database: Database
) -> None:
    me, other = joined(), joined()
    for pause in (2, 60, 2):
        assert not me.others.look()
        me.wait(pause)
    other.lease.beat()
    assert not me.others.look()
    assert alive(database) == {me.name, other.name}


def test_an_engine_that_beats_now_and_then_is_not_buried(joined: Join, database: Database) -> None:
    me, other = joined(), joined()
    for _ in range(5):
        me.others.look()
        me.wait(9)
        other.lease.beat()
    me.others.look()
    assert alive(database) == {me.name, other.name}


def test_how_long_a_beat_stood_still_has_to_be_seen_by_somebody(
    joined: Join, database: Database
) -> None:
    other = joined()
    later = joined(Clock(other.clock.seconds + 1000))
    assert not later.others.look(), "nobody has watched for any time yet"
    assert other.name in alive(database)


def test_who_comes_later_goes_on_from_what_the_dead_have_seen(
    joined: Join, database: Database
) -> None:
    still_one = joined()
    for start in (100.0, 77_000.0, 5.0):  # machines that were started at other times
        seer = joined(Clock(start))
        seer.others.look()
        for _ in range(2):
            seer.wait(1.5)
            seer.others.look()
        assert still_one.name in alive(database)
    last = joined(Clock(0.0))
    last.others.look()
    last.wait(1.5)
    assert last.others.look()
    assert still_one.name not in alive(database)


def test_what_was_seen_counts_no_more_once_the_beat_has_moved(
    joined: Join, database: Database
) -> None:
    me, other = joined(), joined()
    me.others.look()
    me.wait(4.0)
    me.others.look()
    assert still(database, other) == 4.0
    other.lease.beat()
    assert still(database, other) == 0.0
    later = joined()
    later.others.look()
    for _ in range(3):
        later.wait(3.2)
        later.others.look()
    assert other.name in alive(database)


def test_the_longest_that_anybody_has_seen_is_kept(joined: Join, database: Database) -> None:
    other, first = joined(), joined()
    first.others.look()
    second = joined(first.clock)
    first.wait(2.0)
    second.others.look()
    first.others.look()
    first.wait(4.0)
    for each, longest in ((second, 4.0), (first, 6.0), (second, 6.0)):
        each.others.look()
        assert still(database, other) == longest


def test_nothing_is_written_down_of_engines_that_beat(joined: Join, database: Database) -> None:
    me, other = joined(), joined()
    for _ in range(4):
        me.others.look()
        me.wait(2.0)
        other.lease.beat()
    with database.read() as connection:
        written = connection.scalars(t.service.select().with_only_columns(t.service.c.still_beat))
        assert set(written) == {None}


# a process that has ended


def test_an_engine_whose_process_has_ended_is_buried_at_once(
    joined: Join, database: Database
) -> None:
    me, ended, lives = joined(), joined(process="here/1"), joined(process="here/2")
    me.ended.add("here/1")
    assert me.others.look()
    assert alive(database) == {me.name, lives.name}
    assert not ended.lease.beat()


def test_who_knows_that_a_process_has_ended_frees_its_rows(
    joined: Join, database: Database, world: World
) -> None:
    ended, lives = joined(process="here/1"), joined(process="here/2")
    stack = world.stack()
    world.resource(stack, "theirs", engine_id=ended.name)
    kept = world.resource(stack, "others", engine_id=lives.name)
    bury_process(database, "here/1")
    bury_process(database, "here/3")
    with database.read() as connection:
        rows = connection.execute(t.resource.select()).all()
    assert {row.id for row in rows if row.engine_id is not None} == {kept}
    assert alive(database) == {lives.name}


# rows of nobody


def test_rows_of_engines_that_nobody_knows_are_freed_at_once(
    joined: Join, database: Database, world: World
) -> None:
    row = world.resource(world.stack(), engine_id="gone", epoch=4)
    assert joined().others.look()
    with database.read() as connection:
        found = connection.execute(t.resource.select().where(t.resource.c.id == row)).one()
    assert (found.engine_id, found.epoch) == (None, 5)


def test_who_has_the_state_to_himself_frees_the_rows_of_all_others(
    joined: Join, database: Database, world: World
) -> None:
    me, other = joined(), joined()
    stack = world.stack()
    mine = world.resource(stack, "mine", engine_id=me.name)
    world.resource(stack, "theirs", engine_id=other.name)
    world.resource(stack, "stray", engine_id="gone")
    me.others.bury_all()
    with database.read() as connection:
        rows = connection.execute(t.resource.select()).all()
    assert {row.id for row in rows if row.engine_id is not None} == {mine}
    assert alive(database) == {me.name}
