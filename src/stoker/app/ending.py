"""When the process is to end: signals, the end of standard input, or a part that failed.

Rule: the first request to end is carried out in order; a second signal ends at once, but for
those who are sent every signal twice. A request is a byte in a pipe: a signal's handler runs in
the midst of whatever the main thread does, and must wait for no lock that this may hold.
"""

from __future__ import annotations

import os
import select
import signal
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Ending:
    """Waits until the process is to end; ``failure`` says why when it is not by request."""

    def __init__(self) -> None:
        self.failure: str | None = None
        self._asked, self._ask = os.pipe()
        os.set_blocking(self._ask, False)

    def on_signals(self) -> None:
        """Take SIGTERM, SIGINT and SIGHUP as the request to end; call it in the main thread."""
        for each in SIGNALS:
            # Under nohup a hang-up is to be ignored, and stays so.
            if not (each is signal.SIGHUP and signal.getsignal(each) is signal.SIG_IGN):
                signal.signal(each, self._signalled)

    def on_service_signals(self, hang_up: Callable[[], None], *, patient: bool = False) -> None:
        """Take SIGTERM and SIGINT as the request to end, and SIGHUP as a call of ``hang_up``.

        A second signal means no more than the first one to the ``patient``: in a service each
        process gets it from the service's starter and from its parent. Call it in the main
        thread, which must do nothing but wait.
        """
        signal.signal(signal.SIGHUP, lambda *_: hang_up())
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, self._asked_again if patient else self._signalled)

    def on_end_of_input(self) -> None:
        """Take the end of standard input as the request to end."""
        threading.Thread(target=self._read, name="eof", daemon=True).start()

    def fail(self, why: str) -> None:
        """Ask to end because something that is needed is broken."""
        self.failure = why
        self._end()

    def wait(self, seconds: float | None = None) -> bool:
        """Return when the process is to end, or after so long; tell whether it is to end."""
        return bool(select.select([self._asked], [], [], seconds)[0])

    def _asked_again(self, _signal: int, _frame: FrameType | None) -> None:
        self._end()

    def _signalled(self, _signal: int, _frame: FrameType | None) -> None:
        for each in SIGNALS:
            signal.signal(each, signal.SIG_DFL)
        self._end()

    def _read(self) -> None:
        while os.read(0, 4096):
            pass
        self._end()

    def _end(self) -> None:
        """Ask to end; what is in the pipe stays there, so that asking more is the same."""
        with suppress(BlockingIOError):  # it is full of requests
            os.write(self._ask, b"\0")
