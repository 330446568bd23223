"""Real Heat for the tests in this folder, where ``make test-agree`` has installed it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from stoker.app.yaql import provide_yaql
from tests.agreement.language.asked import Heat


@pytest.fixture(scope="session", autouse=True)
def yaql() -> None:
    provide_yaql()


@pytest.fixture(scope="session")
def heat(root: Path) -> Iterator[Heat]:
    python = root / ".venv-agree" / "bin" / "python"
    if not python.exists():
        reason = "real Heat is not installed; `make test-agree` installs it and runs this"
        if os.environ.get("STOKER_AGREE") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    asked = Heat(python)
    yield asked
    asked.close()
