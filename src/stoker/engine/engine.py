"""The loop: claim rows that are due, have their steps performed, commit what came of them.

One thread commits, in batches: results, what they release, and the next claims are one
transaction. A pool of threads performs steps; none waits for a cloud to finish something. A
batch never waits when nothing else runs, and a few milliseconds at most otherwise.
"""

from __future__ import annotations

import logging
import os
import random
import threading
import time
import traceback
from dataclasses import replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from stoker.engine import reasons
from stoker.engine.children import Children
from stoker.engine.columns import as_it_was, at_rest_in_doubt, given_up, is_unbegun, verb_of
from stoker.engine.instants import Instant, nobody
from stoker.engine.job import Tools
from stoker.engine.kinds import Kinds
from stoker.engine.lease import CallGuard, Lease, LeaseLost
from stoker.engine.operations import Operations
from stoker.engine.rollbacks import Rollbacks
from stoker.engine.secrets import masked
from stoker.engine.worker import Worker
from stoker.store import audit, work
from stoker.store.database import DatabaseError
from stoker.store.passing import Passing, code
from stoker.store.traversal import expire
from stoker.store.work import EventRow, Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.engine.credentials import Credentials
    from stoker.engine.instants import Listen
    from stoker.engine.settings import Settings
    from stoker.sdk.resource import Types
    from stoker.store.database import Database
    from stoker.store.work import Claim

log = logging.getLogger(__name__)

