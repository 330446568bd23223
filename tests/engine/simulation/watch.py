"""Whoever sees everything: the promises are judged after each effect, and as time goes by."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.engine.simulation import promises
from tests.engine.simulation.batches import Batches
from tests.engine.simulation.looked import brought_back, found_gone, gone_back
from tests.engine.simulation.promises import Commit
from tests.engine.simulation.records import NOTHING, Reader, Records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from stoker.store.database import Database
    from tests.engine.simulation.crew import Crew
    from tests.engine.simulation.records import Taken
    from tests.engine.simulation.sky import Sky
    from tests.engine.simulation.stage import Actor, Stage

TAKEN_OVER_SECONDS = 15.0
AFTER_A_FAULT = 6.0
"""So much longer may it take where the database has failed a transaction on the way."""


class _Look(NamedTuple):
    """An update that looks at what there is: since when it was accepted."""

    traversal_id: str | None
    since: float


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
        self.commits = self.calls = self.looks = 0
        self.signals: set[int] = set()  # all that were written down, ever
        self.taken: dict[str, Taken] = {}  # by the ids of snapshots
        self.touched: dict[str, float] = {}  # by others, and when, by ids of objects
        self.batches = Batches(self._reader.open, self.touched)
        self._looking: dict[str, _Look] = {}  # by the ids of root stacks
        self._gone: set[int] = set()  # rows whose objects updates have found to be gone
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
        self.tell(self.batches.judge(before, after, self._stage.now))
        self._note_looks(before, actor)
        self._note_gone(before)
        self.tell(gone_back(after, self._gone))
        self.tell(self._looked())

    def converging(self) -> None:
        """Note that what the acting one asks for next is to look at what there is."""
        self._stage.acting.converges = True

    def _note_looks(self, before: Records, actor: Actor) -> None:
        """Note which updates look, and forget those that others have taken over from."""
        for stack in self.records.roots():
            was = before.stacks.get(stack.id)
            if was is None or was.traversal_id == stack.traversal_id:
                continue
            self._looking.pop(stack.id, None)
            if actor.converges and stack.action == "UPDATE":
                self._looking[stack.id] = _Look(stack.traversal_id, self._stage.now)

    def _note_gone(self, before: Records) -> None:
        if not self._looking or not self.touched or self.sky is None:
            return
        things = self.sky.living()
        for stack_id, look in self._looking.items():
            excused = partial(self._is_excused, self.sky, look.since)
            self._gone |= found_gone(before, self.records, things, stack_id, excused)

    def _looked(self) -> Iterator[str]:
        """Judge what updates that look have brought about, where one has just ended."""
        for stack_id, look in list(self._looking.items()):
            stack = self.records.stacks.get(stack_id)
            if stack is None or stack.status == "IN_PROGRESS":
                continue
            del self._looking[stack_id]
            is_reached = (stack.action, stack.status) == ("UPDATE", "COMPLETE")
            if self.sky is not None and is_reached and stack.traversal_id == look.traversal_id:
                self.looks += 1
                excused = partial(self._is_excused, self.sky, look.since)
                things = self.sky.living()
                yield from brought_back(self.records, things, stack_id, excused, self._reader.open)

    def _is_excused(self, sky: Sky, since: float, id: str) -> bool:
        """Tell whether nobody can say what has become of an object since then. Where others had
        taken a relation away, the clean-up of its row may take its successor: a known limit."""
        if id in self.touched and sky.displaced.get(id, 0.0) >= since:
            return True
        return max(self.touched.get(id, 0.0), sky.unseen.get(id, 0.0)) >= since

    def look(self) -> None:
        """Judge what the cloud has by what is recorded."""
        if self.sky is not None:
            self.tell(promises.kept_in_mind(self.records, self.sky.living(), self.touched))

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
