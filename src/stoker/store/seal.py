"""Encryption at rest: every column that may hold a secret goes through here.

AES-256-GCM under a key that the store is given; the nonce is random for each value. Equality
of sealed values is told by a keyed HMAC, never by comparing what is stored. What former keys
have sealed is still opened, so that a key can be changed while everything runs.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from stoker.errors import StokerError
from stoker.store.randomness import random_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

KEY_BYTES = 32
_FAST, _ODD = b"\x01", b"\x02"
"""The first byte: what orjson wrote, or values that only ``json`` can write and read back."""

_NONCE_BYTES = 12


class WrongKey(StokerError):
    """The key does not open what is stored."""


class Sealer:
    """Seal JSON values into bytes and open them again; ``former`` keys open only."""

    def __init__(self, key: bytes, former: Sequence[bytes] = ()) -> None:
        for each in (key, *former):
            if len(each) != KEY_BYTES:
                raise WrongKey(f"the key must have {KEY_BYTES} bytes, not {len(each)}")
        # Two keys from one: the same bytes must not serve both the cipher and the HMAC.
        self._cipher, *self._former = (_cipher(each) for each in (key, *former))
        self._mac_key = hashlib.sha256(b"mac" + key).digest()

    def seal(self, value: Any) -> bytes:
        """Return the sealed form of a JSON value."""
        nonce = random_bytes(_NONCE_BYTES)
        try:
            form, plain = _FAST, orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
        except orjson.JSONEncodeError:  # lone surrogates, integers beyond 64 bits
            form, plain = _ODD, json.dumps(value).encode()
        return form + nonce + self._cipher.encrypt(nonce, plain, form)

    def open(self, sealed: bytes) -> Any:
        """Return the value; raises :class:`WrongKey` when the key is another one."""
        plain = _opened(self._cipher, sealed)
        for each in self._former:
            plain = _opened(each, sealed) if plain is None else plain
        if plain is None:
            raise WrongKey("the encryption key does not fit this database")
        return json.loads(plain) if sealed[:1] == _ODD else orjson.loads(plain)

    def is_current(self, sealed: bytes) -> bool:
        """Tell whether it is sealed with the key that seals now."""
        return _opened(self._cipher, sealed) is not None

    def digest(self, value: Any) -> str:
        """Return 64 hex digits that are the same exactly for equal JSON values."""
        plain = json.dumps(value, sort_keys=True).encode()
        return hmac.new(self._mac_key, plain, hashlib.sha256).hexdigest()


def _cipher(key: bytes) -> AESGCM:
    return AESGCM(hashlib.sha256(b"seal" + key).digest())


def _opened(cipher: AESGCM, sealed: bytes) -> bytes | None:
    """Return what was sealed, or None where that was done with another key."""
    start = 1 + _NONCE_BYTES
    try:
        return cipher.decrypt(sealed[1:start], sealed[start:], sealed[:1])
    except InvalidTag:
        return None


def key_from(path: Path) -> bytes:
    """Return the key in the file; make one (mode 0600) where there is none yet.

    The file appears whole or not at all, also when two processes make it at once. Raises
    :class:`WrongKey` where it is there and holds no key.
    """
    if not path.exists():
        _make_key(path)
    key = path.read_bytes()
    if len(key) != KEY_BYTES:
        raise WrongKey(f"{path} holds no key: it has {len(key)} bytes, not {KEY_BYTES}")
    return key


def _make_key(path: Path) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)  # mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(os.urandom(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # another process was first: its key counts
            os.link(name, path)
    finally:
        Path(name).unlink()
