"""Names and marks of physical objects.

A physical name is ``<stack>-<resource>-<12 characters>``: the tail is base32 of the 60 time
bits of the row's version 4 UUID, as users of the field know it; over the type's limit the
name keeps its first two characters and its right end.
"""

from __future__ import annotations

import base64
from functools import lru_cache


@lru_cache(maxsize=4096)
def short_id(row_uuid: str) -> str:
    """Return the 12 characters that stand for a row's UUID."""
    low, mid, high = row_uuid.split("-")[:3]
    bits = int(f"{high[1:]}{mid}{low}", 16)  # the 60 of the time
    packed = (bits << 4).to_bytes(8, "big")
    return base64.b32encode(packed)[:12].decode().lower()


def physical_name(stack: str, resource: str, row_uuid: str, limit: int = 255) -> str:
    """Return the name of the object; unique to the row."""
    name = f"{stack.rstrip('*')}-{resource}-{short_id(row_uuid)}"
    if len(name) <= limit:
        return name
    return f"{name[:2]}-{name[len(name) - (limit - 3) :]}"


def mark(row_uuid: str) -> str:
    """Return what an object is found by when the answer to its creation is lost."""
    return f"stoker-{row_uuid}"
