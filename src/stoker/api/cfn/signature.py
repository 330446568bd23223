"""The signature of a request, versions 2 and 4 of AWS's, and what Keystone is asked about it.

Rule: only Keystone has the secret; what is signed is handed to it, and its answer is believed.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stoker.api.cfn.refused import Refused

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

    from stoker.api.cfn.params import Params

_OLD = "Only versions 2 and 4 of signatures are accepted."
_NOT_SIGNED = ("Signature", "X-Amz-Signature")
_SECRETS = ("HTTP_X_AUTH_TOKEN", "HTTP_COOKIE")


@dataclass(frozen=True, slots=True)
class Signature:
    """Whose a signature is, by access key, and what it is."""

    access: str
    text: str


def signature_of(environ: WSGIEnvironment, params: Params) -> Signature | None:
    """Return the signature, None where there is none; raises Refused for half of one."""
    header = environ.get("HTTP_AUTHORIZATION", "")
    text = (
        params.text("Signature")
        or params.text("X-Amz-Signature")
        or _part(header, "Signature", r"[0-9a-fA-F]+")
    )
    if not text:
        return None
    if params.text("Signature") and params.text("SignatureVersion") != "2":
        raise Refused("IncompleteSignature", _OLD)
    credential = (
        params.text("AWSAccessKeyId")
        or params.text("X-Amz-Credential")
        or _part(header, "Credential", r"[^,\s]+")
    )
    access = credential.partition("/")[0]
    if not access:
        raise Refused("MissingAuthenticationToken", "The request names no access key.")
    return Signature(access, text)


def question(environ: WSGIEnvironment, params: Params, signature: Signature) -> dict[str, Any]:
    """Return the request as Keystone wants it, to check the signature."""
    return {
        "access": signature.access,
        "signature": signature.text,
        "host": environ.get("HTTP_HOST", ""),
        "verb": environ["REQUEST_METHOD"],
        "path": _path(environ),
        "params": {name: each for name, each in params.values.items() if name not in _NOT_SIGNED},
        "headers": _headers(environ),
        "body_hash": hashlib.sha256(params.body).hexdigest(),
    }


def _part(header: str, name: str, shape: str) -> str:
    found = re.search(rf"{name}=({shape})", header)
    return "" if found is None else found[1]


def _path(environ: WSGIEnvironment) -> str:
    path: str = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return path.encode("latin-1").decode("utf-8", "replace")


def _headers(environ: WSGIEnvironment) -> dict[str, str]:
    """Return the headers; what opens other doors than this one is kept back."""
    found = {
        name.removeprefix("HTTP_").replace("_", "-").title(): str(value)
        for name, value in environ.items()
        if name.startswith("HTTP_") and name not in _SECRETS
    }
    for name in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if environ.get(name):
            found[name.replace("_", "-").title()] = str(environ[name])
    return found
