"""The door of a service that works as one account: only that account's tokens open it.

Rule: what says who asks is set here and nowhere else; a client's own such headers are removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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

_SAID = ("IDENTITY", "USER", "PROJECT", "DOMAIN", "ROLE", "IS_ADMIN", "SERVICE", "TENANT")
_UNAUTHORIZED = "The request needs a valid token of this cloud's Keystone."


def protect_account(app: WSGIApplication, ask: Ask, identity_url: str) -> WSGIApplication:
    """Return ``app`` behind a check of tokens; ``identity_url`` is where to get one."""
    challenge = {"WWW-Authenticate": f'Keystone uri="{identity_url}"'}

    def serve(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if public(environ):
            return app(environ, start)
        _forget_claims(environ)
        try:
            caller = ask(environ.get("HTTP_X_AUTH_TOKEN", ""))
        except StokerError as error:
            return send(fault_of(error, {}, {}), start)
        if caller is None:
            return send(fault(401, "HTTPUnauthorized", _UNAUTHORIZED, challenge), start)
        environ.update(_confirmed(caller))
        return app(environ, start)

    return edge(serve, crash)


def _forget_claims(environ: WSGIEnvironment) -> None:
    claims = tuple(f"HTTP_X_{name}" for name in _SAID)
    for key in [key for key in environ if key.startswith(claims)]:
        del environ[key]


def _confirmed(caller: Caller) -> dict[str, str]:
    said = {
        "IDENTITY_STATUS": "Confirmed",
        "USER_ID": caller.user_id,
        "USER_NAME": caller.user_name,
        "USER_DOMAIN_ID": caller.user_domain_id,
        "PROJECT_ID": caller.project_id,
        "PROJECT_NAME": caller.project_name,
        "PROJECT_DOMAIN_ID": caller.project_domain_id,
        "ROLES": ",".join(sorted(caller.roles)),
    }
    return {f"HTTP_X_{name}": value for name, value in said.items()}
