"""Three engines on a database and a broker: killed, restarted, cut off, and nobody helps.

The short form takes one database; ``STOKER_LONG=1`` takes each, with 50 stacks of 40 resources
and 300 kills. ``STOKER_FLEET=stacks,kills`` makes it smaller, ``STOKER_FLEET_MINUTES`` ends it
early, ``STOKER_FLEET_SEED`` repeats one.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from random import SystemRandom

import pytest

from tests.databases.galera import Galera
from tests.databases.galera import why_not as why_no_cluster
from tests.databases.server import KINDS, why_not
from tests.kill.fleet import Stoppable
from tests.kill.fleet_run import FleetRun, Plan
from tests.kill.mix import FEW, FORTY

LONG = os.environ.get("STOKER_LONG") == "1"
needs_time = pytest.mark.skipif(not LONG, reason="the long form; STOKER_LONG=1 runs it")
long = (pytest.mark.long, needs_time)

WHOLE = Plan(
    stacks=50,
    size=FORTY,
    kills=300,
    restarts=20,
    outages=5,
    outage_seconds=10.0,
    gap=(1.0, 7.0),
)
TINY = Plan(
    stacks=4,
    size=FEW,
    kills=4,
    restarts=1,
    outages=1,
    outage_seconds=2.0,
    gap=(0.3, 0.8),
    calm=False,
    pause_seconds=math.inf,  # all of them are killed within seconds: who is to take over?
)


def plan(whole: Plan) -> Plan:
    """Return what is to be run: all of it, or as much as the environment says."""
    minutes = os.environ.get("STOKER_FLEET_MINUTES")
    whole = replace(whole, seconds=60.0 * float(minutes)) if minutes else whole
    said = os.environ.get("STOKER_FLEET")
    if said is None:
        return whole if LONG else TINY
    stacks, kills = map(int, said.split(","))
    part = kills / whole.kills
    return replace(
        whole,
        stacks=stacks,
        kills=kills,
        restarts=max(1, round(whole.restarts * part)),
        outages=max(1, round(whole.outages * part)),
    )


def seed() -> int:
    """Return the seed that is to be run."""
    given = os.environ.get("STOKER_FLEET_SEED")
    return int(given) if given else SystemRandom().randrange(10**6)


@contextmanager
def servers(kind: str, folder: Path) -> Iterator[tuple[Sequence[Stoppable], Sequence[str]]]:
    """Give a database's nodes of this test's own, and the URL at each."""
    if (reason := why_no_cluster() if kind == "galera" else why_not(kind)) is not None:
        pytest.skip(reason)
    if kind == "galera":
        with closing(Galera(folder)) as cluster:
            yield cluster.nodes, cluster.database()
        return
    server = KINDS[kind](folder)
    try:
        yield [server], [server.database()]
    finally:
        server.stop()


@pytest.mark.timeout(3 * 3600 if LONG else 300)
@pytest.mark.parametrize(
    "kind",
    ["postgresql", pytest.param("mariadb", marks=long), pytest.param("galera", marks=long)],
)
def test_engines_that_die_leave_nothing_undone(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # Not below pytest's own directory: that keeps only the latest few.
    folder = Path(tempfile.mkdtemp(prefix=f"stoker-fleet-{kind}-"))
    folder.chmod(0o755)
    (folder / "site").mkdir()
    with servers(kind, folder) as (nodes, urls):
        whole = replace(WHOLE, kills=100) if kind == "galera" else WHOLE
        report = FleetRun(seed(), plan(whole), nodes, urls).go(folder / "site")
    with capsys.disabled():
        lines = [f"\n{kind}: {report}", *(f"  {text}" for text in report.findings[:50])]
        print("\n".join(lines), flush=True)  # noqa: T201 - the figures are what it is for
    assert not report.findings, f"see above; the log is in {folder}"
    shutil.rmtree(folder)
