"""Who asks, from the headers that keystonemiddleware's auth_token has set.

The headers are believed as they are: auth_token removes a client's own before it sets them, so
the application must stand behind ``stoker.api.auth.protect``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stoker.api.edge import request_id
from stoker.sdk.cloud import WITHIN
from stoker.usecases.caller import Caller

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

    from stoker.api.policy import Policy

_WITHIN = WITHIN.removeprefix("X-").replace("-", "_").upper()


def caller_of(
    environ: WSGIEnvironment, policy: Policy, *, reads_passwords: bool = False
) -> Caller | None:
    """Return who asks, or None where no token has been confirmed."""
    if environ.get("HTTP_X_IDENTITY_STATUS") != "Confirmed":
        return None

    def said(name: str, default: str = "") -> str:
        return str(environ.get(f"HTTP_X_{name}") or default)

    caller = Caller(
        user_id=said("USER_ID"),
        user_name=said("USER_NAME"),
        project_id=said("PROJECT_ID"),
        project_name=said("PROJECT_NAME"),
        roles=frozenset(role.strip() for role in said("ROLES").split(",") if role.strip()),
        token=said("AUTH_TOKEN"),
        user_domain_id=said("USER_DOMAIN_ID", "default"),
        project_domain_id=said("PROJECT_DOMAIN_ID", "default"),
        request_id=request_id(environ),
        region=said("REGION_NAME") or None,
        is_within=bool(said(_WITHIN)),
    )
    if reads_passwords:
        login, password = _as_sent(said("AUTH_USER")), _as_sent(said("AUTH_KEY"))
        caller = replace(caller, login=login, password=password)
    # Keystone says "False" only where it has an admin project and this is another one.
    in_admin_project = said("IS_ADMIN_PROJECT", "True").lower() == "true"
    return replace(caller, is_admin=policy.is_admin(caller, in_admin_project=in_admin_project))


def _as_sent(text: str) -> str:
    """Return a header's text as its client meant it: in UTF-8, or else in WSGI's Latin-1."""
    try:
        return text.encode("latin-1").decode()
    except UnicodeError:
        return text
