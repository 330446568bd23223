"""Measure the engine alone beside the floor: no HTTP, no cloud, the same rows by a bare loop.

usage: python -m benchmarks.engine [--no-update] URL CASE...
       (flat:1000, chain:200, layers:10000, group:100)

A case is a stack of that many resources of a type that calls no cloud, created by the use case
and carried through by one engine in this process; then updated without a change, and deleted.
The memory told is the most that the process ever had: what creates and deletes need is told by a
run without updates, which plan in this process, too. ``floor.py`` of the shared
benchmarks runs beside it where it is there: quote the ratio of one run.
"""

from __future__ import annotations

import gc
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.engine.engine import Engine
from stoker.engine.settings import Settings
from stoker.engine.usecases.stacks import StackUseCases
from stoker.errors import Unsupported
from stoker.resources.index import Index
from stoker.store import tables as t
from stoker.store.database import Database
from stoker.store.migrate import upgrade
from stoker.store.seal import KEY_BYTES, Sealer
from stoker.usecases.caller import Caller
from stoker.usecases.stacks import CreateStack, Goal, StackRef, UpdateStack

if TYPE_CHECKING:
    from stoker.sdk.cloud import Cloud, Constraints, Guard

FLOOR = Path(__file__).resolve().parent.parent.parent / "shared" / "baseline" / "floor.py"
FLOOR_NAMES = {"sqlite": "sqlite-normal", "postgresql": "pg", "mysql": "pymysql"}
FLOOR_VARIABLES = {"sqlite": "FLOOR_SQLITE", "postgresql": "FLOOR_PG", "mysql": "FLOOR_MYSQL"}
ANN = Caller("u1", "ann", "p1", "demo", frozenset({"member"}))
FORMS = {"flat": 0, "chain": 1, "lanes": 100, "layers": 1000}
"""How many places before it the one stands that a resource needs; 0: it needs none."""
OF_THE_FLOOR = ("flat", "chain", "lanes")
SETTINGS = Settings(max_resources_per_stack=-1, max_template_size=1 << 30)


class NoCloud:
    """Credentials of an account on no cloud at all."""

    def delegated(self, _caller: Caller) -> AbstractContextManager[int | None]:
        return nullcontext()

    def serves(self, _creds_id: int, _caller: Caller, *, as_it_is: bool = False) -> bool:
        del as_it_is
        return True

    def is_lost(self, _creds_id: int, _caller: Caller) -> bool:
        return False

    def constraints(self, _caller: Caller) -> Constraints:
        raise Unsupported("there is no cloud here")

    def cloud_for(self, _caller: Caller) -> Cloud:
        raise Unsupported("there is no cloud here")

    def cloud_of(self, _stack: Any, _guard: Guard) -> Cloud:
        raise Unsupported("there is no cloud here")

    def tend(self) -> None:
        """There is nothing to take back."""

    def release_unused(self) -> None:
        """Nothing is unused."""


@dataclass
class Timing:
    """Seconds: of the request, of the work after it, and of this process's CPU over both."""

    request: float
    work: float
    cpu: float

    def per(self, n: int) -> str:
        request, work, cpu = (f"{1e6 * x / n:6.0f}" for x in (self.request, self.work, self.cpu))
        return f"request {request} work {work} cpu {cpu} us/res"


