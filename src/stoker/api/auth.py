"""Keystone's auth_token in front of an application.

Only what needs no token by its nature (the versions document, the health check) passes it by,
and that is answered before any identity header is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from keystonemiddleware.auth_token import AuthProtocol  # type: ignore[import-untyped]  # it has no types

from stoker.api.edge import edge
from stoker.api.faults import crash
from stoker.api.versions import public

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


def protect(app: WSGIApplication, conf: Mapping[str, Any]) -> WSGIApplication:
    """Return ``app`` behind auth_token.

    ``conf`` holds auth_token's own options, or ``oslo_config_config`` with an oslo.config object
    that has a section ``[keystone_authtoken]``.
    """
    checked = AuthProtocol(app, dict(conf))

    def serve(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if public(environ):
            return app(environ, start)
        answer: Iterable[bytes] = checked(environ, start)
        return answer

    return edge(serve, crash)
