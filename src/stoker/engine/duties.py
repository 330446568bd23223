"""What one engine does, an effect at a time and without a thread of its own.

Whoever drives it says when: threads in production (``engine``), a virtual clock in the tests.
Every effect, a transaction or a call, is reached by one of these methods; none of them waits
for anything but the database and the cloud.
"""

from __future__ import annotations

import logging
import os
import random
import traceback
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from stoker.engine import reasons
from stoker.engine.children import Children
from stoker.engine.columns import as_it_was, at_rest_in_doubt, given_up, is_unbegun, verb_of
from stoker.engine.following import Following
from stoker.engine.instants import Instant, nobody
from stoker.engine.job import Tools
from stoker.engine.kinds import Kinds
from stoker.engine.lease import CallGuard, Lease, LeaseLost, since_boot
from stoker.engine.operations import Operations
from stoker.engine.others import Others
from stoker.engine.processes import has_ended, process_of
from stoker.engine.rollbacks import Rollbacks
from stoker.engine.secrets import masked
from stoker.engine.worker import Worker
from stoker.sdk.copies import kind_of
from stoker.store import audit, events, inbox, work
from stoker.store.database import Joined
from stoker.store.passing import Passing
from stoker.store.randomness import random_bytes
from stoker.store.traversal import expire
from stoker.store.work import EventRow, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from stoker.engine.credentials import Credentials
    from stoker.engine.instants import Listen
    from stoker.engine.settings import Settings
    from stoker.sdk.resource import Types
    from stoker.store.claims import Claim
    from stoker.store.database import Database

log = logging.getLogger(__name__)

_AFTER_LOST_LEASE = 0.5
_HAND = 25  # steps that one thread performs in a row
_SETTLED: dict[str, Any] = {"intent_at": None}


@dataclass(frozen=True, slots=True)
class Nature:
    """What an engine finds in the world: a clock that never stands still, numbers in [0, 1)
    for its pauses, random bytes, the process that it is, and which others have ended."""

    clock: Callable[[], float] = since_boot
    jitter: Callable[[], float] = random.SystemRandom().random
    entropy: Callable[[int], bytes] = random_bytes
    process: str | None = field(default_factory=lambda: process_of(os.getpid()))
    has_ended: Callable[[str | None], bool] = has_ended


@dataclass(frozen=True, slots=True)
class Turned:
    """What a turn came to: claims to perform, and results to bring again a little later.

    ``more``: there may be more that is due.
    """

    claims: tuple[Claim, ...] = ()
    again: tuple[Result, ...] = ()
    more: bool = False


