"""What all tests may use. Fixtures of one folder stand in that folder's own conftest."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.databases.server import Servers


ROOT = Path(__file__).resolve().parent.parent

settings.register_profile("patient", deadline=None)  # other processes use the machine, too
if "CI" not in os.environ:  # there Hypothesis has a profile of its own, as patient
    settings.load_profile("patient")


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the repository's root."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of captured facts and templates that lies beside the repository.

    Who has only the repository cannot run what is checked against it; CI always can.
    """
    path = ROOT.parent / "shared"
    if path.is_dir():
        return path
    reason = f"the folder of captured facts is missing: {path}"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """Give the database servers of this run, which start when they are asked for."""
    from tests.databases.server import Servers

    with tempfile.TemporaryDirectory(prefix="stoker-databases-") as folder:
        Path(folder).chmod(0o755)  # they have users of their own
        servers = Servers(Path(folder))
        yield servers
        servers.stop()
