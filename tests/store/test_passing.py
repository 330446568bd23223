"""Which errors pass, as real drivers raise them."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from stoker.store import database as databases
from stoker.store import tables as t
from stoker.store.database import Database
from stoker.store.passing import Passing, code, passing
from stoker.store.savepoint import savepoint
from tests.store.traversing import Player

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.store.seal import Sealer


def test_a_wrong_statement_does_not_pass(database: Database) -> None:
    with pytest.raises(sa.exc.DBAPIError), database.read() as connection:
        connection.execute(sa.text("SELECT no_such_column FROM stack"))


def test_a_value_that_is_there_already_does_not_pass(database: Database) -> None:
    player = Player(database)
    player.insert(t.raw_template_files, digest="d", files=b"")
    with pytest.raises(sa.exc.IntegrityError):
        player.insert(t.raw_template_files, digest="d", files=b"")


def test_a_server_that_does_not_answer_passes_and_may_have_done_its_work(
    kind: str, sealer: Sealer
) -> None:
    urls = {
        "sqlite": "sqlite:////no/such/folder/a.db",
        "postgresql": "postgresql+psycopg://nobody@127.0.0.1:1/none",
        "mariadb": "mysql+pymysql://nobody@127.0.0.1:1/none",
    }
    database = Database(urls[kind], sealer)
    with pytest.raises(Passing, match="does not answer") as found, database.read():
        pass
    assert not found.value.taken_back
    database.close()


@pytest.mark.parametrize("kind", ["mariadb"], indirect=True)
@pytest.mark.parametrize("number", [1047, 1290])
def test_a_connection_to_a_node_that_serves_no_more_is_given_up_and_nothing_is_logged(
    database: Database, number: int, caplog: pytest.LogCaptureFixture
) -> None:
    def connection_id() -> int:
        with database.read() as connection:
            return int(connection.execute(sa.text("SELECT connection_id()")).scalar_one())

    before = connection_id()
    said = f"SIGNAL SQLSTATE '08S01' SET MYSQL_ERRNO = {number}"
    with pytest.raises(Passing, match="does not answer"), database.read() as connection:
        connection.execute(sa.text(said))
    assert connection_id() > before
    assert not caplog.records


@pytest.mark.parametrize("within", [nullcontext, savepoint])
def test_who_waits_in_a_ring_is_taken_back_and_does_it_again(
    database: Database, within: Callable[[sa.Connection], AbstractContextManager[object]]
) -> None:
    if database.dialect == "sqlite":
        pytest.skip("there is one writer at a time")
    player = Player(database)
    ops = [player.create({"a": []}, name=name) for name in ("one", "two")]
    both, tries = threading.Barrier(2), [0, 0]

    def swap(mine: int) -> None:
        def work(connection: sa.Connection) -> None:
            tries[mine] += 1
            for which in (mine, 1 - mine):
                stack = t.stack.c.id == ops[which].stack_id
                with within(connection):
                    connection.execute(sa.update(t.stack).where(stack).values(failures=mine))
                if tries == [1, 1] or which == mine:
                    with suppress(threading.BrokenBarrierError):
                        both.wait(0.5)

        database.again(work)

    threads = [threading.Thread(target=swap, args=(i,)) for i in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sum(tries) > 2
    assert len({player.stack(op).failures for op in ops}) == 1


def test_a_lock_that_is_held_for_long_is_given_up(
    database: Database, monkeypatch: pytest.MonkeyPatch, sealer: Sealer
) -> None:
    seconds = "LOCK_SECONDS" if database.dialect != "sqlite" else "BUSY_SECONDS"
    monkeypatch.setattr(databases, seconds, 1)
    other = Database(database.engine.url.render_as_string(hide_password=False), sealer)
    player = Player(database)
    op = player.create({"a": []})
    change = sa.update(t.stack).where(t.stack.c.id == op.stack_id).values(failures=1)
    with ExitStack() as stack:
        stack.callback(other.close)
        held = stack.enter_context(database.write())
        held.execute(change)
        with pytest.raises(Passing, match="too busy") as found, other.write() as connection:
            connection.execute(change)
        assert found.value.taken_back


class Said(Exception):
    def __init__(self, *args: Any, sqlstate: str | None = None) -> None:
        super().__init__(*args)
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("dialect", "error", "taken_back"),
    [
        ("postgresql", Said(sqlstate="40001"), True),
        ("postgresql", Said(sqlstate="57P01"), False),
        ("postgresql", Said(sqlstate="25006"), False),
        ("postgresql", Said(sqlstate="53300"), False),
        ("mysql", Said(1213, "Deadlock"), True),
        ("mysql", Said(2013, "Lost connection"), False),
        ("mysql", Said(1040, "Too many connections"), False),
        ("mysql", Said(1290, "read-only"), False),
        ("mysql", Said(0, ""), False),
    ],
)
def test_what_passes_is_told_by_its_number(
    dialect: str,
    error: Exception,
    taken_back: bool,  # noqa: FBT001
) -> None:
    found = passing(error, dialect)
    assert found is not None
    assert found.taken_back is taken_back
    assert found.code == code(error)


@pytest.mark.parametrize(
    ("dialect", "error"),
    [
        ("postgresql", Said(sqlstate="42703")),
        ("postgresql", Said(sqlstate="23505")),
        ("mysql", Said(1054, "Unknown column")),
        ("mysql", Said(1406, "Data too long")),
        ("sqlite", Said("no such table: x")),
    ],
)
def test_a_fault_is_no_number_that_passes(dialect: str, error: Exception) -> None:
    assert passing(error, dialect) is None


def test_a_lost_connection_passes_whatever_was_said_and_nobody_knows_what_it_did() -> None:
    found = passing(Said(1213, "Deadlock"), "mysql", lost=True)
    assert found is not None
    assert not found.taken_back
