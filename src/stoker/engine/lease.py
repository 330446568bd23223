"""The lease of an engine on the rows that it holds: a beat, and the right to make a call.

An engine is alive while its counter moves. Others watch it on their own monotonic clocks; it
watches itself on a clock that runs on while the process is suspended, and stops making calls
before anybody can have declared it dead.
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
    from stoker.store.database import Database
    from stoker.store.work import Claim

MARGIN = 0.7
"""The part of ``dead_seconds`` after which an engine no longer trusts its own lease."""

_BLINK = 0.5
"""The part of it that the time between two looks counts for at most: while the database was
away, others could beat as little as this one could look."""


class LeaseLost(StokerError):
    """This engine may have been declared dead: it must not make the call."""


def since_boot() -> float:
    """Return seconds on a clock that also counts while the machine or process sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Lease:
    """This engine's identity, beat, and view of the other engines."""

    def __init__(
        self, database: Database, settings: Settings, clock: Callable[[], float] = since_boot
    ) -> None:
        self._database, self._settings, self._clock = database, settings, clock
        self._dead = settings.dead_seconds
        self._seen: dict[str, tuple[int, float]] = {}  # engine: its beat, since when
        self._looked_at = clock()
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
            engines.join(connection, engine_id, seconds, now)
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
        return name == engine_id and self._clock() - beaten_at < self._dead * MARGIN

    def now(self) -> float:
        """Return the database's time."""
        return self._database.now()

    def bury(self) -> bool:
        """Free the rows of engines whose beat stands still; return whether there were any.

        What passed without a look (the database was away) hardly counts.
        """
        now = self._clock()
        with self._database.read() as connection:
            holders = engines.holders(connection)  # first: who joins meanwhile is no stranger
            beats = engines.beats(connection)
        self._leave_out_what_was_not_seen(now)
        self._seen = {
            each: seen if (seen := self._seen.get(each)) and seen[0] == beat else (beat, now)
            for each, beat in beats.items()
        }
        dead = {
            each: beat
            for each, (beat, since) in self._seen.items()
            if now - since >= self._dead and each != self.engine_id
        }
        gone = holders - beats.keys()
        if not dead and not gone:
            return False
        moment = self._database.now()
        self._database.again(partial(engines.bury, dead=dead, gone=gone, now=moment))
        return True

    def _leave_out_what_was_not_seen(self, now: float) -> None:
        """Let a long pause between two looks count as a short one."""
        unseen = now - self._looked_at - self._dead * _BLINK
        if unseen > 0:
            self._seen = {
                each: (beat, since + unseen) for each, (beat, since) in self._seen.items()
            }
        self._looked_at = now

    def bury_all_others(self) -> None:
        """Free the rows of every other engine: for whoever has the state to itself."""
        with self._database.read() as connection:
            holders = engines.holders(connection)
            others = engines.beats(connection)
        gone = holders - others.keys()
        others.pop(self.engine_id, None)
        now, gone = self._database.now(), gone - {self.engine_id}
        self._database.again(partial(engines.bury, dead=others, gone=gone, now=now))

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
