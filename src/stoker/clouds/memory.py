"""What was learnt from a cloud, for a short while.

Rule: only what was found is kept; that something is missing is asked again each time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any


class Memory:
    """Values by key, each for its own number of seconds; the oldest go when it is full."""

    def __init__(self, most: int = 2000, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._kept: dict[Hashable, tuple[float, Any]] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Any:
        """Return what is known under ``key``, or None."""
        found = self._kept.get(key)
        return found[1] if found is not None and found[0] > self._clock() else None

    def keep(self, key: Hashable, value: Any, seconds: float) -> None:
        """Keep ``value`` for so many seconds."""
        with self._lock:
            self._kept.pop(key, None)
            while len(self._kept) >= self._most:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = (self._clock() + seconds, value)

    def forget(self, key: Hashable) -> None:
        """Drop what is known under ``key``."""
        with self._lock:
            self._kept.pop(key, None)
