"""Databases for tests: every test of the store runs on SQLite, on PostgreSQL and on MariaDB."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from stoker.store.database import Database
from stoker.store.migrate import upgrade
from stoker.store.seal import KEY_BYTES, Sealer
from stoker.store.tables import metadata
from tests.databases.server import KINDS, why_not
from tests.store.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def sealer() -> Sealer:
    return Sealer(b"k" * KEY_BYTES)


@pytest.fixture(params=["sqlite", *KINDS])
def kind(request: pytest.FixtureRequest) -> str:
    """Return the kind of the database, of those that can be had here."""
    if request.param != "sqlite" and (reason := why_not(request.param)) is not None:
        pytest.skip(reason)
    return str(request.param)


@pytest.fixture
def empty_database(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, sealer: Sealer
) -> Iterator[Database]:
    """Give a database without tables."""
    url = f"sqlite:///{tmp_path / 'a.db'}"
    if kind != "sqlite":
        url = request.getfixturevalue("servers").one(kind).database()
    database = Database(url, sealer)
    yield database
    database.close()


@pytest.fixture(scope="session")
def standing(request: pytest.FixtureRequest, sealer: Sealer) -> Iterator[Callable[[str], Database]]:
    """Give what returns the one database of a kind that all tests use, each after the other."""

    @cache
    def standing(kind: str) -> Database:
        folder = request.getfixturevalue("tmp_path_factory").mktemp("standing")
        url = f"sqlite:///{folder / 'a.db'}"
        if kind != "sqlite":
            url = request.getfixturevalue("servers").one(kind).database()
        database = Database(url, sealer)
        upgrade(database)
        opened.append(database)
        return database

    opened: list[Database] = []
    yield standing
    for database in opened:
        database.close()


@pytest.fixture
def database(kind: str, standing: Callable[[str], Database]) -> Iterator[Database]:
    """Give a database with its tables, all empty."""
    database = standing(kind)
    yield database
    with database.write() as connection:
        for table in metadata.sorted_tables:
            connection.execute(sa.delete(table))


@pytest.fixture
def world(database: Database) -> World:
    return World(database)
