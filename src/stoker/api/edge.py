"""The outermost layer of every API: a request id on each answer, and no traceback gets past.

What is not a refusal on purpose (``stoker.errors``) ends here: it is logged with the request's
id and answered with 500 and no text of its own.
"""

from __future__ import annotations

import logging
import re
import uuid
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    Crash = Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]

_LOG = logging.getLogger(__name__)
_OURS = "openstack.request_id"
_THEIRS = "openstack.global_request_id"
_SHAPE = re.compile(r"req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def edge(app: WSGIApplication, crash: Crash) -> WSGIApplication:
    """Return ``app`` with a request id on each answer; ``crash`` answers what it lets through.

    Wrapping twice is harmless: the outer layer's id counts for both.
    """

    def serve(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if _OURS in environ:
            return app(environ, start)
        ours = environ[_OURS] = f"req-{uuid.uuid4()}"
        theirs = environ.get("HTTP_X_OPENSTACK_REQUEST_ID", "")
        if _SHAPE.fullmatch(theirs):
            environ[_THEIRS] = theirs
        tagged = _tagging(start, ours)
        try:
            return app(environ, tagged)
        except Exception:  # noqa: BLE001 -- the outermost layer is where it may be
            _LOG.exception("Request %s failed (caller's id: %s)", ours, theirs or "none")
            return crash(environ, tagged)

    return serve


def request_id(environ: WSGIEnvironment) -> str:
    """Return the client's own id, which stays when it repeats a request; else ours."""
    return str(environ.get(_THEIRS) or environ.get(_OURS) or "")


def _tagging(start: StartResponse, id: str) -> StartResponse:
    def tagged(status: str, headers: list[tuple[str, str]], exc_info: Any = None, /) -> Any:
        return start(status, [*headers, ("x-openstack-request-id", id)], exc_info)

    return tagged
