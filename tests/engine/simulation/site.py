"""A database that many programs run on, one after the other, each finding it empty."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.database import Database
from stoker.store.migrate import upgrade
from stoker.store.seal import KEY_BYTES, Sealer

if TYPE_CHECKING:
    from collections.abc import Iterator

_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
_COMPILED: dict[Any, Any] = {}
"""Statements compiled once for all programs."""


@contextmanager
def sqlite() -> Iterator[Database]:
    """Give a migrated database in memory."""
    where = _MEMORY if _MEMORY.is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="stoker-simulation-", dir=where))
    try:
        with opened(f"sqlite:///{folder / 'stoker.db'}") as database:
            yield database
    finally:
        shutil.rmtree(folder)


@contextmanager
def opened(url: str) -> Iterator[Database]:
    """Give a migrated database."""
    database = Database(url, Sealer(b"k" * KEY_BYTES))
    database.engine.update_execution_options(compiled_cache=_COMPILED)
    try:
        upgrade(database)
        yield database
    finally:
        database.close()


def empty(database: Database) -> None:
    """Delete everything that the program before has left."""
    with database.write() as connection:
        for table in t.metadata.tables.values():
            connection.execute(sa.delete(table))
        if database.dialect == "sqlite":  # ids begin anew, so that a run is the same again
            connection.exec_driver_sql("DELETE FROM sqlite_sequence")
