"""AWS request signatures, versions 2 and 4, computed from what a service hands to Keystone.

Rule: pure functions; the caller compares (in constant time) and decides.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

ALGORITHM = "AWS4-HMAC-SHA256"
_DIGESTS = {"HmacSHA256": hashlib.sha256, "HmacSHA1": hashlib.sha1}


class Unsigned(Exception):
    """The request lacks what its kind of signature needs."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A request as it was signed; header names in lower case."""

    verb: str
    host: str
    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    body_hash: str

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Signed:
        """Read the ``credentials`` object that a service sends."""
        headers = {str(n).lower(): str(v) for n, v in (given.get("headers") or {}).items()}
        return cls(
            verb=str(given.get("verb", "")).upper(),
            host=str(given.get("host", "")).lower(),
            path=str(given.get("path", "")),
            params={str(n): str(v) for n, v in (given.get("params") or {}).items()},
            headers=headers,
            body_hash=str(given.get("body_hash", "")),
        )

    @property
    def timestamp(self) -> str:
        """When it was signed, as the request says; empty when it does not."""
        return (
            self.params.get("Timestamp")
            or self.headers.get("x-amz-date")
            or self.params.get("X-Amz-Date")
            or ""
        )

    def expected(self, secret: str) -> str:
        """Give the signature that the holder of the secret makes.

        Raises:
            Unsigned: it is no version 2 or 4 request, or lacks a part.
        """
        if self.params.get("SignatureVersion") == "2":
            return self._version_2(secret)
        is_4 = self.params.get("X-Amz-Algorithm") == ALGORITHM
        if is_4 or self.headers.get("authorization", "").startswith(ALGORITHM):
            return self._version_4(secret)
        raise Unsigned("neither a version 2 nor a version 4 signature")

    def _version_2(self, secret: str) -> str:
        digest = _DIGESTS.get(self.params.get("SignatureMethod", "HmacSHA256"))
        if digest is None:
            raise Unsigned("unknown SignatureMethod")
        text = "\n".join((self.verb, self.host, self.path, _query(self.params)))
        made = hmac.new(secret.encode(), text.encode(), digest).digest()
        return base64.b64encode(made).decode()

    def _version_4(self, secret: str) -> str:
        scope = self._part("Credential").split("/", 1)[-1]
        pieces = scope.split("/")
        if len(pieces) != 4:  # noqa: PLR2004 - date, region, service, aws4_request
            raise Unsigned("the Credential has no scope")
        canonical = hashlib.sha256(self._canonical().encode()).hexdigest()
        text = "\n".join((ALGORITHM, self.timestamp, scope, canonical))
        key = f"AWS4{secret}".encode()
        for piece in pieces:
            key = hmac.new(key, piece.encode(), hashlib.sha256).digest()
        return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()

    def _canonical(self) -> str:
        signed = self._part("SignedHeaders")
        lines = [f"{name}:{self._header(name)}\n" for name in signed.split(";")]
        params = {n: v for n, v in self.params.items() if n != "X-Amz-Signature"}
        query = "" if self.verb == "POST" else _query(params)
        parts = (self.verb, self.path, query, "".join(lines), signed, self.body_hash)
        return "\n".join(parts)

    def _header(self, name: str) -> str:
        value = self.headers.get(name, self.host if name == "host" else "")
        return " ".join(value.split())

    def _part(self, name: str) -> str:
        found = re.search(rf"{name}=([^,\s]+)", self.headers.get("authorization", ""))
        value = found.group(1) if found else self.params.get(f"X-Amz-{name}", "")
        if not value:
            raise Unsigned(f"{name} is missing")
        return value


def _query(params: Mapping[str, str]) -> str:
    pairs = sorted((quote(n, safe="-_.~"), quote(v, safe="-_.~")) for n, v in params.items())
    return "&".join(f"{name}={value}" for name, value in pairs)
