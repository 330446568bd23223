"""The read-only use cases on a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import pytest

from stoker.engine.usecases.reading import Reading

if TYPE_CHECKING:
    from stoker.usecases.caller import Caller
    from tests.engine.kinds import Kinds
    from tests.store.world import World


def no_cloud(caller: Caller) -> NoReturn:
    """Stand in for the clouds of callers: what is recorded must need none."""
    raise AssertionError(f"a cloud is asked for {caller}")


@pytest.fixture
def reading(world: World, kinds: Kinds) -> Reading:
    return Reading(world.database, kinds, no_cloud, hidden_tags=("data-processing-cluster",))
