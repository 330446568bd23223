"""The fixture ``shared``: silent absence is for people, never for CI."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).resolve().parents[1] / "conftest.py"
TEST = "def test_it(shared):\n    assert shared.name == 'shared'\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with one test that asks for the shared folder."""
    tests = tmp_path / "repository" / "tests"
    tests.mkdir(parents=True)
    shutil.copy(CONFTEST, tests)
    (tests / "test_it.py").write_text(TEST, encoding="utf-8")
    return tests.parent


def closing_line(repository: Path, **env: str) -> str:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-rsE",
        "-p",
        "no:cacheprovider",
        "--rootdir=.",
    ]
    done = subprocess.run(
        command, cwd=repository, env=env, capture_output=True, text=True, check=False
    )
    return done.stdout.splitlines()[-1]


def test_it_is_the_folder_beside_the_repository(repository: Path) -> None:
    (repository.parent / "shared").mkdir()
    assert closing_line(repository, CI="true").startswith("1 passed")


def test_without_the_folder_a_person_skips(repository: Path) -> None:
    assert closing_line(repository).startswith("1 skipped")


def test_without_the_folder_ci_fails(repository: Path) -> None:
    assert closing_line(repository, CI="true").startswith("1 error")
