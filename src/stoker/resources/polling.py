"""How long to wait between two looks at something that a service takes its time over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stoker.sdk.cloud import Rest
from stoker.sdk.resource import At, Wait

_FIRST, _GROWTH, _LONGEST = 0.5, 1.5, 5.0
_SLOW_GROWTH, _STEADY = 1.25, 8
_MOST_POLLS_COUNTED: Final = 20


def is_still(at: At[Any], service: Rest, path: str, status: str) -> bool:
    """Tell whether a look at the object is known to be fruitless: it is still at the status."""
    return bool(at.data.get("polls")) and service.is_still(path, status, at.owned)


def poll_on(data: Mapping[str, Any]) -> Wait:
    """Return the wait after a look that cost no call: shorter than :func:`poll`'s, and growing
    by less.
    """
    polls = int(data.get("polls", 0))
    growth = _SLOW_GROWTH ** max(0, min(polls, _MOST_POLLS_COUNTED) - _STEADY)
    return Wait(min(_LONGEST, _FIRST * growth), {**data, "polls": polls + 1})


def poll(data: Mapping[str, Any], made: str | None = None) -> Wait:
    """Return a wait that grows from half a second to five, and keeps ``data`` (and the id of what
    was ``made``).
    """
    polls = int(data.get("polls", 0))
    seconds = min(_LONGEST, _FIRST * _GROWTH ** min(polls, _MOST_POLLS_COUNTED))
    return Wait(seconds, {**data, "polls": polls + 1}, made)
