"""The import contracts hold on the tree (that is `make check`), and each of them can break."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINT = Path(sys.executable).with_name("lint-imports")
LAYERS = (
    *("app", "cli", "api", "web", "devcloud", "rpc", "engine", "store", "classic", "resources"),
    *("clouds", "plan", "sdk", "usecases", "lang", "graph", "fetch", "errors"),
)

# For each contract, by the start of its name: a package and an import that it may not make.
BREACHES = {
    "Layers": ("graph", "stoker.plan"),
    "The core": ("lang", "random"),
    "Only the store": ("engine", "sqlalchemy"),
    "Only clouds": ("resources", "openstack"),
    "Only the API": ("engine", "oslo_policy"),
    "Only rpc": ("engine", "oslo_messaging"),
    "The doors": ("cli", "stoker.engine"),
    "The store": ("store", "stoker.resources"),
    "The engine": ("engine", "stoker.resources"),
    "The embedded cloud": ("devcloud", "stoker.errors"),
    "The names": ("../heat", "stoker.clouds"),
    "Only classic": ("engine", "novaclient"),
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a source tree with one empty package for each layer."""
    shutil.copy(ROOT / ".importlinter", tmp_path)
    for package in ["", "../heat", *LAYERS]:
        folder = tmp_path / "stoker" / package
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").touch()
    return tmp_path


def verdicts(tree: Path) -> dict[str, str]:
    """Return KEPT or BROKEN for each contract by its name."""
    command = [str(LINT), "--no-logo", "--no-cache"]
    done = subprocess.run(
        command,
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(tree)},
    )
    found = re.findall(r"^(.+) (KEPT|BROKEN)$", done.stdout, flags=re.MULTILINE)
    assert found, done.stdout + done.stderr
    return dict(found)


def test_an_empty_house_keeps_every_contract(tree: Path) -> None:
    assert set(verdicts(tree).values()) == {"KEPT"}


def test_every_contract_can_break(tree: Path) -> None:
    for package, target in BREACHES.values():
        module = tree / "stoker" / package / f"breach_{target.replace('.', '_')}.py"
        module.write_text(f"import {target}\n", encoding="utf-8")
    for here, there in (("a", "b"), ("b", "a")):
        module = tree / "stoker" / "graph" / f"{here}.py"
        module.write_text(f"import stoker.graph.{there}\n", encoding="utf-8")
    assert {name for name, verdict in verdicts(tree).items() if verdict == "KEPT"} == set()


def test_every_contract_has_a_breach_here(tree: Path) -> None:
    names = verdicts(tree)
    starts = {*BREACHES, "No cycles"}
    assert {start for start in starts for name in names if name.startswith(start)} == starts
    assert len(names) == len(starts)


def test_a_new_package_must_be_given_its_layer(tree: Path) -> None:
    folder = tree / "stoker" / "utils"
    folder.mkdir()
    (folder / "__init__.py").touch()
    layers = next(v for name, v in verdicts(tree).items() if name.startswith("Layers"))
    assert layers == "BROKEN"
