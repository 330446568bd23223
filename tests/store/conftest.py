"""Databases for tests: SQLite always; others where their URLs are in the environment.

``STOKER_TEST_POSTGRESQL`` and ``STOKER_TEST_MARIADB`` name databases that tests may empty.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from stoker.store.database import Database
from stoker.store.migrate import upgrade
from stoker.store.seal import KEY_BYTES, Sealer
from tests.store.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

URLS = {
    kind: os.environ[name]
    for kind in ("postgresql", "mariadb")
    if (name := f"STOKER_TEST_{kind.upper()}") in os.environ
}


@pytest.fixture
def sealer() -> Sealer:
    return Sealer(b"k" * KEY_BYTES)


@pytest.fixture(params=["sqlite", *URLS])
def empty_database(
    request: pytest.FixtureRequest, tmp_path: Path, sealer: Sealer
) -> Iterator[Database]:
    """Give a database without tables, of each kind that there is."""
    database = Database(URLS.get(request.param, f"sqlite:///{tmp_path / 'a.db'}"), sealer)
    _empty(database)
    yield database
    _empty(database)
    database.close()


@pytest.fixture
def database(empty_database: Database) -> Database:
    """Give a database with its tables."""
    upgrade(empty_database)
    return empty_database


@pytest.fixture
def world(database: Database) -> World:
    return World(database)


def _empty(database: Database) -> None:
    with database.write() as connection:
        found = sa.MetaData()
        found.reflect(connection)
        found.drop_all(connection)
