"""A RabbitMQ of the tests' own, on free ports of the loopback."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tools import daemons

PACKAGES = {"rabbitmq-server": "rabbitmq-server"}
NAME = "stokertest"


def why_not() -> str | None:
    """Return why there can be no broker; where CI asks for one, it is installed."""
    missing = daemons.missing(PACKAGES)
    if missing and os.environ.get("CI") == "true" and os.geteuid() == 0:
        daemons.install(missing)
        return None
    return f"{', '.join(missing)} is not installed" if missing else None


@contextmanager
def running() -> Iterator[Broker]:
    """Give a broker that answers; skip the test where there can be none."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    with tempfile.TemporaryDirectory(prefix="stoker-broker-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # the broker has a user of its own
        with closing(Broker(folder)) as found:
            found.start()
            yield found


class Broker:
    """A broker, and the port mapper that it would else start and leave behind."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._log = folder, folder / "log"
        if os.geteuid() == 0:
            shutil.chown(folder, "rabbitmq", "rabbitmq")
        self.port, self._mapper_port = daemons.free_port(), daemons.free_port()
        more = {"ERL_EPMD_PORT": str(self._mapper_port)}
        mapper = ("epmd", "-address", "127.0.0.1", "-port", str(self._mapper_port))
        self._mapper = daemons.start(mapper, self._log, more)
        daemons.wait_for(self._mapper, self._mapper_port, self._log)
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"rabbit://guest:guest@127.0.0.1:{self.port}/"

    def start(self) -> None:
        """Start it, and return once it answers."""
        more = {
            "HOME": str(self._folder),  # of the user that it is run as
            "ERL_EPMD_PORT": str(self._mapper_port),
            "RABBITMQ_NODENAME": f"{NAME}{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(daemons.free_port()),
            "RABBITMQ_MNESIA_BASE": str(self._folder),
            "RABBITMQ_LOG_BASE": str(self._folder),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self._folder / "plugins"),
        }
        self._server = daemons.start(daemons.rabbitmq(), self._log, more)
        daemons.wait_for(self._server, self.port, self._log)

    def stop(self) -> None:
        """End it; clients lose their connections."""
        if self._server is not None:
            daemons.end(self._server, signal.SIGTERM)
            self._server = None

    def close(self) -> None:
        """End both."""
        self.stop()
        daemons.end(self._mapper)
