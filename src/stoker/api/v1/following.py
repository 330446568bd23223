"""Follow the events of a stack: what is new at each look, each event once.

Rule: an event may appear a little after one that is later than it, for two engines write at the
same time. So each look begins some seconds before the last event, and leaves out what was told.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from stoker.usecases.stacks import EventQuery, EventView

PAGE: Final = 200
SETTLED: Final = timedelta(seconds=5)
"""By so much an event may come late: longer than a transaction of an engine lasts."""


class Follower:
    """Looks for events by ``ask``; begins behind the marker of the query, if it has one."""

    def __init__(self, ask: Callable[[EventQuery], list[EventView]], query: EventQuery) -> None:
        self._ask = ask
        self._query = replace(query, limit=PAGE, sort_keys=("created_at",), sort_dir="asc")
        self._told: dict[str, datetime] = {}

    def news(self) -> list[EventView]:
        """Return the events that were not returned before, the earliest first."""
        query = self._query
        found: list[EventView] = []
        while True:
            page = self._ask(query)
            found += [event for event in page if event.id not in self._told]
            if len(page) < PAGE:
                break
            query = replace(query, marker=page[-1].id)
        self._told |= {event.id: event.time for event in found}
        self._settle()
        return found

    def _settle(self) -> None:
        """Go on with the marker, and forget what no look will find again."""
        newest = max(self._told.values(), default=None)
        if newest is None:
            return
        settled = [each for each in self._told.items() if each[1] < newest - SETTLED]
        if settled:
            marker, since = max(settled, key=lambda each: each[1])
            self._query = replace(self._query, marker=marker)
            self._told = {id: time for id, time in self._told.items() if time >= since}
