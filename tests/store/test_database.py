"""The clock of a database, and its transactions."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from stoker.store import database as databases
from stoker.store.passing import Passing

if TYPE_CHECKING:
    from stoker.store.database import Database


def is_in_transaction(connection: sa.Connection) -> bool:
    """Tell whether two statements on the connection are in one transaction."""
    if connection.dialect.name == "postgresql":
        began = sa.text("SELECT transaction_timestamp()")
        return bool(connection.scalar(began) == connection.scalar(began))
    connection.execute(sa.text("SELECT count(*) FROM stack_tag"))
    return bool(connection.scalar(sa.text("SELECT @@in_transaction")))


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


def test_who_reads_from_a_server_opens_no_transaction_and_who_writes_does(
    database: Database,
) -> None:
    if database.dialect == "sqlite":
        pytest.skip("there a reader has a snapshot, which is a transaction")
    for _ in range(2):  # also on a connection that was used before
        with database.read() as connection:
            assert not is_in_transaction(connection)
        with database.write() as connection:
            assert is_in_transaction(connection)


def test_a_transaction_that_failed_leaves_nothing_behind_on_its_connection(
    database: Database,
) -> None:
    def fail() -> None:
        with database.write() as connection:
            connection.execute(sa.text("DELETE FROM stack_tag"))
            raise KeyError("amiss")

    with pytest.raises(KeyError):
        fail()
    if database.dialect != "sqlite":
        with database.read() as connection:
            assert not is_in_transaction(connection)
    with database.write() as connection:  # SQLite: nobody holds the lock
        assert connection.scalar(sa.text("SELECT count(*) FROM stack_tag")) == 0


def test_transactions_on_a_server_see_what_others_have_committed_meanwhile(
    database: Database,
) -> None:
    level = {
        "mysql": sa.text("SELECT @@tx_isolation"),
        "postgresql": sa.text("SELECT current_setting('transaction_isolation')"),
    }
    if database.dialect == "sqlite":
        pytest.skip("there is one writer at a time")
    for _ in range(2):  # also on a connection that was used otherwise before
        with database.write() as connection:
            found = str(connection.scalar(level[database.dialect]))
        assert found.replace("-", " ").lower() == "read committed"
        with database.read() as connection:
            connection.execution_options(isolation_level="REPEATABLE READ")
            connection.execute(sa.text("SELECT count(*) FROM stack_tag"))


@pytest.mark.parametrize("kind", ["postgresql"])
@pytest.mark.parametrize("name", ["enable_seqscan", "jit"])
def test_postgresql_reads_no_table_whole_and_compiles_nothing(
    database: Database, name: str
) -> None:
    with database.read() as connection:
        assert connection.scalar(sa.text(f"SHOW {name}")) == "off"
