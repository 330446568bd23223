"""An installation for the clients' own tests, where ``make test-peers`` has fetched them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.app.serving import Serving

TIMEOUT = 2000
_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give them time: each of their tests starts the client's program several times."""
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.timeout(TIMEOUT))


@pytest.fixture(scope="session")
def place(root: Path) -> Path:
    """Return the environment with the clients and their archives."""
    found = root / ".venv-peers"
    if os.environ.get("STOKER_PEERS") != "1":
        pytest.skip("the clients' own tests run with `make test-peers`")
    assert (found / ".fetched").exists(), "`make test-peers` fetches the clients first"
    return found


@pytest.fixture(scope="session")
def serving(place: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """Give an installation that is served."""
    del place  # asked for first: where it is missing, nothing is to be served
    with closing(Serving(tmp_path_factory.mktemp("clients") / "state")) as serving:
        yield serving
        assert serving.stop() == 0


@pytest.fixture(scope="session")
def state(serving: Serving) -> Path:
    """Return the directory of that installation."""
    return serving.state
