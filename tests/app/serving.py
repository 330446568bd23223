"""``stoker serve`` as a real process on free ports, for tests that look at it from outside."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from stoker.cli.account import account
from stoker.cli.endpoint import Endpoint
from stoker.cli.options import READY

SECONDS = 60.0
TEMPLATE = """
heat_template_version: 2018-08-31
resources:
  word:
    type: OS::Heat::RandomString
"""


class Serving:
    """A ``stoker serve`` that is ready; its output is kept in ``greeting``."""

    def __init__(self, state: Path, *more: str, environment: Mapping[str, str] = {}) -> None:
        self.state = state
        command = (sys.executable, "-m", "stoker.app", "serve", "--state", str(state))
        ports = ("--port", "0", "--cfn-port", "0", "--devcloud-port", "0")
        self.process = subprocess.Popen(
            (*command, *ports, *more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )
        self.greeting = self._greeting()

    def _greeting(self) -> str:
        out = self.process.stdout
        assert out is not None
        said = b""
        until = time.monotonic() + SECONDS
        while not said.endswith(b"first\n") or READY.encode() not in said:
            ready, _, _ = select.select([out], [], [], until - time.monotonic())
            more = os.read(out.fileno(), 4096) if ready else b""
            if not more:
                self.process.kill()
                raise AssertionError(f"not ready: {said!r} {self.process.communicate()[1]!r}")
            said += more
        return said.decode()

    @property
    def ports(self) -> dict[str, int]:
        found: dict[str, int] = json.loads((self.state / "ports.json").read_text())
        return found

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(account(self.state / "clouds.yaml", "demo"))

    @property
    def children(self) -> list[int]:
        task = f"/proc/{self.process.pid}/task"
        return [
            int(pid)
            for thread in Path(task).iterdir()
            for pid in (thread / "children").read_text().split()
        ]

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, wait for the end and return the exit code."""
        self.process.send_signal(number)
        return self.ended()

    def hang_up(self) -> None:
        """End its standard input."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None

    def ended(self) -> int:
        """Wait for the end and return the exit code."""
        self.process.communicate(timeout=SECONDS)
        return self.process.returncode

    def kill_all(self) -> None:
        """Kill every process of it with SIGKILL, at the same instant."""
        for pid in (self.process.pid, *self.children):
            os.kill(pid, signal.SIGKILL)
        self.ended()

    def close(self) -> None:
        """End it by force if it still runs."""
        if self.process.poll() is None:
            self.kill_all()


def eventually(is_so: object, seconds: float = SECONDS) -> None:
    """Wait until a callable returns true; fail when it does not."""
    assert callable(is_so)
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "it did not come to be"
        time.sleep(0.02)


def lives(pid: int) -> bool:
    """Tell whether a process runs: a zombie that waits for its parent does not."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return re.sub(r".*\) ", "", text)[0] not in "ZX"


def answers(url: str) -> bool:
    """Tell whether something answers at a URL."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=SECONDS):
            return True
    except OSError:
        return False


def created(endpoint: Endpoint, name: str, template: str = TEMPLATE) -> str:
    """Create a stack, wait until it is complete and return its id."""
    id = endpoint.create(name, template, {})
    eventually(lambda: not endpoint.stack(name, id)["stack_status"].endswith("IN_PROGRESS"))
    assert endpoint.stack(name, id)["stack_status"] == "CREATE_COMPLETE"
    return id
