"""The cloud behind an HTTP server: start it, stop it.

Rule: loopback only unless told otherwise, and the state is whole whenever the process dies.
"""

from __future__ import annotations

import importlib
import pkgutil
import socket
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self

from cheroot import wsgi

import stoker.devcloud
from stoker.devcloud import admin, seed
from stoker.devcloud.application import Application
from stoker.devcloud.clock import Latency
from stoker.devcloud.cloud import Cloud, Options
from stoker.devcloud.keystone.tokens import caller_of
from stoker.devcloud.state import State

if TYPE_CHECKING:
    from types import ModuleType

_THREADS = 24


def services() -> list[ModuleType]:
    """Import every service's package, so that its calls are in the table, and give them."""
    admin.declare()
    found = pkgutil.iter_modules(stoker.devcloud.__path__)
    return [importlib.import_module(f"stoker.devcloud.{m.name}") for m in found if m.ispkg]


class Listener(wsgi.Server):
    """The HTTP server; it takes the socket that it is given, where it is given one."""

    def __init__(self, options: Options) -> None:
        super().__init__((options.host, options.port), None, numthreads=_THREADS)
        self.server_name = "devcloud"
        self._given = options.listen_fd

    def bind(self, family: Any, type: Any, proto: int = 0) -> Any:
        """Give the socket to listen on."""
        if self._given is None:
            return super().bind(family, type, proto)
        self.socket = socket.socket(fileno=self._given)
        self.bind_addr = self.socket.getsockname()[:2]
        return self.socket


class Server:
    """A running cloud; ``with Server(Options(port=0)) as server`` serves in a thread."""

    def __init__(self, options: Options) -> None:
        packages = services()
        self._thread: threading.Thread | None = None
        self._http = Listener(options)
        with ExitStack() as undo:
            undo.callback(self._http.stop)
            self._http.prepare()
            host, port = self._http.bind_addr[:2]
            state = State(options.state)
            undo.callback(state.close)
            self.cloud = Cloud(
                options=options,
                url=f"http://{host}:{port}",
                state=state,
                latency=Latency(state, options.latency),
                authenticate=caller_of,
            )
            seed.run(self.cloud, packages)
            self._http.wsgi_app = Application(self.cloud)
            undo.pop_all()

    @property
    def url(self) -> str:
        return self.cloud.url

    @property
    def auth_url(self) -> str:
        return f"{self.cloud.url}/identity/v3"

    def start(self) -> Self:
        """Answer requests in a thread of its own."""
        self._thread = threading.Thread(target=self._http.serve, name="devcloud", daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop answering, and close the state."""
        self._http.stop()
        if self._thread is not None:
            self._thread.join()
        self.cloud.state.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.stop()
