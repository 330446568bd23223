"""``stoker serve`` as a child: started, waited for, ended.

Rule: it ends when we do, whatever ends us: its standard input is a pipe that we hold.
"""

from __future__ import annotations

import select
import subprocess
import time
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from stoker.cli.options import READY
from stoker.errors import StokerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

START_SECONDS = 60.0
STOP_SECONDS = 20.0


class NotStarted(StokerError):
    """``stoker serve`` did not come up."""


@contextmanager
def served(start: Sequence[str], state: Path) -> Iterator[None]:
    """Run ``serve`` on ``state`` and free ports, ready while the block runs."""
    ports = ("--port", "0", "--cfn-port", "0", "--devcloud-port", "0")
    command = (*start, "serve", "--until-eof", "--state", str(state), *ports)
    errors = state.parent / f"{state.name}.errors"
    with errors.open("wb") as stderr:
        child = subprocess.Popen(  # noqa: S603 - our own program
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr
        )
    assert child.stdin is not None  # noqa: S101 - both are pipes
    assert child.stdout is not None  # noqa: S101
    with child:
        try:
            if not _says_ready(child.stdout):
                raise NotStarted(f"Stoker did not start: {errors.read_text().strip()}")
            yield
        finally:
            child.stdin.close()
            _ended(child)


def _says_ready(out: IO[bytes]) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while select.select([out], [], [], max(0.0, deadline - time.monotonic()))[0]:
        line = out.readline()
        if line.startswith(READY.encode()):
            return True
        if not line:
            return False
    return False


def _ended(child: subprocess.Popen[bytes]) -> None:
    try:
        child.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
