"""A receiver of webhooks on this machine: what it was sent, and what it answers."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from email.message import Message
    from types import TracebackType

SECONDS = 20.0


@dataclass(frozen=True)
class Received:
    """A request."""

    path: str
    headers: Message
    body: bytes

    @property
    def message(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    @property
    def id(self) -> str:
        return str(self.headers["webhook-id"])

    @property
    def said(self) -> str:
        """The resource and its state, the gist of an event."""
        payload = self.message["payload"]
        state = f"{payload['resource_action']}_{payload['resource_status']}"
        return f"{payload['resource_name']} {state}"


@dataclass
class Receiver:
    """Answers with ``status``; where ``held`` is not set, only once it is."""

    port: int = 0
    status: int = 204
    received: SimpleQueue[Received] = field(default_factory=SimpleQueue)
    held: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self.held.set()
        self._server = _Server(("127.0.0.1", self.port), _Door)
        self._server.receiver = self
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None
    ) -> None:
        self.held.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def url(self, path: str = "/hook") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def next(self) -> Received:
        return self.received.get(timeout=SECONDS)

    def until(self, said: str) -> list[Received]:
        """Return all that comes until this is said."""
        found = [self.next()]
        while found[-1].said != said:
            found.append(self.next())
        return found


class _Server(ThreadingHTTPServer):
    receiver: Receiver


class _Door(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        receiver = self.server.receiver
        receiver.received.put(Received(self.path, self.headers, body))
        receiver.held.wait()
        with suppress(OSError):  # who asked has given up
            self.send_response(receiver.status)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
