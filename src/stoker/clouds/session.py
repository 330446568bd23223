"""A keystoneauth session for clients that are not ours: what classic plugins call with.

Rule: as in :mod:`stoker.clouds.rest`, a changing call gets its token first, then passes the
guard, then is sent once; a 401 sends it again, through the guard again. Such a client makes
errors of its own out of the answers, so the session keeps what the last one means here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import requests
from keystoneauth1 import exceptions as keystone
from keystoneauth1 import session as ksa

from stoker.clouds.errors import unanswered
from stoker.clouds.rest import Connection
from stoker.errors import CloudError, CloudNotFound, StokerError
from stoker.sdk.cloud import Guard
from stoker.sdk.fault import PAUSED

if TYPE_CHECKING:
    from openstack.connection import Connection as SdkConnection

_CHANGING: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_UNAUTHORIZED: Final = 401
_NOT_FOUND: Final = 404
_REFUSED: Final = 400
_SERVER_ERROR: Final = 500
_ONCE: Final = {
    "connect_retries": 0,
    "status_code_retries": 0,
    "allow_reauth": False,
    "redirect": False,
}
_KNOWN: Final = {
    "compute": "compute",
    "identity": "identity",
    "image": "image",
    "network": "network",
    "block-storage": "volume",
    "volumev3": "volume",
}
"""Services whose own 404 can be told from that of a path that leads nowhere."""


class GuardedSession(ksa.Session):
    """One step's session. ``changes`` counts the calls that changed something, or may have;
    ``stopped`` is what the guard raised, for a client may have caught it."""

    def __init__(self, connection: Connection, guard: Guard) -> None:
        inner = connection.session
        super().__init__(
            auth=connection.auth,
            session=inner.session,
            verify=inner.verify,
            cert=inner.cert,
            timeout=inner.timeout,
            user_agent=inner.user_agent,
        )
        self.interface, self.region = connection.interface, connection.region
        self.changes = 0
        self.stopped: StokerError | None = None
        self._connection, self._guard = connection, guard
        self._last: CloudError | None = None  # how the last call ended

    def request(self, url: str, method: str, *more: Any, **options: Any) -> requests.Response:
        """Send a request as keystoneauth does; raises what its callers expect."""
        if options.get("authenticated") is False:  # keystoneauth's own, for a token
            return super().request(url, method, *more, **options)
        raises = options.pop("raise_exc", True)
        send = self._change if method.upper() in _CHANGING else self._read
        answer = send(url, method, *more, raise_exc=False, **options)
        if raises and answer.status_code >= _REFUSED:
            raise keystone.from_response(answer, method, url)
        return answer

    def cloud_error(self, error: BaseException) -> CloudError | None:
        """Return what a client's error means here, where it is about the last call."""
        known = self._last
        if known is None:
            return None
        if known.status is None:
            behind = (known, known.__cause__)
            return known if any(e in behind for e in _chain(error)) else None
        return known if http_status(error) == known.status else None

    def take_over(self, other: GuardedSession) -> None:
        """Go on as another step's session, for clients that outlive their step."""
        self._connection, self._guard = other._connection, other._guard
        self.auth = other.auth
        self.changes, self.stopped, self._last = 0, None, None

    def has_endpoint(self, **asked: Any) -> bool:
        """Tell whether the catalog has such an endpoint."""
        try:
            return self.get_endpoint(**asked) is not None
        except keystone.EndpointNotFound:
            return False

    def sdk_connection(self) -> SdkConnection:
        """Return openstacksdk's connection on this session."""
        from openstack.connection import Connection as Made  # slow to import

        return Made(session=self, region_name=self.region)

    def _read(self, url: str, method: str, *more: Any, **options: Any) -> requests.Response:
        service = _service(options)
        try:
            with self._connection.turn(service):
                answer = self._sent(service, url, method, *more, **options)
        except CloudError as e:
            raise self._client_error(e) from None
        is_refused = answer.status_code >= _REFUSED
        self._last = self._connection.refused(service, answer) if is_refused else None
        return self._judged(answer, options)

    def _change(self, url: str, method: str, *more: Any, **options: Any) -> requests.Response:
        options |= _ONCE
        answer = self._change_once(url, method, *more, **options)
        auth = options.get("auth") or self.auth
        if answer.status_code == _UNAUTHORIZED and auth is not None and auth.invalidate():
            answer = self._change_once(url, method, *more, **options)
        return self._judged(answer, options)

    def _change_once(self, url: str, method: str, *more: Any, **options: Any) -> requests.Response:
        service = _service(options)
        self._connection.access()
        try:
            with self._connection.turn(service):
                return self._change_now(service, url, method, *more, **options)
        except CloudError as e:
            if e.code == PAUSED:
                self._last = e
            raise

    def _change_now(
        self, service: str, url: str, method: str, *more: Any, **options: Any
    ) -> requests.Response:
        self._pass_guard(service, method, url)
        answers: list[requests.Response] = []
        self._last = None
        try:
            self._send_guarded(answers, service, url, method, *more, **options)
        except CloudError as e:
            self.changes += _may_have_changed(e)
            if not answers:
                raise self._client_error(e) from None
            self._last = e
        else:
            self.changes += 1
        return answers[0]

    def _pass_guard(self, service: str, method: str, url: str) -> None:
        try:
            self._guard.before(service, method, url)
        except StokerError as e:
            self.stopped = e
            raise

    def _send_guarded(
        self, answers: list[requests.Response], service: str, url: str, method: str,
        *more: Any, **options: Any,
    ) -> None:  # fmt: skip
        """Send once; the guard sees the very error that the step will end with."""
        try:
            answers.append(self._sent(service, url, method, *more, **options))
            if answers[0].status_code >= _REFUSED:
                raise self._connection.refused(service, answers[0])
        finally:
            self._guard.after(service, method, url)

    def _sent(
        self, service: str, url: str, method: str, *more: Any, **options: Any
    ) -> requests.Response:
        try:
            return super().request(url, method, *more, **options)
        except (keystone.ClientException, requests.RequestException) as e:
            raise unanswered(service, e) from e

    def _client_error(self, error: CloudError) -> BaseException:
        self._last = error
        return error.__cause__ or error

    def _judged(self, answer: requests.Response, options: dict[str, Any]) -> requests.Response:
        """Return the answer, unless it is a 404 that the service itself did not give: clients
        would take that for "the object is gone"."""
        known = _filter(options).get("service_type") in _KNOWN
        wrong = self._last if answer.status_code == _NOT_FOUND and known else None
        if wrong is not None and not isinstance(wrong, CloudNotFound):
            raise wrong
        return answer


def http_status(error: BaseException) -> int | None:
    """Return the HTTP status that an error of whatever client stands for, if it does."""
    for name in ("http_status", "status_code", "code", "status"):
        value = getattr(error, name, None)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _filter(options: dict[str, Any]) -> dict[str, Any]:
    return options.get("endpoint_filter") or {}


def _service(options: dict[str, Any]) -> str:
    named = str(_filter(options).get("service_type") or "unnamed")
    return _KNOWN.get(named, named)


def _may_have_changed(error: CloudError) -> bool:
    return error.sent and (error.status is None or error.status >= _SERVER_ERROR)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and those that led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
