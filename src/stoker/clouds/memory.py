"""What was learnt from a cloud, for a short while.

Rule: only what was found is kept; that something is missing is asked again each time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any


class Memory:
    """Values by key, each for its own number of seconds; the oldest go when it is full.

    Moments are of the monotonic clock.
    """

    def __init__(self, most: int = 2000, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._kept: dict[Hashable, tuple[float, Any, float]] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, since: float = 0.0) -> Any:
        """Return what is known under ``key``, or None; nothing that was learnt before ``since``."""
        found = self._kept.get(key)
        if found is None or found[0] <= self._clock() or found[2] < since:
            return None
        return found[1]

    def keep(self, key: Hashable, value: Any, seconds: float, learnt: float | None = None) -> None:
        """Keep ``value``, which was so at the moment ``learnt``, for so many seconds."""
        with self._lock:
            self._kept.pop(key, None)
            while len(self._kept) >= self._most:
                del self._kept[next(iter(self._kept))]
            now = self._clock()
            self._kept[key] = (now + seconds, value, now if learnt is None else learnt)

    def forget(self, key: Hashable) -> None:
        """Drop what is known under ``key``."""
        with self._lock:
            self._kept.pop(key, None)
