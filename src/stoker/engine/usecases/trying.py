"""Try a request again where what it was planned from has moved, or others held what it needs."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, TypeVar

from stoker.errors import Conflict
from stoker.store.goal import Moved
from stoker.store.passing import Passing

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_TRIES = 10
_BUSY_TRIES = 3
_PAUSE = 0.1


def until_unmoved(attempt: Callable[[], T]) -> T:
    """Return what the attempt gives, made again as long as it raises Moved, but not for ever.

    So is one that the database took back; raises Conflict, or Passing, when that goes on.
    """
    busy = 0
    for _ in range(_TRIES):
        try:
            return attempt()
        except Moved:
            continue
        except Passing as e:
            busy += 1
            if not e.taken_back or busy == _BUSY_TRIES:
                raise
            time.sleep(_PAUSE * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
    raise Conflict("The stack is changing faster than this request; send it again.")
