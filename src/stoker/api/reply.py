"""An answer as a value, and the one place where it becomes bytes."""

from __future__ import annotations

import http
import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import orjson

from stoker.errors import Bug
from stoker.usecases.moment import moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from wsgiref.types import StartResponse

_FORM: Final = orjson.OPT_NON_STR_KEYS | orjson.OPT_OMIT_MICROSECONDS | orjson.OPT_UTC_Z
_PHRASES = {status.value: status.phrase for status in http.HTTPStatus}


@dataclass(frozen=True, slots=True)
class Reply:
    """``body``: text goes out as it is, an iterator's bytes as they come, anything else as JSON;
    a 204 has none."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


def rendered(body: object) -> bytes:
    """Return the JSON of ``body``, moments as :func:`stoker.usecases.moment.moment` writes them.

    Long lists leave that to this: it takes them a tenth of the time.
    """
    try:
        return orjson.dumps(body, option=_FORM)
    except TypeError:
        # Whole numbers over 64 bits and lone surrogates, which templates may hold.
        return json.dumps(body, default=_moment).encode()


def _moment(value: object) -> str | None:
    if not isinstance(value, datetime):
        raise Bug(f"an answer holds a {type(value).__name__}")
    return moment(value)


def status_line(status: int) -> str:
    """Return ``404 Not Found`` for 404."""
    return f"{status} {_PHRASES[status]}"


def content(reply: Reply) -> tuple[str, bytes]:
    """Return the reply's media type and its bytes."""
    if isinstance(reply.body, str):
        return "text/plain; charset=UTF-8", reply.body.encode()
    return "application/json", rendered(reply.body)


def send(reply: Reply, start: StartResponse) -> Iterable[bytes]:
    """Answer as a WSGI application does."""
    headers = list(reply.headers.items())
    if reply.status == http.HTTPStatus.NO_CONTENT:
        start(status_line(reply.status), headers)
        return []
    media_type, data = content(reply)
    size = ("Content-Length", str(len(data)))
    start(status_line(reply.status), [("Content-Type", media_type), size, *headers])
    return [data]
