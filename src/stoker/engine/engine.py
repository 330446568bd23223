"""The loop: claim rows that are due, have their steps performed, commit what came of them.

One thread commits, in batches: results, what they release, and the next claims are one
transaction. A pool of threads performs steps; none waits for a cloud to finish something. A
batch never waits when nothing else runs, and a few milliseconds at most otherwise. What is
done in each of them is in ``duties``; here is only when.
"""

from __future__ import annotations

import logging
import threading
import time
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from stoker.engine.alarms import Alarms
from stoker.engine.duties import Duties
from stoker.engine.instants import nobody
from stoker.engine.looking import Looking
from stoker.store.database import DatabaseError
from stoker.store.passing import code

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stoker.engine.credentials import Credentials
    from stoker.engine.instants import Listen
    from stoker.engine.settings import Settings
    from stoker.sdk.resource import Types
    from stoker.store.claims import Claim
    from stoker.store.database import Database
    from stoker.store.work import Result

log = logging.getLogger(__name__)

_GATHER_SECONDS = 0.004
_AFTER_FAILED_COMMIT = 0.1


class Engine:
    """One engine: a committing thread, a beating one, a tending one, one for rollbacks, a pool.

    ``alone`` says that this process has the state to itself (it holds the lock on it): the
    rows of all other engines are then free at once, and so are trusts of no stack. It must
    then start before requests are taken.
    """

    def __init__(
        self,
        database: Database,
        types: Types,
        credentials: Credentials,
        settings: Settings,
        *,
        listen: Listen = nobody,
        alone: bool = False,
    ) -> None:
        self._settings, self._alone = settings, alone
        self._duties = Duties(database, types, credentials, settings, self.wake, listen=listen)
        self.lease = self._duties.lease
        self._todo: SimpleQueue[Sequence[Claim]] = SimpleQueue()  # nothing: the thread ends
        self._news: SimpleQueue[Sequence[Result]] = SimpleQueue()  # nothing: a mere wake-up
        self._alarms = Alarms()
        self._stopping = threading.Event()
        self._audit_at = time.monotonic() + settings.audit_seconds
        self._lookers = [
            self._looker("beat", self._duties.beat),  # which waits for nothing but the database
            self._looker("tend", self._tend),
            self._looker("roll", self._duties.roll),
        ]
        self._threads: list[threading.Thread] = []

    # life

    def start(self) -> None:
        """Join the engines and begin to work."""
        self._duties.join(alone=self._alone)
        jobs: list[tuple[str, Callable[[], None]]] = [("commit", self._run)]
        jobs += [(f"step-{i}", self._perform) for i in range(self._settings.threads)]
        for name, target in jobs:
            thread = threading.Thread(target=target, name=f"stoker-{name}", daemon=True)
            self._threads.append(thread)
            thread.start()
        for each in self._lookers:
            each.start()

    def wake(self) -> None:
        """Look for due rows now."""
        self._news.put(())

    def stop(self, timeout: float = 10.0) -> None:
        """End after the steps under way, and hand all rows back."""
        self._stopping.set()
        for each in self._lookers:
            each.end()
        self.wake()
        until = time.monotonic() + timeout
        commit, *steps = self._threads
        commit.join(timeout)
        for _ in steps:
            self._todo.put(())
        joins: list[Callable[[float], None]]
        joins = [*(each.join for each in self._lookers), *(each.join for each in steps)]
        for join in joins:
            join(max(0.0, until - time.monotonic()))
        try:
            self.lease.leave()
        except DatabaseError as e:
            log.warning("the rows were not handed back, and are found: %s", code(e.orig))

    # the committing thread

    def _run(self) -> None:
        due_now = True
        while not (self._stopping.is_set() and self._duties.is_idle):
            results = self._gather(0.0 if due_now else self._patience())
            turned = self._duties.turn(results, stopping=self._stopping.is_set())
            for result in results:
                if result.seconds is not None:
                    self._alarms.set(time.monotonic() + result.seconds)
            for hand in self._duties.hands(turned.claims):
                self._todo.put(hand)
            if turned.again:  # a little later: they are still ours
                self._news.put(turned.again)
                self._stopping.wait(_AFTER_FAILED_COMMIT)
            due_now = turned.more

    def _patience(self) -> float:
        return self._alarms.patience(time.monotonic(), self._settings.look_seconds)

    def _gather(self, patience: float) -> list[Result]:
        """Return the results that are there, waiting for the first as long as it makes sense."""
        results: list[Result] = []
        try:
            news = self._news.get(timeout=patience) if patience else self._news.get_nowait()
            until = time.monotonic() + _GATHER_SECONDS
            while True:
                results += news
                if len(results) >= self._settings.batch:
                    return results
                left = until - time.monotonic()
                busy = self._duties.busy(results) and left > 0
                news = self._news.get(timeout=left) if busy else self._news.get_nowait()
        except Empty:
            return results

    # the pool

    def _perform(self) -> None:
        while claims := self._todo.get():
            self._news.put([self._duties.step(claim) for claim in claims])

    # the threads beside them

    def _looker(self, name: str, look: Callable[[], None]) -> Looking:
        return Looking(name, look, self._settings.beat_seconds)

    def _tend(self) -> None:
        self._duties.tend()
        if time.monotonic() >= self._audit_at:
            self._audit_at = time.monotonic() + self._settings.audit_seconds
            self._duties.audit()
