"""The words of signals: which verbs a type has for them, and what an event says of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

SIGNAL: Final = "signal"
ON_SIGNAL: Final = "on_signal"
HEAR: Final = "hear"
_ALARM: Final = ("previous", "current", "reason")


def happened(details: Mapping[str, Any]) -> str:
    """Return what an event says of a signal whose resource says nothing itself."""
    if all(name in details for name in _ALARM):
        previous, current, reason = (details[name] for name in _ALARM)
        return f"alarm state changed from {previous} to {current} ({reason})"
    return "signal received" if details else "signal without details"


def told(text: str) -> str:
    """Return what an event says of a signal whose resource has said ``text`` of it."""
    return f"Signal: {text}"
