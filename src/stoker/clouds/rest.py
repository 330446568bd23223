"""One service's HTTP calls, for one credential.

Rule: a changing call gets its token first, then passes the guard, then is sent once; only
when the service says that the token is no longer good (401, so nothing happened) is it sent
again, and through the guard again. Reads may be repeated.
"""

from __future__ import annotations

import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import quote

import orjson
import requests
from keystoneauth1 import exceptions as keystone
from keystoneauth1 import session as ksa
from keystoneauth1.identity import base

from stoker.clouds import budget
from stoker.clouds.budget import Budgets, Limits, Pauses
from stoker.clouds.errors import hung_up, no_endpoint, refused, unanswered
from stoker.clouds.memory import Memory
from stoker.clouds.shared_look import SharedLook
from stoker.errors import CloudError, CloudNotFound, Conflict, NotFound
from stoker.sdk.cloud import Guard

T = TypeVar("T")
Sent = Mapping[str, Any] | Sequence[Mapping[str, Any]]

_UNAUTHORIZED: Final = 401
_REFUSED: Final = 400
NAME_SECONDS: Final = 60.0
_PATIENCE: Final = 2.0
_PAGE: Final = 1000
_MOST_PAGES: Final = 10
_ENDPOINT_SECONDS: Final = 3600.0
_UUID: Final = re.compile(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_VERSIONED: Final = re.compile(r"/v\d+(\.\d+)?(/|$)")


class Connection:
    """A credential's session, and what was learnt through it. Shared by threads."""

    def __init__(
        self,
        session: ksa.Session,
        auth: base.BaseIdentityPlugin,
        interface: str = "public",
        region: str | None = None,
        shared: Memory | None = None,
        budgets: Budgets | None = None,
    ) -> None:
        self.session, self.auth = session, auth
        self.interface, self.region = interface, region
        self.memory = Memory()  # what this user sees
        self.shared = shared or Memory()  # what is so for all users of the cloud
        self._budgets = budgets or Budgets(Limits())
        self._pauses = Pauses()
        self._looks: defaultdict[Hashable, SharedLook] = defaultdict(SharedLook)
        self._learning: defaultdict[Hashable, budget.Slots] = defaultdict(partial(budget.Slots, 1))
        self._lock = threading.Lock()

    def learnt(self, key: Hashable, seconds: float, since: float, ask: Callable[[], T]) -> T:
        """Return what is known under ``key`` since a moment, asking where nothing is.

        Threads that want the same at once ask once: the others wait a while for the answer.
        """
        known: T | None = self.memory.get(key, since)
        if known is not None:
            return known
        with self._lock:
            turn = self._learning[key]
        has_turn = turn.acquire(timeout=_PATIENCE)
        try:
            known = self.memory.get(key, since)
            if known is None:
                begun = time.monotonic()
                known = ask()
                self.memory.keep(key, known, seconds, begun)
            return known
        finally:
            with self._lock:
                self._learning.pop(key, None)  # who comes now finds it known, or asks himself
            if has_turn:
                turn.release()

    def look(self, key: Hashable) -> SharedLook:
        """Return the look that all share who ask for the same."""
        with self._lock:
            return self._looks[key]

    def in_region(self, region: str | None) -> Connection:
        """Return the same credential's connection to a region, this one where none is named."""
        if region in (None, self.region):
            return self
        key = ("region", region)
        known: Connection | None = self.memory.get(key)
        if known is None:
            known = Connection(
                self.session, self.auth, self.interface, region, budgets=self._budgets
            )
            self.memory.keep(key, known, _ENDPOINT_SECONDS)
        return known

    @contextmanager
    def turn(self, service: str) -> Iterator[None]:
        """Give the right to make one call; raises CloudError where it is not to be had now."""
        self._pauses.check(service)
        with self._budgets[service].turn(service):
            yield

    def refused(self, service: str, answer: requests.Response) -> CloudError:
        """Return the error that an answer of 400 or more means; heed what it asks for."""
        error = refused(service, answer)
        self._pauses.heed(service, answer.status_code, error.retry_after)
        return error

    def access(self) -> Any:
        """Return what the token stands for (keystoneauth's AccessInfo), getting one if needed."""
        try:
            return self._access()
        except CloudError as e:
            if not hung_up(e):
                raise
        return self._access()  # a token that was made in vain ends by itself

    def _access(self) -> Any:
        try:
            return self.auth.get_access(self.session)
        except keystone.ClientException as e:
            raise unanswered("identity", e) from e

    def endpoint(self, service: str, version: str) -> str:
        """Return the URL of a service, with its version and without a slash at its end."""
        known: str | None = self.memory.get(("endpoint", service))
        if known is None:
            known = self._endpoint(service, version)
            self.memory.keep(("endpoint", service), known, _ENDPOINT_SECONDS)
        return known

    def _endpoint(self, service: str, version: str) -> str:
        self.access()
        try:
            url = self.auth.get_endpoint(
                self.session,
                service_type=service,
                interface=self.interface,
                region_name=self.region,
            )
        except keystone.ClientException as e:
            raise unanswered(service, e) from e
        if not url:
            raise no_endpoint(service)
        bare = str(url).rstrip("/")
        return bare if _VERSIONED.search(bare) else f"{bare}/{version}"


class Rest:
    """Base of the clients; ``service`` is the catalog's type of it.

    What the user sees is believed for a while, but nothing that was learnt before ``since``.
    """

    service: str
    version: str

    def __init__(self, connection: Connection, guard: Guard, since: float = 0.0) -> None:
        self._connection, self._guard, self._since = connection, guard, since

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        """Return the answer to a read."""
        return self._body(self._read(path, query))

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a POST."""
        return self._changed("POST", path, body)

    def put(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a PUT."""
        return self._changed("PUT", path, body)

    def remove(self, path: str) -> None:
        """Send a DELETE; raises CloudNotFound where the object is gone already."""
        self._change("DELETE", path, None, None)

    def find(self, kind: str, name_or_id: str) -> str:
        """Return the id; raises NotFound, or Conflict where several have the name."""
        key = (self.service, kind, name_or_id)
        ask = partial(self._found, kind, name_or_id)
        return self._connection.learnt(key, NAME_SECONDS, self._since, ask)

    def is_still(self, path: str, status: str, id: str) -> bool:
        """Tell whether an object of the collection is known to be at the status."""
        look = self._connection.look((self.service, path, status))
        return look.has(id, lambda: self._at_status(path, status))

    def _at_status(self, path: str, status: str) -> frozenset[str]:
        kind, ids, marker = path.strip("/"), set[str](), None
        for _ in range(_MOST_PAGES):
            try:
                page = self.get(path, status=status, limit=_PAGE, marker=marker)
            except CloudError:  # the look at the one itself will tell what is wrong
                break
            ids |= {str(row["id"]) for row in page[kind]}
            if not page[kind] or not page.get(f"{kind}_links"):
                break
            marker = page[kind][-1]["id"]
        return frozenset(ids)

    def warm(self, kind: str, names: Iterable[str]) -> None:
        """Learn many ids at once, where the service can tell them; finding follows."""

    def _found(self, kind: str, name_or_id: str) -> str:
        raise NotImplementedError

    def headers(self, path: str) -> dict[str, str]:
        """Return the headers that a call of this path carries besides the token."""
        return {"Accept": "application/json"}

    def _read(self, path: str, query: Mapping[str, Any]) -> requests.Response:
        params = {key: _query(value) for key, value in query.items() if value is not None}
        self._connection.access()
        with self._connection.turn(self.service):
            return self._send("GET", path, params=params, connect_retries=1)

    def _changed(
        self,
        method: str,
        path: str,
        body: Sent,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        return self._body(self._change(method, path, body, headers))

    def _change(
        self,
        method: str,
        path: str,
        body: Sent | None,
        headers: Mapping[str, str] | None,
    ) -> requests.Response:
        try:
            return self._change_once(method, path, body, headers)
        except CloudError as e:
            if e.status != _UNAUTHORIZED or not self._connection.auth.invalidate():
                raise
        return self._change_once(method, path, body, headers)

    def _change_once(
        self,
        method: str,
        path: str,
        body: Sent | None,
        headers: Mapping[str, str] | None,
    ) -> requests.Response:
        self._connection.endpoint(self.service, self.version)
        self._connection.access()
        with self._connection.turn(self.service):
            self._guard.before(self.service, method, path)
            try:
                return self._send(method, path, body, headers, allow_reauth=False, redirect=False)
            finally:
                self._guard.after(self.service, method, path)

    def _send(
        self,
        method: str,
        path: str,
        body: Sent | None = None,
        headers: Mapping[str, str] | None = None,
        **options: Any,
    ) -> requests.Response:
        connection = self._connection
        if body is not None:
            options["data"] = orjson.dumps(body)
            headers = {"Content-Type": "application/json", **(headers or {})}
        try:
            answer: requests.Response = connection.session.request(
                connection.endpoint(self.service, self.version) + path,
                method,
                auth=connection.auth,
                authenticated=True,
                headers={**self.headers(path), **(headers or {})},
                raise_exc=False,
                log=False,
                **options,
            )
        except (keystone.ClientException, requests.RequestException) as e:
            raise unanswered(self.service, e) from e
        if answer.status_code >= _REFUSED:
            raise connection.refused(self.service, answer)
        return answer

    def _body(self, answer: requests.Response) -> dict[str, Any]:
        if not answer.content:
            return {}
        try:
            body: dict[str, Any] = orjson.loads(answer.content)
        except ValueError as e:
            text = f"the answer to {answer.request.method} is not JSON: {answer.text[:100]!r}"
            raise CloudError(text, service=self.service, status=answer.status_code) from e
        return body


def by_id_or_name(kind: str, name_or_id: str, by_id: Iterable[str], by_name: Iterable[str]) -> str:
    """Return the one id: what has it as its id goes before what has it as its name."""
    lazily = (by_id, by_name) if looks_like_id(name_or_id) else (by_name, by_id)
    for source in lazily:
        found = list(source)
        if len(found) == 1:
            return found[0]
        if found:
            text = f"{len(found)} of kind {kind} are called {name_or_id}: give the id instead"
            raise Conflict(text)
    raise NotFound(kind, name_or_id)


def looks_like_id(text: str) -> bool:
    """Tell whether it is written like the ids that services give."""
    return _UUID.fullmatch(text) is not None


def segment(text: str) -> str:
    """Return text as one segment of a path."""
    return quote(text, safe="")


def existing(show: Callable[[], T]) -> T | None:
    """Return the answer of ``show``, a read by id, or None where there is no such object."""
    try:
        return show()
    except CloudNotFound:
        return None


def _query(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return [*map(_query, value)] if isinstance(value, list | tuple | set | frozenset) else value
