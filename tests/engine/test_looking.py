"""A looking thread: it goes on whatever a look ends in, and nobody's call for it is lost."""

from __future__ import annotations

import threading
from queue import SimpleQueue

import pytest

from stoker.engine.looking import Looking
from stoker.errors import Unavailable
from stoker.store.passing import Passing

SECONDS = 20.0
NEVER = 3600.0


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (Passing(ConnectionResetError(), taken_back=False), "did not answer"),
        (Unavailable("the broker is away"), "the broker is away"),
        (ZeroDivisionError("a fault of its own"), "a fault of its own"),
    ],
)
def test_whatever_a_look_ends_in_is_logged_and_the_next_look_happens(
    error: Exception, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    looks: SimpleQueue[None] = SimpleQueue()
    errors = [error]

    def look() -> None:
        looks.put(None)
        if errors:
            raise errors.pop()

    looking = Looking("test", look, 0.01)
    looking.start()
    for _ in range(3):
        looks.get(timeout=SECONDS)
    looking.end()
    looking.join(SECONDS)
    assert said in caplog.text
    assert "the thread test" in caplog.text


def test_it_looks_again_at_once_while_there_is_more_and_then_when_it_is_woken() -> None:
    looks: SimpleQueue[int] = SimpleQueue()
    left = [3]

    def look() -> bool:
        left[0] -= 1
        looks.put(left[0])
        return left[0] > 0

    looking = Looking("test", look, NEVER)
    looking.start()
    assert looks.empty()
    looking.wake()
    assert [looks.get(timeout=SECONDS) for _ in range(3)] == [2, 1, 0]
    looking.wake()
    assert looks.get(timeout=SECONDS) == -1
    looking.end()
    looking.join(SECONDS)
    assert "stoker-test" not in [each.name for each in threading.enumerate()]
    assert looks.empty()


def test_who_calls_while_it_looks_gets_another_look() -> None:
    looks: SimpleQueue[None] = SimpleQueue()
    go_on = threading.Event()

    def look() -> None:
        looks.put(None)
        go_on.wait(SECONDS)

    looking = Looking("test", look, NEVER)
    looking.start()
    looking.wake()
    looks.get(timeout=SECONDS)
    looking.wake()
    go_on.set()
    looks.get(timeout=SECONDS)
    looking.end()
    looking.join(SECONDS)
