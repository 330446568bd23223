"""Signals while the engine is killed at each instant that there is: they count once, or say so.

The engine is driven without threads: a kill is an exception that nobody catches, after which
another engine takes over what is recorded.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.duties import Duties
from stoker.engine.hearing import CUT_OFF
from stoker.engine.instants import Instant, nobody
from stoker.usecases.stacks import CreateStack
from tests.engine.house import SETTINGS, goal
from tests.engine.shelf import ANN
from tests.engine.test_signals import PAIR, Hearers, Site

if TYPE_CHECKING:
    from stoker.store.claims import Claim
    from stoker.store.database import Database
    from stoker.store.work import Result

MOST_TURNS = 60


class Killed(BaseException):
    """The process is gone."""


class Killer:
    """Kills at the ``nth`` instant; remembers which that was, and how many there were."""

    def __init__(self, nth: int) -> None:
        self._nth, self.seen, self.at = nth, 0, ""

    def __call__(self, instant: Instant, _claim: Claim | None) -> None:
        self.seen += 1
        if self.seen == self._nth:
            self.at = instant
            raise Killed


class Bench(Site):
    """Engines that a test drives."""

    def driven(self, listen: Any = nobody) -> Duties:
        keys: Any = self.keys
        duties = Duties(self.database, Hearers(), keys, SETTINGS, lambda: None, listen=listen)
        duties.join()
        duties.others.bury_all()
        return duties

    def settle(self, duties: Duties) -> None:
        """Turn until nothing is due; what waits for its time is left."""
        results: list[Result] = []
        for _ in range(MOST_TURNS):
            turned = duties.turn(results)
            assert turned.again == ()
            if not turned.claims and not results:
                duties.tend()
                if not duties.turn([]).claims:
                    return
            results = [duties.step(claim) for claim in turned.claims]
        raise AssertionError("it does not come to rest")

    def disturbed(self, nth: int) -> Killer:
        """Settle with an engine that is killed at its ``nth`` instant, and another one after it."""
        killer = Killer(nth)
        try:
            self.settle(self.driven(killer))
        except Killed:
            self.settle(self.driven())
        return killer


@pytest.fixture
def bench(database: Database) -> Bench:
    return Bench(database)


def heard(bench: Bench, mark: str) -> int:
    return sum(each == mark for each in bench.shelf.things.values())


def test_mail_at_rest_is_heard_once_or_told_to_be_cut_off(bench: Bench) -> None:
    ref = bench.create(a="T::Ear")
    bench.settle(bench.driven())
    killed, cut = set(), set()
    for nth in count(1):
        bench.signal(ref, "a", x=nth)
        killer = bench.disturbed(nth)
        killed.add(killer.at)
        (said,) = bench.told("a")[nth - 1 :]
        assert bench.letters() == 0, killer.at
        if said == f"COMPLETE: heard {nth}":
            assert heard(bench, f"heard {nth}") == 1, killer.at
        else:
            assert (said, killer.at) == (f"FAILED: {CUT_OFF}", killer.at)
            assert heard(bench, f"heard {nth}") <= 1, killer.at
            cut.add(killer.at)
        assert bench.states()["a"] == "CREATE_COMPLETE"
        assert bench.stack(ref).status == "COMPLETE"
        if not killer.at:
            break
    assert killed >= set(Instant) - {Instant.INTENT_COMMITTED, Instant.ANSWER_RECEIVED}
    assert cut >= {Instant.CALL_SENT, Instant.RESULT_READY}, "what it did is not known there"


def test_a_verb_that_waits_for_mail_goes_on_whoever_is_killed(bench: Bench) -> None:
    for nth in count(1):
        ear = {"type": "T::Ear", "properties": {"size": 2}}
        ref = bench.stacks.create(ANN, CreateStack(f"s{nth}", goal({"a": ear})))
        bench.settle(bench.driven())
        bench.signal(ref, "a", x=nth)
        killer = bench.disturbed(nth)
        assert heard(bench, f"heard {nth}") <= 1
        if bench.stack(ref).status == "IN_PROGRESS":  # it was cut off: the next signal does it
            assert bench.told("a")[-1] == f"FAILED: {CUT_OFF}"
            bench.signal(ref, "a", x="again")
            bench.settle(bench.driven())
        assert bench.stack(ref).status == "COMPLETE", killer.at
        bench.stacks.delete(ANN, ref)
        bench.settle(bench.driven())
        if not killer.at:
            break


def test_a_wait_for_signals_loses_none_whoever_is_killed(bench: Bench) -> None:
    for nth in count(1):
        ref = bench.create(**PAIR)
        bench.settle(bench.driven())
        bench.signal(ref, "h")
        killer = bench.disturbed(nth)
        bench.signal(ref, "h")
        bench.settle(bench.driven())
        assert bench.stack(ref).status == "COMPLETE"
        assert len(bench.told("h")) == 2 * nth
        bench.stacks.delete(ANN, ref)
        bench.settle(bench.driven())
        if not killer.at:
            break
