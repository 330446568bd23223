"""Values and their types in the words of error texts."""

from __future__ import annotations

import json
from typing import Any, Final

MASK: Final = "******"
"""What stands in place of a value that must not be seen."""

OWN: Final = "stoker:own"
"""The tag of a parameter that no user wrote: it is not shown to any."""


def shown(value: Any, limit: int = 40) -> str:
    """Return ``value`` as JSON, cut short."""
    text = json.dumps(value, ensure_ascii=False, default=lambda _: "…")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def prose(value: Any) -> str | None:
    """Return what stands for a description as text: of what is none its JSON, null is None."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def type_name(value: Any) -> str:
    """Return what a template author calls the type of ``value``."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case dict():
            return "a map"
        case list():
            return "a list"
        case _:
            return "a value that only a resource can tell"
