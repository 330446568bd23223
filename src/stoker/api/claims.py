"""The headers that say who asks, as keystonemiddleware's auth_token sets them.

Rule: whoever stands at a door removes a client's own before it sets any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

    from stoker.usecases.caller import Caller

_SAID = ("IDENTITY", "USER", "PROJECT", "DOMAIN", "ROLE", "IS_ADMIN", "SERVICE", "TENANT")


def forget_claims(environ: WSGIEnvironment) -> None:
    """Remove what the client says of itself; its token stays."""
    claims = tuple(f"HTTP_X_{name}" for name in _SAID)
    for key in [key for key in environ if key.startswith(claims)]:
        del environ[key]


def confirmed(caller: Caller, *, in_admin_project: bool = True) -> dict[str, str]:
    """Return the headers that say that the caller is who he is; Keystone tells the rest."""
    said = {
        "IDENTITY_STATUS": "Confirmed",
        "USER_ID": caller.user_id,
        "USER_NAME": caller.user_name,
        "USER_DOMAIN_ID": caller.user_domain_id,
        "PROJECT_ID": caller.project_id,
        "PROJECT_NAME": caller.project_name,
        "PROJECT_DOMAIN_ID": caller.project_domain_id,
        "IS_ADMIN_PROJECT": str(in_admin_project),
        "ROLES": ",".join(sorted(caller.roles)),
    }
    return {f"HTTP_X_{name}": value for name, value in said.items()}
