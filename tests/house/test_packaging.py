"""The package's declaration and its lock."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

EXTRAS = {"classic", "dev", "memcache", "mysql", "postgresql", "rabbitmq", "yaql"}


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    with (root / "pyproject.toml").open("rb") as file:
        return dict(tomllib.load(file)["project"])


@pytest.fixture(scope="module")
def lock(root: Path) -> list[str]:
    """Return the lock's entries, each on one line."""
    text = (root / "requirements.lock").read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def plain(requirement: str) -> str:
    """Return the name in a requirement as registries compare names."""
    name = re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_extras_that_the_docs_name_exist(project: dict[str, Any]) -> None:
    assert set(project["optional-dependencies"]) == EXTRAS


def test_the_lock_holds_every_requirement(project: dict[str, Any], lock: list[str]) -> None:
    wanted = [*project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        wanted += extra
    assert {plain(requirement) for requirement in wanted} <= {plain(entry) for entry in lock}


def test_every_locked_package_has_one_version_and_a_hash(lock: list[str]) -> None:
    assert len({plain(entry) for entry in lock}) == len(lock)
    loose = [plain(entry) for entry in lock if "==" not in entry or "--hash=sha256:" not in entry]
    assert loose == []


def test_the_lock_names_no_registry(root: Path) -> None:
    text = (root / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in text
    assert "index-url" not in text


def test_every_declared_python_is_one_that_the_package_accepts(project: dict[str, Any]) -> None:
    prefix = "Programming Language :: Python :: 3."
    minors = [int(c.removeprefix(prefix)) for c in project["classifiers"] if c.startswith(prefix)]
    assert minors == [11, 12, 13, 14]
    assert project["requires-python"] == ">=3.11"
