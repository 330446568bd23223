"""Whoever sees everything: the promises are judged after each effect, and as time goes by."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from tests.engine.simulation import promises
from tests.engine.simulation.promises import Commit
from tests.engine.simulation.records import NOTHING, Reader, Records

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stoker.store.database import Database
    from tests.engine.simulation.crew import Crew
    from tests.engine.simulation.records import Taken
    from tests.engine.simulation.sky import Sky
    from tests.engine.simulation.stage import Actor, Stage

TAKEN_OVER_SECONDS = 15.0
AFTER_A_FAULT = 6.0
"""So much longer may it take where the database has failed a transaction on the way."""


class Watch:
    """Keeps what is recorded, and tells what is ``wrong``; each engine has so many ``threads``.

    One that ``is_strict`` makes no allowance for workers that have come later than what they
    are to take over.
    """

    def __init__(
        self, database: Database, stage: Stage, threads: int, *, patience: float,
        is_strict: bool = False,
    ) -> None:  # fmt: skip
        self._reader, self._stage = Reader(database), stage
        self._threads, self._patience, self._is_strict = threads, patience, is_strict
        self.sky: Sky | None = None
        self.crews: list[Crew] = []
        self.records: Records = NOTHING
        self.wrongs: list[str] = []
        self.commits = self.calls = 0
        self.signals: set[int] = set()  # all that were written down, ever
        self.taken: dict[str, Taken] = {}  # by the ids of snapshots
        self._since: dict[tuple[str, str], float] = {}

    def tell(self, wrongs: Iterable[str]) -> None:
        """Note what is wrong."""
        self.wrongs += [f"{self._stage.now:.2f} {text}" for text in wrongs]

    def close(self) -> None:
        """Look no more."""
        self._reader.close()

    def is_due(self) -> bool:
        """Tell whether there is a row to claim."""
        now = self._stage.now
        return any(row.due is not None and row.due <= now for row in self.records.rows.values())

    def is_rollback_due(self) -> bool:
        """Tell whether a stack waits for its rollback."""
        return any(stack.rollback_due is not None for stack in self.records.stacks.values())

    # effects

    def committed(self, actor: Actor) -> None:
        """Judge what has just been committed."""
        self.commits += 1
        before = self.records
        after = self.records = self._reader.read()
        if after == before:
            return
        commit = _commit(actor)
        self.tell(promises.fenced(before, after, commit))
        self.tell(promises.owned_once(before, after))
        self.tell(promises.current(before, after))
        self.tell(promises.counted(after))
        self.tell(promises.released(before, after))
        self.tell(promises.told(before, after))
        self.signals.update(n for each in after.letters.values() for n in each.signals)
        for each in after.snapshots.keys() - before.snapshots.keys():
            self.taken[each] = before.as_taken(after.snapshots[each].stack_id)
        self.look()

    def look(self) -> None:
        """Judge what the cloud has by what is recorded."""
        if self.sky is not None:
            self.tell(promises.kept_in_mind(self.records, self.sky.living()))

    def called(self, actor: Actor, what: str) -> None:
        """Judge a call that is being sent."""
        self.calls += 1
        claim: Any = actor.claim
        actor.calls += 1
        if actor.calls > 1:
            self.tell([f"{claim.row.name} makes a second call in one step: {what}"])
        if actor.is_writing:
            self.tell([f"P9: {claim.row.name} makes a call within a transaction: {what}"])
        self.tell(promises.intended(claim, self.records))

    def revoked(self, trust_id: str) -> None:
        """Judge a trust that is being taken back."""
        self.tell(promises.needed(trust_id, self.records))

    # time

    def tick(self) -> None:
        """Judge what has been waiting, and for how long."""
        now = self._stage.now
        able = [each for each in self.crews if each.is_fit(now)]
        fit = [each.fit_since for each in able]
        names = frozenset(each.engine_id for each in able)
        living = frozenset(each.engine_id for each in self.crews if each.process.is_alive)
        waiting = promises.idle(self.records, living, names, self._threads, now)
        since = defaultdict(lambda: now, self._since)
        self._since = {each: since[each] for each in waiting}
        if self._is_strict:
            fit = [0.0]
        if not fit:
            return
        for each, when in self._since.items():
            if now - max(when, min(fit)) > self._patience:
                self.tell([f"P5: {each[0]}: {each[1]} since {when:.2f}"])
                return


def _commit(actor: Actor) -> Commit:
    epochs: dict[int, set[int]] = {}
    for claim in actor.landing:
        epochs.setdefault(claim.row.id, set()).add(claim.epoch)
    return Commit(actor.engine_id, {row: frozenset(each) for row, each in epochs.items()})
