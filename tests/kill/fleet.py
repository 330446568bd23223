"""Several engines and an API as operators run them, on a database and a broker of their own.

Rule: a program that is killed is started again, as a service's starter would; each engine may
speak to another node of the database than the next one.
"""

from __future__ import annotations

import re
import time
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Protocol

from tests.app.operating import READY, Program, Site
from tests.app.serving import SECONDS, eventually
from tests.kill.rest import Doors
from tests.rpc.broker import running

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.rpc.broker import Broker

ENGINES = 3
READY_TICK = 0.5
_READY = re.compile(rf"^\S+ \S+ (\d+) INFO .*{READY}$", re.MULTILINE)


class Stoppable(Protocol):
    """A server that can be taken away for a while."""

    def start(self) -> None:
        """Start it, and return once it answers."""
        ...

    def stop(self) -> None:
        """End it in good order."""
        ...

    def kill(self) -> None:
        """End it as a crash would."""
        ...


class Fleet:
    """Engines, an API, a cloud, a broker; ``urls`` are those of the database's nodes."""

    def __init__(self, folder: Path, urls: Sequence[str], broker: Broker, stack: ExitStack) -> None:
        self._urls = urls
        self.broker = broker
        options = {
            "OS_DEFAULT__TRANSPORT_URL": broker.url,
            "OS_STOKER__CLIENT_TIMEOUT": "10",
            "OS_STOKER__LOOK_SECONDS": "1",
        }
        self.site = stack.enter_context(closing(Site(folder, urls[0], options)))
        assert self.site.manage("db", "sync").returncode == 0
        self.site.api()
        self.engines = [self._engine(place) for place in range(ENGINES)]
        eventually(lambda: self.site.log.count(READY) >= ENGINES)

    def wait_ready(self) -> None:
        """Wait until each engine has a worker that has said that it is ready."""
        until = time.monotonic() + SECONDS
        while not self._all_ready():
            assert time.monotonic() < until, "an engine does not become ready"
            time.sleep(READY_TICK)

    def _all_ready(self) -> bool:
        ready = {int(pid) for pid in _READY.findall(self.site.log)}
        return all(ready & {*engine.workers} for engine in self.engines)

    def doors(self) -> Doors:
        """Return the doors, logged in."""
        heat = f"http://127.0.0.1:{self.site.port}/v1"
        cloud = self.site.auth_url.removesuffix("/identity/v3")
        doors = Doors(self.site.clouds_yaml, heat, cloud)
        doors.log_in()
        return doors

    def kill(self, place: int) -> None:
        """Kill an engine and its parent at one instant, and start it again."""
        self.engines[place].kill_all()
        self.engines[place].close()
        self.engines[place] = self._engine(place)

    def kill_worker(self, place: int) -> bool:
        """Kill an engine alone, which its parent starts again; tell whether there was one."""
        return self.engines[place].kill_workers()

    def restart(self, place: int) -> int:
        """End an engine in good order and start it again; return the exit code."""
        code = self.engines[place].stop()
        self.engines[place] = self._engine(place)
        return code

    def _engine(self, place: int) -> Program:
        url = self._urls[place % len(self._urls)]
        return self.site.program("engine_service", {"OS_DATABASE__CONNECTION": url})


@contextmanager
def fleet(folder: Path, urls: Sequence[str]) -> Iterator[Fleet]:
    """Give a fleet that works."""
    with ExitStack() as stack:
        broker = stack.enter_context(running())
        yield Fleet(folder, urls, broker, stack)


def away(server: Stoppable | Broker, seconds: float) -> None:
    """Take a server away for so long."""
    server.stop()
    time.sleep(seconds)
    server.start()