class Duties:
    """The duties of one engine. ``turn`` is for one thread at a time, the others for any.

    ``wake`` is told when there may be work that nobody has asked for.
    """

    def __init__(
        self, database: Database, types: Types, credentials: Credentials, settings: Settings,
        wake: Callable[[], None], *, listen: Listen = nobody,
        nature: Nature | None = None,
    ) -> None:  # fmt: skip
        self._database, self._settings, self._listen = database, settings, listen
        self._credentials, self._types, self._wake = credentials, types, wake
        nature = nature or Nature()
        self.lease = Lease(database, settings, nature.clock, nature.process)
        self.others = Others(database, settings, self.lease, nature.clock, nature.has_ended)
        operations = Operations(database, types, settings)
        tools = Tools(database, types, Kinds(database, types), nature.entropy)
        children = Children(operations, types, settings)
        self._rollbacks = Rollbacks(operations, wake, listen)
        make = partial(
            Worker, children=children, cloud_of=credentials.cloud_of, settings=settings,
            jitter=nature.jitter,
        )  # fmt: skip
        self._worker = make(tools, listen=listen)
        joined = Joined(database)
        inside = make(replace(tools, database=joined), listen=nobody)
        self._following = Following(inside, joined, types, self.lease, nature.clock)
        self._flying: dict[int, Claim] = {}
        self._is_unsure = False  # whether a commit may have happened that was not answered

    # life

    def join(self, *, alone: bool = False) -> None:
        """Join the engines; ``alone``: every other one is dead, and trusts of no stack unused."""
        self.lease.join()
        if alone:
            self.others.bury_all()
            self._credentials.release_unused()
        else:
            self.others.look()

    @property
    def is_idle(self) -> bool:
        """Whether no claim is held."""
        return not self._flying

    def busy(self, results: Sequence[Result]) -> bool:
        """Tell whether there are claims that none of these results is of."""
        return len(self._flying) > len(results)

    # turns

    def turn(self, results: Sequence[Result], *, stopping: bool = False) -> Turned:
        """Commit results and claim; what cannot be recorded now comes again, or as a fault."""
        try:
            return self._turn(results, stopping=stopping)
        except Passing as e:
            away = logging.DEBUG if self._is_unsure else logging.WARNING  # said once, at first
            level = logging.INFO if e.taken_back else away
            self._is_unsure = self._is_unsure or not e.taken_back
            log.log(level, "a commit failed and is tried again: %s", e.code)
            return Turned(again=tuple(results))
        except Exception:  # the outermost loop
            self._is_unsure = True
            if len(results) > 1:
                return _together([self.turn([each], stopping=stopping) for each in results])
            names = ", ".join(result.claim.row.name for result in results)
            log.exception("what came of %s cannot be recorded", names or "nothing")
            return Turned(again=tuple(_broken(r.claim, in_doubt=True) for r in results))

    def _turn(self, results: Sequence[Result], *, stopping: bool) -> Turned:
        room = self._room(len(self._flying) - len(results), sum(not each.on for each in results))
        if stopping:
            room, results = 0, [_handed_back(result) for result in results]
        self._listen(Instant.COMMIT_ABOUT_TO_BEGIN, None)
        now = self._database.now()
        engine_id = self.lease.engine_id
        if self._is_unsure:
            with self._database.write() as connection:
                known = self._flying.values()
                is_all = work.disown(connection, engine_id, known, now)
            self._is_unsure = not is_all  # only now: the commit may have failed
        with self._database.write() as connection, self._following.within(connection) as at_once:
            also = work.NOTHING_AT_ONCE if stopping else at_once
            claims = work.turn(connection, engine_id, results, room, now, also)
        self._following.met(claims)
        for result in results:
            self._land(result.claim)
            self._listen(Instant.RESULT_COMMITTED, result.claim)
        for claim in claims:
            self._flying[claim.row.id] = claim
            self._listen(Instant.CLAIMED, claim)
        return Turned(tuple(claims), more=len(claims) >= room > 0)

    def _land(self, claim: Claim) -> None:
        """Forget a claim; a step that began its verb gave its own copy of it back."""
        held = self._flying.get(claim.row.id)
        if held is not None and held.epoch == claim.epoch:
            del self._flying[claim.row.id]

    def _room(self, flying: int, landed: int) -> int:
        """Return how many rows to claim: what the threads do soon, however long a step takes.

        As much as was ended between two turns is ended again until the next. More would only
        wait here, where it is not overtaken by what is more urgent and no other engine gets it.
        """
        ahead = max(self._settings.threads, 2 * landed)
        return max(0, min(self._settings.batch, ahead - flying))

    def hands(self, claims: Sequence[Claim]) -> Iterator[Sequence[Claim]]:
        """Deal the claims out to the threads.

        Steps that call no cloud wait for nothing: to hand each to another thread takes longer
        than to perform it, so that one does several in a row.
        """
        calling: list[Claim] = []
        quick: list[Claim] = []
        for claim in claims:
            (calling if self._calls(claim) else quick).append(claim)
        for claim in calling:
            yield (claim,)
        for start in range(0, len(quick), _HAND):
            yield quick[start : start + _HAND]

    def _calls(self, claim: Claim) -> bool:
        kind = kind_of(self._types, claim.row.implementation)
        return kind is None or kind.service is not None or kind.has_child

    # steps

    def step(self, claim: Claim) -> Result:
        """Return what came of the claim's next step, whatever happened in it."""
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
            since = guard.passed_at
            result = _broken(claim, in_doubt=guard.passed or claim.in_doubt, since=since)
        self._listen(Instant.RESULT_READY, claim)
        return result

    def _tell(self, claim: Claim) -> None:
        trace = masked(traceback.format_exc(), self._worker.secrets(claim))
        text = "a step of %s (%s) failed: %s"
        log.error(text, claim.row.name, claim.row.type, trace)

    # looking after the engines, the time-outs, the rollbacks, the credentials and the counters

    def beat(self) -> None:
        """Say that this engine is alive, and take over from those that are not."""
        self._listen(Instant.BEAT_ABOUT_TO_BEGIN, None)
        if not self.lease.beat():
            log.warning("this engine was declared dead; it goes on under a new name")
            self.lease.join()
        freed = self.others.look()
        with self._database.read() as connection:
            late = work.overdue(connection, self._database.now())
        if late:
            self._database.again(partial(expire, now=self._database.now()))
        if freed or late:
            self._wake()

    def roll(self) -> None:
        """Begin the rollbacks that are due."""
        self._rollbacks.begin_due()

    def tend(self) -> None:
        """Take back credentials that no stack needs; have mail heard whose turn was lost."""
        self._listen(Instant.BEAT_ABOUT_TO_BEGIN, None)
        self._remind()
        self._credentials.tend()

    def _remind(self) -> None:
        """Make rows due whose mail nobody is about to hear: they were cut short, or taken from
        the dead."""
        with self._database.read() as connection:
            overlooked = inbox.overlooked(connection)
        if overlooked:
            now = self._database.now()
            self._database.again(partial(inbox.remind, row_ids=overlooked, now=now))

    def audit(self) -> None:
        """Derive the counters anew, one running stack after the other; let old events go."""
        with self._database.read() as connection:
            running, deleting = audit.running(connection), audit.deleting(connection)
        for stack_id in running:
            now = self._database.now()
            found = self._database.again(partial(audit.mend, stack_id=stack_id, now=now))
            for text in found:
                log.error("stack %s was mended: %s", stack_id, text)
        for snapshot_id in deleting:
            now = self._database.now()
            mend = partial(audit.mend_deletion, snapshot_id=snapshot_id, now=now)
            for text in self._database.again(mend):
                log.error("the deletion of snapshot %s was mended: %s", snapshot_id, text)
        self._trim()

    def _trim(self) -> None:
        """Delete the oldest events of stacks that have more than they may."""
        most = self._settings.max_events_per_stack
        if most == 0:
            return
        with self._database.read() as connection:
            overfull = events.overfull(connection, most)
        for stack_id in overfull:
            trim = partial(events.trim, stack_id=stack_id, most=most)
            if given_up := self._database.again(trim):
                text = "gave up %d events of stack %s that no sink has taken: it has newer ones"
                log.warning(text, given_up, stack_id)


