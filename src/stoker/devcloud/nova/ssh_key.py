"""SSH keys as Nova sees them: made, checked, and told by their fingerprint."""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

_EXPONENT = 65537
_BITS = 2048
_FEWEST_WORDS = 2  # the type and the key; a comment may follow


class KeyPair(NamedTuple):
    """A key pair in the text forms that clients write to files."""

    public: str
    private: str


class BadKey(Exception):
    """The text is not an SSH public key."""


def generate() -> KeyPair:
    """Make an RSA key pair."""
    key = generate_private_key(public_exponent=_EXPONENT, key_size=_BITS)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    return KeyPair(f"{public.decode()} Generated-by-Nova\n", private.decode())


def fingerprint(public_key: str) -> str:
    """Give the MD5 fingerprint of an SSH public key; raise BadKey where it is none."""
    words = public_key.split()
    if len(words) < _FEWEST_WORDS:
        raise BadKey(public_key)
    try:
        blob = base64.b64decode(words[1], validate=True)
    except binascii.Error:
        raise BadKey(public_key) from None
    if _first_field(blob) != words[0].encode():
        raise BadKey(public_key)
    digest = hashlib.md5(blob, usedforsecurity=False).hexdigest()
    return ":".join(digest[at : at + 2] for at in range(0, len(digest), 2))


def _first_field(blob: bytes) -> bytes:
    """Give the length-prefixed type name at the head of an SSH key blob."""
    if len(blob) < struct.calcsize(">I"):
        return b""
    (length,) = struct.unpack_from(">I", blob)
    return blob[4 : 4 + length]
