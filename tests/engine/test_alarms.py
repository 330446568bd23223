from __future__ import annotations

from stoker.engine.alarms import Alarms


def test_without_alarms_one_waits_as_long_as_one_likes() -> None:
    assert Alarms().patience(100.0, 1.0) == 1.0


def test_one_waits_for_the_next_alarm_and_not_longer_than_one_likes() -> None:
    alarms = Alarms()
    alarms.set(100.5)
    alarms.set(103.0)
    assert alarms.patience(100.0, 1.0) == 0.5
    assert alarms.patience(100.5, 1.0) == 1.0  # the first has rung
    assert alarms.patience(102.75, 1.0) == 0.25


def test_moments_that_are_close_ring_once_and_none_too_early() -> None:
    alarms = Alarms()
    for moment in (100.01, 100.02, 100.05):
        alarms.set(moment)
    assert 100.05 <= 100.0 + alarms.patience(100.0, 1.0) < 100.11
    assert alarms.patience(100.2, 1.0) == 1.0
