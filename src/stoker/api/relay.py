"""A cloud's Keystone as clients of this service see it: the same, and the service in its catalog.

Clients find the orchestration service in the catalog of whichever Keystone they log in at; a
cloud without one cannot be told of ours. So they log in here: what they ask goes on to the
cloud's Keystone as it is, and its catalogs come back with our endpoints in them. One password is
answered here itself, with a token of the account that the service works as: so the account's
own secret need not be copied for the clients on this machine.
"""

from __future__ import annotations

import hmac
import http
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson
import requests

from stoker.api.edge import edge
from stoker.api.faults import crash, fault
from stoker.api.reply import content, status_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

_MOST_BYTES: Final = 1_000_000
_TOKENS: Final = "/v3/auth/tokens"
_CATALOG: Final = "/v3/auth/catalog"
_VERSIONS: Final = frozenset({"", "/", "/v3", "/v3/"})
_NOT_FORWARDED: Final = frozenset({"host", "connection", "content-length", "accept-encoding"})
_RETURNED: Final = ("Content-Type", "Location", "Vary", "WWW-Authenticate", "X-Subject-Token")
_TYPE: Final = "Content-Type"


@dataclass(frozen=True, slots=True)
class Project:
    """The account's project."""

    id: str
    name: str
    domain_id: str

    def is_meant(self, scope: Any) -> bool:
        """Tell whether a log-in asks for this one."""
        asked = _at(scope, "project")
        if _at(asked, "id") is not None:
            return bool(asked["id"] == self.id)
        domain = (_at(asked, "name"), _at(asked, "domain", "id"))
        return domain == (self.name, self.domain_id)


@dataclass(frozen=True, slots=True)
class Identity:
    """``upstream`` is the cloud's Keystone and ``url`` the relay, both without a version.

    ``catalog`` holds our endpoints by service type; ``%(project_id)s`` stands for the project.
    """

    upstream: str
    url: str
    catalog: Mapping[str, str]
    region: str | None
    project: Project
    password: str = field(repr=False)
    log_in: Callable[[], str] = field(repr=False)
    """Returns a new token of the account."""
    session: requests.Session = field(repr=False)
    timeout: float = 60.0


class _Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


def relay(identity: Identity) -> WSGIApplication:
    """Return the application; its paths begin where the version does, with ``/v3``."""

    def serve(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        answer = _answer(identity, environ)
        size = {"Content-Length": str(len(answer.body))} if answer.body else {}
        start(status_line(answer.status), [*{**answer.headers, **size}.items()])
        return [answer.body]

    return edge(serve, crash)


def _answer(identity: Identity, environ: WSGIEnvironment) -> _Answer:
    length = environ.get("CONTENT_LENGTH") or "0"
    if not length.isdigit() or int(length) > _MOST_BYTES:
        return _refusal(400, "HTTPBadRequest", "The body is too large.")
    body = environ["wsgi.input"].read(int(length)) if int(length) else b""
    try:
        if _asks_here(identity, environ, body):
            return _logged_in(identity, body)
        return _forwarded(identity, environ, body)
    except requests.RequestException as error:
        why = type(error).__name__  # its text may hold what was sent
        text = f"The cloud's Keystone at {identity.upstream} does not answer: {why}"
        return _refusal(503, "ServiceUnavailable", text)


def _refusal(status: int, type: str, text: str) -> _Answer:
    media_type, data = content(fault(status, type, text))
    return _Answer(status, {_TYPE: media_type}, data)


def _asks_here(identity: Identity, environ: WSGIEnvironment, body: bytes) -> bool:
    if (environ["REQUEST_METHOD"], environ["PATH_INFO"]) != ("POST", _TOKENS):
        return False
    password = _at(_json(body), "auth", "identity", "password", "user", "password")
    return isinstance(password, str) and hmac.compare_digest(
        password.encode(), identity.password.encode()
    )


def _logged_in(identity: Identity, body: bytes) -> _Answer:
    project = identity.project
    if not project.is_meant(_at(_json(body), "auth", "scope")):
        text = f"This password opens project {project.name} ({project.id}) alone: ask for it."
        return _refusal(401, "HTTPUnauthorized", text)
    token = identity.log_in()
    headers = {"X-Auth-Token": token, "X-Subject-Token": token}
    shown = _returned(identity, _TOKENS, _sent(identity, "GET", _TOKENS, headers, b""))
    status = 201 if shown.status == http.HTTPStatus.OK else shown.status
    return _Answer(status, {**shown.headers, "X-Subject-Token": token}, shown.body)


def _forwarded(identity: Identity, environ: WSGIEnvironment, body: bytes) -> _Answer:
    path, query = environ["PATH_INFO"], environ.get("QUERY_STRING", "")
    target = f"{path}?{query}" if query else path
    answer = _sent(identity, environ["REQUEST_METHOD"], target, _headers(environ), body)
    return _returned(identity, path, answer)


def _sent(
    identity: Identity, method: str, target: str, headers: Mapping[str, str], body: bytes
) -> requests.Response:
    return identity.session.request(
        method,
        identity.upstream + target,
        headers=headers,
        data=body,
        timeout=identity.timeout,
        allow_redirects=False,
    )


def _returned(identity: Identity, path: str, answer: requests.Response) -> _Answer:
    kept = {name: answer.headers[name] for name in _RETURNED if name in answer.headers}
    return _Answer(answer.status_code, kept, _extended(identity, path, answer.content))


def _headers(environ: WSGIEnvironment) -> dict[str, str]:
    sent = {
        key.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
        for key, value in environ.items()
        if key.startswith("HTTP_")
    }
    if environ.get("CONTENT_TYPE"):
        sent["content-type"] = environ["CONTENT_TYPE"]
    return {key: value for key, value in sent.items() if key not in _NOT_FORWARDED}


def _extended(identity: Identity, path: str, body: bytes) -> bytes:
    """Return the body: in a catalog our services are there, versions lead here."""
    found = _json(body)
    if path in _VERSIONS:
        _redirect(identity, found)
    elif path == _TOKENS and isinstance(_at(found, "token", "catalog"), list):
        token = found["token"]
        token["catalog"] = _with_ours(identity, token["catalog"], _at(token, "project", "id"))
    elif path == _CATALOG and isinstance(_at(found, "catalog"), list):
        found["catalog"] = _with_ours(identity, found["catalog"], identity.project.id)
    else:
        return body
    return orjson.dumps(found)


def _redirect(identity: Identity, found: Any) -> None:
    versions = _at(found, "versions", "values") or [_at(found, "version")]
    for version in versions:
        for link in _at(version, "links") or ():
            if link.get("rel") == "self":
                link["href"] = f"{identity.url}/v3/"


def _with_ours(identity: Identity, catalog: list[Any], project_id: str | None) -> list[Any]:
    """Return the catalog with our services in the place of others of their types."""
    if project_id is None:  # an unscoped token's is empty
        return catalog
    region = identity.region or _first_region(catalog)
    others = [service for service in catalog if service.get("type") not in identity.catalog]
    return [*others, *(_service(*each, region, project_id) for each in identity.catalog.items())]


def _first_region(catalog: list[Any]) -> str | None:
    regions = (e.get("region_id") for service in catalog for e in service.get("endpoints") or ())
    return next((region for region in regions if region), None)


def _service(type: str, url: str, region: str | None, project_id: str) -> dict[str, Any]:
    return {
        "id": f"stoker-{type}",
        "type": type,
        "name": "stoker",
        "endpoints": [
            {
                "id": f"stoker-{type}-{interface}",
                "interface": interface,
                "region": region,
                "region_id": region,
                "url": url.replace("%(project_id)s", project_id),
            }
            for interface in ("public", "internal", "admin")
        ],
    }


def _json(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None  # whatever it is, it is not ours to read


def _at(found: Any, *path: str) -> Any:
    for key in path:
        if not isinstance(found, dict):
            return None
        found = found.get(key)
    return found
