"""The embedded cloud as a child that is watched."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from stoker.app import devcloud
from stoker.app.devcloud import CloudDown, Devcloud, Plan
from stoker.app.listener import listen
from stoker.app.state import hold, opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def plan(tmp_path: Path) -> Iterator[Plan]:
    state = opened(tmp_path / "state")
    lock = hold(state)
    with closing(listen(0, option="-p")) as listening:
        yield Plan(
            listening, lock, state.devcloud, state.devcloud_log, "pw", "http://o", "http://c"
        )
    os.close(lock)


def test_one_that_does_not_start_is_told_with_its_log(plan: Plan) -> None:
    plan.state.mkdir()  # no SQLite file can be there
    cloud = Devcloud(plan, pytest.fail)
    with pytest.raises(CloudDown, match=str(plan.log)):
        cloud.wait_ready()
    assert "Traceback" in plan.log.read_text()


def test_one_that_ends_too_often_is_given_up(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(devcloud, "RESTARTS", 1)
    said: list[str] = []
    heard = threading.Event()

    def gave_up(text: str) -> None:
        said.append(text)
        heard.set()

    cloud = Devcloud(plan, gave_up)
    cloud.wait_ready()
    first = cloud.pid
    os.kill(first, signal.SIGKILL)
    while cloud.pid == first:
        assert not heard.wait(0.02)
    os.kill(cloud.pid, signal.SIGKILL)
    assert heard.wait(10)
    cloud.stop()
    assert str(plan.log) in said[0]
    assert caplog.text.count("starting it again") == 1


def test_the_password_is_not_on_the_command_line(plan: Plan) -> None:
    assert plan.password not in plan.command()
