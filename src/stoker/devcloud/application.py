"""The WSGI application: the way of every request, from the socket to its handler and back.

Rule: fault decided, token checked, handler run and committed, journal written, answer sent: in
that order. Nobody waits inside the transaction.
"""

from __future__ import annotations

import errno
import re
import time
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from stoker.devcloud import router
from stoker.devcloud.clock import service_name
from stoker.devcloud.exchange import Reply, Request
from stoker.devcloud.journal import Entry
from stoker.devcloud.refusal import Refusal, body_of

if TYPE_CHECKING:
    from stoker.devcloud.cloud import Cloud
    from stoker.devcloud.faults import Fault

StartResponse = Callable[[str, list[tuple[str, str]]], Any]
_READING = ("GET", "HEAD")
_UNAUTHENTICATED = "The request you have made requires authentication."
_GUARDED = re.compile(r"/(compute/v2|compute/v2\.1|networking/v2\.0|image/v2|volume/v3)/.")
_PHRASES = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}


class HangUp(ConnectionResetError):
    """Have the HTTP server close the connection without an answer."""

    def __init__(self) -> None:
        super().__init__(errno.ECONNRESET, "a fault drops the connection")


class Application:
    """The cloud as a WSGI application."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        begun = time.perf_counter()
        request = Request(self._cloud, environ)
        status = 0
        try:
            reply = self._answer(request, environ)
            status = reply.status
        except HangUp:
            raise
        except BaseException:
            status = int(HTTPStatus.INTERNAL_SERVER_ERROR)
            raise
        finally:
            self._note(request, status, time.perf_counter() - begun)
        return _send(request, reply, start_response)

    def _note(self, request: Request, status: int, seconds: float) -> None:
        path = f"{request.path}?{request.query_string}" if request.query_string else request.path
        self._cloud.journal.add(
            Entry(
                service=request.service,
                operation=request.operation,
                method=request.method,
                path=path,
                status=status,
                project=request.caller.project_id,
                seconds=seconds,
                body=_told(request) if self._cloud.journal.keeps_bodies else None,
            )
        )

    def _answer(self, request: Request, environ: dict[str, Any]) -> Reply:
        request.service = service_name(request.path.lstrip("/").split("/", 1)[0])
        try:
            route, request.params = router.find(request.method, request.path)
        except Refusal as refusal:
            _read_body(request, environ)
            return _refused(request, self._at_the_door(request) or refusal)
        request.operation = route.operation
        faults = self._faults(request)
        begun = self._begun(request, route, faults)
        _read_body(request, environ)
        reply = begun or _before(request, faults) or self._run(request, route)
        return _after(request, faults) or reply

    def _at_the_door(self, request: Request) -> Refusal | None:
        """Give the 401 of services that ask for a token before they look at a path."""
        if not _GUARDED.match(request.path):
            return None
        token = request.header("X-Auth-Token")
        with self._cloud.state.transaction():
            is_known = bool(token) and self._cloud.caller_of(token) is not None
        return None if is_known else Refusal(401, _UNAUTHENTICATED)

    def _begun(self, request: Request, route: router.Route, faults: list[Fault]) -> Reply | None:
        """Run what comes before the body, unless a fault will refuse the call."""
        if route.begin is None or any(each.status or each.reset_before for each in faults):
            return None
        try:
            with self._cloud.state.transaction():
                request.caller = self._caller(request, route)
                route.begin(request)
        except Refusal as refusal:
            return _refused(request, refusal)
        return None

    def _faults(self, request: Request) -> list[Fault]:
        if request.service == "devcloud":
            return []
        return self._cloud.faults.hitting(
            request.service, request.method, request.path, request.operation
        )

    def _run(self, request: Request, route: router.Route) -> Reply:
        try:
            with self._cloud.state.transaction():
                request.caller = self._caller(request, route)
                answer = route.handler(request)
                if _changes_identity(request, route):
                    self._cloud.forget_callers()
        except Refusal as refusal:
            return _refused(request, refusal)
        if not isinstance(answer, Reply):
            answer = Reply(answer)
        if not answer.status:
            answer.status = 204 if answer.body is None else route.status
        return answer

    def _caller(self, request: Request, route: router.Route) -> Any:
        token = request.header("X-Auth-Token")
        caller = self._cloud.caller_of(token) if token else None
        if caller is None and not route.public:
            raise Refusal(401, _UNAUTHENTICATED)
        return caller or request.caller


def _told(request: Request) -> Any:
    """Give the JSON of a changing request; none of the identity service, which takes secrets."""
    if request.method in _READING or request.service == "identity" or not request.body:
        return None
    try:
        return request.json()
    except Refusal:
        return f"{len(request.body)} bytes"


def _changes_identity(request: Request, route: router.Route) -> bool:
    return request.service == "identity" and request.method not in _READING and not route.public


def _read_body(request: Request, environ: dict[str, Any]) -> None:
    """Read the body as far as it comes."""
    stream = environ["wsgi.input"]
    length = int(environ.get("CONTENT_LENGTH") or 0)
    try:
        is_chunked = environ.get("wsgi.input_terminated")
        request.body = bytes(
            stream.read() if is_chunked else stream.read(length) if length else b""
        )
    except (OSError, ValueError):  # a chunk that does not end
        request.is_cut_off = True
    request.is_cut_off |= len(request.body) < length


def _before(request: Request, faults: list[Fault]) -> Reply | None:
    for fault in faults:
        if fault.delay and not fault.late:
            time.sleep(fault.delay)
        if fault.reset_before:
            raise HangUp
        if fault.status and not fault.late:
            return _refused(request, _asked_for(fault))
    return None


def _after(request: Request, faults: list[Fault]) -> Reply | None:
    for fault in faults:
        if fault.delay and fault.late:
            time.sleep(fault.delay)
        if fault.reset:
            raise HangUp
        if fault.status and fault.late:
            return _refused(request, _asked_for(fault))
    return None


def _asked_for(fault: Fault) -> Refusal:
    return Refusal(fault.status, fault.message, headers=fault.headers)


def _refused(request: Request, refusal: Refusal) -> Reply:
    body = body_of(request.service, refusal, request.header("Accept"))
    headers = dict(refusal.headers)
    if refusal.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = f'Keystone uri="{request.cloud.url}/identity"'
    return Reply(body, status=refusal.status, headers=headers)


def _send(request: Request, reply: Reply, start_response: StartResponse) -> Iterable[bytes]:
    payload, kind = reply.payload()
    headers = [*request.answer_headers.items(), *reply.headers.items()]
    if kind:
        headers.append(("Content-Type", kind))
    if reply.status != HTTPStatus.NO_CONTENT:
        headers.append(("Content-Length", str(len(payload))))
    marker = f"req-{uuid4()}"
    headers += [("x-openstack-request-id", marker), ("x-compute-request-id", marker)]
    start_response(_PHRASES[reply.status], headers)
    return [] if request.method == "HEAD" else [payload]
