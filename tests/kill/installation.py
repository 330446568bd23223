"""``stoker serve`` as a group of processes that is killed as a whole and started again.

Rule: every start is in a process group of its own, and a kill reaches all of it in one call.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from stoker.cli.options import READY

if TYPE_CHECKING:
    from pathlib import Path

START_SECONDS = 60.0
END_SECONDS = 30.0


class NotReadyError(AssertionError):
    """``serve`` ended, or did not come up in time."""


@dataclass
class Installation:
    """One state directory and what serves it now; ``starts`` counts the starts."""

    state: Path
    starts: int = 0
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def launch(self) -> None:
        """Start it, and do not wait."""
        self.starts += 1
        ports = ("--port", "0", "--cfn-port", "0", "--devcloud-port", "0")
        command = (sys.executable, "-m", "stoker.app", "serve", "--state", str(self.state))
        with self.errors.open("ab") as stderr:
            self._process = subprocess.Popen(
                (*command, *ports),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                start_new_session=True,
            )

    def wait_ready(self) -> float:
        """Return the moment (monotonic) at which it said that it is ready."""
        out = self._running.stdout
        assert out is not None
        said, until = b"", time.monotonic() + START_SECONDS
        while READY.encode() not in said:
            left = max(0.0, until - time.monotonic())
            more = os.read(out.fileno(), 4096) if select.select([out], [], [], left)[0] else b""
            if not more:
                self.kill()
                raise NotReadyError(f"start {self.starts}: {said!r} {self.errors.read_text()}")
            said += more
        return time.monotonic()

    def kill(self) -> None:
        """Kill all its processes at one instant."""
        process = self._running
        os.killpg(process.pid, signal.SIGKILL)
        self._ended(process)

    def terminate(self) -> int:
        """Ask it to end, wait until it has, and return the exit code."""
        process = self._running
        process.send_signal(signal.SIGTERM)
        return self._ended(process)

    def close(self) -> None:
        """Kill what still runs."""
        if self._process is not None:
            self.kill()

    @property
    def errors(self) -> Path:
        """The file that keeps what it says to standard error."""
        return self.state.with_name(f"{self.state.name}.errors")

    @property
    def ports(self) -> dict[str, int]:
        found: dict[str, int] = json.loads((self.state / "ports.json").read_text())
        return found

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "it is not running"
        return self._process

    def _ended(self, process: subprocess.Popen[bytes]) -> int:
        process.communicate(timeout=END_SECONDS)
        self._process = None
        return process.returncode
