"""What all tests may use. Fixtures of one folder stand in that folder's own conftest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


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
