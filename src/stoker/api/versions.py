"""Which version of the API is meant, and what needs no token: what describes it, health check.

Whatever ``public`` says needs no token is answered here and goes no further.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from stoker.api.faults import fault, not_found
from stoker.api.link import application_url
from stoker.api.openapi import PATH as OPENAPI
from stoker.api.reply import Reply, send

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    Health = Callable[[], Sequence[str]]

_VERSION = re.compile(r"/v(\d+)(?:\.(\d+))?(?=/|$)")
_ACCEPT = "application/vnd.openstack.orchestration-v1.0"
_HEALTH = "/healthcheck"
_PUBLIC = (_HEALTH, OPENAPI)


def public(environ: WSGIEnvironment) -> bool:
    """Return whether the request needs no token."""
    path = environ.get("PATH_INFO", "")
    return path in _PUBLIC or _asks_versions(path)


def versioned(
    app: WSGIApplication, health: Health, described: Mapping[str, Any] | None = None
) -> WSGIApplication:
    """Return ``app``, which serves version 1 with paths that begin at the project.

    ``health`` gives the reasons why this process cannot serve; none: it can. ``described`` is
    the OpenAPI document, if there is one.
    """

    def serve(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        reply = _own(environ, path, health, described)
        if reply is not None:
            return send(reply, start)
        environ["PATH_INFO"] = _VERSION.sub("", path, count=1)
        return app(environ, start)

    return serve


def _own(
    environ: WSGIEnvironment, path: str, health: Health, described: Mapping[str, Any] | None
) -> Reply | None:
    if not _readable(path):
        return fault(400, "HTTPBadRequest", "The path is not readable text in UTF-8.")
    if path == _HEALTH:
        return _health(environ, health())
    if path == OPENAPI and described is not None:
        return Reply(200, described)
    if _asks_versions(path):
        return _versions(environ)
    if _VERSION.match(path) or environ.get("HTTP_ACCEPT", "").strip() == _ACCEPT:
        return None
    return not_found()


def _asks_versions(path: str) -> bool:
    if path in ("", "/", "/versions"):
        return True
    found = _VERSION.match(path)
    return found is not None and (int(found[1]), int(found[2] or 0)) != (1, 0)


def _versions(environ: WSGIEnvironment) -> Reply:
    links = [{"rel": "self", "href": f"{application_url(environ)}/v1/"}]
    return Reply(300, {"versions": [{"id": "v1.0", "status": "CURRENT", "links": links}]})


def _health(environ: WSGIEnvironment, reasons: Sequence[str]) -> Reply:
    status = 503 if reasons else 200
    if "json" in environ.get("HTTP_ACCEPT", ""):
        return Reply(status, {"detailed": False, "reasons": list(reasons)})
    return Reply(status, "\n".join(reasons) or "OK")


def _readable(path: str) -> bool:
    """WSGI hands bytes over as latin-1 text; a NUL cannot be stored by every database."""
    try:
        return "\0" not in path.encode("latin-1").decode()
    except UnicodeError:
        return False
