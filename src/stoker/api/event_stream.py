"""Server-sent events: an answer that goes on, and that a client takes up where it broke off.

Rule: it ends by itself before long, for who asks is checked only at its beginning; the client
comes again with the id of the last thing that it was told. What fails on the way ends it, too,
and is told to the client when it comes again.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final

from stoker.api.reply import Reply, rendered
from stoker.api.waiting import room_of
from stoker.errors import StokerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from wsgiref.types import WSGIEnvironment

    from stoker.api.waiting import WaitingRoom

    Look = Callable[[], Sequence[bytes]]
    """Returns the messages that are new."""

MEDIA_TYPE: Final = "text/event-stream"
LOOK_SECONDS: Final = 0.5
QUIET_SECONDS: Final = 15.0
"""After so long without a word something is said, so that a connection that has broken is found."""
LONGEST_SECONDS: Final = 300.0
_AGAIN: Final = b"retry: 1000\n\n"
_QUIET: Final = b":\n\n"
_HEADERS: Final = {
    "Content-Type": MEDIA_TYPE,
    "Cache-Control": "no-cache",
    "X-Accel-Buffering": "no",  # nginx would keep messages back
}
_LOG = logging.getLogger(__name__)


def is_wanted(environ: WSGIEnvironment) -> bool:
    """Tell whether the client asks for a stream."""
    return MEDIA_TYPE in environ.get("HTTP_ACCEPT", "").lower()


def last_id(environ: WSGIEnvironment) -> str | None:
    """Return the id of the last message that the client had, when it comes again."""
    return environ.get("HTTP_LAST_EVENT_ID") or None


def message(id: str, data: object) -> bytes:
    """Return a message; JSON is one line."""
    return b"id: %s\ndata: %s\n\n" % (id.encode(), rendered(data))


def streamed(environ: WSGIEnvironment, first: Sequence[bytes], look: Look) -> Reply:
    """Return an answer of the ``first`` messages, and of those that come."""
    messages = _messages(first, look, room_of(environ))
    return Reply(200, messages, _HEADERS)


def _messages(first: Sequence[bytes], look: Look, room: WaitingRoom | None) -> Iterator[bytes]:
    yield _AGAIN + b"".join(first)
    if room is None or not room.enter():
        return
    try:
        yield from _later(look, room)
    except StokerError as error:
        _LOG.info("a stream of events ends: %s", error)
    finally:
        room.leave()


def _later(look: Look, room: WaitingRoom) -> Iterator[bytes]:
    began = spoken = time.monotonic()
    while room.wait(LOOK_SECONDS) and time.monotonic() - began < LONGEST_SECONDS:
        said = b"".join(look())
        if not said and time.monotonic() - spoken >= QUIET_SECONDS:
            said = _QUIET
        if said:
            spoken = time.monotonic()
            yield said
