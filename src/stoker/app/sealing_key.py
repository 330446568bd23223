"""The key that seals the database, from the text that operators have in ``auth_encryption_key``.

Rule: a key that everybody knows, or none, is refused: everything secret would be in the open.
"""

from __future__ import annotations

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from stoker.app.misconfigured import Misconfigured
from stoker.store.seal import KEY_BYTES

OPTION = "[DEFAULT] auth_encryption_key"
LENGTHS = (16, 24, 32)
PUBLISHED = "notgood but just long enough i t"
"""Heat's default, which stands in its source."""

_PURPOSE = b"stoker auth_encryption_key"
_REMEDY = "set it to the same 32 random characters for all processes (`openssl rand -hex 16`)"


def sealing_key(text: str | None, option: str = OPTION) -> bytes:
    """Return the key; raises Misconfigured where the text that an option has will not do."""
    if not text:
        raise Misconfigured(f"{option} is not set: {_REMEDY}")
    if text == PUBLISHED:
        raise Misconfigured(f"{option} is Heat's default, which everybody knows: {_REMEDY}")
    material = text.encode()
    if len(material) not in LENGTHS:
        raise Misconfigured(
            f"{option} must have 32 characters (16 and 24 do, too),"
            f" and has {len(material)}: {_REMEDY}"
        )
    return HKDF(SHA256(), KEY_BYTES, salt=None, info=_PURPOSE).derive(material)
