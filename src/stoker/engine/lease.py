"""The lease of an engine on the rows that it holds: a beat, and the right to make a call.

An engine is alive while its counter moves. Others watch it on their own monotonic clocks
(``others``); it watches itself on a clock that runs on while the process is suspended, and stops
making calls before anybody can have declared it dead.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

from stoker.engine.instants import Instant
from stoker.errors import StokerError
from stoker.store import engines

if TYPE_CHECKING:
    from stoker.engine.instants import Listen
    from stoker.engine.settings import Settings
    from stoker.store.claims import Claim
    from stoker.store.database import Database

MARGIN = 0.7
"""The part of ``dead_seconds`` after which an engine no longer trusts its own lease."""


class LeaseLost(StokerError):
    """This engine may have been declared dead: it must not make the call."""


def since_boot() -> float:
    """Return seconds on a clock that also counts while the machine or process sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Lease:
    """This engine's identity and beat; ``process`` is where it lives, if that can be told."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        clock: Callable[[], float] = since_boot,
        process: str | None = None,
    ) -> None:
        self._database, self._settings, self._clock = database, settings, clock
        self._process, self._trusted = process, settings.dead_seconds * MARGIN
        self._held = ("", float("-inf"))  # who we are, and when we last said so: one value

    @property
    def engine_id(self) -> str:
        """The name under which this engine claims rows now."""
        return self._held[0]

    def join(self) -> None:
        """Become an engine, under a new id."""
        began = self._clock()
        engine_id = str(uuid4())
        now, seconds = self._database.now(), self._settings.beat_seconds
        with self._database.write() as connection:
            engines.join(connection, engine_id, seconds, now, self._process)
        self._held = (engine_id, began)

    def beat(self) -> bool:
        """Move the counter; return False where this engine has been declared dead."""
        began, engine_id = self._clock(), self.engine_id
        now = self._database.now()
        with self._database.write() as connection:
            alive = engines.beat(connection, engine_id, now)
        if alive:
            self._held = (engine_id, began)
        return alive

    def holds(self, engine_id: str) -> bool:
        """Tell whether nobody can have taken the rows yet that were claimed under this name."""
        name, beaten_at = self._held
        return name == engine_id and self._clock() - beaten_at < self._trusted

    def now(self) -> float:
        """Return the database's time."""
        return self._database.now()

    def leave(self) -> None:
        """Hand everything back at once; a step that is still under way may call no more."""
        engine_id, self._held = self.engine_id, ("", float("-inf"))
        now = self._database.now()
        self._database.again(partial(engines.leave, engine_id=engine_id, now=now))


class CallGuard:
    """Stands before each call that changes a cloud (``sdk.Guard``)."""

    def __init__(self, lease: Lease, listen: Listen, claim: Claim) -> None:
        self._lease, self._listen, self._claim = lease, listen, claim
        self.passed = False  # whether a call has been let pass
        self.passed_at: float | None = None  # the last of them, by the database's clock
        self.error: BaseException | None = None  # the call's own, where it ended in one

    def before(self, service: str, method: str, path: str) -> None:
        """Let the call pass, or raise LeaseLost."""
        self._listen(Instant.CALL_ABOUT_TO_BE_SENT, self._claim)
        if not self._lease.holds(self._claim.engine_id):
            raise LeaseLost(f"no lease for {method} {service} {path}")
        self.passed, self.passed_at = True, self._lease.now()

    def after(self, service: str, method: str, path: str) -> None:
        """Be told that the call is over, be it answered or not."""
        self.error = sys.exception()
        self._listen(Instant.CALL_SENT, self._claim)
