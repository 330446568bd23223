"""Run many programs, and tell those that fail: ``python -m tests.engine.simulation.search 0 300``.

Each failure is shrunk and told as a test to paste. ``--trace`` tells each run's trace instead.
"""

from __future__ import annotations

import gc
import sys
from functools import partial
from typing import TYPE_CHECKING

from tests.engine.simulation import site
from tests.engine.simulation.program import program
from tests.engine.simulation.shrink import shrunk, test_of
from tests.engine.simulation.trial import run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.store.database import Database
    from tests.engine.simulation.trial import Verdict

_TELL_EVERY = 100


def failures(database: Database, first: int, last: int) -> Iterator[Verdict]:
    """Run the programs of the seeds from first up to last, and give those that fail."""
    usual = gc.get_threshold()
    gc.freeze()  # what is there stays: it need not be looked through again and again
    gc.set_threshold(50_000)
    try:
        for seed in range(first, last):
            verdict = run(program(seed), database)
            if verdict.wrongs:
                yield verdict
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


def told(verdict: Verdict, database: Database) -> str:
    """Return a failure as a test to paste, made as small as a little patience allows."""
    return test_of(shrunk(verdict, partial(run, database=database)))


def main() -> int:
    """Return how many programs have failed, 1 at most."""
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    first, last = int(words[0]), int(words[1])
    failed = 0
    with site.sqlite() as database:
        if "--trace" in sys.argv:
            for seed in range(first, last):
                sys.stdout.write(f"{seed} {run(program(seed), database).trace}\n")
            return 0
        for start in range(first, last, _TELL_EVERY):
            for verdict in failures(database, start, min(last, start + _TELL_EVERY)):
                failed += 1
                sys.stdout.write(f"seed {verdict.program.seed}:\n{told(verdict, database)}\n")
            done = min(last, start + _TELL_EVERY) - first
            sys.stdout.write(f"{done} programs run, {failed} failed\n")
            sys.stdout.flush()
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
