"""A database on disk, rows to put into it, and types to read them with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.store.database import Database
from stoker.store.migrate import upgrade
from stoker.store.seal import KEY_BYTES, Sealer
from tests.engine.kinds import Kinds
from tests.store.world import World

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
def world(database: Database) -> World:
    return World(database)


@pytest.fixture
def kinds() -> Kinds:
    return Kinds()
