from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from stoker.app.garbage import exempt_what_is_loaded


@pytest.fixture
def _thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("_thawed")
def test_the_collector_passes_over_what_was_loaded_and_not_over_what_comes_later() -> None:
    loaded = [object()]
    exempt_what_is_loaded()
    later = [object()]
    looked_at = {id(each) for each in gc.get_objects()}
    assert id(later) in looked_at
    assert id(loaded) not in looked_at
