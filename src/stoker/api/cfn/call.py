"""A request as a call of the API, and answers to it as a WSGI application gives them.

Rule: what a request holds is read once, by whoever asks for it first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from stoker.api.cfn.document import Form, form_of
from stoker.api.cfn.faults import status_of
from stoker.api.cfn.params import Params, read
from stoker.api.edge import request_id
from stoker.api.reply import status_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

    from stoker.api.cfn.refused import Refused

ROOT = "/v1"
_KEPT = "stoker.cfn.call"
_SERVER_ERROR = 500


@dataclass(frozen=True, slots=True)
class Call:
    """What was sent, and how the answer is wanted."""

    params: Params
    form: Form


def is_call(environ: WSGIEnvironment) -> bool:
    """Return whether the request is for the API, and for nothing beside it."""
    return str(environ.get("PATH_INFO", "")).rstrip("/") == ROOT


def call_of(environ: WSGIEnvironment, limit: int) -> Call:
    """Return what was sent; raises Invalid, LimitExceeded, Refused for what is not readable."""
    known = cast("Call | None", environ.get(_KEPT))
    if known is None:
        params = read(environ, limit)
        known = environ[_KEPT] = Call(params, form_of(environ, params, request_id(environ)))
    return known


def plain_form(environ: WSGIEnvironment) -> Form:
    """Return how to answer to what is not readable."""
    return form_of(environ, Params({}), request_id(environ))


def send(status: int, document: tuple[str, bytes], start: StartResponse) -> Iterable[bytes]:
    """Answer with a document."""
    media_type, data = document
    headers = [("Content-Type", media_type), ("Content-Length", str(len(data)))]
    start(status_line(status), headers)
    return [data]


def refuse(form: Form, refused: Refused, start: StartResponse) -> Iterable[bytes]:
    """Answer with a refusal."""
    status = status_of(refused.code)
    by_client = status < _SERVER_ERROR
    return send(status, form.refusal(refused, by_client=by_client), start)
