"""Notifications over a real broker, as other services of a cloud hear them."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.rpc.broker import running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.rpc.broker import Broker

SECONDS = 60.0


@pytest.fixture
def broker() -> Iterator[Broker]:
    with running() as found:
        yield found


def said(url: str) -> list[str]:
    """Return the lines of :mod:`tests.rpc.telling`."""
    ran = subprocess.run(
        (sys.executable, "-m", "tests.rpc.telling", url),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    return ran.stdout.splitlines()


def test_a_success_is_told_as_news_and_a_failure_as_an_error(broker: Broker) -> None:
    publisher = f"orchestration.{socket.gethostname()}"
    assert sorted(map(json.loads, said(broker.url))) == [
        ["error", publisher, "orchestration.stack.update.error", {"stack_name": "web"}],
        ["info", publisher, "orchestration.stack.create.end", {"stack_name": "web"}],
    ]


def test_what_names_no_broker_is_refused() -> None:
    assert said("pigeon://here/") == ["no broker"]
