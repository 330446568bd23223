"""A database and how it is opened: SQLite, PostgreSQL or MariaDB behind one small class.

Writers begin with the write lock on SQLite (BEGIN IMMEDIATE): a transaction that reads first
and writes later would fail there with "database is locked" whatever the time-out. Everywhere
else READ COMMITTED; in what order a transaction takes its locks is for ``store.locks`` to say.
Who only reads opens no transaction there: to open and end it takes longer than the reading.

What passes by itself (a server that is away, a lock that others hold) is raised as Passing;
any other error of the driver is a fault of this program.
"""

from __future__ import annotations

import json
import random
import threading
import time
from contextlib import contextmanager
from datetime import datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

from stoker.errors import Bug
from stoker.store.passing import Passing, passing, serves_no_more

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from stoker.store.seal import Sealer

T = TypeVar("T")

LOCK_SECONDS = 10
"""How long a statement waits for a lock: longer than any transaction of this program lasts."""
ANSWER_SECONDS = 60
"""After so long without a byte a server counts as gone: its machine may have vanished."""
CONNECT_SECONDS = 10
IDLE_SECONDS = 1.0
"""After so long unused a connection is asked whether it still stands."""
BUSY_SECONDS = 30.0
POOL = 64
CLOCK_SECONDS = 60.0
"""How old a comparison of clocks may be: two of them part by a second in some days."""

_PAUSES = (0.01, 0.03, 0.1, 0.3, 1.0)

DatabaseError = (DBAPIError, Passing)
"""What any statement or commit may raise; what it did then has to be read again."""


class Database:
    """Connections, the dialect, the clock of the database, and the sealer of its values.

    ``clock`` None: the server's own, or this machine's where there is no server.
    """

    def __init__(self, url: str, sealer: Sealer, clock: Callable[[], float] | None = None) -> None:
        self.sealer = sealer
        self.engine = _engine(url)
        self.dialect = self.engine.dialect.name
        own = time.time if self.dialect == "sqlite" else _Clock(self).now
        self._clock = clock or own

    def now(self) -> float:
        """Return the database's time in seconds since the epoch."""
        return self._clock()

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Give a connection for reading; what it sees is one snapshot on SQLite."""
        with self._told(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """Give a connection in a transaction that commits at the end, or not at all."""
        options = {"stoker_writes": True}
        with (
            self._told(),
            self.engine.connect().execution_options(**options) as connection,
            connection.begin(),
        ):
            yield connection

    def again(self, work: Callable[[sa.Connection], T]) -> T:
        """Have it done in a transaction of its own, anew where the database took that back."""
        for pause in _PAUSES:
            try:
                with self.write() as connection:
                    return work(connection)
            except Passing as e:
                if not e.taken_back:
                    raise
            time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
        with self.write() as connection:
            return work(connection)

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Raise as Passing what passes."""
        try:
            yield
        except sa.exc.TimeoutError as e:  # no connection became free
            raise Passing(e, taken_back=False) from e
        except DBAPIError as e:
            if (instead := passing(e.orig, self.dialect, lost=e.connection_invalidated)) is None:
                raise
            raise instead from e
        except self.engine.dialect.loaded_dbapi.Error as e:  # while a connection is prepared
            if (instead := passing(e, self.dialect)) is None:
                raise
            raise instead from e


class Joined(Database):
    """A database as a transaction under way sees it: what is read is read through that."""

    def __init__(self, database: Database) -> None:
        self.sealer, self.engine, self.dialect = database.sealer, database.engine, database.dialect
        self._clock = database.now
        self._connection: sa.Connection | None = None

    @contextmanager
    def through(self, connection: sa.Connection) -> Iterator[None]:
        """Read through this connection meanwhile; for one thread at a time."""
        self._connection = connection
        try:
            yield
        finally:
            self._connection = None

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Give the connection of the transaction."""
        if self._connection is None:
            raise Bug("there is no transaction to read through")
        yield self._connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """Raise: the transaction is another's to write."""
        raise Bug("what only computes writes nothing")
        yield


class _Clock:
    """The server's clock, carried on by this machine's monotonic one between two looks."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seen: tuple[float, float] | None = None  # there, and here at that moment
        self._looking = threading.Lock()

    def now(self) -> float:
        seen = self._seen
        if seen is None:
            seen = self._look()
        elif time.monotonic() - seen[1] > CLOCK_SECONDS and self._looking.acquire(blocking=False):
            try:
                seen = self._look()
            except Passing:
                pass  # the old look is good enough, and whoever asks will notice
            finally:
                self._looking.release()
        return seen[0] + time.monotonic() - seen[1]

    def _look(self) -> tuple[float, float]:
        with self._database.read() as connection:
            connection.execute(sa.select(1))  # connects, if need be
            before = time.monotonic()
            there = float(connection.scalar(_TIME[self._database.dialect]))
            self._seen = seen = (there, (before + time.monotonic()) / 2)
        return seen


_TIME = {
    "postgresql": sa.text("SELECT extract(epoch FROM clock_timestamp())"),
    "mysql": sa.text("SELECT unix_timestamp(sysdate(6))"),
    "mariadb": sa.text("SELECT unix_timestamp(sysdate(6))"),
}


def _read_json(text: str) -> Any:
    """Return what a JSON column holds: lists have one for each row."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:  # lone surrogates, which it does not read
        return json.loads(text)


