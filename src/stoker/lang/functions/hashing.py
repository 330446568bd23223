"""digest: the hash of a text."""

from __future__ import annotations

import hashlib
from typing import Any

from stoker.lang.functions.arguments import items, shown, text, wrong
from stoker.lang.functions.registry import function
from stoker.lang.syntax import is_open


@function("digest", "digest: [algorithm, text], say [sha256, abc]", since="2015-04-30")
def digest(args: Any) -> str:
    """Return the hash in hexadecimal; the text is encoded as latin-1, as Heat does."""
    algorithm, value = items(args, 2, 2)
    if is_open(text(algorithm, "the algorithm")):
        return text(value, "the value")
    name = algorithm.lower()
    if name not in hashlib.algorithms_available or name.startswith("shake"):
        raise wrong(f"there is no algorithm {shown(algorithm)}")
    if is_open(text(value, "the value")):
        return ""
    try:
        data = value.encode("latin-1")
    except UnicodeEncodeError as error:
        letter = str(value)[error.start]
        raise wrong(
            f"the letter {shown(letter)} is not in latin-1, so it cannot be hashed"
        ) from None
    return hashlib.new(name, data, usedforsecurity=False).hexdigest()
