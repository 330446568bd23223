"""Database servers of the tests' own: PostgreSQL and MariaDB on free ports of the loopback.

One of each serves a whole run of tests, with a database for each who asks; it is ended by its
process. What only a disk that may fail needs (fsync) is off.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import ClassVar
from uuid import uuid4

import sqlalchemy as sa

from tools import daemons

POSTGRESQL = Path("/usr/lib/postgresql")
"""Where Debian has each of its versions, none of them on the path."""


class Server(ABC):
    """A server with its own data; ``folder`` must be one that its user can enter."""

    user: ClassVar[str]
    package: ClassVar[str]
    fast_end: ClassVar[signal.Signals] = signal.SIGTERM
    _any: ClassVar[str]
    _encoding: ClassVar[str]

    def __init__(self, folder: Path) -> None:
        self._data = folder / "data"
        self._log = folder / "log"
        self._child: subprocess.Popen[bytes] | None = None
        self._data.mkdir(mode=0o700)
        if os.geteuid() == 0:
            shutil.chown(self._data, self.user, self.user)
        self._prepare()
        # Chosen late: what takes a second to prepare would leave the port free for others.
        self._port = daemons.free_port()
        self.start()

    def start(self) -> None:
        """Start it, and return once it answers."""
        self._child = daemons.start(self._command(), self._log)
        daemons.wait_for(self._child, self._port, self._log)
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        """Return once it serves; it may listen while it still mends what a crash has left."""
        engine = sa.create_engine(self._url(self._any))
        until = time.monotonic() + daemons.START_SECONDS
        while True:
            try:
                with engine.connect() as connection:
                    if self._is_ready(connection):
                        break
            except sa.exc.OperationalError:
                if time.monotonic() > until:
                    raise
            assert time.monotonic() < until, "it does not become ready"
            time.sleep(0.1)
        engine.dispose()

    def _is_ready(self, _connection: sa.Connection) -> bool:
        """Tell whether it does what it is for, now that it answers."""
        return True

    def stop(self) -> None:
        """End it in good order; clients lose their connections at once."""
        if self._child is not None:
            daemons.end(self._child, self.fast_end)

    def kill(self) -> None:
        """End it as a crash of its machine would."""
        if self._child is not None:
            daemons.end(self._child, signal.SIGKILL)

    def database(self) -> str:
        """Make an empty database and return its URL."""
        name = f"t{uuid4().hex[:12]}"
        engine = sa.create_engine(self._url(self._any), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}{self._encoding}")
        engine.dispose()
        return self._url(name)

    def cut(self, url: str) -> None:
        """Break a connection to a database in the middle of a transaction, if there is one."""
        engine = sa.create_engine(self._url(self._any), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            name = sa.engine.make_url(url).database
            ids = connection.scalars(sa.text(self._at_work), {"name": name}).all()
            for id in ids[:1]:
                with suppress(sa.exc.DBAPIError):  # it may have ended by itself
                    connection.execute(sa.text(self._kill), {"id": id})
        engine.dispose()

    _at_work: ClassVar[str]
    _kill: ClassVar[str]

    @classmethod
    @abstractmethod
    def is_here(cls) -> bool:
        """Tell whether its programs are installed."""

    @abstractmethod
    def _prepare(self) -> None: ...

    @abstractmethod
    def _command(self) -> tuple[str, ...]: ...

    @abstractmethod
    def _url(self, name: str) -> str: ...


class PostgreSQL(Server):
    """PostgreSQL; it refuses to run as root."""

    user = "postgres"
    package = "postgresql"
    fast_end = signal.SIGINT  # the default waits for clients to leave
    _any, _encoding = "postgres", ""
    _at_work = (
        "SELECT pid FROM pg_stat_activity WHERE datname = :name"
        " AND state IN ('active', 'idle in transaction') ORDER BY random()"
    )
    _kill = "SELECT pg_terminate_backend(:id)"

    @classmethod
    def is_here(cls) -> bool:
        return any(POSTGRESQL.glob("*/bin/postgres"))

    def _prepare(self) -> None:
        options = ("-D", str(self._data), "-U", "stoker", "--auth=trust", "-E", "UTF8", "-N")
        command = (*self._as_user(), str(self._bin / "initdb"), *options, "--locale=C.UTF-8")
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")

    def _command(self) -> tuple[str, ...]:
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self._port),
            "unix_socket_directories": "",
            "fsync": "off",
            "max_connections": "300",
        }
        options = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        return (*self._as_user(), str(self._bin / "postgres"), "-D", str(self._data), *options)

    def _url(self, name: str) -> str:
        return f"postgresql+psycopg://stoker@127.0.0.1:{self._port}/{name}"

    @property
    def _bin(self) -> Path:
        return max(POSTGRESQL.glob("*/bin"))

    def _as_user(self) -> tuple[str, ...]:
        if os.geteuid() != 0:
            return ()
        return ("setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", "--")


class MariaDB(Server):
    """MariaDB; what decides on locks and isolation is as installers leave it."""

    user = "mysql"
    package = "mariadb-server"
    _any, _encoding = "mysql", " CHARACTER SET utf8mb4"
    _at_work = (
        "SELECT p.id FROM information_schema.processlist p JOIN information_schema.innodb_trx x"
        " ON x.trx_mysql_thread_id = p.id WHERE p.db = :name ORDER BY rand()"
    )
    _kill = "KILL :id"

    @classmethod
    def is_here(cls) -> bool:
        return shutil.which("mariadbd") is not None

    def _prepare(self) -> None:
        self._own_tmp.mkdir(mode=0o700)
        if os.geteuid() == 0:
            shutil.chown(self._own_tmp, self.user, self.user)
        options = ("--auth-root-authentication-method=normal", "--skip-test-db")
        command = ("mariadb-install-db", "--no-defaults", *self._places(), *options)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def _command(self) -> tuple[str, ...]:
        return (
            "mariadbd",
            "--no-defaults",
            *self._places(),
            f"--socket={self._data}/socket",
            f"--pid-file={self._data}/pid",
            "--bind-address=127.0.0.1",
            f"--port={self._port}",
            "--max-connections=300",
            "--innodb-flush-log-at-trx-commit=2",  # written, so that a kill loses nothing
            "--innodb-flush-method=nosync",
            "--innodb-file-per-table=0",
            "--skip-innodb-doublewrite",
        )

    def _places(self) -> tuple[str, ...]:
        user = (f"--user={self.user}",) if os.geteuid() == 0 else ()
        return (f"--datadir={self._data}", f"--tmpdir={self._own_tmp}", *user)

    @property
    def _own_tmp(self) -> Path:
        """A server that starts deletes the tables in its folder for such: another's crashes."""
        return self._data.parent / "tmp"

    def _url(self, name: str) -> str:
        return f"mysql+pymysql://root@127.0.0.1:{self._port}/{name}?charset=utf8mb4"


KINDS: dict[str, type[Server]] = {"postgresql": PostgreSQL, "mariadb": MariaDB}


class Servers:
    """The servers of a run of tests, each started for whoever asks first."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: dict[str, Server] = {}

    def one(self, kind: str) -> Server:
        """Return the server of a kind that :func:`why_not` has nothing against."""
        if kind not in self._started:
            folder = self._folder / kind
            folder.mkdir()
            self._started[kind] = KINDS[kind](folder)
        return self._started[kind]

    def stop(self) -> None:
        """End them all."""
        for server in self._started.values():
            server.stop()


def why_not(kind: str) -> str | None:
    """Return why there is no such server here, or None; CI installs what is missing."""
    wanted = KINDS[kind]
    if not wanted.is_here() and os.environ.get("CI") == "true" and os.geteuid() == 0:
        daemons.install([wanted.package])
    return None if wanted.is_here() else f"{wanted.package} is not installed"
