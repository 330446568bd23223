"""Pages of other origins that may ask the API from a browser (CORS), as ``[cors]`` says.

Rule: unless an origin is allowed there, nothing stands in the way of a request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

    from oslo_config import cfg

_REQUEST_ID = "X-OpenStack-Request-ID"
_ASKED = (
    "X-Auth-Token",
    "X-Identity-Status",
    "X-Roles",
    "X-Service-Catalog",
    "X-User-Id",
    "X-Tenant-Id",
    _REQUEST_ID,
)
_SHOWN = ("X-Auth-Token", "X-Subject-Token", "X-Service-Token", _REQUEST_ID)
_METHODS = ("GET", "PUT", "POST", "DELETE", "PATCH")


def for_origins(app: WSGIApplication, conf: cfg.ConfigOpts) -> WSGIApplication:
    """Return the application for whoever ``conf`` allows; what else may be asked has the defaults
    that Heat gives it."""
    from oslo_middleware import cors

    cors.set_defaults(
        allow_headers=list(_ASKED), expose_headers=list(_SHOWN), allow_methods=list(_METHODS)
    )
    conf.register_opts(cors.OPTS, "cors")
    if not conf.cors.allowed_origin:
        return app
    allowed: Any = cors.CORS(app, conf)
    found: WSGIApplication = allowed
    return found
