"""Nothing is lost and nothing leaks, wherever an engine dies, sleeps or is cut off.

The short form runs a sample of each type's cases, another one each time (``STOKER_SEED``
repeats one); the long form (``STOKER_LONG=1``) runs the whole matrix, and
then a sample at the figures of production.
"""

from __future__ import annotations

import os
import random
import sys
from typing import TYPE_CHECKING

import pytest

from stoker.engine.instants import Instant
from stoker.engine.settings import Settings
from tests.crash.matrix import Way
from tests.crash.runner import Runner
from tests.crash.scenarios import ALL, BY_NAME
from tests.crash.watch import GATES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.crash.matrix import Case
    from tests.crash.runner import Count
    from tests.crash.scenario import Scenario

LONG = os.environ.get("STOKER_LONG") == "1"
SAMPLE = 3
REAL = Settings(threads=3)
REAL_SLOTS = 40

needs_time = pytest.mark.skipif(not LONG, reason="the long form; STOKER_LONG=1 runs it")


@pytest.fixture(scope="module")
def seed() -> int:
    return int(os.environ.get("STOKER_SEED") or random.SystemRandom().randrange(1_000_000))


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    runner = Runner()
    yield runner
    runner.stop()


def sample(cases: Sequence[Case], size: int, seed: int, name: str) -> list[Case]:
    """Return cases by chance, of as many ways as there are."""
    chance = random.Random(f"{seed} {name}")  # noqa: S311 - a sample, no secret
    shuffled = chance.sample(cases, len(cases))
    ways = chance.sample([*Way], len(Way))
    ordered = sorted(shuffled, key=lambda case: _turn(shuffled, case, ways))
    return ordered[:size]


def _turn(cases: Sequence[Case], case: Case, ways: Sequence[Way]) -> tuple[int, int]:
    """Return when a case's turn comes: first one of each way, then a second of each."""
    assert case.way is not None
    before = [other for other in cases[: cases.index(case)] if other.way is case.way]
    return len(before), ways.index(case.way)


def judged(count: Count, seed: int | None = None) -> None:
    """Fail with the cases that went wrong, and how to see them again."""
    bad = "\n".join(map(str, count.bad[:10]))
    repeat = "" if seed is None else f"; STOKER_SEED={seed} repeats it"
    assert not count.bad, f"{count}{repeat}\n{bad}"


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_a_disturbed_run_ends_as_an_undisturbed_one(
    scenario: Scenario, runner: Runner, seed: int
) -> None:
    chosen = sample(runner.cases(scenario), SAMPLE, seed, scenario.name)
    judged(runner.judge(chosen), seed)


@needs_time
@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_every_disturbed_run_ends_as_an_undisturbed_one(scenario: Scenario, runner: Runner) -> None:
    count = runner.judge(runner.cases(scenario))
    sys.stderr.write(f"\n{scenario.name}: {count}\n")
    judged(count)


@needs_time
@pytest.mark.long
@pytest.mark.timeout(3600)
def test_at_the_figures_of_production_it_is_the_same(seed: int) -> None:
    runner = Runner(REAL, slots=REAL_SLOTS)
    try:
        chosen = [
            case
            for name in ("Neutron::Net, named", "Heat::Stack", "Nova::KeyPair")
            for case in sample(runner.cases(BY_NAME[name]), 40, seed, name)
        ]
        count = runner.judge(chosen)
    finally:
        runner.stop()
    sys.stderr.write(f"\nreal figures: {count}\n")
    judged(count, seed)


def test_the_matrix_meets_every_named_instant(runner: Runner) -> None:
    """A renamed instant, or one that no step meets any more, must not go unnoticed."""
    met = {spot.instant for spot in runner.undisturbed(BY_NAME["Neutron::Net"]).spots}
    assert met == set(Instant) - GATES
