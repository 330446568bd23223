"""A database on disk, and an engine that works on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.store import tables as t
from stoker.store.database import Database
from stoker.store.seal import KEY_BYTES, Sealer
from tests.engine.house import House

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'a.db'}", Sealer(b"k" * KEY_BYTES))
    t.metadata.create_all(database.engine)
    yield database
    database.close()


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    house.engine.start()
    yield house
    house.engine.stop()