class Bench:
    """One database, one engine; a stack per case."""

    def __init__(self, url: str) -> None:
        self.database = Database(url, Sealer(b"k" * KEY_BYTES))
        upgrade(self.database)
        self.engine = Engine(self.database, Index(), NoCloud(), SETTINGS)
        self.stacks = StackUseCases(self.database, Index(), NoCloud(), SETTINGS, self.engine.wake)

    def measure(self, case: str, *, updates: bool) -> None:
        """Create and delete a stack of that form, and print what it took."""
        kind, count = case.split(":")
        n = int(count)
        name = f"{kind}-{n}"
        text = json.dumps(template(kind, n))
        gc.collect()
        made: list[StackRef] = []  # once the request is answered

        def create() -> None:
            made.append(self.stacks.create(ANN, CreateStack(name, Goal(text))))

        created = self._timed(create, made)
        report("create", case, created, n)
        self._compare(case, created)
        ref = made[0]
        if updates:
            again = UpdateStack(Goal(text))
            updated = self._timed(lambda: self.stacks.update(ANN, ref, again), made)
            report("update without change", case, updated, n)
        deleted = self._timed(lambda: self.stacks.delete(ANN, ref), made)
        report("delete", case, deleted, n)

    def _timed(self, act: Any, made: list[StackRef]) -> Timing:
        cpu, began = time.process_time(), time.perf_counter()
        act()
        requested = time.perf_counter()
        while self._runs(made[0]):  # each look takes the engine's time
            time.sleep(max(0.005, (time.perf_counter() - requested) / 50))
        ended = time.perf_counter()
        return Timing(requested - began, ended - requested, time.process_time() - cpu)

    def _runs(self, ref: StackRef) -> bool:
        c = t.stack.c
        with self.database.read() as connection:
            query = sa.select(c.status, c.status_reason).where(c.id == ref.id)
            status, reason = connection.execute(query).one()
        if status == "FAILED":
            raise SystemExit(f"the stack failed: {reason}")
        return bool(status == "IN_PROGRESS")

    def _compare(self, case: str, timing: Timing) -> None:
        kind, count = case.split(":")
        n = int(count)
        if kind not in OF_THE_FLOOR:
            return
        if not FLOOR.exists():
            print(f"# {FLOOR} is not there: no floor to compare with")
            return
        floor, floor_cpu = _floor(self.database, kind, n)
        whole, work = (x / floor for x in (timing.request + timing.work, timing.work))
        cpu = timing.cpu / floor_cpu
        print(f"floor  {case}: {1e6 * floor / n:6.0f} cpu {1e6 * floor_cpu / n:6.0f} us/res")
        print(f"ratio  {case}: whole {whole:.1f}, work alone {work:.1f}, cpu {cpu:.1f}", flush=True)


def report(what: str, case: str, timing: Timing, n: int) -> None:
    """Print a line of figures; the memory is the most that this process ever had."""
    memory = getrusage(RUSAGE_SELF).ru_maxrss // 1024
    seconds = timing.request + timing.work
    print(f"{what} {case}: {timing.per(n)}; {seconds:.2f} s; {memory} MiB", flush=True)


def template(kind: str, n: int) -> dict[str, Any]:
    """Return ``n`` resources of a type that calls no cloud, in that form."""
    if kind == "group":
        member = {"type": "OS::Heat::None"}
        group = {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": n, "resource_def": member},
        }
        return {"heat_template_version": "2021-04-16", "resources": {"group": group}}
    before = FORMS[kind]
    resources: dict[str, Any] = {}
    for i in range(n):
        resources[f"res_{i}"] = {"type": "OS::Heat::None", "properties": {"p": "v" * 60}}
        if before and i >= before:
            resources[f"res_{i}"]["depends_on"] = f"res_{i - before}"
    return {"heat_template_version": "2021-04-16", "resources": resources}


def _floor(database: Database, kind: str, n: int) -> tuple[float, float]:
    """Return seconds and CPU seconds of the floor."""
    with tempfile.TemporaryDirectory() as directory:
        file = str(Path(directory) / "floor.sqlite")
        url = database.engine.url.render_as_string(hide_password=False)
        place = file if database.dialect == "sqlite" else url
        name = "mysql" if database.dialect == "mariadb" else database.dialect
        environment = {**os.environ, FLOOR_VARIABLES[name]: place}
        command = (sys.executable, str(FLOOR), FLOOR_NAMES[name], kind, str(n))
        done = subprocess.run(  # noqa: S603 - a script of ours
            command, env=environment, check=True, capture_output=True, text=True
        )
    found = re.search(r"=\s*(\d+) us/res \(client cpu\s*(\d+)\)", done.stdout)
    if found is None:
        raise SystemExit(f"the floor printed no figure: {done.stdout}")
    return int(found[1]) * n / 1e6, int(found[2]) * n / 1e6


def main() -> None:
    """Run the cases named."""
    words = [word for word in sys.argv[1:] if word != "--no-update"]
    url, *cases = words or ("",)
    if not cases:
        raise SystemExit(__doc__)
    bench = Bench(url)
    bench.engine.start()
    try:
        for case in cases:
            bench.measure(case, updates="--no-update" not in sys.argv)
    finally:
        bench.engine.stop()
        bench.database.close()


if __name__ == "__main__":
    main()
