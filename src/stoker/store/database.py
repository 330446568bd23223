"""A database and how it is opened: SQLite, PostgreSQL or MariaDB behind one small class.

Writers begin with the write lock on SQLite (BEGIN IMMEDIATE): a transaction that reads first
and writes later would fail there with "database is locked" whatever the time-out. Everywhere
else READ COMMITTED.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError, OperationalError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.store.seal import Sealer

DatabaseError = DBAPIError
"""What any statement or commit may raise; what it did then has to be read again."""


def is_passing(error: Exception) -> bool:
    """Tell whether the same statements may succeed later: locks, lost connections."""
    if not isinstance(error, DBAPIError):
        return isinstance(error, sa.exc.TimeoutError)  # no connection was free
    return error.connection_invalidated or isinstance(error, OperationalError)


BUSY_SECONDS = 30.0
POOL = 64


class Database:
    """Connections, the dialect, the clock of the database, and the sealer of its values."""

    def __init__(self, url: str, sealer: Sealer) -> None:
        self.sealer = sealer
        self.engine = _engine(url)
        self.dialect = self.engine.dialect.name
        self._offset: float | None = 0.0 if self.dialect == "sqlite" else None

    def now(self) -> float:
        """Return the database's time in seconds since the epoch."""
        if self._offset is None:
            with self.engine.connect() as connection:
                there = connection.scalar(_CLOCK[self.dialect])
            self._offset = float(there) - time.time()
        return time.time() + self._offset

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Give a connection for reading; what it sees is one snapshot on SQLite."""
        with self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """Give a connection in a transaction that commits at the end, or not at all."""
        options = {"stoker_writes": True}
        with (
            self.engine.connect().execution_options(**options) as connection,
            connection.begin(),
        ):
            yield connection

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


_CLOCK = {
    "postgresql": sa.text("SELECT extract(epoch FROM clock_timestamp())"),
    "mysql": sa.text("SELECT unix_timestamp(sysdate(6))"),
    "mariadb": sa.text("SELECT unix_timestamp(sysdate(6))"),
}


def _engine(url: str) -> sa.Engine:
    parsed = sa.engine.make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return sa.create_engine(
            parsed,
            isolation_level="READ COMMITTED",
            pool_size=POOL,
            pool_pre_ping=True,
            hide_parameters=True,  # an error's text must not carry values
        )
    engine = sa.create_engine(
        parsed,
        poolclass=sa.pool.QueuePool,
        pool_size=POOL,
        hide_parameters=True,
        connect_args={"check_same_thread": False, "timeout": BUSY_SECONDS},
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy says BEGIN, the driver must not
    for pragma in (
        "journal_mode=WAL",
        "synchronous=NORMAL",
        "foreign_keys=ON",
        "cache_size=-65536",
        "temp_store=MEMORY",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: sa.Connection) -> None:
    writes = connection.get_execution_options().get("stoker_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
