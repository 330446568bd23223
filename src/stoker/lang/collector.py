"""Sparing large documents the garbage collector's passes.

Rule: they would cost more than the reading itself, and what is read holds no cycles.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_off(*, when: bool) -> Iterator[None]:
    """Keep the collector from running inside, if it ran and ``when`` is true."""
    if not when or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
