"""A number of processes that do the same work, and their parent, which starts a dead one again.

Rule: none outlives the parent. Each ends in order when the pipe that is its standard input does,
which happens whatever kills the parent. Of one that ends otherwise the parent tells at once.
"""

from __future__ import annotations

import logging
import signal
import subprocess
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from stoker.app.ending import Ending
from stoker.app.service import HOPELESS, reopen_log
from stoker.engine.processes import process_of
from stoker.errors import StokerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

STOP_SECONDS = 30.0
STEADY_SECONDS = 30.0
"""One that lived so long and died is started again at once."""
FIRST_PAUSE_SECONDS = 0.5
LAST_PAUSE_SECONDS = 10.0
_LOG = logging.getLogger(__name__)


def nobody(_process: str) -> None:
    """Hear of a process that died, and do nothing about it."""


class Crew:
    """``size`` processes of one command; ``gave_up`` is called when they cannot do their work,
    ``died`` with each that did not end in order (``engine.processes``)."""

    def __init__(
        self,
        command: Sequence[str],
        size: int,
        gave_up: Callable[[str], None],
        died: Callable[[str], None] = nobody,
    ) -> None:
        self._command, self._size = tuple(command), size
        self._gave_up, self._died = gave_up, died
        self._stopping = threading.Event()
        self._guard = threading.RLock()  # hang_up comes by a signal, at any time
        self._running: dict[int, subprocess.Popen[bytes]] = {}
        self._watches: list[threading.Thread] = []

    def start(self) -> None:
        """Start them all, and keep them up from now on."""
        for place in range(self._size):
            watch = threading.Thread(target=self._keep_up, args=(place,), name=f"worker-{place}")
            self._watches.append(watch)
            watch.start()

    def hang_up(self) -> None:
        """Pass SIGHUP on."""
        with self._guard:
            for process in self._running.values():
                process.send_signal(signal.SIGHUP)

    def stop(self) -> None:
        """Have all end in order, and by force those that take too long."""
        self._stopping.set()
        with self._guard:
            running = list(self._running.values())
        for process in running:
            _close(process)
        until = time.monotonic() + STOP_SECONDS
        for process in running:
            try:
                process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                _LOG.warning("process %d does not end; it is killed", process.pid)
                process.kill()
        for watch in self._watches:
            watch.join()

    def _keep_up(self, place: int) -> None:
        pause = 0.0
        while (process := self._spawned(place)) is not None:
            begun, name = time.monotonic(), process_of(process.pid)
            status = process.wait()
            _close(process)
            if status and name is not None:
                self._died(name)
            if self._stopping.is_set():
                return
            if status == HOPELESS:
                self._gave_up("a worker cannot start; what it said of it is above, and in the log")
                return
            steady = time.monotonic() - begun > STEADY_SECONDS
            pause = 0.0 if steady else min(LAST_PAUSE_SECONDS, 2 * pause or FIRST_PAUSE_SECONDS)
            _LOG.warning("process %d ended (status %d); another follows", process.pid, status)
            self._stopping.wait(pause)

    def _spawned(self, place: int) -> subprocess.Popen[bytes] | None:
        with self._guard:
            if self._stopping.is_set():
                return None
            process = subprocess.Popen(self._command, stdin=subprocess.PIPE)  # noqa: S603 - our own
            self._running[place] = process
            return process


def _close(process: subprocess.Popen[bytes]) -> None:
    """Close the pipe that keeps the process going."""
    if process.stdin is not None:
        with suppress(BrokenPipeError):
            process.stdin.close()


def supervise(command: Sequence[str], size: int, died: Callable[[str], None] = nobody) -> None:
    """Keep ``size`` processes up until a signal; raises StokerError when they cannot work."""
    ending = Ending()
    crew = Crew(command, size, ending.fail, died)

    def hang_up() -> None:
        reopen_log()
        crew.hang_up()

    ending.on_service_signals(hang_up)
    crew.start()
    ending.wait()
    crew.stop()
    if ending.failure is not None:
        raise StokerError(ending.failure)
