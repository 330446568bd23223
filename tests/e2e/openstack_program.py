"""The program ``openstack`` as a test uses it: arguments in; exit code, output and errors out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of one command."""

    arguments: tuple[str, ...]
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class OpenStackProgram:
    """Runs commands as one account; ``folder`` is where it looks for files."""

    def __init__(self, clouds_yaml: Path, folder: Path) -> None:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("OS_")}
        environment |= {"OS_CLIENT_CONFIG_FILE": str(clouds_yaml), "OS_CLOUD": "demo"}
        self._process = subprocess.Popen(
            (sys.executable, str(Path(__file__).with_name("openstack_forks.py"))),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**environment, "COLUMNS": "300"},
            cwd=folder,
            text=True,
        )

    def run(self, *arguments: str) -> Ran:
        """Run a command, whatever comes of it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(arguments) + "\n")
        self._process.stdin.flush()
        return Ran(arguments, **json.loads(self._process.stdout.readline()))

    def ok(self, *arguments: str) -> Ran:
        """Run a command that must succeed."""
        ran = self.run(*arguments)
        assert ran.code == 0, ran
        return ran

    def json(self, *arguments: str) -> Any:
        """Run a command that must succeed and return its output, asked for as JSON."""
        return self.ok(*arguments, "-f", "json").json

    def close(self) -> None:
        """End it."""
        self._process.communicate()