def _together(turns: Sequence[Turned]) -> Turned:
    """Return what several turns came to, none of which asks for another at once."""
    claims = tuple(claim for each in turns for claim in each.claims)
    return Turned(claims, tuple(result for each in turns for result in each.again))


def _later(claim: Claim, guard: CallGuard) -> Result:
    """Return what lets the step be done anew; a call that it has made stays in doubt."""
    if guard.passed:
        columns: dict[str, Any] = {"intent_at": guard.passed_at}
    else:
        columns = {} if claim.in_doubt else _SETTLED
    return Result(claim, columns, seconds=_AFTER_LOST_LEASE)


def _handed_back(result: Result) -> Result:
    """Return the result with the row due at once for another engine, if it was to go on."""
    return replace(result, on=False, seconds=0.0) if result.on else result


def _broken(claim: Claim, *, in_doubt: bool, since: float | None = None) -> Result:
    """Return the failure of a row whose step has a fault of its own; the log says which.

    ``in_doubt``: the step may have made something that no result tells of; ``since`` the
    moment when it sent its call.
    """
    if claim.at_rest:  # the mail that it was due for counts as cut off
        return Result(claim)
    verb = verb_of(claim)
    reason = f"Bug: resources.{claim.row.name}: internal error; the engine's log says more"
    lost = in_doubt and claim.row.verb == "create" and claim.row.physical_id is None
    if is_unbegun(claim):
        columns = as_it_was(claim)
    elif lost:
        columns = at_rest_in_doubt(verb, "FAILED", reason)
        columns |= {} if since is None else {"intent_at": since}
    else:
        columns = given_up(verb, reason)
    event = EventRow(verb.upper(), "FAILED", reason, claim.row.physical_id)
    told = reasons.told(verb, reason)
    return Result(claim, columns, ended="bad", events=(event,), **told)
