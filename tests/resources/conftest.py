"""The embedded cloud that the tests of the types share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.resources.scene import Scene, opened


@pytest.fixture(scope="session")
def scene() -> Iterator[Scene]:
    with opened() as made:
        yield made