_GATHER_SECONDS = 0.004
_AFTER_LOST_LEASE = 0.5
_AFTER_FAILED_COMMIT = 0.1
_SETTLED: dict[str, Any] = {"intent_at": None}


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
        self._database, self._settings, self._listen = database, settings, listen
        self._alone = alone
        self.lease = Lease(database, settings)
        operations = Operations(database, types, settings)
        tools = Tools(database, types, Kinds(database, types), os.urandom)
        children = Children(operations, types, settings)
        self._credentials = credentials
        self._rollbacks = Rollbacks(operations, self.wake, listen)
        self._worker = Worker(
            tools, children, credentials.cloud_of, settings, listen, random.SystemRandom().random
        )
        self._todo: SimpleQueue[Claim | None] = SimpleQueue()
        self._news: SimpleQueue[Result | None] = SimpleQueue()  # None: a mere wake-up
        self._flying: dict[int, Claim] = {}
        self._is_unsure = False  # whether a commit may have happened that was not answered
        self._stopping = threading.Event()
        self._audit_at = time.monotonic() + settings.audit_seconds
        self._threads: list[threading.Thread] = []

    # life

    def start(self) -> None:
        """Join the engines and begin to work."""
        self.lease.join()
        if self._alone:
            self.lease.bury_all_others()
            self._credentials.release_unused()
        jobs: list[tuple[str, Callable[[], None]]] = [
            ("commit", self._run),
            ("beat", partial(self._repeat, self._beat)),
            ("tend", partial(self._repeat, self._tend)),
            ("roll", partial(self._repeat, self._rollbacks.begin_due)),
        ]
        jobs += [(f"step-{i}", self._perform) for i in range(self._settings.threads)]
        for name, target in jobs:
            thread = threading.Thread(target=target, name=f"stoker-{name}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def wake(self) -> None:
        """Look for due rows now."""
        self._news.put(None)

    def stop(self, timeout: float = 10.0) -> None:
        """End after the steps under way, and hand all rows back."""
        self._stopping.set()
        self.wake()
        until = time.monotonic() + timeout
        commit, beat, tend, roll, *steps = self._threads
        commit.join(timeout)
        for _ in steps:
            self._todo.put(None)
        for thread in (beat, tend, roll, *steps):
            thread.join(max(0.0, until - time.monotonic()))
        try:
            self.lease.leave()
        except DatabaseError as e:
            log.warning("the rows were not handed back, and are found: %s", code(e.orig))

    # the committing thread

    def _run(self) -> None:
        due_now = True
        while not (self._stopping.is_set() and not self._flying):
            results = self._gather(0.0 if due_now else self._settings.look_seconds)
            due_now = self._try_turn(results)

    def _try_turn(self, results: list[Result]) -> bool:
        """Like ``_turn``; results that cannot be recorded now are recorded later or as faults."""
        try:
            return self._turn(results)
        except Passing as e:
            self._is_unsure = self._is_unsure or not e.taken_back
            level = logging.INFO if e.taken_back else logging.WARNING
            log.log(level, "a commit failed and is tried again: %s", e.code)
            self._say_again(results)
            return False
        except Exception:  # the outermost loop
            self._is_unsure = True
            if len(results) > 1:
                for result in results:
                    self._try_turn([result])
            else:
                names = ", ".join(result.claim.row.name for result in results)
                log.exception("what came of %s cannot be recorded", names or "nothing")
                self._say_again([_broken(r.claim, in_doubt=True) for r in results])
            return False

    def _say_again(self, results: list[Result]) -> None:
        """Put results back, a little later: they are still ours."""
        for result in results:
            self._news.put(result)
        self._stopping.wait(_AFTER_FAILED_COMMIT)

    def _gather(self, patience: float) -> list[Result]:
        """Return the results that are there, waiting for the first as long as it makes sense."""
        results: list[Result] = []
        try:
            news = self._news.get(timeout=patience) if patience else self._news.get_nowait()
            until = time.monotonic() + _GATHER_SECONDS
            while True:
                if news is not None:
                    results.append(news)
                if len(results) >= self._settings.batch:
                    return results
                left = until - time.monotonic()
                busy = len(self._flying) > len(results) and left > 0
                news = self._news.get(timeout=left) if busy else self._news.get_nowait()
        except Empty:
            return results

    def _turn(self, results: list[Result]) -> bool:
        """Commit the results and claim; return whether there may be more that is due."""
        flying = len(self._flying) - len(results)
        room = self._room(flying)
        if self._stopping.is_set():
            room, results = 0, [_handed_back(result) for result in results]
        self._listen(Instant.COMMIT_ABOUT_TO_BEGIN, None)
        now = self._database.now()
        engine_id = self.lease.engine_id
        if self._is_unsure:
            with self._database.write() as connection:
                known = self._flying.values()
                self._is_unsure = not work.disown(connection, engine_id, known, now)
        with self._database.write() as connection:
            claims = work.turn(connection, engine_id, results, room, now)
        for result in results:
            self._land(result.claim)
            self._listen(Instant.RESULT_COMMITTED, result.claim)
        for claim in claims:
            self._flying[claim.row.id] = claim
            self._listen(Instant.CLAIMED, claim)
            self._todo.put(claim)
        return len(claims) >= room > 0

    def _land(self, claim: Claim) -> None:
        """Forget a claim; a step that began its verb gave its own copy of it back."""
        held = self._flying.get(claim.row.id)
        if held is not None and held.epoch == claim.epoch:
            del self._flying[claim.row.id]

    def _room(self, flying: int) -> int:
        return max(0, min(self._settings.batch, 4 * self._settings.threads - flying))

    # the pool

    def _perform(self) -> None:
        while (claim := self._todo.get()) is not None:
            guard = CallGuard(self.lease, self._listen, claim)
            try:
                result = self._worker.perform(claim, guard)
            except LeaseLost:
                # Fenced, or about to be; where the row is still ours, it is due again.
                result = _later(claim, guard)
            except Passing as e:
                log.warning("a step of %s is done anew: database error %s", claim.row.name, e.code)
                result = _later(claim, guard)
            except Exception:  # noqa: BLE001 - the worker's outermost loop
                self._tell(claim)
                result = _broken(claim, in_doubt=guard.passed or claim.in_doubt)
            self._listen(Instant.RESULT_READY, claim)
            self._news.put(result)

    def _audit(self) -> None:
        """Now and then derive the counters anew, one running stack after the other."""
        if time.monotonic() < self._audit_at:
            return
        self._audit_at = time.monotonic() + self._settings.audit_seconds
        with self._database.read() as connection:
            running = audit.running(connection)
        for stack_id in running:
            now = self._database.now()
            found = self._database.again(partial(audit.mend, stack_id=stack_id, now=now))
            for text in found:
                log.error("stack %s was mended: %s", stack_id, text)

    def _tell(self, claim: Claim) -> None:
        trace = masked(traceback.format_exc(), self._worker.secrets(claim))
        text = "a step of %s (%s) failed: %s"
        log.error(text, claim.row.name, claim.row.type, trace)

    # the beating thread, which waits for nothing but the database, and the tending one

    def _repeat(self, job: Callable[[], None]) -> None:
        while not self._stopping.wait(self._settings.beat_seconds):
            try:
                job()
            except DatabaseError as e:
                log.warning("the database did not answer: %s", code(e.orig))
            except Exception:  # the thread's outermost loop: without it the lease is lost
                log.exception("looking after the engine failed; it is tried again")

    def _beat(self) -> None:
        self._listen(Instant.BEAT_ABOUT_TO_BEGIN, None)
        if not self.lease.beat():
            log.warning("this engine was declared dead; it goes on under a new name")
            self.lease.join()
        freed = self.lease.bury()
        with self._database.read() as connection:
            late = work.overdue(connection, self._database.now())
        if late:
            self._database.again(partial(expire, now=self._database.now()))
        if freed or late:
            self.wake()

    def _tend(self) -> None:
        self._listen(Instant.BEAT_ABOUT_TO_BEGIN, None)
        self._credentials.tend()
        self._audit()


def _later(claim: Claim, guard: CallGuard) -> Result:
    """Return what lets the step be done anew; a call that it has made stays in doubt."""
    sure = not (guard.passed or claim.in_doubt)
    return Result(claim, _SETTLED if sure else {}, seconds=_AFTER_LOST_LEASE)


def _handed_back(result: Result) -> Result:
    """Return the result with the row due at once for another engine, if it was to go on."""
    return replace(result, on=False, seconds=0.0) if result.on else result


def _broken(claim: Claim, *, in_doubt: bool) -> Result:
    """Return the failure of a row whose step has a fault of its own; the log says which.

    ``in_doubt``: the step may have made something that no result tells of.
    """
    verb = verb_of(claim)
    reason = f"Bug: resources.{claim.row.name}: internal error; the engine's log says more"
    lost = in_doubt and claim.row.verb == "create" and claim.row.physical_id is None
    if is_unbegun(claim):
        columns = as_it_was(claim)
    elif lost:
        columns = at_rest_in_doubt(verb, "FAILED", reason)
    else:
        columns = given_up(verb, reason)
    event = EventRow(verb.upper(), "FAILED", reason, claim.row.physical_id)
    told = reasons.told(verb, reason)
    return Result(claim, columns, ended="bad", events=(event,), **told)
