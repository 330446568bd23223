"""Who is still at a status: one list answers all that ask at about the same time.

Rule: no answer is older than the shortest wait that follows a call which changes something, so
what it tells was so after that call. Few that ask are not worth a list, and a list that says
nothing of somebody decides nothing: then the one itself is looked at.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Final

from stoker.clouds import budget

OLDEST: Final = 0.4
"""Seconds; less than the half second of ``resources.polling``."""

RENEWED: Final = 0.1
"""Seconds after which somebody asks for another list, while the others go by the last."""

MANY: Final = 8
_WITHIN: Final = 1.0
_PATIENCE: Final = 2.0


class SharedLook:
    """The ids that a service last listed at one status; shared by threads."""

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock or time.monotonic
        self._turn = budget.Slots(1)
        self._asked: deque[float] = deque(maxlen=MANY)
        self._listed = float("-inf"), frozenset[str]()  # begun when, and who was in it

    def has(self, id: str, listed: Callable[[], frozenset[str]]) -> bool:
        """Tell whether a list shows the id; ``listed`` asks for one, where it is worth while."""
        now = self._clock()
        self._asked.append(now)
        if len(self._asked) < MANY or now - self._asked[0] > _WITHIN:
            return False
        age = now - self._listed[0]
        if age > RENEWED:
            self._renew(now, listed, 0.0 if age <= OLDEST else _PATIENCE)
        begun, ids = self._listed
        return now - begun <= OLDEST and id in ids

    def _renew(self, asked: float, listed: Callable[[], frozenset[str]], patience: float) -> None:
        if not self._turn.acquire(timeout=patience):
            return
        try:
            begun = self._clock()
            if asked - self._listed[0] > RENEWED:  # nobody has done so meanwhile
                self._listed = begun, listed()
        finally:
            self._turn.release()
