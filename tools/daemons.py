"""Programs of the system that tests stand on: installed where they are missing, run, ended.

A program is run in a session of its own and ended by its process, with all that it started;
what runs already is nobody's to end.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 60.0
STOP_SECONDS = 20.0


class Unavailable(Exception):
    """A program cannot be had, or does not come up; the text says why."""


def missing(packages: Mapping[str, str]) -> list[str]:
    """Return the packages whose program (the key) is not there."""
    return [package for program, package in packages.items() if shutil.which(program) is None]


def install(packages: Collection[str]) -> None:
    """Install Debian packages; raises Unavailable."""
    if not packages:
        return
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # What is listed may be older than the mirror; an install that fails is told below.
    update = ("apt-get", "update", "-qq")
    subprocess.run(update, env=quiet, check=False)
    command = ("apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages)
    done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unavailable(f"apt-get cannot install {' '.join(packages)}:\n{done.stdout[-2000:]}")


@contextmanager
def process(
    command: Sequence[str], log: Path, port: int, more: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Run a program that listens on a port, and end it with all that it started."""
    child = start(command, log, more)
    try:
        wait_for(child, port, log)
        yield
    finally:
        end(child)


def start(
    command: Sequence[str], log: Path, more: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own; what it says goes to the end of the log."""
    with log.open("ab") as output:
        return subprocess.Popen(
            tuple(command),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **(more or {})},
            start_new_session=True,
        )


def wait_for(child: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Return once the port answers; raises Unavailable."""
    until = time.monotonic() + START_SECONDS
    while not listens(port):
        if child.poll() is not None or time.monotonic() > until:
            said = log.read_text(errors="replace")[-2000:]
            raise Unavailable(f"{child.args!r} does not answer on port {port}:\n{said}")
        time.sleep(0.1)


def rabbitmq() -> tuple[str, ...]:
    """Return the broker's command; root's own script would put it into another session."""
    if os.geteuid() != 0:
        return ("rabbitmq-server",)
    user = ("setpriv", "--reuid=rabbitmq", "--regid=rabbitmq", "--clear-groups", "--")
    return (*user, "/usr/lib/rabbitmq/bin/rabbitmq-server")


def end(child: subprocess.Popen[bytes], first: signal.Signals = signal.SIGTERM) -> None:
    """End a session of processes, by force where they take too long."""
    for number in (first, signal.SIGKILL):
        if child.poll() is None:
            os.killpg(child.pid, number)
            try:
                child.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                continue


def listens(port: int) -> bool:
    """Tell whether something accepts connections on a port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    """Return a port of 127.0.0.1 on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
