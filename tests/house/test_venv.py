"""``tools/venv.sh`` on machines that lack something: what it fetches, what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "venv.sh"

OLD_PYTHON = """#!/bin/sh
case "$1" in -V) echo Python 3.9.2 ;; *) exit 1 ;; esac
"""

# A Debian Python: no ensurepip until the package with its own version in the name is there.
PYTHON = """#!/bin/sh
case "$*" in
    *ensurepip*) test -e "{here}/fetched" ;;
    "-m venv "*) mkdir "$3" ;;
    *) exec {python} "$@" ;;
esac
"""
APT_GET = """#!/bin/sh
echo "$@" >>"{here}/apt.log"
case "$*" in install*) touch "{here}/fetched" ;; esac
"""


class Machine:
    """A folder with a Debian-like python, apt-get and a user of the given number."""

    def __init__(self, here: Path, *, user: int) -> None:
        self.here = here
        self.program("python3", PYTHON)
        self.program("apt-get", APT_GET)
        self.program("id", f"#!/bin/sh\necho {user}\n")

    def program(self, name: str, text: str) -> None:
        """Put a program on the machine; ``{here}`` and ``{python}`` in it are filled in."""
        path = self.here / name
        path.write_text(text.replace("{here}", str(self.here)).replace("{python}", sys.executable))
        path.chmod(0o755)

    def make_venv(self) -> subprocess.CompletedProcess[str]:
        """Run the script for a ``venv`` beside the programs."""
        command = ["bash", str(SCRIPT), str(self.here / "venv")]
        env = {"PATH": f"{self.here}:/usr/bin:/bin"}
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False)

    def fetched(self) -> list[str]:
        """Return the commands that apt-get was given."""
        log = self.here / "apt.log"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


@pytest.fixture
def debian(tmp_path: Path) -> Machine:
    return Machine(tmp_path, user=0)


def test_root_on_debian_gets_the_venv_of_its_own_python(debian: Machine) -> None:
    done = debian.make_venv()
    assert done.returncode == 0, done.stderr
    assert (debian.here / "venv").is_dir()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert debian.fetched() == [
        "update -qq",
        f"install -qq -y --no-install-recommends python{version}-venv",
    ]


def test_nothing_is_fetched_where_nothing_is_missing(debian: Machine) -> None:
    (debian.here / "fetched").touch()
    assert debian.make_venv().returncode == 0
    assert debian.fetched() == []


def test_who_is_not_root_is_told_what_to_install(tmp_path: Path) -> None:
    machine = Machine(tmp_path, user=1000)
    done = machine.make_venv()
    assert done.returncode == 1
    assert "apt-get install python3-venv" in done.stderr
    assert machine.fetched() == []


def test_an_old_python_is_refused_by_its_version(debian: Machine) -> None:
    debian.program("python3", OLD_PYTHON)
    done = debian.make_venv()
    assert done.returncode == 1
    assert "needs Python 3.11 or newer; python3 is Python 3.9.2" in done.stderr