def _engine(url: str) -> sa.Engine:
    parsed = sa.engine.make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite(parsed)
    is_postgresql = parsed.get_backend_name() == "postgresql"
    engine = sa.create_engine(
        parsed,
        isolation_level="READ COMMITTED",  # what a connection goes back to, too
        pool_size=POOL,
        pool_use_lifo=True,  # the one used last is warm, and need not be asked whether it stands
        hide_parameters=True,  # an error's text must not carry values
        json_deserializer=_read_json,
        connect_args=_POSTGRESQL if is_postgresql else _MARIADB,
    )
    if not is_postgresql:
        event.listen(engine, "do_connect", _connect_mariadb)
    event.listen(engine, "connect", _prepare_postgresql if is_postgresql else _prepare_mariadb)
    event.listen(engine, "begin", _begin)
    event.listen(engine, "checkin", _note_time)
    event.listen(engine, "checkout", partial(_ping_idle, engine.dialect))
    event.listen(engine, "handle_error", _give_up_useless)
    return engine


_POSTGRESQL = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": ANSWER_SECONDS // 4,
    "keepalives_interval": ANSWER_SECONDS // 4,
    "keepalives_count": 3,
    "tcp_user_timeout": 1000 * ANSWER_SECONDS,
}
_MARIADB = {
    "connect_timeout": CONNECT_SECONDS,
    "read_timeout": ANSWER_SECONDS,
    "write_timeout": ANSWER_SECONDS,
}


def _give_up_useless(context: sa.engine.ExceptionContext) -> None:
    """Have connections closed whose server serves no more, though it still speaks."""
    if serves_no_more(context.original_exception):
        context.is_disconnect = True


def _note_time(_connection: Any, record: Any) -> None:
    record.info["idle_since"] = time.monotonic()


def _ping_idle(dialect: sa.Dialect, connection: Any, record: Any, _proxy: Any) -> None:
    """Ask whether a connection still stands that nobody used for a while.

    One that was in use a moment ago is not asked, which would double the small transactions; where
    it broke since then, its user is told so and tries again.
    """
    idle_since = record.info.get("idle_since")
    if idle_since is None or time.monotonic() - idle_since < IDLE_SECONDS:
        return
    try:
        dialect.do_ping(connection)
    except dialect.loaded_dbapi.Error as e:
        raise sa.exc.InvalidatePoolError("the server has ended the connection") from e


# The drivers are to open no transactions of their own: _begin does.


def _prepare_postgresql(connection: Any, _record: Any) -> None:
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(f"SET SESSION lock_timeout = '{LOCK_SECONDS}s'")
        # Each statement has its index. A plan made while a table was small is kept, and would
        # go on reading it whole when it no longer is.
        cursor.execute("SET SESSION enable_seqscan = off")
        # What has no index looks so dear by that, that it would be compiled before it is run.
        cursor.execute("SET SESSION jit = off")
        cursor.execute("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED")


def _prepare_mariadb(connection: Any, _record: Any) -> None:
    connection.autocommit(True)  # noqa: FBT003 - the driver's
    with connection.cursor() as cursor:
        cursor.execute(f"SET SESSION innodb_lock_wait_timeout = {LOCK_SECONDS}")


def _begin(connection: sa.Connection) -> None:
    if connection.get_execution_options().get("stoker_writes"):
        connection.exec_driver_sql("BEGIN")


def _connect_mariadb(dialect: Any, _record: Any, args: Any, options: Any) -> Any:
    driver = dialect.loaded_dbapi
    return _quiet(driver)(*args, conv=_conversions(driver), **options)


@cache
def _conversions(driver: Any) -> dict[Any, Any]:
    """Return PyMySQL's, with moments read by the language itself: twenty times as fast."""
    usual: dict[Any, Any] = driver.converters.conversions
    return {**usual, driver.constants.FIELD_TYPE.DATETIME: datetime.fromisoformat}


@cache
def _quiet(driver: Any) -> Any:
    """Return PyMySQL's connection as one that asks for no rollback where nothing is open."""
    plain, flags = driver.connections.Connection, driver.constants.SERVER_STATUS

    def rollback(connection: Any) -> None:
        is_open = connection.server_status & flags.SERVER_STATUS_IN_TRANS
        if is_open or not connection.get_autocommit():
            plain.rollback(connection)

    return type("Connection", (plain,), {"rollback": rollback})


def _sqlite(url: sa.URL) -> sa.Engine:
    engine = sa.create_engine(
        url,
        poolclass=sa.pool.QueuePool,
        pool_size=POOL,
        hide_parameters=True,
        json_deserializer=_read_json,
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
