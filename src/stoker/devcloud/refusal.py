"""Saying no: one exception, rendered in the JSON (or HTML) of the service that says it.

Rule: a handler states status, message and, where the service names its errors, the type; only
this module knows how each service spells that.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_COMPUTE_NAMES = {
    400: "badRequest",
    401: "unauthorized",
    403: "forbidden",
    404: "itemNotFound",
    405: "badMethod",
    409: "conflictingRequest",
    413: "overLimit",
    415: "badMediaType",
    429: "overLimit",
    501: "notImplemented",
    503: "serviceUnavailable",
}
_NETWORK_TYPES = {
    400: "HTTPBadRequest",
    403: "PolicyNotAuthorized",
    404: "HTTPNotFound",
    405: "HTTPMethodNotAllowed",
    409: "Conflict",
    500: "HTTPInternalServerError",
    503: "HTTPServiceUnavailable",
}


class Refusal(Exception):
    """What a service answers instead of doing it.

    ``type`` is Neutron's exception name or Nova's fault name where the status alone does not give
    it; ``detail`` is Neutron's second text; ``extra`` is merged beside the message.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        type: str = "",
        detail: str = "",
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.type = type
        self.detail = detail
        self.headers = dict(headers or {})
        self.extra = dict(extra or {})


def title(status: int) -> str:
    """Give a status's phrase: ``Not Found``."""
    return HTTPStatus(status).phrase


def body_of(service: str, refusal: Refusal, accept: str = "") -> dict[str, Any] | str:
    """Render a refusal as the service does: a dict for JSON, a string for HTML."""
    if service in ("identity", "devcloud", ""):
        return _identity(refusal)
    if refusal.status == HTTPStatus.UNAUTHORIZED:
        return _unauthorized(refusal) if service == "image" else _identity(refusal)
    if service == "compute" or service.startswith("volume"):
        return _compute(refusal)
    if service == "network":
        return _network(refusal)
    if "application/json" in accept and "text/html" not in accept:
        return _titled(refusal)
    return _page(refusal)


def _unauthorized(refusal: Refusal) -> str:
    """Glance's gate lets requests through, and Glance itself refuses them on a page."""
    text = (
        "This server could not verify that you are authorized to access the document you"
        " requested. Either you supplied the wrong credentials (e.g., bad password), or your"
        " browser does not understand how to supply the credentials required."
    )
    return _page(Refusal(refusal.status, text))


def _titled(refusal: Refusal) -> dict[str, Any]:
    phrase = title(refusal.status)
    text = f"{refusal.message}<br /><br />\n\n\n"
    return {"message": text, "code": f"{refusal.status} {phrase}", "title": phrase}


def _identity(refusal: Refusal) -> dict[str, Any]:
    return {
        "error": {
            "code": refusal.status,
            "message": refusal.message,
            "title": title(refusal.status),
            **refusal.extra,
        }
    }


def _compute(refusal: Refusal) -> dict[str, Any]:
    name = refusal.type or _COMPUTE_NAMES.get(refusal.status, "computeFault")
    return {name: {"code": refusal.status, "message": refusal.message, **refusal.extra}}


def _network(refusal: Refusal) -> dict[str, Any]:
    name = refusal.type or _NETWORK_TYPES.get(refusal.status, title(refusal.status))
    fault = {"type": name, "message": refusal.message, "detail": refusal.detail}
    return {"NeutronError": {**fault, **refusal.extra}}


def _page(refusal: Refusal) -> str:
    head = f"{refusal.status} {title(refusal.status)}"
    return (
        f"<html>\n <head>\n  <title>{head}</title>\n </head>\n <body>\n  <h1>{head}</h1>\n"
        f"  {refusal.message}<br /><br />\n\n\n </body>\n</html>"
    )
