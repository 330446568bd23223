"""How deep values may be nested that came as JSON, within a text or in a request.

Rule: what is deeper is refused before anything walks it: no later walk runs out of stack.
"""

from __future__ import annotations

import json
from typing import Any

from stoker.lang.events import MAX_DEPTH, TOO_DEEP


def json_value(text: str) -> Any:
    """Return what a JSON text says; raises ValueError, also where it is nested too deep."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    check_depth(value)
    return value


def check_depth(value: Any, left: int = MAX_DEPTH) -> None:
    """Raise ValueError when lists and maps are nested too deep."""
    if not isinstance(value, list | dict):
        return
    if not left:
        raise ValueError(TOO_DEEP)
    for each in value.values() if isinstance(value, dict) else value:
        check_depth(each, left - 1)
