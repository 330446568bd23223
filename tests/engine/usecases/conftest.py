"""The read-only use cases on a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.engine.usecases.reading import Reading

if TYPE_CHECKING:
    from tests.engine.kinds import Kinds
    from tests.store.world import World


@pytest.fixture
def reading(world: World, kinds: Kinds) -> Reading:
    return Reading(world.database, kinds)
