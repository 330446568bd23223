"""What the tests of the programs share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.rpc.broker import Broker, running


@pytest.fixture(scope="session")
def broker() -> Iterator[Broker]:
    """Give a broker, which serves all who ask; who stops it starts it again."""
    with running() as found:
        yield found
