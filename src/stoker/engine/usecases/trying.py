"""Try a request again where what it was planned from has moved meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from stoker.errors import Conflict
from stoker.store.goal import Moved

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_TRIES = 10


def until_unmoved(attempt: Callable[[], T]) -> T:
    """Return what the attempt gives, made again as long as it raises Moved, but not for ever."""
    for _ in range(_TRIES):
        try:
            return attempt()
        except Moved:
            continue
    raise Conflict("The stack is changing faster than this request; send it again.")
