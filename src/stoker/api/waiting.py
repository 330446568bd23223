"""Where answers wait that go on: a server lends them some of its threads, and takes them back.

Rule: they never take the last threads, and none outlives its server. A server that has no such
room gives none to wait in: its answers end with what there is, and clients come again.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

_KEY: Final = "stoker.waiting_room"


class WaitingRoom:
    """So many may wait at a time, until it closes."""

    def __init__(self, places: int) -> None:
        self._places = threading.BoundedSemaphore(places)
        self._closing = threading.Event()

    def enter(self) -> bool:
        """Take a place, if there is one; whoever does leaves again."""
        return self._places.acquire(blocking=False)

    def leave(self) -> None:
        """Give the place back."""
        self._places.release()

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until it closes; tell whether it is open still."""
        return not self._closing.wait(seconds)

    def close(self) -> None:
        """Send all away who wait."""
        self._closing.set()


def with_room(app: WSGIApplication, room: WaitingRoom) -> WSGIApplication:
    """Return the application, whose answers may wait there."""

    def serve(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        environ[_KEY] = room
        return app(environ, start)

    return serve


def room_of(environ: WSGIEnvironment) -> WaitingRoom | None:
    """Return where an answer may wait, if anywhere."""
    room: WaitingRoom | None = environ.get(_KEY)
    return room
