"""How long to wait between two looks at something that a service takes its time over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stoker.sdk.resource import Wait

_FIRST, _GROWTH, _LONGEST = 0.5, 1.5, 5.0
_MOST_POLLS_COUNTED: Final = 20


def poll(data: Mapping[str, Any]) -> Wait:
    """Return a wait that grows from half a second to five, and keeps ``data``."""
    polls = int(data.get("polls", 0))
    seconds = min(_LONGEST, _FIRST * _GROWTH ** min(polls, _MOST_POLLS_COUNTED))
    return Wait(seconds, {**data, "polls": polls + 1})
