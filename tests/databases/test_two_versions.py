"""An update of the program while everything runs: engines of both versions share the work.

The version before is taken from the history of the sources: the last one with the schema that
the tables are brought forward from.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.database import Database
from stoker.store.seal import KEY_BYTES, Sealer
from tests.databases.server import KINDS, why_not

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tests.databases.server import Servers

ROOT = Path(__file__).resolve().parents[2]
BEFORE = "ed31bb86611fc0c17f37f581ca23746d45127fec"
"""Schema 0002; what came after it only adds."""
SECONDS = 60.0


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sources of the version before."""
    done = subprocess.run(
        ("git", "-C", str(ROOT), "archive", BEFORE, "src", "benchmarks"),
        capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"the history of the sources is not here: {done.stderr.decode().strip()}")
    folder = tmp_path_factory.mktemp("before")
    with tarfile.open(fileobj=BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(params=["sqlite", *KINDS])
def url(request: pytest.FixtureRequest, servers: Servers, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'a.db'}"
    if (reason := why_not(request.param)) is not None:
        pytest.skip(reason)
    return servers.one(request.param).database()


class Program:
    """One version, in a process of its own."""

    def __init__(self, root: Path, url: str) -> None:
        script = Path(__file__).with_name("version.py")
        self._child = subprocess.Popen(
            (sys.executable, str(script), url),
            env={**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def ask(self, *words: str) -> str:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(" ".join(words) + "\n")
        self._child.stdin.flush()
        answer = self._child.stdout.readline().strip()
        assert answer, f"it has ended when it was asked to {words}"
        return answer

    def end(self) -> None:
        self._child.communicate(timeout=SECONDS)
        assert self._child.returncode == 0


@pytest.fixture
def program(url: str) -> Iterator[Callable[[Path], Program]]:
    started: list[Program] = []

    def start(root: Path) -> Program:
        started.append(Program(root, url))
        return started[-1]

    yield start
    for each in started:
        each._child.kill()  # noqa: SLF001 - those that have ended by themselves are gone
        each._child.communicate()  # noqa: SLF001 - as there


def ended(database: Database, ids: Iterable[str]) -> set[str]:
    """Return the states in which the stacks end."""
    until = time.monotonic() + SECONDS
    c = t.stack.c
    while True:
        with database.read() as connection:
            query = sa.select(c.action, c.status).where(c.id.in_(list(ids)))
            rows: list[Any] = list(connection.execute(query))
        states = {f"{row.action}_{row.status}" for row in rows}
        if not any(state.endswith("IN_PROGRESS") for state in states):
            return states
        assert time.monotonic() < until, states
        time.sleep(0.05)


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    database = Database(url, Sealer(b"k" * KEY_BYTES))
    yield database
    database.close()


def test_both_versions_work_on_the_same_stacks_while_one_takes_over_from_the_other(
    database: Database, sources: Path, program: Callable[[Path], Program]
) -> None:
    made: dict[str, str] = {}
    old = program(sources)
    assert old.ask("migrate") == "migrated"
    old.ask("engine")
    made["before"] = old.ask("create", "before")
    new = program(ROOT)
    new.ask("migrate")
    made |= {name: old.ask("create", name) for name in ("old1", "old2")}
    made |= {name: new.ask("create", name) for name in ("new1", "new2")}  # the old one makes them
    assert ended(database, made.values()) == {"CREATE_COMPLETE"}
    new.ask("engine")
    for i in range(5):
        made |= {f"a{i}": old.ask("create", f"a{i}"), f"b{i}": new.ask("create", f"b{i}")}
    assert ended(database, made.values()) == {"CREATE_COMPLETE"}
    made |= {name: old.ask("create", name) for name in ("late1", "late2")}
    old.end()  # the new one takes over what it has begun
    assert ended(database, made.values()) == {"CREATE_COMPLETE"}
    for name, stack_id in made.items():
        new.ask("delete", name, stack_id)
    assert ended(database, made.values()) == {"DELETE_COMPLETE"}
    with database.read() as connection:
        left = connection.scalar(sa.select(sa.func.count()).select_from(t.resource))
    new.end()
    assert left == 0
