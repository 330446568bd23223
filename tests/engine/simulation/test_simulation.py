"""Random programs under everything that can go wrong: no promise is broken, and all ends well.

The short form runs 300 programs, the long form (``STOKER_LONG=1``) 20,000 on SQLite and 50 on
each other database. A program that fails is shrunk and told as a test to paste here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.databases.server import KINDS, why_not
from tests.engine.simulation import mutants, site
from tests.engine.simulation.program import program
from tests.engine.simulation.search import failures, told
from tests.engine.simulation.trial import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from stoker.store.database import Database
    from tests.databases.server import Servers

LONG = os.environ.get("STOKER_LONG") == "1"
_CHUNK = 500 if LONG else 50
_PROGRAMS = 20_000 if LONG else 300
_ON_SERVERS = 50 if LONG else 3
_PATIENCE = 3600 if LONG else 120
_SEARCH = 400


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    with site.sqlite() as database:
        yield database


@pytest.mark.timeout(_PATIENCE)
@pytest.mark.parametrize("first", range(0, _PROGRAMS, _CHUNK))
def test_random_programs_break_no_promise(database: Database, first: int) -> None:
    for verdict in failures(database, first, first + _CHUNK):
        pytest.fail(told(verdict, database))


@pytest.mark.timeout(_PATIENCE)
@pytest.mark.parametrize("kind", KINDS)
def test_they_break_none_on_other_databases(servers: Servers, kind: str) -> None:
    if reason := why_not(kind):
        pytest.skip(reason)
    with site.opened(servers.one(kind).database()) as database:
        for verdict in failures(database, 0, _ON_SERVERS):
            pytest.fail(told(verdict, database))


def test_a_run_is_the_same_again_whatever_order_sets_have(root: Path) -> None:
    command = [sys.executable, "-m", "tests.engine.simulation.search", "--trace", "4", "8"]
    traces = {
        subprocess.run(
            command, cwd=root, env={**os.environ, "PYTHONHASHSEED": seed},
            check=True, capture_output=True, text=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(traces) == 1, traces


CAUGHT_BY = {
    "no_intent": 0,
    "no_epoch_check": 7,
    "superseded_work_counts": 1,
    "counts_of_rows": 9,
    "release_before_commit": 0,
    "adopting_by_bare_name": 8,
    "waiting_for_hints": 0,
    "no_lease": 76,
    "no_doubt": 19,
    "doubt_since_intent": 79,
}
"""The seed of a program that each mutant fails."""


@pytest.mark.parametrize("name", mutants.ALL)
def test_the_net_holds(database: Database, name: str) -> None:
    seeds = range(_SEARCH) if LONG else [CAUGHT_BY[name]]
    for seed in seeds:
        with mutants.ALL[name]() as how:
            if run(program(seed), database, **how).wrongs:
                return
    pytest.fail(f"the simulation does not find {name}")
