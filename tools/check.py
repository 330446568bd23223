"""Run every check of the house at once and tell all that is wrong.

The checks are independent programs, so they run side by side; each one's output is
shown only when it failed, under its name. The exit status is 1 when any failed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

CHECKS = {
    "format": (f"{BIN}/ruff", "format", "--check", "."),
    "lint": (f"{BIN}/ruff", "check", "."),
    "types": (f"{BIN}/mypy",),
    "imports": (f"{BIN}/lint-imports", "--no-logo"),
    "shape": (sys.executable, "tools/shape.py"),
}


@dataclass(frozen=True)
class Result:
    """How one check ended."""

    name: str
    passed: bool
    output: str
    seconds: float


def run(name: str) -> Result:
    """Run one check and return how it ended."""
    started = time.monotonic()
    done = subprocess.run(
        CHECKS[name],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    seconds = time.monotonic() - started
    return Result(name, done.returncode == 0, done.stdout + done.stderr, seconds)


def report(result: Result) -> str:
    """Return the lines to print for a check: one when it passed."""
    line = f"{result.name:8} {'ok' if result.passed else 'FAILED':7} {result.seconds:5.1f} s"
    return line if result.passed else f"{line}\n{result.output.rstrip()}\n"


def main() -> int:
    """Run all checks, print a line for each; return 1 when one failed."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        results = list(pool.map(run, sorted(CHECKS, key=lambda name: name != "types")))
    for result in results:
        sys.stdout.write(report(result) + "\n")
    return 0 if all(result.passed for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
