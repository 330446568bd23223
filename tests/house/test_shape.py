"""The shape alarms go off, and their exceptions cannot rot."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SEVEN = "def f(a, b, c, d, e, f, g):\n    return a\n"
EIGHT = "def many(a, b, c, d, e, f, g, h):  # noqa: PLR0913\n    return a\n"
STATEMENTS = "def long(a):\n" + "    a += 1\n" * 31
BRANCHES = "def tangled(a):\n" + "    if a:\n        a -= 1\n" * 10 + "    return a\n"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Return a repository of the tool, its settings and nothing else."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "src").mkdir()
    shutil.copy(ROOT / "tools" / "shape.py", tmp_path / "tools")
    shutil.copy(ROOT / "ruff.toml", tmp_path)
    write_exceptions(tmp_path)
    return tmp_path


def write_exceptions(house: Path, *lines: str, number: int | None = None) -> None:
    text = "\n".join(["# why", f"exceptions: {len(lines) if number is None else number}", *lines])
    (house / "tools" / "shape-exceptions.txt").write_text(text + "\n", encoding="utf-8")


def shape(house: Path, source: str) -> tuple[int, str]:
    """Return the tool's exit status and output for a file ``src/a.py``."""
    (house / "src" / "a.py").write_text(source, encoding="utf-8")
    command = [sys.executable, str(house / "tools" / "shape.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_what_is_small_enough_passes(house: Path) -> None:
    assert shape(house, SEVEN + "x = 1\n" * 498) == (0, "")


@pytest.mark.parametrize(
    ("source", "alarm"),
    [
        ("x = 1\n" * 501, "src/a.py: 501 lines"),
        (EIGHT, "src/a.py many parameters"),
        (STATEMENTS, "src/a.py long statements"),
        (BRANCHES, "src/a.py tangled complexity"),
    ],
    ids=["lines", "parameters even when silenced", "statements", "complexity"],
)
def test_what_is_too_large_is_told(house: Path, source: str, alarm: str) -> None:
    status, output = shape(house, source)
    assert status == 1
    assert alarm in output


def test_an_exception_with_a_reason_is_allowed(house: Path) -> None:
    write_exceptions(house, "src/a.py many parameters -- the wire format has eight fields")
    assert shape(house, EIGHT) == (0, "")


def test_an_exception_needs_a_reason(house: Path) -> None:
    write_exceptions(house, "src/a.py many parameters --")
    assert shape(house, EIGHT) == (1, "src/a.py many parameters: an exception needs a reason\n")


def test_an_exception_that_is_not_needed_must_go(house: Path) -> None:
    write_exceptions(house, "src/a.py many parameters -- the wire format has eight fields")
    status, output = shape(house, SEVEN)
    assert status == 1
    assert "no longer needed" in output


def test_the_number_of_exceptions_is_declared(house: Path) -> None:
    write_exceptions(house, "src/a.py many parameters -- eight fields", number=0)
    assert shape(house, EIGHT) == (1, "1 exceptions listed, but 0 declared\n")
