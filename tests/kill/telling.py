"""Runs of many seeds, a few at a time: each is told of as it ends, and all of them together.

Rule: what went badly keeps its files, and tells the command that repeats it.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.kill.run import Report, Run


def assert_all_well(kind: type[Run], seeds: Sequence[int], at_once: int, again: str) -> None:
    """Run every seed, and fail where anything was not as it must be.

    ``again`` is the command that repeats a run, with ``{seed}`` in it.
    """
    _say("")  # below pytest's own line
    with ThreadPoolExecutor(at_once) as pool:
        reports = list(pool.map(partial(_told, kind, again), seeds))
    under_way = sum(report.in_progress for report in reports)
    leaked = sum(len(report.findings.leaked) for report in reports)
    lost = sum(len(report.findings.lost) for report in reports)
    slowest = max(report.end_seconds for report in reports)
    trusts = sum(report.trusts for report in reports)
    _say(f"{under_way} stacks were under way; trusts left (see docs/limits.md): {trusts}")
    _say(f"{len(reports)} runs: {leaked} leaked, {lost} lost, slowest end {slowest:.1f} s")
    bad = {report.seed: found for report in reports if (found := report.findings.all())}
    assert not bad, f"runs went badly, by their seeds: {bad}"


def _told(kind: type[Run], again: str, seed: int) -> Report:
    """Run a seed and tell how it went; keep its files where it went badly."""
    # Not below pytest's own directory: that keeps only the latest few.
    folder = Path(tempfile.mkdtemp(prefix=f"stoker-kill-{seed}-"))
    began = time.monotonic()
    report = kind(seed, folder).go()
    found = report.findings.all()
    lines = [f"{report} ({time.monotonic() - began:.0f} s in all)", *(f"  {t}" for t in found)]
    if found:
        lines.append(f"  logs: {folder}; again: {again.format(seed=seed)}")
    else:
        shutil.rmtree(folder)
    _say("\n".join(lines))
    return report


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - the figures are what a run is for
