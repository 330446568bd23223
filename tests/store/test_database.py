"""The clock of a database."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from stoker.store import database as databases
from stoker.store.passing import Passing

if TYPE_CHECKING:
    from stoker.store.database import Database


def test_the_time_is_the_databases(database: Database) -> None:
    assert database.now() == pytest.approx(time.time(), abs=1.0)


def test_a_machine_whose_clock_is_put_forward_goes_on_with_the_databases_time(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    if database.dialect == "sqlite":
        pytest.skip("it has the machine's clock")
    before, real = database.now(), time.time
    monkeypatch.setattr(time, "time", lambda: real() + 3600)
    assert database.now() == pytest.approx(before, abs=5.0)


def test_clocks_are_compared_again_now_and_then(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    if database.dialect == "sqlite":
        pytest.skip("it has the machine's clock")
    database.now()
    real = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: real() * 2)  # it runs twice as fast
    monkeypatch.setattr(databases, "CLOCK_SECONDS", 0.0)
    assert database.now() == pytest.approx(time.time(), abs=2.0)


def test_the_old_comparison_does_while_the_database_is_away(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = database.now()
    monkeypatch.setattr(databases, "CLOCK_SECONDS", -1.0)

    def away(*_a: object, **_k: object) -> None:
        raise Passing(None, taken_back=False)

    monkeypatch.setattr(database, "read", away)
    assert database.now() == pytest.approx(before, abs=5.0)
