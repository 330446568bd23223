"""A thread that looks after something: every few seconds, and when it is woken.

Rule: whatever a look ends in is in the log, and the next look happens.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from stoker.errors import Unavailable
from stoker.store.database import DatabaseError
from stoker.store.passing import code

if TYPE_CHECKING:
    from collections.abc import Callable

_LOG = logging.getLogger(__name__)


class Looking:
    """Calls ``look`` until it is ended; ``look`` tells whether there is more to be done at once.

    The first look comes after the first pause: who wants it sooner wakes it.
    """

    def __init__(self, name: str, look: Callable[[], bool | None], seconds: float) -> None:
        self._name, self._look, self._seconds = name, look, seconds
        self._is_ending, self._woken = False, threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"stoker-{name}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wake(self) -> None:
        """Look now."""
        self._woken.set()

    def end(self) -> None:
        """Look no more, but for a look under way."""
        self._is_ending = True
        self._woken.set()

    def join(self, timeout: float) -> None:
        """Wait for the end of the look under way."""
        self._thread.join(timeout)

    def _run(self) -> None:
        has_more = False
        while not self._is_ending:
            if not has_more:
                self._woken.wait(self._seconds)
            self._woken.clear()
            # Asked after that: whoever ends it sets the mark before waking.
            has_more = not self._is_ending and self._looked()

    def _looked(self) -> bool:
        try:
            return bool(self._look())
        except DatabaseError as e:
            text = "the database did not answer; the thread %s goes on later: %s"
            _LOG.warning(text, self._name, code(e.orig))
        except Unavailable as e:
            _LOG.warning("the thread %s goes on later: %s", self._name, e)
        except Exception:  # noqa: BLE001 - its outermost: without it nobody would look any more
            _LOG.exception("the thread %s failed; it goes on later", self._name)
        return False
