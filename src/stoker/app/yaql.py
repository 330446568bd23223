"""yaql expressions run in processes of their own, which their limits may end.

Rule: a process answers one question at a time and is kept for the next; one that ends over a
question is not asked again.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from stoker.lang.functions.yaql import run_yaql_with

_CHILD: Final = Path(__file__).with_name("yaql_child.py")
_TOO_LONG: Final = "it takes too long"
_KEPT: Final = 1024
_SHORT: Final = 4096
"""So many expressions are known to be readable, each of at most so many characters: templates
are read again with each request, and the members of a group have the same."""
_ENDED: Final = "it needs too much memory, or its process was ended"


@dataclass(frozen=True, slots=True)
class YaqlLimits:
    """yaql's own: items that an expression may go over, and bytes of what it makes; below 0: any.

    Those of time and memory hold in any case.
    """

    limit_iterators: int = 200
    memory_quota: int = 10_000


class _Ended(Exception):
    """The process has ended; with ``asked`` over the question."""

    def __init__(self, reason: str, *, asked: bool) -> None:
        super().__init__(reason)
        self.asked = asked


class _Child:
    """One process."""

    def __init__(self, limits: YaqlLimits) -> None:
        numbers = (str(limits.limit_iterators), str(limits.memory_quota))
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            (sys.executable, "-I", str(_CHILD), *numbers),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def ask(self, line: bytes) -> dict[str, Any]:
        asking, answering = self._process.stdin, self._process.stdout
        assert asking is not None  # noqa: S101 - both are pipes
        assert answering is not None  # noqa: S101 - as there
        try:
            asking.write(line)
            asking.flush()
        except OSError:
            raise _Ended(_ENDED, asked=False) from None
        said = answering.readline()
        if not said.endswith(b"\n"):
            raise _Ended(self._reason(), asked=True)
        answer: dict[str, Any] = json.loads(said)
        return answer

    def _reason(self) -> str:
        return _TOO_LONG if self._process.wait() == -signal.SIGPROF else _ENDED

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


class YaqlProcesses:
    """The engine of :mod:`stoker.lang.functions.yaql`: as many processes as ask at once."""

    def __init__(self, limits: YaqlLimits | None = None) -> None:
        self._limits = limits or YaqlLimits()
        self._idle: deque[_Child] = deque()
        self._read = lru_cache(_KEPT)(self._asked_of)

    def check(self, expression: str) -> None:
        """Return if the expression can be read; raises ValueError."""
        if len(expression) <= _SHORT:
            self._read(expression)
        else:
            self._asked_of(expression)

    def run(self, expression: str, data: Any) -> Any:
        """Return what the expression gives; raises ValueError, also when a limit ends it."""
        return self._asked([expression, data])

    def _asked_of(self, expression: str) -> None:
        self._asked([expression])

    def close(self) -> None:
        """End all processes that nobody is asking."""
        while self._idle:
            self._idle.pop().end()

    def forget(self) -> None:
        """Leave the processes to the one that has forked this one."""
        self._idle = deque()

    def _asked(self, question: list[Any]) -> Any:
        line = json.dumps(question).encode() + b"\n"
        while True:
            child = self._taken()
            try:
                answer = child.ask(line)
            except _Ended as ended:
                child.end()
                if ended.asked:
                    raise ValueError(str(ended)) from None
                continue
            self._idle.append(child)
            if "problem" in answer:
                raise ValueError(answer["problem"])
            return answer["value"]

    def _taken(self) -> _Child:
        try:
            return self._idle.pop()
        except IndexError:
            return _Child(self._limits)


def provide_yaql(limits: YaqlLimits | None = None) -> None:
    """Let templates use yaql in this process, where it is installed; again does nothing."""
    if _PROVIDED or find_spec("yaql") is None:
        return
    engine = YaqlProcesses(limits)
    _PROVIDED.append(engine)
    run_yaql_with(engine)
    atexit.register(engine.close)
    os.register_at_fork(after_in_child=engine.forget)


_PROVIDED: Final[list[YaqlProcesses]] = []
