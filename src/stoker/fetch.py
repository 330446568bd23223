"""Asking, or telling, an address that somebody else has chosen: http and https, within limits.

Rule: whoever names the address cannot have this machine speak to what only it can reach, nor hold
it up or fill it: every connection, those of redirections too, goes to a public address (unless
others are allowed), and size and time are those of the whole, however slowly it comes.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from stoker.errors import Refused, TooLarge, Unfetched

_CHUNK: Final = 64 * 1024
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_IPV4: Final = 0xFFFF_FFFF
_PROXIED: Final = ("http", "https")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Connect = Callable[[tuple[str, int], float, Any], socket.socket]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is read, and for how long; ``private``: whether not only public addresses serve."""

    size: int
    seconds: float
    private: bool = False


class _Readable(Protocol):
    def read1(self, size: int, /) -> bytes: ...


def fetch(url: str, limits: Limits) -> bytes:
    """Return what stands at ``url``; raises :class:`Unfetched`. Redirections are followed.

    Through a proxy that the process's environment names, the proxy decides about addresses.
    """
    redirections = urllib.request.HTTPRedirectHandler()

    def read(answer: _Readable) -> bytes:
        return _read(answer, limits.size)

    return _asked(urllib.request.Request, url, limits, read, (redirections,))


def post(url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> None:
    """Send the body there; raises :class:`Unfetched` unless it is taken (2xx).

    A redirection counts as a refusal: it would be followed without the body.
    """

    def request(url: str) -> urllib.request.Request:
        return urllib.request.Request(url, body, dict(headers), method="POST")  # noqa: S310 - checked

    _asked(request, url, limits, _unread)


def _asked(
    request: Callable[[str], urllib.request.Request], url: str, limits: Limits,
    read: Callable[[_Readable], bytes], handlers: tuple[urllib.request.BaseHandler, ...] = (),
) -> bytes:  # fmt: skip
    """Return what is read of the answer; every failure is :class:`Unfetched`."""
    line = _Line(limits)
    try:
        scheme = urlsplit(url).scheme
        if scheme not in ("http", "https"):
            raise Unfetched(f"Invalid URL scheme {scheme}")
        return _answered(request(url), line, read, handlers)
    except (OSError, http.client.HTTPException, ValueError) as error:
        if line.is_over:
            raise Unfetched("timed out") from error
        if isinstance(error, urllib.error.HTTPError):
            error.close()  # it is the answer too, and may be kept
            raise Refused(str(error), error.code) from error
        reason = getattr(error, "reason", None)
        if isinstance(reason, Unfetched):
            raise reason from error
        raise Unfetched(str(error) or type(error).__name__) from error
    finally:
        line.hang_up()


def _answered(
    request: urllib.request.Request, line: _Line, read: Callable[[_Readable], bytes],
    handlers: tuple[urllib.request.BaseHandler, ...],
) -> bytes:  # fmt: skip
    opener = _opener(line.connected, handlers)
    with opener.open(request, timeout=line.limits.seconds) as answer:
        data = read(answer)
    if line.is_over:  # what is cut off looks like an end
        raise TimeoutError
    return data


def _unread(_answer: _Readable) -> bytes:
    """Read nothing: the status says all."""
    return b""


def _read(answer: _Readable, limit: int) -> bytes:
    data = bytearray()
    while chunk := answer.read1(_CHUNK):
        data += chunk
        if len(data) > limit:
            raise TooLarge(f"it has more than {limit} bytes")
    return bytes(data)


class _Line:
    """The connections of one fetch, which are cut when its time is over."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.is_over = limits, False
        self._ends: list[socket.socket] = []
        self._guard = threading.Lock()
        named = urllib.request.getproxies()
        self._proxies = {_host(named[each]) for each in _PROXIED if each in named}
        self._timer = threading.Timer(limits.seconds, self._cut)
        self._timer.daemon = True
        self._timer.start()

    def connected(
        self, address: tuple[str, int], timeout: float, _source: Any = None
    ) -> socket.socket:
        """Return a socket that is connected to a host and port, as ``create_connection`` does."""
        host, port = address
        found = [each[4] for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
        if not self.limits.private and host not in self._proxies:
            found = [each for each in found if is_public(str(each[0]))]
            if not found:
                raise Unfetched(f"{host} has no public address")
        made = _first(found, timeout)
        with self._guard:
            # TLS takes the socket itself over; another end of the same connection stays ours.
            self._ends.append(made.dup())
        if self.is_over:
            self._cut()
        return made

    def hang_up(self) -> None:
        """Give up what is held for cutting connections."""
        self._timer.cancel()
        with self._guard:
            for each in self._ends:
                each.close()
            self._ends.clear()

    def _cut(self) -> None:
        self.is_over = True
        with self._guard:
            for each in self._ends:
                with suppress(OSError):  # the other side was faster
                    each.shutdown(socket.SHUT_RDWR)


def _first(addresses: list[Any], timeout: float) -> socket.socket:
    """Return a connection to the first address that takes one; raises the last one's OSError."""
    *others, last = addresses
    for each in others:
        with suppress(OSError):
            return socket.create_connection(each[:2], timeout)
    return socket.create_connection(last[:2], timeout)


def is_public(address: str) -> bool:
    """Tell whether anybody on the internet can mean this address, and the same host by it."""
    found: Address = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if inner is None and found in _NAT64:
            inner = ipaddress.IPv4Address(int(found) & _IPV4)
        found = inner or found
    return found.is_global and not found.is_multicast


def _host(proxy: str) -> str:
    return urlsplit(proxy if "//" in proxy else f"//{proxy}").hostname or ""


class _Plain(http.client.HTTPConnection):
    def __init__(self, connect: Connect, host: str, **options: Any) -> None:
        super().__init__(host, **options)
        self._create_connection = connect


class _Tls(http.client.HTTPSConnection):
    def __init__(self, connect: Connect, host: str, **options: Any) -> None:
        super().__init__(host, **options)
        self._create_connection = connect


class _HttpHandler(urllib.request.HTTPHandler):
    def __init__(self, connect: Connect) -> None:
        super().__init__()
        self._connect = connect

    def http_open(self, req: urllib.request.Request) -> Any:
        made: Any = partial(_Plain, self._connect)
        return self.do_open(made, req)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def __init__(self, connect: Connect) -> None:
        super().__init__()
        self._connect = connect

    def https_open(self, req: urllib.request.Request) -> Any:
        made: Any = partial(_Tls, self._connect, context=ssl.create_default_context())
        return self.do_open(made, req)


def _opener(
    connect: Connect, more: tuple[urllib.request.BaseHandler, ...]
) -> urllib.request.OpenerDirector:
    """Return an opener that knows no file:, ftp: or data: URLs, whatever a redirection says."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        _HttpHandler(connect),
        _HttpsHandler(connect),
        urllib.request.HTTPDefaultErrorHandler(),
        *more,
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener
