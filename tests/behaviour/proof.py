"""What shows that a row of the captured facts holds here: tests, or a difference that is told.

Rule: a table names every row of its section, and nothing that is not there: a test that has
gone, or a difference that nobody reads about, fails it.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOLD = ("docs/differences.md", "docs/limits.md", "README.md")


@dataclass(frozen=True, slots=True)
class Row:
    """A row by its name; ``tests`` are ``file.py::test`` below ``tests/``, ``told`` is what a
    document for users says of it."""

    name: str
    tests: tuple[str, ...] = ()
    told: str | None = None


def check(row: Row) -> None:
    """Fail unless the row's tests are there, and what it tells is told."""
    assert row.tests or row.told, f"{row.name}: nothing shows it"
    for each in row.tests:
        file, _, test = each.partition("::")
        assert test in tried_in(file), f"{row.name}: there is no test {each}"
    if row.told is not None:
        assert any(row.told in document for document in _documents()), f"{row.name}: {row.told}"


@cache
def tried_in(file: str) -> frozenset[str]:
    """Return the tests that a module below ``tests/`` defines."""
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    return frozenset(each.name for each in tree.body if isinstance(each, ast.FunctionDef))


@cache
def _documents() -> tuple[str, ...]:
    return tuple((ROOT / each).read_text(encoding="utf-8") for each in TOLD)


def section(shared: Path, number: str) -> str:
    """Return a section of what is known of the engine."""
    text = (shared / "facts" / "engine.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(number)} .*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[0]


def first_cells(text: str) -> list[str]:
    """Return what stands first in the rows of a section's tables."""
    rows = [each.split("|")[1].strip() for each in text.splitlines() if each.startswith("|")]
    return [each for each in rows if not set(each) <= set("-: ")]
