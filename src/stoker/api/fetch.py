"""A template fetched from a URL for a caller: http and https alone, limited in size and time."""

from __future__ import annotations

import http.client
import time
import urllib.request
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from stoker.errors import Invalid, Kind, LimitExceeded, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK = 64 * 1024


class _Readable(Protocol):
    def read1(self, size: int, /) -> bytes: ...


def fetch(
    url: str, *, limit: int, timeout: float, clock: Callable[[], float] = time.monotonic
) -> str:
    """Return the text at ``url``.

    Raises Invalid where it cannot be had within ``timeout`` seconds, LimitExceeded where it is
    longer than ``limit`` bytes. Redirections are followed, to http and https only.
    """
    try:
        scheme = urlsplit(url).scheme
        if scheme not in ("http", "https"):
            raise _failure(f"Invalid URL scheme {scheme}")
        return _text(url, limit, timeout, clock)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _failure(str(error) or type(error).__name__) from error


def _text(url: str, limit: int, timeout: float, clock: Callable[[], float]) -> str:
    end = clock() + timeout
    with _opener().open(url, timeout=timeout) as answer:
        data = _read(answer, limit, lambda: clock() > end)
    return data.decode()


def _read(answer: _Readable, limit: int, late: Callable[[], bool]) -> bytes:
    data = bytearray()
    # ``read1`` comes back with what there is, so that a trickle cannot outlast the time limit.
    while chunk := answer.read1(_CHUNK):
        data += chunk
        if len(data) > limit:
            raise LimitExceeded(f"Template exceeds maximum allowed size ({limit} bytes)")
        if late():
            raise TimeoutError("timed out")
    return bytes(data)


def _opener() -> urllib.request.OpenerDirector:
    """Return an opener that knows no file:, ftp: or data: URLs, whatever a redirection says."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _failure(why: str) -> Invalid:
    return Invalid([Problem(f"Could not retrieve template: {why}", kind=Kind.REQUEST)])
