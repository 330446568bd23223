"""Listening to an engine: what it does, and where it is stopped.

A killed engine makes no further effect: each of its threads ends at its next instant, and one
stands before every commit, beat and call. A paused engine stands still at the same places.
"""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from stoker.engine.engine import Engine
from stoker.engine.instants import Instant
from stoker.engine.looking import Looking
from stoker.store import tables as t
from stoker.store.passing import Passing

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.store.claims import Claim
    from stoker.store.database import Database

PATIENCE = 900.0
GATES = frozenset({Instant.COMMIT_ABOUT_TO_BEGIN, Instant.BEAT_ABOUT_TO_BEGIN})
"""Instants of no single step: threads stop there, but no case is named after them."""


@dataclass(frozen=True, slots=True)
class Spot:
    """The ``nth`` time (from 1) that a step of the resource meets the instant in an operation."""

    operation: str
    name: str
    instant: Instant
    nth: int

    def __str__(self) -> str:
        return f"{self.operation}, {self.name}: {self.instant}, {self.nth}"


class Dead(BaseException):
    """Ends a thread of a killed engine, whatever it is doing."""


class Mortal(Engine):
    """An engine whose threads end without a word when they are dead."""

    def _run(self) -> None:
        with suppress(Dead):
            super()._run()

    def _perform(self) -> None:
        with suppress(Dead):
            super()._perform()

    def _looker(self, name: str, look: Callable[[], None]) -> Looking:
        return _MortalLooking(name, look, self._settings.beat_seconds)


class _MortalLooking(Looking):
    def _run(self) -> None:
        with suppress(Dead):
            super()._run()


class Watch:
    """The listener of one engine; at ``spot`` it does ``action`` (:meth:`kill`, say)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.operation = ""
        self.spot: Spot | None = None
        self.action: Callable[[], None] = self.kill
        self.met = threading.Event()
        self._going = threading.Event()
        self._going.set()
        self._dead = False
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str, Instant]] = Counter()
        self._allowed = threading.local()
        self.trace: list[Spot] = []
        self.calls = 0
        self.wrongs: list[str] = []

    def __call__(self, instant: Instant, claim: Claim | None) -> None:
        if instant is Instant.CALL_SENT and claim is not None:
            self._judge(claim)
        self._stand()
        if claim is not None and instant not in GATES:
            self._note(instant, claim)
        with suppress(Passing):  # nothing can be seen of a database that is away
            if instant is Instant.CALL_ABOUT_TO_BE_SENT and claim is not None:
                self._allowed.why_not = None
                self._allowed.why_not = self._why_not(claim)
            if instant is Instant.RESULT_COMMITTED:
                self.wrongs += miscounted(self._database)

    def kill(self) -> None:
        """Let no thread of the engine pass another instant."""
        self._dead = True
        self._going.set()

    def pause(self) -> None:
        """Let each thread of the engine stand at its next instant."""
        self._going.clear()

    def resume(self) -> None:
        """Let them go on."""
        self._going.set()

    def _stand(self) -> None:
        if not self._going.wait(PATIENCE):
            self.wrongs.append("a paused engine was not resumed")
        if self._dead:
            raise Dead

    def _note(self, instant: Instant, claim: Claim) -> None:
        with self._lock:
            key = (self.operation, str(claim.row.name), instant)
            self._counts[key] += 1
            spot = Spot(*key, self._counts[key])
            self.trace.append(spot)
        if spot == self.spot:
            self.action()
            self.met.set()
            self._stand()

    # promises about calls

    def _why_not(self, claim: Claim) -> str | None:
        """Return why this claim may make no call: nothing intended, or not its row any more."""
        r = t.resource.c
        columns = (r.engine_id, r.epoch, r.verb, r.intent_at)
        with self._database.read() as connection:
            row = connection.execute(sa.select(*columns).where(r.id == claim.row.id)).one_or_none()
        if row is None or (row.engine_id, row.epoch) != (claim.engine_id, claim.epoch):
            return "another has taken its row"
        return None if row.verb and row.intent_at else "no intent is committed"

    def _judge(self, claim: Claim) -> None:
        with self._lock:
            self.calls += 1
            if self._allowed.why_not is not None:
                self.wrongs.append(f"{claim.row.name} made a call though {self._allowed.why_not}")


def miscounted(database: Database) -> list[str]:
    """Return where a counter differs from what it counts."""
    s, e, c = t.sync_point.c, t.edge.c, t.stack.c
    need = t.sync_point.alias()
    left = sa.select(sa.func.count()).where(s.traversal_id == c.traversal_id, s.done.is_(False))
    unmet = (
        sa.select(sa.func.count())
        .select_from(t.edge.join(need, need.c.id == e.need_id))
        .where(e.dependent_id == s.id, need.c.done.is_(False))
    )
    with database.read() as connection:
        if database.dialect != "sqlite":  # both looks at one moment, which SQLite's are
            connection.execution_options(isolation_level="REPEATABLE READ")
        stacks = connection.execute(
            sa.select(c.name, c.remaining, left.scalar_subquery().label("left")).where(
                c.status == "IN_PROGRESS"
            )
        ).all()
        nodes = connection.execute(
            sa.select(s.id, s.missing, unmet.scalar_subquery().label("unmet"))
        ).all()
    wrong = [f"{x.name}: remaining {x.remaining} of {x.left}" for x in stacks if x[1] != x[2]]
    return wrong + [f"node {x.id}: missing {x.missing} of {x.unmet}" for x in nodes if x[1] != x[2]]
