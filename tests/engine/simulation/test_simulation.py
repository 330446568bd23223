"""Random programs under everything that can go wrong: no promise is broken, and all ends well.

The short form runs 300 programs, the long form (``STOKER_LONG=1``) 20,000 on SQLite and 50 on
each other database. A program that fails is shrunk and told as a test to paste; its program
belongs to ``found``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.databases.server import KINDS, why_not
from tests.engine.simulation import found, mutants, site
from tests.engine.simulation.program import Program, deadly, program
from tests.engine.simulation.search import failures, told
from tests.engine.simulation.trial import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from stoker.store.database import Database
    from tests.databases.server import Servers

LONG = os.environ.get("STOKER_LONG") == "1"
_CHUNK = 500 if LONG else 20
_PROGRAMS = 20_000 if LONG else 300
_DEADLY = 2000 if LONG else 20
_ON_SERVERS = 50 if LONG else 3
_PATIENCE = 3600 if LONG else 120
_SEARCH = 1000


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
def test_nobody_waits_long_for_the_dead_however_many_die_in_a_row(database: Database) -> None:
    for seed in range(_DEADLY):
        verdict = run(deadly(seed), database)
        assert verdict.wrongs == (), verdict.program


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


CAUGHT_BY: dict[str, int | Program] = {
    "no_intent": 0,
    "no_epoch_check": 45,
    "superseded_work_counts": 0,
    "counts_of_rows": 0,
    "release_before_commit": 0,
    "adopting_by_bare_name": 17,
    "waiting_for_hints": 1,
    "no_lease": 171,
    "no_doubt": 4,
    "doubt_since_intent": 199,
    "what_the_goal_refers_to": found.TURNED_ROUND,
    "what_others_have_seen_is_lost": deadly(17),
    "what_is_nested_stays": 78,
    "nothing_is_copied": 70,
    "what_is_seen_is_not_used": 0,
    "what_is_gone_counts_as_there": 5,
    "all_at_once": 3,
    "nobody_stays_in_service": 3,
    "no_pause": 3,
}
"""A program, or its seed, that fails where the fault is put in."""


@pytest.mark.parametrize("name", mutants.ALL)
def test_the_net_holds(database: Database, name: str) -> None:
    known = CAUGHT_BY[name]
    with mutants.ALL[name]() as how:
        wrongs = run(program(known) if isinstance(known, int) else known, database, **how).wrongs
    assert wrongs, f"the simulation does not find {name}"


@pytest.mark.skipif(not LONG, reason="the long form; STOKER_LONG=1 runs it")
@pytest.mark.timeout(_PATIENCE)
@pytest.mark.parametrize("name", mutants.ALL)
def test_each_fault_is_found_by_random_programs(database: Database, name: str) -> None:
    of_seed = deadly if name == "what_others_have_seen_is_lost" else program
    for seed in range(_SEARCH):
        with mutants.ALL[name]() as how:
            if run(of_seed(seed), database, **how).wrongs:
                return
    pytest.fail(f"{_SEARCH} programs do not find {name}")


@pytest.mark.parametrize("name", found.FOUND)
def test_what_was_found_is_mended(database: Database, name: str) -> None:
    assert run(found.FOUND[name], database).wrongs == ()
