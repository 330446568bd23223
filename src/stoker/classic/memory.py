"""Plugins under way in this process: between two steps of a verb each meets itself again.

Rule: it is only a convenience, except for a handle that JSON cannot hold: that is lost with
the process, and whoever goes on says so.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from stoker.classic.resource import Resource

_MOST: Final = 10_000


@dataclass
class Live:
    """A plugin's instance, and what its handler returned."""

    plugin: Resource
    handle: Any = None


class Memory:
    """The instances by the run of a verb; shared by threads."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._lock = Lock()

    def get(self, run: str) -> Live | None:
        """Return what is under way in this run, if it is known here."""
        with self._lock:
            return self._live.get(run)

    def keep(self, run: str, live: Live) -> None:
        """Remember it; the oldest is forgotten beyond the limit."""
        with self._lock:
            self._live[run] = live
            self._live.move_to_end(run)
            while len(self._live) > self._most:
                self._live.popitem(last=False)

    def forget(self, run: str) -> None:
        """Forget a run that is over."""
        with self._lock:
            self._live.pop(run, None)
