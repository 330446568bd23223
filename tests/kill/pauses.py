"""How long work stood still that was due, and how long it was a dead engine's, as the database
shows it.

Rule: what an engine holds counts as due, be the engine dead or alive; what waits for its time
does not. While the database does not answer nothing moves, and the clock runs on.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.engine.processes import has_ended
from stoker.store import tables as t

if TYPE_CHECKING:
    from collections.abc import Sequence

LOOK_SECONDS = 0.2
_r, _e = t.resource.c, t.service.c


_HELD = sa.select(_r.id, _r.epoch, _e.process).join(t.service, _e.id == _r.engine_id)


@dataclass(frozen=True, slots=True)
class Pause:
    """From when to when (monotonic) something was due and nothing moved."""

    begin: float
    end: float

    @property
    def seconds(self) -> float:
        """How long it was."""
        return self.end - self.begin

    def overlaps(self, begin: float, end: float) -> bool:
        """Tell whether any of it lies between two moments."""
        return self.begin < end and self.end > begin


@dataclass(frozen=True, slots=True)
class _Mark:
    """What something is like, in a number, and whether anything of it is due."""

    of_what: int
    is_due: bool


@dataclass
class _Still:
    """What something was like, and since when it is so while something is due."""

    of_what: int | None = None
    since: float | None = None


@dataclass
class Watch:
    """Looks at the resources' rows until it is closed; all clocks are this machine's.

    ``urls`` are the database's nodes: one that does not answer leaves it to the next.
    """

    urls: Sequence[str]
    of_all: list[Pause] = field(default_factory=list)
    of_stacks: list[Pause] = field(default_factory=list)
    of_the_dead: list[Pause] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._stop = threading.Event()
        self._held: dict[tuple[int, int], float] = {}  # row and epoch: since when by a dead one
        self._stills: dict[str, _Still] = {}
        self._engines = [sa.create_engine(url, pool_pre_ping=True) for url in self.urls]
        self._thread = threading.Thread(target=self._run, name="watch")
        self._thread.start()

    def close(self) -> None:
        """Look no more."""
        self._stop.set()
        self._thread.join()
        for engine in self._engines:
            engine.dispose()

    def longest(self, pauses: list[Pause]) -> float:
        """Return the seconds of the longest."""
        return max((pause.seconds for pause in pauses), default=0.0)

    def _run(self) -> None:
        while not self._stop.wait(LOOK_SECONDS):
            for engine in self._engines:
                try:
                    self._look(engine)
                except sa.exc.DBAPIError:
                    continue  # it is away; what is still is found so afterwards
                break

    def _look(self, engine: sa.Engine) -> None:
        due = sa.or_(_r.engine_id.is_not(None), _r.due <= time.time())
        moved = (sa.func.sum(_r.epoch), sa.func.count(), sa.func.max(_r.updated_at))
        is_due = sa.func.sum(sa.case((due, 1), else_=0))
        query = sa.select(_r.stack_id, is_due, *moved).group_by(_r.stack_id)
        with engine.connect() as connection:
            rows = connection.execute(query).all()
            held = connection.execute(_HELD).all()
        self._note_held(held)
        seen = {row[0]: _Mark(hash(tuple(row[2:])), row[1] > 0) for row in rows}
        now = time.monotonic()
        for name in [*self._stills.keys() - seen.keys() - {""}]:
            self._end(self._stills.pop(name), self.of_stacks, now)
        for name, mark in seen.items():
            self._note(name, mark, now, self.of_stacks)
        everything = hash(frozenset((name, mark.of_what) for name, mark in seen.items()))
        is_any_due = any(mark.is_due for mark in seen.values())
        self._note("", _Mark(everything, is_any_due), now, self.of_all)

    def _note_held(self, rows: Sequence[Any]) -> None:
        """Note what a dead engine holds, and what it holds no more."""
        now = time.monotonic()
        processes = {row.process for row in rows}
        dead = {each for each in processes if has_ended(each)}
        held = {(row.id, row.epoch) for row in rows if row.process in dead}
        for gone in self._held.keys() - held:
            self.of_the_dead.append(Pause(self._held.pop(gone), now))
        for each in held:
            self._held.setdefault(each, now)

    def _note(self, name: str, mark: _Mark, now: float, pauses: list[Pause]) -> None:
        still = self._stills.setdefault(name, _Still())
        if still.of_what != mark.of_what or not mark.is_due:
            self._end(still, pauses, now)
            still.since = now if mark.is_due else None
        elif still.since is None:
            still.since = now
        still.of_what = mark.of_what

    @staticmethod
    def _end(still: _Still, pauses: list[Pause], now: float) -> None:
        if still.since is not None and now - still.since > 1.5 * LOOK_SECONDS:
            pauses.append(Pause(still.since, now))
