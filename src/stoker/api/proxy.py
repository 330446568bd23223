"""The address that a client used, where a proxy stands between it and us.

Links in answers must lead back through the proxy, so scheme, host and prefix are taken from what
it says. Only in force when the operator says that a proxy is the only way in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment


def behind_proxy(app: WSGIApplication) -> WSGIApplication:
    """Return ``app`` believing the Forwarded (RFC 7239) and X-Forwarded-* headers."""

    def serve(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if "HTTP_FORWARDED" in environ:
            said = _forwarded(environ["HTTP_FORWARDED"])
        else:
            said = {
                "proto": _first(environ, "HTTP_X_FORWARDED_PROTO"),
                "host": _first(environ, "HTTP_X_FORWARDED_HOST"),
            }
        if said.get("proto") in ("http", "https"):
            environ["wsgi.url_scheme"] = said["proto"]
        if said.get("host"):
            environ["HTTP_HOST"] = said["host"]
        prefix = _first(environ, "HTTP_X_FORWARDED_PREFIX")
        if prefix:
            environ["SCRIPT_NAME"] = prefix.rstrip("/")
        return app(environ, start)

    return serve


def _first(environ: WSGIEnvironment, header: str) -> str:
    """Return what the proxy nearest to the client said."""
    return str(environ.get(header, "")).split(",")[0].strip()


def _forwarded(text: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split(",", 1)[0].split(";"))
    return {key.strip().lower(): value.strip().strip('"') for key, _, value in pairs}
