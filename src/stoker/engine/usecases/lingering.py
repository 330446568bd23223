"""Answers that wait for what is over at once.

A client that waits looks when it has its answer, and then after a pause (``openstack stack create
--wait``: 5 seconds). What asks no cloud is mostly over in a tenth of one: an answer that waits
for that saves its client the pause.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

from stoker.store import queries
from stoker.store.passing import Passing

if TYPE_CHECKING:
    from stoker.store.database import Database

PLACES: Final = 4
"""How many answers may wait at a time; others do not, so that threads are left to serve, also
where half of them stream events."""
_PAUSE: Final = 0.01
"""Seconds between two looks: engines are other processes, which tell nobody here of an end."""


class Lingering:
    """Waits up to ``seconds`` for an operation that has been accepted; 0: not at all."""

    def __init__(self, database: Database, seconds: float) -> None:
        self._database, self._seconds = database, seconds
        self._places = threading.BoundedSemaphore(PLACES)

    def until_over(self, stack_id: str) -> None:
        """Return when the stack's operation is over, at the latest after the time."""
        if self._seconds <= 0 or not self._places.acquire(blocking=False):
            return
        try:
            self._wait(stack_id)
        except Passing:
            return  # accepted it is, whatever becomes of the database now
        finally:
            self._places.release()

    def _wait(self, stack_id: str) -> None:
        end = time.monotonic() + self._seconds
        while time.monotonic() < end:
            time.sleep(_PAUSE)
            with self._database.read() as connection:
                if not queries.is_under_way(connection, stack_id):
                    return
