"""A database on disk, and an engine that works on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.store.database import Database
from stoker.store.migrate import upgrade
from stoker.store.seal import KEY_BYTES, Sealer
from tests.engine.house import House

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'a.db'}", Sealer(b"k" * KEY_BYTES))
    upgrade(database)
    yield database
    database.close()


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    house.engine.start()
    yield house
    house.engine.stop()
