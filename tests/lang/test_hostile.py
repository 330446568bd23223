"""Input that means harm is refused within 2 s of processor time and 256 MiB."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lang.hostile import CASES


@pytest.fixture(scope="module")
def came_of_it(root: Path) -> dict[str, str]:
    command = (sys.executable, "-m", "tests.lang.hostile")
    told = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return dict(map(json.loads, told.splitlines()))


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_within_limits(name: str, came_of_it: dict[str, str]) -> None:
    assert came_of_it[name].startswith("refused: ")
    assert CASES[name][1] in came_of_it[name]
