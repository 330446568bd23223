"""``stoker events``: what has happened to a stack, and what happens now.

Rule: each event is told once, oldest first, with the path of what it is about.
"""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import TYPE_CHECKING

from stoker.cli.codes import DETACHED, DONE
from stoker.cli.nesting import homes, key_of, linked
from stoker.cli.screen import plain
from stoker.errors import CloudError, NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from stoker.cli.answer import Answer
    from stoker.cli.nesting import Key
    from stoker.cli.session import Json
    from stoker.cli.stacks import Stacks

LOOK_SECONDS = 1.0
_STYLES = {"COMPLETE": "green", "FAILED": "bold red", "IN_PROGRESS": "yellow"}
_NOTHING = "state changed"
"""The reason of events that have none."""


def events(name: str, stacks: Stacks, answer: Answer) -> int:
    """Show what has happened; return the exit code."""
    history, teller = History(name, stacks), Teller(answer)
    told = list(history.news())
    for event in told:
        teller.say(event)
    answer.give({"events": told})
    return DONE


def tail(name: str, stacks: Stacks, answer: Answer) -> int:
    """Show what has happened, and go on until the stack is gone; return the exit code."""
    history, teller = History(name, stacks), Teller(answer)
    try:
        while not _told_all(history, teller, answer):
            time.sleep(LOOK_SECONDS)
    except KeyboardInterrupt:
        return DETACHED
    return DONE


def _told_all(history: History, teller: Teller, answer: Answer) -> bool:
    over = history.is_over()  # asked first, so that no last event is missed
    for event in history.news():
        teller.say(event)
        answer.give(event, lines=True)
    return over


class History:
    """The events of a stack, as far as they were told."""

    def __init__(self, name: str, stacks: Stacks) -> None:
        found = stacks.find(name)
        if found is None:
            raise NotFound("stack", name)
        self._stacks = stacks
        self._name, self._id = str(found["stack_name"]), str(found["id"])
        self._homes: dict[str, Key] = {}
        self._marker: str | None = None

    def news(self) -> Iterator[Json]:
        """Yield what was not told yet."""
        query = {"marker": self._marker} if self._marker else {}
        found = _unless_gone(lambda: self._stacks.events(self._name, self._id, **query))
        if found:
            rows = _unless_gone(lambda: self._stacks.resources(self._name, self._id))
            self._homes.update(homes(rows))
        for event in found:
            self._marker = str(event["id"])
            yield self._told(event)

    def is_over(self) -> bool:
        """Tell whether the stack is gone, so that nothing can come any more."""
        try:
            status = self._stacks.stack(self._name, self._id)["stack_status"]
        except CloudError as error:
            if error.status != HTTPStatus.NOT_FOUND:
                raise
            return True
        return bool(status == "DELETE_COMPLETE")

    def _told(self, event: Json) -> Json:
        id, stack = str(event.get("physical_resource_id") or ""), linked(event, "stack")
        key = self._homes.get(stack, ()) if id == stack else key_of(event, self._homes)
        if id and id != stack:
            self._homes.setdefault(id, key)
        return {
            "time": event["event_time"],
            "path": ".".join(key),
            "status": event["resource_status"],
            "reason": event.get("resource_status_reason") or "",
            "physical_resource_id": id,
            "id": event["id"],
        }


def _unless_gone(look: Callable[[], list[Json]]) -> list[Json]:
    """Return what is there; nothing of a stack that is gone for good."""
    try:
        return look()
    except CloudError as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        return []


class Teller:
    """Says events; on a terminal in as few words as can be, the day once on a line of its own."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._day = ""

    def say(self, event: Json) -> None:
        """Say one event."""
        status, reason, path = str(event["status"]), str(event["reason"]), str(event["path"])
        when = str(event["time"])
        if self._answer.is_terminal:
            when = self._time(when)
            reason = "" if reason == _NOTHING else plain(reason)
        style = _STYLES.get(status.partition("_")[2], "")
        text = f"{path or '(stack)':24}  {reason}"
        self._answer.beside(f"{when}  {status:18}  ", text, before_style=style)

    def _time(self, when: str) -> str:
        day, _, time = when.partition("T")
        if day != self._day:
            self._answer.say(f"{day}, times in UTC", "dim")
        self._day = day
        return time.removesuffix("Z")
