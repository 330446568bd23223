"""The command ends when it is told to, whatever it does at that moment."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.request
from contextlib import suppress
from threading import Event, Thread

import pytest


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_amid_requests(number: signal.Signals) -> None:
    command = (sys.executable, "-m", "stoker.devcloud", "--port", "0")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as cloud:
        assert cloud.stdout is not None
        url = cloud.stdout.readline().rpartition(" ")[2].strip()
        asked, over = Event(), Event()
        asking = [Thread(target=_ask, args=(url, asked, over)) for _ in range(4)]
        for each in asking:
            each.start()
        assert asked.wait(30)
        cloud.send_signal(number)
        assert cloud.wait(30) == 0
        over.set()
        for each in asking:
            each.join()


def _ask(url: str, asked: Event, over: Event) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while not over.is_set():
        with suppress(OSError), opener.open(url, timeout=5) as answer:
            answer.read()
            asked.set()
