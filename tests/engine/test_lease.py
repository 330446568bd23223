from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.instants import Instant, nobody
from stoker.engine.lease import MARGIN, CallGuard, Lease, LeaseLost, since_boot
from stoker.engine.settings import Settings
from stoker.errors import CloudError
from stoker.store import engines
from stoker.store.claims import Claim

if TYPE_CHECKING:
    from stoker.store.database import Database

SETTINGS = Settings(beat_seconds=2.0, dead_seconds=10.0)


@dataclass
class Clock:
    """A clock that goes when it is told."""

    seconds: float = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lease(database: Database, clock: Clock) -> Lease:
    return joined(database, clock)


def joined(database: Database, clock: Clock) -> Lease:
    lease = Lease(database, SETTINGS, clock)
    lease.join()
    return lease


def alive(database: Database) -> set[str]:
    with database.read() as connection:
        return set(engines.beats(connection))


def claim_of(engine_id: str) -> Claim:
    return Claim(None, 1, True, False, None, engine_id)  # noqa: FBT003 - of no interest here


# the own lease


def test_an_engine_trusts_its_lease_less_long_than_others_do(lease: Lease, clock: Clock) -> None:
    clock.seconds += SETTINGS.dead_seconds * MARGIN - 0.1
    assert lease.holds(lease.engine_id)
    clock.seconds += 0.2
    assert not lease.holds(lease.engine_id)


def test_a_beat_renews_the_lease(lease: Lease, clock: Clock) -> None:
    clock.seconds += 6.9
    assert lease.beat()
    clock.seconds += 6.9
    assert lease.holds(lease.engine_id)


def test_the_lease_counts_from_before_the_beat_was_written(
    database: Database, clock: Clock
) -> None:
    lease = joined(database, clock)

    class Slow:
        dialect, now = database.dialect, database.now

        def write(self) -> Any:
            clock.seconds += 5  # suspended, just then
            return database.write()

    lease._database = Slow()  # type: ignore[assignment]  # noqa: SLF001
    assert lease.beat()
    clock.seconds += 2.1
    assert not lease.holds(lease.engine_id)


def test_a_lease_is_no_good_for_rows_claimed_under_another_name(lease: Lease) -> None:
    before = lease.engine_id
    lease.join()
    assert lease.holds(lease.engine_id)
    assert not lease.holds(before)


def test_who_leaves_has_no_lease_any_more(lease: Lease, database: Database) -> None:
    engine_id = lease.engine_id
    lease.leave()
    assert not lease.holds(engine_id)
    assert alive(database) == set()


def test_the_clock_of_leases_goes_on_while_the_machine_sleeps() -> None:
    assert since_boot() == pytest.approx(time.clock_gettime(time.CLOCK_BOOTTIME), abs=1.0)


# before each call


def test_a_call_passes_while_the_lease_holds(lease: Lease) -> None:
    met: list[Instant] = []
    claim = claim_of(lease.engine_id)
    guard = CallGuard(lease, lambda instant, _: met.append(instant), claim)
    guard.before("network", "POST", "/ports")
    guard.after("network", "POST", "/ports")
    assert met == [Instant.CALL_ABOUT_TO_BE_SENT, Instant.CALL_SENT]
    assert (guard.passed, guard.error) == (True, None)


def test_no_call_passes_after_a_suspension(lease: Lease, clock: Clock) -> None:
    guard = CallGuard(lease, nobody, claim_of(lease.engine_id))
    clock.seconds += 60
    with pytest.raises(LeaseLost):
        guard.before("network", "POST", "/ports")
    assert not guard.passed


def test_no_call_passes_for_a_row_claimed_before_the_engine_was_declared_dead(
    lease: Lease,
) -> None:
    claim = claim_of(lease.engine_id)
    lease.join()
    guard = CallGuard(lease, nobody, claim)  # made after the engine has a new name
    with pytest.raises(LeaseLost):
        guard.before("network", "POST", "/ports")


def test_a_guard_knows_with_which_error_its_call_ended(lease: Lease) -> None:
    guard = CallGuard(lease, nobody, claim_of(lease.engine_id))
    refused = CloudError("no", service="network", status=409)

    def call() -> None:
        guard.before("network", "POST", "/ports")
        try:
            raise refused
        finally:
            guard.after("network", "POST", "/ports")

    with pytest.raises(CloudError):
        call()
    assert guard.error is refused
