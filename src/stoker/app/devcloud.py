"""The embedded cloud as a child process: started, watched, started again, ended.

Rule: it never outlives us. It inherits its listening socket and the lock on the state directory,
and ends when the pipe that is its standard input does, which happens whatever kills us.
"""

from __future__ import annotations

import logging
import os
import select
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stoker.app.state import PRIVATE_FILE
from stoker.errors import StokerError

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from pathlib import Path

START_SECONDS = 30.0
STOP_SECONDS = 5.0
RESTARTS = 5
"""How often in a row it is started again; one that lived for ``STEADY_SECONDS`` starts anew."""
STEADY_SECONDS = 60.0
PAUSE_SECONDS = 0.2
_LOG = logging.getLogger(__name__)


class CloudDown(StokerError):
    """The embedded cloud does not start, or does not stay up."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How the cloud is run; ``lock`` is a descriptor that it must hold as long as it lives."""

    listening: socket.socket
    lock: int
    state: Path
    log: Path
    password: str
    orchestration_url: str
    cloudformation_url: str

    def command(self) -> list[str]:
        """Return the command line, which holds no secret."""
        return [
            *(sys.executable, "-m", "stoker.devcloud", "--until-eof"),
            *("--listen-fd", str(self.listening.fileno()), "--state", str(self.state)),
            *("--orchestration-url", self.orchestration_url),
            *("--cloudformation-url", self.cloudformation_url),
        ]


class Devcloud:
    """The running child; ``gave_up`` is called once, from a thread, when it cannot be kept up."""

    def __init__(self, plan: Plan, gave_up: Callable[[str], None]) -> None:
        self._plan = plan
        self._gave_up = gave_up
        self._guard = threading.Lock()
        self._stopping = threading.Event()
        self._process = self._spawn()
        self._watch = threading.Thread(target=self._keep_up, name="devcloud-watch", daemon=True)

    @property
    def pid(self) -> int:
        """The process id of the child that runs now."""
        return self._process.pid

    def wait_ready(self) -> None:
        """Return as soon as the cloud answers, and keep it up from now on."""
        out = self._process.stdout
        assert out is not None  # noqa: S101 - it is a pipe
        ready, _, _ = select.select([out], [], [], START_SECONDS)
        line = out.readline() if ready else b""  # one write of less than a pipe's atomic size
        if not line.startswith(b"devcloud ready"):
            self.stop()
            raise CloudDown(f"the embedded cloud did not start; see {self._plan.log}")
        self._watch.start()

    def stop(self) -> None:
        """End the child: its standard input ends; by force when it does not notice."""
        with self._guard:
            self._stopping.set()
            process = self._process
        assert process.stdin is not None  # noqa: S101 - it is a pipe
        process.stdin.close()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        _close(process)
        if self._watch.ident is not None:
            self._watch.join()

    def _spawn(self) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "DEVCLOUD_PASSWORD": self._plan.password}
        descriptor = os.open(self._plan.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
        with os.fdopen(descriptor, "wb") as log:
            return subprocess.Popen(  # noqa: S603 - our own program
                self._plan.command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                pass_fds=(self._plan.listening.fileno(), self._plan.lock),
                env=environment,
            )

    def _keep_up(self) -> None:
        restarts = 0
        while True:
            begun = time.monotonic()
            status = self._process.wait()
            if self._stopping.wait(PAUSE_SECONDS):
                return
            restarts = 1 if time.monotonic() - begun > STEADY_SECONDS else restarts + 1
            if restarts > RESTARTS:
                self._gave_up(f"the embedded cloud ends again and again; see {self._plan.log}")
                return
            _LOG.warning("the embedded cloud ended (status %d); starting it again", status)
            if not self._restart():
                return

    def _restart(self) -> bool:
        with self._guard:
            if self._stopping.is_set():
                return False
            _close(self._process)
            self._process = self._spawn()
            return True


def _close(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
