"""Wake-ups between processes, with a broker that is there, and with one that is not."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from queue import Empty, SimpleQueue
from threading import Thread

import pytest

from tests.rpc.broker import Broker, running
from tools import daemons

SECONDS = 30.0


class Ringing:
    """A process of :mod:`tests.rpc.ringing`."""

    def __init__(self, url: str) -> None:
        self._process = subprocess.Popen(
            (sys.executable, "-m", "tests.rpc.ringing", url),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._said: SimpleQueue[str] = SimpleQueue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.put(line.strip())

    def ring(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("ring\n")
        self._process.stdin.flush()

    def says(self, word: str, seconds: float = SECONDS) -> bool:
        """Tell whether it says the word in time."""
        until = time.monotonic() + seconds
        try:
            while self._said.get(timeout=max(0.0, until - time.monotonic())) != word:
                pass
        except Empty:
            return False
        return True

    def hear_each_other(self, other: Ringing) -> None:
        """Wait until the broker has both."""
        until = time.monotonic() + SECONDS
        for one, two in ((self, other), (other, self)):
            one.ring()
            while not two.says("heard", 0.5):
                assert time.monotonic() < until
                one.ring()

    def close(self) -> int:
        """Hang up and return the exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        code = self._process.wait(SECONDS)
        self._reader.join()
        assert self._process.stdout is not None
        self._process.stdout.close()
        return code


@pytest.fixture
def broker() -> Iterator[Broker]:
    with running() as found:
        yield found


def test_a_ring_is_heard_by_all_at_once_and_after_the_broker_was_away(broker: Broker) -> None:
    with closing(Ringing(broker.url)) as one, closing(Ringing(broker.url)) as two:
        one.hear_each_other(two)
        broker.stop()
        one.ring()
        assert one.says("rang", 2), "who rings does not wait for a broker that is away"
        broker.start()
        one.hear_each_other(two)


def test_a_broker_that_never_was_there_holds_nobody_up() -> None:
    ringing = Ringing(f"rabbit://guest:guest@127.0.0.1:{daemons.free_port()}/")
    ringing.ring()
    assert ringing.says("rang", 15)
    begun = time.monotonic()
    assert ringing.close() == 0
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("url", ["no url", "pigeon://here/"])
def test_what_names_no_broker_is_refused(url: str) -> None:
    with closing(Ringing(url)) as ringing:
        assert ringing.says("no broker")
