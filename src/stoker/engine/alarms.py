"""When rows are due again that this engine has given back.

Without it an engine that nothing wakes would look at its own pace, and a step that waits for a
tenth of a second would take one. Times are rounded up: rows that are due at about the same time
cost one look.
"""

from __future__ import annotations

import math

_GRAINS = 20
"""Looks in a second, at most."""


class Alarms:
    """Moments on a clock that the caller reads, in seconds."""

    def __init__(self) -> None:
        self._grains: set[int] = set()

    def set(self, moment: float) -> None:
        """Ring at the moment, or within a twentieth of a second after it."""
        self._grains.add(math.ceil(moment * _GRAINS))

    def patience(self, now: float, most: float) -> float:
        """Return how long to wait for anything else: until the next alarm, at most ``most``.

        Those that have rung are forgotten.
        """
        self._grains = {grain for grain in self._grains if grain > now * _GRAINS}
        first = min(self._grains, default=math.inf)
        return min(most, first / _GRAINS - now)
