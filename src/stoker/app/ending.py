"""When the process is to end: signals, the end of standard input, or a part that failed.

Rule: the first request to end is carried out in order; a second signal ends at once.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Ending:
    """Waits until the process is to end; ``failure`` says why when it is not by request."""

    def __init__(self) -> None:
        self.failure: str | None = None
        self._asked = threading.Event()

    def on_signals(self) -> None:
        """Take SIGTERM, SIGINT and SIGHUP as the request to end; call it in the main thread."""
        for each in SIGNALS:
            # Under nohup a hang-up is to be ignored, and stays so.
            if not (each is signal.SIGHUP and signal.getsignal(each) is signal.SIG_IGN):
                signal.signal(each, self._signalled)

    def on_end_of_input(self) -> None:
        """Take the end of standard input as the request to end."""
        threading.Thread(target=self._read, name="eof", daemon=True).start()

    def fail(self, why: str) -> None:
        """Ask to end because something that is needed is broken."""
        self.failure = why
        self._asked.set()

    def wait(self) -> None:
        """Return when the process is to end."""
        self._asked.wait()

    def _signalled(self, _signal: int, _frame: FrameType | None) -> None:
        for each in SIGNALS:
            signal.signal(each, signal.SIG_DFL)
        self._asked.set()

    def _read(self) -> None:
        while os.read(0, 4096):
            pass
        self._asked.set()
