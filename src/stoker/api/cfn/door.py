"""The door of the CloudFormation API: whoever signs with a key of Keystone's comes in.

Rule: what says who asks is set here or by the door for tokens, and a client's own word is removed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stoker.api.cfn.application import crash
from stoker.api.cfn.call import ROOT, call_of, plain_form, refuse
from stoker.api.cfn.faults import refused_of, unproved
from stoker.api.cfn.refused import Refused
from stoker.api.cfn.signature import question, signature_of
from stoker.api.claims import confirmed, forget_claims
from stoker.api.edge import edge
from stoker.api.proxy import behind_proxy
from stoker.api.settings import Settings
from stoker.api.versions import public
from stoker.errors import CloudError, StokerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from stoker.api.cfn.call import Call
    from stoker.usecases.caller import Caller

    Prove = Callable[[Mapping[str, Any]], "Signer"]
    """Returns who has signed a request; raises CloudError where Keystone does not say."""


@dataclass(frozen=True, slots=True)
class Signer:
    """Who has signed; Keystone may have an admin project, which his need not be."""

    caller: Caller
    in_admin_project: bool = True


_UNSIGNED = "The request has no signature that can be read, and no token."


def signed(
    app: WSGIApplication, by_token: WSGIApplication, prove: Prove, settings: Settings | None = None
) -> WSGIApplication:
    """Return ``app`` for those who sign their requests; ``by_token`` is it for those with a token.

    Where a proxy stands in front, it is the proxy's address that clients sign for.
    """
    settings = settings or Settings()
    limit = settings.max_json_body_size

    def serve(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if public(environ) and not _is_at_root(environ):
            return app(environ, start)
        try:
            call = call_of(environ, limit)
        except StokerError as error:
            return refuse(plain_form(environ), refused_of(error), start)
        try:
            signer = _signer(environ, call, prove)
        except Refused as refused:
            return refuse(call.form, refused, start)
        if _is_at_root(environ):
            environ["PATH_INFO"] = ROOT
        if signer is None:
            return by_token(environ, start)
        forget_claims(environ)
        caller, in_admin = signer.caller, signer.in_admin_project
        environ.update(confirmed(caller, in_admin_project=in_admin))
        environ["HTTP_X_AUTH_TOKEN"] = caller.token
        return app(environ, start)

    return edge(behind_proxy(serve) if settings.enable_proxy_headers_parsing else serve, crash)


def _is_at_root(environ: WSGIEnvironment) -> bool:
    """Return whether it is a call by an address without a version."""
    if environ.get("PATH_INFO", "") not in ("", "/"):
        return False
    return environ["REQUEST_METHOD"] == "POST" or "Action=" in environ.get("QUERY_STRING", "")


def _signer(environ: WSGIEnvironment, call: Call, prove: Prove) -> Signer | None:
    """Return who has signed, None for one who comes with a token; raises Refused."""
    signature = signature_of(environ, call.params)
    if signature is None:
        if "HTTP_X_AUTH_TOKEN" in environ or "HTTP_X_AUTH_USER" in environ:
            return None
        raise Refused("IncompleteSignature", _UNSIGNED)
    try:
        return prove(question(environ, call.params, signature))
    except CloudError as error:
        raise unproved(error) from error
    except StokerError as error:
        raise refused_of(error) from error
