"""kill -9 of everything, again and again: nothing is leaked, nothing lost, every stack ends.

``STOKER_KILL_SEED`` repeats one run. The long form runs with ``-m long`` or ``STOKER_LONG=1``.
"""

from __future__ import annotations

import os
from random import SystemRandom
from typing import TYPE_CHECKING

import pytest

from tests.kill.milder import Terminated, Undisturbed
from tests.kill.run import Run
from tests.kill.telling import assert_all_well

if TYPE_CHECKING:
    from collections.abc import Sequence

SHORT, SHORT_AT_ONCE = 4, 4
LONG, LONG_AT_ONCE = 100, 2
LONG_SECONDS = 3 * 3600
SEED = "STOKER_KILL_SEED"


@pytest.mark.timeout(300)
def test_a_kill_of_everything_loses_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        assert_all_well(Run, _seeds(SHORT), SHORT_AT_ONCE, again(Run))


@pytest.mark.timeout(300)
def test_what_is_asked_to_end_waits_for_no_doubt_after_its_restart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with capsys.disabled():
        assert_all_well(Terminated, _seeds(2), 2, again(Terminated))


@pytest.mark.timeout(300)
def test_what_is_not_disturbed_ends_as_it_is_expected_of_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with capsys.disabled():
        assert_all_well(Undisturbed, _seeds(1), 1, again(Undisturbed))


@pytest.mark.long
@pytest.mark.timeout(LONG_SECONDS)
def test_a_hundred_kills_of_everything_lose_nothing(
    capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    if os.environ.get("STOKER_LONG") != "1" and "long" not in request.config.option.markexpr:
        pytest.skip("the long form: run it with -m long or STOKER_LONG=1")
    first = SystemRandom().randrange(10**6)
    with capsys.disabled():
        assert_all_well(Run, range(first, first + LONG), LONG_AT_ONCE, again(Run))


def again(kind: type[Run]) -> str:
    """Return the command that repeats a run, less its seed."""
    words = {Run: "loses_nothing", Terminated: "asked_to_end", Undisturbed: "not_disturbed"}
    return f"{SEED}={{seed}} python -m pytest tests/kill -k {words[kind]}"


def _seeds(count: int) -> Sequence[int]:
    given = os.environ.get(SEED)
    first = SystemRandom().randrange(10**6)
    return [int(given)] if given else range(first, first + count)
