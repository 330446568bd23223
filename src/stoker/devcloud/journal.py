"""The journal: each request that came in and how it was answered.

Rule: bounded in memory (the newest entries), while the counts go on for the process's life.
What was asked is kept only when somebody wants it, and never of the identity service: secrets.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from dataclasses import dataclass
from typing import Any

KEPT = 20_000
"""Entries that are kept."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One request; ``status`` 0 means that the connection was dropped without an answer."""

    service: str
    operation: str
    method: str
    path: str
    status: int
    project: str
    seconds: float
    body: Any = None


class Journal:
    """The newest requests, and how many there were of each operation."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: deque[tuple[int, Entry]] = deque(maxlen=KEPT)
        self._seq = 0
        self._counts: Counter[tuple[str, str]] = Counter()
        self.keeps_bodies = False

    def add(self, entry: Entry) -> None:
        """Write one entry."""
        with self._lock:
            self._seq += 1
            self._entries.append((self._seq, entry))
            self._counts[entry.service, entry.operation] += 1

    def since(self, seq: int) -> tuple[int, list[dict[str, Any]]]:
        """Give the newest number, and the entries kept that are younger than ``seq``."""
        with self._lock:
            young = [(n, entry) for n, entry in self._entries if n > seq]
            return self._seq, [_shown(n, entry) for n, entry in young]

    def counts(self) -> dict[str, dict[str, int]]:
        """Give how many requests there were, by service and operation."""
        with self._lock:
            shown: dict[str, dict[str, int]] = {}
            for (service, operation), number in sorted(self._counts.items()):
                shown.setdefault(service, {})[operation] = number
            return shown


def _shown(seq: int, entry: Entry) -> dict[str, Any]:
    body = {} if entry.body is None else {"body": entry.body}
    return {
        "seq": seq,
        "service": entry.service,
        "operation": entry.operation,
        "method": entry.method,
        "path": entry.path,
        "status": entry.status,
        "project": entry.project,
        "seconds": round(entry.seconds, 6),
        **body,
    }
