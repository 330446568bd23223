"""kill -9 of everything, again and again: nothing is leaked, nothing lost, every stack ends.

``STOKER_KILL_SEED`` repeats one run. The long form runs with ``-m long`` or ``STOKER_LONG=1``.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.kill.run import Run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kill.run import Report

SHORT, SHORT_AT_ONCE = 4, 4
LONG, LONG_AT_ONCE = 100, 2
LONG_SECONDS = 3 * 3600
SEED = "STOKER_KILL_SEED"


def test_a_kill_of_everything_loses_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = os.environ.get(SEED)
    seeds = [int(given)] if given else _seeds(SHORT)
    with capsys.disabled():
        assert_all_well(seeds, SHORT_AT_ONCE, tmp_path)


@pytest.mark.long
@pytest.mark.timeout(LONG_SECONDS)
def test_a_hundred_kills_of_everything_lose_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    if os.environ.get("STOKER_LONG") != "1" and "long" not in request.config.option.markexpr:
        pytest.skip("the long form: run it with -m long or STOKER_LONG=1")
    with capsys.disabled():
        assert_all_well(_seeds(LONG), LONG_AT_ONCE, tmp_path)


def assert_all_well(seeds: list[int], at_once: int, folder: Path) -> None:
    """Run every seed, tell of each, and fail where anything was not as it must be."""
    print()  # noqa: T201 - below pytest's own line
    with ThreadPoolExecutor(at_once) as pool:
        reports = list(pool.map(lambda seed: _told(seed, folder / str(seed)), seeds))
    leaked = sum(len(report.findings.leaked) for report in reports)
    lost = sum(len(report.findings.lost) for report in reports)
    slowest = max(report.end_seconds for report in reports)
    trusts = sum(report.trusts for report in reports)
    print(f"trusts left by the window of docs/limits.md: {trusts}")  # noqa: T201
    print(  # noqa: T201
        f"{len(reports)} runs: {leaked} leaked, {lost} lost, slowest end {slowest:.1f} s"
    )
    bad = [report.seed for report in reports if report.findings.all()]
    assert not bad, f"see above; logs are in {folder}; again with {_again(bad[0])}"


def _told(seed: int, folder: Path) -> Report:
    """Run a seed and tell how it went; keep its files where it went badly."""
    folder.mkdir()
    began = time.monotonic()
    report = Run(seed, folder).go()
    found = report.findings.all()
    lines = [f"{report} ({time.monotonic() - began:.0f} s in all)", *(f"  {t}" for t in found)]
    if found:
        lines.append(f"  logs: {folder}; again: {_again(seed)}")
    else:
        shutil.rmtree(folder)
    print("\n".join(lines), flush=True)  # noqa: T201
    return report


def _again(seed: int) -> str:
    return f"{SEED}={seed} python -m pytest tests/kill/test_kill.py -k everything_loses"


def _seeds(count: int) -> list[int]:
    first = secrets.randbelow(10**6)
    return list(range(first, first + count))
