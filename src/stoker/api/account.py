"""The door of a service that works as one account: only that account's tokens open it.

Rule: what says who asks is set here and nowhere else; a client's own such headers are removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.api.claims import confirmed, forget_claims
from stoker.api.edge import edge
from stoker.api.faults import crash, fault, fault_of
from stoker.api.reply import send
from stoker.api.versions import public
from stoker.errors import StokerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from stoker.usecases.caller import Caller

    Ask = Callable[[str], Caller | None]
    """Returns whose a token is, None for one that is no good; raises StokerError."""

_UNAUTHORIZED = "The request needs a valid token of this cloud's Keystone."


def protect_account(app: WSGIApplication, ask: Ask, identity_url: str) -> WSGIApplication:
    """Return ``app`` behind a check of tokens; ``identity_url`` is where to get one."""
    challenge = {"WWW-Authenticate": f'Keystone uri="{identity_url}"'}

    def serve(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if public(environ):
            return app(environ, start)
        forget_claims(environ)
        try:
            caller = ask(environ.get("HTTP_X_AUTH_TOKEN", ""))
        except StokerError as error:
            return send(fault_of(error, {}, {}), start)
        if caller is None:
            return send(fault(401, "HTTPUnauthorized", _UNAUTHORIZED, challenge), start)
        environ.update(confirmed(caller))
        return app(environ, start)

    return edge(serve, crash)
