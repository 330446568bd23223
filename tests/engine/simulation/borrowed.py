"""What the simulation borrows of the process it runs in, and gives back: clocks, chance, logs."""

from __future__ import annotations

import logging
import os
import random
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from stoker.store import randomness

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.engine.simulation.stage import Actor, Stage


@contextmanager
def moved(stage: Stage, seed: int) -> Iterator[None]:
    """Let the clocks, pauses and random bytes of whoever acts be those of the simulation."""
    real = (time.time, time.monotonic, time.sleep, os.urandom)
    state, chance = random.getstate(), random.Random(f"bytes {seed}")  # noqa: S311 - no secret
    real_time, real_monotonic = time.time, time.monotonic

    real_sleep, thread = time.sleep, threading.get_ident()

    def acting() -> Actor | None:  # other threads of the process live in the real world
        return stage.current if threading.get_ident() == thread else None

    def wall() -> float:
        actor = acting()
        return real_time() if actor is None else stage.now + actor.process.wall

    def monotonic() -> float:
        actor = acting()
        return real_monotonic() if actor is None else stage.now + actor.process.boot

    def sleep(seconds: float) -> None:
        if acting() is None:
            real_sleep(seconds)
            return
        if stage.acting.name == "step":
            raise AssertionError("P9: a step sleeps")
        stage.sleep(seconds)

    random.seed(f"pauses {seed}")
    _put(wall, monotonic, sleep, chance.randbytes)
    try:
        yield
    finally:
        _put(*real)
        random.setstate(state)


def _put(*functions: Any) -> None:
    randomness.forget()
    time.time, time.monotonic, time.sleep, os.urandom = functions


@contextmanager
def errors() -> Iterator[list[str]]:
    """Give the errors that the program logs meanwhile."""
    found: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(f"logged: {record.getMessage()}")

    handler, logger = Kept(logging.ERROR), logging.getLogger("stoker")
    logger.addHandler(handler)
    try:
        yield found
    finally:
        logger.removeHandler(handler)
