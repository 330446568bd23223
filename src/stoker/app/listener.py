"""Sockets that listen, and the HTTP servers on them.

Rule: a socket is open before anything else starts, so that its port is known, is ours, and a
client that comes early waits instead of being refused.
"""

from __future__ import annotations

import errno
import logging
import socket
import ssl
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cheroot import wsgi
from cheroot.ssl.builtin import BuiltinSSLAdapter

from stoker.api.waiting import WaitingRoom, with_room
from stoker.app.misconfigured import Misconfigured
from stoker.errors import Conflict

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

HOST = "127.0.0.1"
BACKLOG = 256
THREADS = 16
_LOG = logging.getLogger(__name__)


def listen(port: int, *, option: str, remembered: int = 0) -> socket.socket:
    """Return a socket that listens on ``port``; on any when it is 0, ``remembered`` before others.

    Raises :class:`Conflict` when the port is taken; ``option`` is the flag that chooses another.
    """
    if port == 0 and remembered:
        try:
            return _bound(remembered)
        except OSError:
            _LOG.info("port %d of the last run is taken now; another one is used", remembered)
    try:
        return _bound(port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            reason = f"port {port} of {HOST} is taken by another program"
        else:
            reason = f"port {port} of {HOST} cannot be used ({error.strerror})"
        raise Conflict(f"{reason}; choose another with {option} (0: any free one)") from error


def _bound(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # what it accepts inherits it
        found.bind((HOST, port))
        found.listen(BACKLOG)
    except OSError:
        found.close()
        raise
    return found


def reserved(host: str, port: int, section: str = "heat_api") -> socket.socket:
    """Return a socket that keeps a port for :func:`shared` ones, and does not listen itself.

    Raises :class:`Conflict` when another program has the port.
    """
    try:
        if port:
            _bind(host, port, shared=False).close()  # also refused by one that shares it
        return _bind(host, port, shared=True)
    except OSError as error:
        raise Conflict(
            f"[{section}] bind_port: port {port} of {host} cannot be used ({error.strerror})"
        ) from error


def shared(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a port beside those of our other processes.

    Connections of a process that has ended hold the port for a minute; they inherit that they
    do not mind. The one that reserves it does mind, for as long as it has it.
    """
    found = _bind(host, port, shared=True, more=socket.SO_REUSEADDR)
    found.listen(BACKLOG)
    return found


def _bind(host: str, port: int, *, shared: bool, more: int | None = None) -> socket.socket:
    family, kind, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    found = socket.socket(family, kind)
    try:
        option = socket.SO_REUSEPORT if shared else socket.SO_REUSEADDR
        for each in (option, option if more is None else more):
            found.setsockopt(socket.SOL_SOCKET, each, 1)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        found.bind(address)
    except OSError:
        found.close()
        raise
    return found


def port_of(listening: socket.socket) -> int:
    """Return the port that the socket listens on."""
    return int(listening.getsockname()[1])


@dataclass(frozen=True, slots=True)
class Tls:
    """The files of a certificate, with those above it, and of its key; ``section`` names them."""

    cert: str
    key: str
    section: str = "heat_api"


class HttpServer(wsgi.Server):
    """An application behind a socket that listens already; it serves in a thread of its own.

    Raises Misconfigured where what it is to show in TLS is none.
    """

    def __init__(
        self, listening: socket.socket, application: WSGIApplication, tls: Tls | None = None
    ) -> None:
        self._room = WaitingRoom(THREADS // 2)
        waiting = with_room(application, self._room)
        super().__init__(listening.getsockname()[:2], waiting, numthreads=THREADS)
        if tls is not None:
            self.ssl_adapter = _adapter(tls)
        self.request_queue_size = BACKLOG
        self._listening = listening
        self._thread = threading.Thread(target=self.serve, name=f"http-{port_of(listening)}")

    def bind(self, family: Any, type: Any, proto: int = 0) -> Any:
        """Give the socket to listen on."""
        self.socket = self._listening
        return self.socket

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:  # noqa: FBT001, FBT002 - cheroot's signature
        """Send what the server has to say to the log."""
        _LOG.log(level, "%s", msg, exc_info=traceback)

    def open(self) -> None:
        """Begin to answer."""
        self.prepare()
        self._thread.start()

    def close(self) -> None:
        """Finish what is being answered, and stop."""
        self._room.close()
        self.stop()
        self._thread.join()


def _adapter(tls: Tls) -> BuiltinSSLAdapter:
    try:
        found = BuiltinSSLAdapter(tls.cert, tls.key)
    except (ssl.SSLError, OSError) as error:
        text = f"[{tls.section}] cert_file, key_file: {tls.cert} and {tls.key} do not make a pair"
        raise Misconfigured(f"{text} ({error})") from error
    found.context.minimum_version = ssl.TLSVersion.TLSv1_2
    return found
