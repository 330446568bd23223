"""One engine as a process of the simulation: production's duties, driven by the virtual clock."""

from __future__ import annotations

from queue import Empty
from typing import TYPE_CHECKING, Any

from stoker.engine.duties import Duties, Nature
from stoker.engine.instants import Instant
from stoker.store.database import DatabaseError
from tests.engine.simulation.stage import Mailbox, Process

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from stoker.engine.credentials import Credentials
    from stoker.engine.settings import Settings
    from stoker.sdk.resource import Types
    from stoker.store.claims import Claim
    from stoker.store.work import Result
    from tests.engine.simulation.door import Door
    from tests.engine.simulation.stage import Stage
    from tests.engine.simulation.watch import Watch

_GATHER_SECONDS = 0.004
_AFTER_FAILED_COMMIT = 0.1


class Crew:
    """The actors of one engine."""

    def __init__(
        self, process: Process, door: Door, types: Types, keys: Credentials, settings: Settings,
        watch: Watch, chance: random.Random,
    ) -> None:  # fmt: skip
        self.process, self._watch, self._settings = process, watch, settings
        self._is_sure = not door.may_fail  # then nothing is to be found out after a commit
        self._stage: Stage = door.stage
        stage = self._stage
        self._todo: Mailbox[Claim] = Mailbox(stage)
        self._news: Mailbox[Result | None] = Mailbox(stage)
        nature = Nature(
            clock=lambda: stage.now + process.boot,
            jitter=chance.random,
            entropy=chance.randbytes,
            process=f"{process.machine}/{process.name}",
            has_ended=self._has_ended,
        )
        self._duties = Duties(
            door, types, keys, settings, self.wake, listen=self._listen, nature=nature
        )
        self._joined_at = stage.now
        stage.start(process, "commit", self._live)

    @property
    def engine_id(self) -> str:
        """The name under which it claims rows now."""
        return self._duties.lease.engine_id

    @property
    def fit_since(self) -> float:
        """Since when it has been awake."""
        return max(self._joined_at, self.process.paused_until)

    def is_fit(self, now: float) -> bool:
        """Tell whether it lives and does not stand still."""
        return self.process.is_alive and self.process.paused_until <= now

    def wake(self) -> None:
        """Look for due rows now."""
        self._news.put(None)

    # actors

    def _live(self) -> None:
        while not self._has_joined():
            self._stage.sleep(1.0)
        self._joined_at = self._stage.now
        start = self._stage.start
        start(self.process, "beat", lambda: self._repeat(self._duties.beat))
        start(self.process, "roll", lambda: self._repeat(self._roll))
        start(self.process, "tend", lambda: self._repeat(self._tend))
        for _ in range(self._settings.threads):
            start(self.process, "step", self._perform)
        self._commit()

    def _has_joined(self) -> bool:
        try:
            self._duties.join()
        except DatabaseError:
            return False
        return True

    def _commit(self) -> None:
        me, due_now = self._stage.acting, True
        while True:
            results = self._gather(0.0 if due_now else self.patience())
            if not results and self._is_sure and not self._watch.is_due():
                due_now = False
                continue  # a look that would find nothing is the same as none
            me.landing = [result.claim for result in results]
            turned = self._duties.turn(results)
            self.noted(results)
            for claim in turned.claims:
                self._todo.put(claim)
            for result in turned.again:
                self._news.put(result)
            if turned.again:
                self._stage.sleep(_AFTER_FAILED_COMMIT)
            due_now = turned.more

    def patience(self) -> float:
        """Return for how long nothing is looked for, where no news comes."""
        return self._settings.look_seconds

    def noted(self, results: list[Result]) -> None:
        """Be told of results that are recorded: rows that wait are looked for in time anyway."""

    def _gather(self, patience: float) -> list[Result]:
        results: list[Result] = []
        try:
            news = self._news.get(patience) if patience else self._news.get_nowait()
            while True:
                if news is not None:
                    results.append(news)
                busy = self._duties.busy(results)
                news = self._news.get(_GATHER_SECONDS) if busy else self._news.get_nowait()
        except Empty:
            return results

    def _perform(self) -> None:
        me = self._stage.acting
        while True:
            claim = self._todo.get()
            me.claim, me.calls = claim, 0
            result = self._duties.step(claim)
            self._news.put(result)

    def _roll(self) -> None:
        if self._watch.is_rollback_due():
            self._duties.roll()

    def _tend(self) -> None:
        if self._watch.records.is_tending_due():
            self._duties.tend()

    def _repeat(self, job: Callable[[], None]) -> None:
        while True:
            self._stage.sleep(self._settings.beat_seconds)
            try:
                job()
            except DatabaseError:
                continue

    # what the duties ask, and what they tell

    def _has_ended(self, process: str | None) -> bool:
        """Tell whether a process of this machine is dead; of others it is not known."""
        machine, _, name = (process or "").rpartition("/")
        here = {each.process.name: each.process for each in self._watch.crews}
        return machine == self.process.machine and not here[name].is_alive

    def _listen(self, _instant: Instant, _claim: Any) -> None:
        self._stage.acting.engine_id = self.engine_id
