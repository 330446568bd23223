"""Random bytes in small portions, drawn from the system's source a page at a time.

Each look at that source gives the interpreter's lock away and waits in line for it again, for
longer than all else takes that a few bytes are wanted for.
"""

from __future__ import annotations

import os
import threading

_PAGE = 4096


class _Page(threading.local):
    """What a thread has drawn, and how far it is used up."""

    drawn = b""
    used = 0


_page = _Page()


def random_bytes(count: int) -> bytes:
    """Return random bytes that nobody else gets, fit for keys and nonces."""
    end = _page.used + count
    if end > len(_page.drawn):
        _page.drawn, _page.used, end = os.urandom(max(_PAGE, count)), 0, count
    portion = _page.drawn[_page.used : end]
    _page.used = end
    return portion


def forget() -> None:
    """Draw anew what is wanted next; what a parent process has drawn is left to the parent."""
    _page.drawn, _page.used = b"", 0


os.register_at_fork(after_in_child=forget)
