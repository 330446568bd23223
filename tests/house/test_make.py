"""The commands that people are told to type."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/README.md", "changelog/README.md", ".ci/run")
RUN_IN_VENV = ("bench", "check", "demo", "format", "serve", "test")


@pytest.fixture(scope="module")
def targets(root: Path) -> dict[str, str]:
    """Return the Makefile's targets, each with what it depends on."""
    text = (root / "Makefile").read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z-]+):(?!=)([^#\n]*)", text, flags=re.MULTILINE))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_make_command_in_the_documents_exists(
    root: Path, targets: dict[str, str], document: str
) -> None:
    text = (root / document).read_text(encoding="utf-8")
    named = re.findall(r"(?:^|`)make ([a-z-]+)", text, flags=re.MULTILINE)
    assert named, f"{document} names no make command"
    assert set(named) <= set(targets)


@pytest.mark.parametrize("target", RUN_IN_VENV)
def test_every_command_does_the_set_up_that_it_needs(targets: dict[str, str], target: str) -> None:
    assert "install" in targets[target].split()


def test_ci_checks_first_and_ends_with_the_tests(root: Path) -> None:
    script = root / ".ci" / "run"
    assert os.access(script, os.X_OK)
    text = script.read_text(encoding="utf-8")
    assert "set -euo pipefail" in text
    commands = re.findall(r"^make (\w+)$", text, flags=re.MULTILINE)
    assert commands[0] == "check"
    assert commands[-1] == "test"
