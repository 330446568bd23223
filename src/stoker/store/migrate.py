"""Bring a database's tables to what this version of the program needs.

Any number of processes may start at once: one upgrades, the others wait for it and find
nothing left to do. Alembic is imported only where there is something to do.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.errors import StokerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.store.database import Database

HEAD = "0008"
"""The newest revision, named here so that a start without upgrade need not read them all."""

SCRIPTS = Path(__file__).parent / "migrations"
_LOCK = 7_823_001  # any number that nobody else locks by
_LOCK_NAME = "stoker.migrations"
_LOCK_SECONDS = 60


class UnknownVersion(StokerError):
    """The tables were made by a newer version of the program."""


def version(database: Database) -> str | None:
    """Return the revision that the database is at; None where there are no tables yet."""
    with database.read() as connection:
        return _version(connection)


def upgrade(database: Database) -> None:
    """Make or change the tables; raises :class:`UnknownVersion` rather than go back."""
    if version(database) == HEAD:
        return
    with database.write() as connection, _alone(connection, database.dialect):
        found = _version(connection)
        if found != HEAD:
            _upgrade(connection, found)


def _version(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return found


def _upgrade(connection: sa.Connection, found: str | None) -> None:
    from alembic import command
    from alembic.script import ScriptDirectory

    config = _config()
    known = {each.revision for each in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        raise UnknownVersion(
            f"the database is at revision {found}, which this version does not know;"
            f" it needs {HEAD}: use the newer version that made it"
        )
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _config() -> Any:
    from alembic.config import Config

    config = Config()
    # A per cent sign in the path would be read as the start of a placeholder.
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    return config


@contextmanager
def _alone(connection: sa.Connection, dialect: str) -> Iterator[None]:
    """Hold what keeps other processes from upgrading; SQLite's write lock does already."""
    if dialect == "postgresql":
        connection.execute(sa.text(f"SET LOCAL lock_timeout = '{_LOCK_SECONDS}s'"))
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        yield
    elif dialect in ("mysql", "mariadb"):
        with _named_lock(connection):
            yield
    else:
        yield


@contextmanager
def _named_lock(connection: sa.Connection) -> Iterator[None]:
    """Hold a lock by name: DDL ends the transaction there, and with it any other lock."""
    asked = {"name": _LOCK_NAME, "seconds": _LOCK_SECONDS}
    if connection.scalar(sa.text("SELECT get_lock(:name, :seconds)"), asked) != 1:
        raise StokerError(f"another process is still upgrading after {_LOCK_SECONDS} s")
    try:
        yield
    finally:
        connection.execute(sa.text("SELECT release_lock(:name)"), {"name": _LOCK_NAME})
