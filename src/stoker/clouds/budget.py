"""How much is asked of a service at a time, and when nothing is: one budget a service.

Rule: a thread waits a moment for its turn, never longer; then the call is not made, and the
resource waits instead, with a due time. Where a service says that a credential has asked enough
(429, or 503 with a time), that does not ask it before the time is over.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from stoker.errors import CloudError
from stoker.sdk.fault import PAUSED

_LIMITED: Final = frozenset({429})
_UNAVAILABLE: Final = 503
_PATIENCE: Final = 2.0
_PAUSE: Final = 1.0
_LONGEST: Final = 300.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What each service may be asked: calls ``at_once`` and ``per_second``; 0: any number."""

    at_once: int = 0
    per_second: float = 0.0


def default_at_once(threads: int) -> int:
    """Return how many calls one service gets where nothing is said: some threads are left for
    the others, also when it hangs."""
    return max(1, threads * 3 // 4)


class Slots:
    """So many at once; who waits has a turn in the order of coming, and nobody goes before."""

    def __init__(self, number: int) -> None:
        self._left = number
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()

    def acquire(self, timeout: float) -> bool:
        """Take one; return False where none is to be had in so many seconds."""
        with self._lock:
            if self._left:
                self._left -= 1
                return True
            turn = threading.Event()
            self._waiting.append(turn)
        if turn.wait(timeout):
            return True
        with self._lock:
            if turn.is_set():  # just now
                return True
            self._waiting.remove(turn)
        return False

    def release(self) -> None:
        """Give one to whoever has waited longest."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._left += 1


class Budget:
    """What one service is asked; shared by threads. ``clock`` and ``sleep`` are as in time."""

    def __init__(
        self,
        limits: Limits,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        patience: float = _PATIENCE,
    ) -> None:
        self._slots = Slots(limits.at_once) if limits.at_once else None
        self._gap = 1.0 / limits.per_second if limits.per_second else 0.0
        self._clock, self._sleep, self._patience = clock, sleep, patience
        self._lock = threading.Lock()
        self._next = 0.0  # when the next call has its turn

    @contextmanager
    def turn(self, service: str) -> Iterator[None]:
        """Give the right to make one call; raises CloudError where it is not to be had now."""
        if self._slots is None:
            self._await_pace(service)
            yield
            return
        if not self._slots.acquire(timeout=self._patience):
            raise paused(service, f"{service} is asked as much as may be", self._patience / 2)
        try:
            self._await_pace(service)
            yield
        finally:
            self._slots.release()

    def _await_pace(self, service: str) -> None:
        if not self._gap:
            return
        with self._lock:
            now = self._clock()
            turn = max(now, self._next)
            if turn - now > self._patience:
                raise paused(service, f"{service} is asked as often as may be", turn - now)
            self._next = turn + self._gap
        if turn > now:
            self._sleep(turn - now)


class Pauses:
    """Until when services want to be left alone by one credential."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}

    def check(self, service: str) -> None:
        """Raise CloudError where the service is not to be asked now."""
        left = self._until.get(service, 0.0) - self._clock()
        if left > 0:
            raise paused(service, f"{service} asked to be left alone", left)

    def heed(self, service: str, status: int, retry_after: float | None) -> None:
        """Note what an answer says of the calls to come."""
        if status in _LIMITED or (status == _UNAVAILABLE and retry_after is not None):
            pause = min(_LONGEST, _PAUSE if retry_after is None else retry_after)
            self._until[service] = max(self._until.get(service, 0.0), self._clock() + pause)


class Budgets:
    """The budgets of a cloud's services, each within the same limits."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._budgets: dict[str, Budget] = {}
        self._lock = threading.Lock()

    def __getitem__(self, service: str) -> Budget:
        """Return a service's budget."""
        with self._lock:
            if service not in self._budgets:
                self._budgets[service] = Budget(self._limits)
            return self._budgets[service]


def paused(service: str, text: str, seconds: float) -> CloudError:
    """Return the error of a call that is not made now."""
    return CloudError(
        f"{text}; it is asked again later", service=service, sent=False, code=PAUSED,
        retry_after=seconds,
    )  # fmt: skip
