"""A process's ways out: to the database, each transaction an effect, and to the cloud."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from stoker.store.database import Database
from stoker.store.passing import Passing
from tests.engine.simulation.stage import Killed

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    import sqlalchemy as sa

    from tests.engine.simulation.stage import Stage
    from tests.engine.simulation.watch import Watch

_LATENCY = 0.03
_PAUSES = (2.0, 120.0)
_RARITY = 60
"""One effect in so many ends a worker, as long as the program has deaths left."""


class Troubles:
    """What goes wrong with processes and their commits, until it is over."""

    def __init__(
        self, stage: Stage, chance: random.Random, deaths: int, pauses: int, faults: float
    ) -> None:
        self._stage, self.chance = stage, chance
        self.deaths, self.pauses, self.faults = deaths, pauses, faults

    def end(self) -> None:
        """Let nothing go wrong any more."""
        self.deaths = self.pauses = 0
        self.faults = 0.0

    def effect(self, latency: float = _LATENCY) -> None:
        """Stand between two effects of the acting one: it may end here, or stand still."""
        chance, actor = self.chance, self._stage.acting
        if not actor.process.is_alive:
            raise Killed
        if self.deaths and chance.random() * _RARITY < 1:
            self.deaths -= 1
            self._stage.kill(actor.process)
            raise Killed
        if self.pauses and chance.random() * _RARITY < 1:
            self.pauses -= 1
            seconds = chance.uniform(*_PAUSES) * chance.random()
            actor.process.paused_until = self._stage.now + seconds
        self._stage.sleep(chance.random() ** 3 * latency)

    def fault(self) -> str | None:
        """Return what goes wrong with a commit."""
        if self.faults and self.chance.random() < self.faults:
            return self.chance.choice(("taken back", "lost", "unanswered"))
        return None


class Door(Database):
    """The database as one process reaches it."""

    def __init__(self, database: Database, stage: Stage, troubles: Troubles, watch: Watch) -> None:
        self.sealer, self.engine, self.dialect = database.sealer, database.engine, database.dialect
        self.stage, self._troubles, self._watch = stage, troubles, watch
        self._clock = lambda: stage.now
        self.may_fail = troubles.faults > 0

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        if not self.stage.acting.is_writing:
            self._troubles.effect()
        with super().read() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        self._troubles.effect()
        actor, fault = self.stage.acting, self._troubles.fault()
        if actor.is_writing:
            raise AssertionError("a transaction within a transaction")
        actor.is_writing = True
        try:
            with super().write() as connection:
                yield connection
                if fault in ("taken back", "lost"):
                    raise Passing(OSError(), taken_back=fault == "taken back")
        finally:
            actor.is_writing = False
        self._watch.committed(actor)
        self._troubles.effect()
        if fault == "unanswered":
            raise Passing(OSError(), taken_back=False)
