"""Who may do what in Keystone, and its words for no.

Rule: an admin (in any scope) may do everything; everybody may read what is his own.
"""

from __future__ import annotations

from stoker.devcloud.exchange import Request
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.state import Doc


def forbidden(request: Request) -> Refusal:
    """Give Keystone's 403 for the call that is running."""
    action = f"identity:{request.operation}"
    return Refusal(403, f"You are not authorized to perform the requested action: {action}.")


def require(request: Request, allowed: bool) -> None:  # noqa: FBT001 - reads as a sentence
    """Refuse the call unless the caller is an admin or is otherwise allowed."""
    if not (allowed or request.caller.is_admin):
        raise forbidden(request)


def require_admin(request: Request) -> None:
    """Refuse the call unless the caller is an admin."""
    require(request, allowed=False)


def require_self(request: Request, user_id: str) -> None:
    """Refuse the call unless it is about the caller himself, or he is an admin."""
    require(request, request.caller.user_id == user_id)


def require_unrestricted(request: Request) -> None:
    """Refuse the call when the token comes from a restricted application credential."""
    if request.caller.restricted:
        raise forbidden(request)


def unauthorized() -> Refusal:
    """Give Keystone's 401, which never says why."""
    return Refusal(401, "The request you have made requires authentication.")


def missing(what: str, id: str) -> Refusal:
    """Give Keystone's 404: ``Could not find user: x.``"""
    return Refusal(404, f"Could not find {what}: {id}.")


def found(request: Request, kind: str, id: str) -> Doc:
    """Give a stored thing, or refuse with its 404 (to those who may know), else 403."""
    doc = request.state.get(kind, id)
    if doc is None:
        raise missing(kind.partition(".")[2].replace("_", " "), id)
    return doc
