"""Faults on demand: delays, error answers and cut connections, per service and operation.

Rule: a fault is decided once, when its request comes in, and says then what happens before the
effect and what after it; it never changes what the effect is.
"""

from __future__ import annotations

import itertools
import re
import threading
from dataclasses import dataclass, field, fields
from typing import Any

from stoker.devcloud.clock import service_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Which calls are disturbed, and how.

    ``service``, ``method``, ``path`` (a regular expression, searched) and ``operation`` choose the
    calls; empty means any. Of those, ``skip`` pass unharmed first, then every ``every``-th is hit,
    at most ``count`` times. A hit waits ``delay`` seconds and answers ``status`` (if given) in
    place of the effect; with ``late`` the effect comes first. ``reset`` performs the effect and
    drops the connection without an answer; ``reset_before`` drops it without the effect.
    """

    service: str = ""
    method: str = ""
    path: str = ""
    operation: str = ""
    delay: float = 0.0
    late: bool = False
    status: int = 0
    message: str = "A fault was asked for."
    headers: dict[str, str] = field(default_factory=dict)
    skip: int = 0
    every: int = 1
    count: int = 0
    reset: bool = False
    reset_before: bool = False

    def chooses(self, service: str, method: str, path: str, operation: str) -> bool:
        """Tell whether a call is one of those that may be disturbed."""
        return (
            self.service in ("", service)
            and self.method in ("", method)
            and self.operation in ("", operation)
            and (not self.path or re.search(self.path, path) is not None)
        )


class _Armed:
    def __init__(self, id: str, fault: Fault) -> None:
        self.id, self.fault = id, fault
        self.seen = self.hits = 0

    def hit(self) -> bool:
        self.seen += 1
        fault = self.fault
        due = self.seen > fault.skip and (self.seen - fault.skip) % fault.every == 0
        if not due or (fault.count and self.hits >= fault.count):
            return False
        self.hits += 1
        return True


class Faults:
    """The faults in force. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._armed: list[_Armed] = []

    def add(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Put a fault in force and give it with its id.

        Raises:
            ValueError: an unknown field, or a field's value is not one.
        """
        fault = _read(wanted)
        with self._lock:
            armed = _Armed(str(next(self._ids)), fault)
            self._armed = [*self._armed, armed]
            return _shown(armed)

    def all(self) -> list[dict[str, Any]]:
        """Give the faults in force, with how many calls each saw and hit."""
        with self._lock:
            return [_shown(armed) for armed in self._armed]

    def remove(self, id: str = "") -> bool:
        """Lift one fault, or all of them; tell whether there was any."""
        with self._lock:
            kept = [armed for armed in self._armed if id and armed.id != id]
            changed = len(kept) < len(self._armed)
            self._armed = kept
            return changed

    def hitting(self, service: str, method: str, path: str, operation: str) -> list[Fault]:
        """Give the faults that hit this call, counting it."""
        if not self._armed:
            return []
        with self._lock:
            return [
                armed.fault
                for armed in self._armed
                if armed.fault.chooses(service, method, path, operation) and armed.hit()
            ]


def _read(wanted: dict[str, Any]) -> Fault:
    kinds = {f.name: type(getattr(Fault(), f.name)) for f in fields(Fault)}
    unknown = sorted(set(wanted) - set(kinds))
    if unknown:
        raise ValueError(f"unknown fields: {', '.join(unknown)}; known: {', '.join(kinds)}")
    for name, value in wanted.items():
        numeric = kinds[name] is float and isinstance(value, int)
        if not isinstance(value, kinds[name]) and not numeric:
            raise ValueError(f"{name} must be {kinds[name].__name__}")
    fault = Fault(**{**wanted, "service": service_name(wanted.get("service", ""))})
    if fault.every < 1:
        raise ValueError("every must be at least 1")
    try:
        re.compile(fault.path)
    except re.error as error:
        raise ValueError(f"path is not a regular expression: {error}") from error
    return fault


def _shown(armed: _Armed) -> dict[str, Any]:
    values = {f.name: getattr(armed.fault, f.name) for f in fields(Fault)}
    return {"id": armed.id, **values, "seen": armed.seen, "hits": armed.hits}
