"""Looking for a secret in files as somebody would who wants to find it.

Rule: a secret counts as found in every form in which a program may have written it.
"""

from __future__ import annotations

import base64
import json
import urllib.parse
from collections.abc import Iterable, Mapping


def forms(secret: str) -> set[bytes]:
    """Return what the secret looks like in files: as text, in JSON, in a URL, in base64 …"""
    texts = {
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(secret))[3:-3],
        repr(secret)[1:-1],
        urllib.parse.quote(secret),
        urllib.parse.quote_plus(secret),
        secret.encode().hex(),
    }
    found = {text.encode() for text in texts}
    found |= {secret.encode(encoding) for encoding in ("utf-16-le", "utf-16-be")}
    for raw in (secret.encode(), json.dumps(secret)[1:-1].encode()):
        found |= _base64(raw)
    return found


def _base64(raw: bytes) -> set[bytes]:
    """Return the parts of base64 that are the same whatever stands around the text."""
    found = set()
    for shift in range(3):
        whole = base64.b64encode(b"\0" * shift + raw)
        first = -(-shift * 8 // 6)
        last = (shift + len(raw)) * 8 // 6
        part = whole[first:last]
        found |= {part, part.replace(b"+", b"-").replace(b"/", b"_")}
    return found


def found_in(files: Mapping[str, bytes], secrets: Iterable[str]) -> list[tuple[str, bytes]]:
    """Return which file holds which form of a secret."""
    wanted = {form for secret in secrets for form in forms(secret)}
    return [(name, form) for name, data in files.items() for form in sorted(wanted) if form in data]
