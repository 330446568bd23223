from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from stoker.api.v1 import following
from stoker.api.v1.following import SETTLED, Follower
from stoker.usecases.stacks import EventQuery
from tests.api.fake import AN_EVENT, TIME

if TYPE_CHECKING:
    import pytest

    from stoker.usecases.stacks import EventView


class Log:
    """Events in the order of their times, as the use case gives them."""

    def __init__(self) -> None:
        self.events: list[EventView] = []
        self.asked: list[EventQuery] = []

    def add(self, id: str, seconds: float) -> None:
        event = replace(AN_EVENT, id=id, time=TIME + timedelta(seconds=seconds))
        self.events = sorted([*self.events, event], key=lambda each: (each.time, each.id))

    def ask(self, query: EventQuery) -> list[EventView]:
        self.asked.append(query)
        ids = [each.id for each in self.events]
        start = 0 if query.marker is None else ids.index(query.marker) + 1
        return self.events[start:][: query.limit]


def ids(follower: Follower) -> list[str]:
    return [event.id for event in follower.news()]


def test_each_event_is_told_once_and_the_query_is_kept() -> None:
    log = Log()
    log.add("a", 0)
    log.add("b", 1)
    query = EventQuery(nested_depth=2, filters={"resource_name": ("x",)}, sort_dir="desc", limit=1)
    follower = Follower(log.ask, query)
    assert ids(follower) == ["a", "b"]
    assert ids(follower) == []
    log.add("c", 2)
    assert ids(follower) == ["c"]
    assert {(each.nested_depth, tuple(each.filters), each.sort_dir) for each in log.asked} == {
        (2, ("resource_name",), "asc")
    }


def test_it_begins_behind_the_marker() -> None:
    log = Log()
    for number, id in enumerate("abc"):
        log.add(id, number)
    assert ids(Follower(log.ask, EventQuery(marker="a"))) == ["b", "c"]


def test_an_event_that_appears_late_is_told_too() -> None:
    log = Log()
    log.add("a", 0)
    log.add("c", 20)
    follower = Follower(log.ask, EventQuery())
    assert ids(follower) == ["a", "c"]
    log.add("b", 20 - SETTLED.total_seconds() + 1)
    assert ids(follower) == ["b"]
    assert ids(follower) == []


def test_events_of_one_moment_are_told_once_however_much_later_the_next_comes() -> None:
    log = Log()
    for id in "abc":
        log.add(id, 0)
    follower = Follower(log.ask, EventQuery())
    assert ids(follower) == ["a", "b", "c"]
    log.add("d", 3600)
    assert ids(follower) == ["d"]
    assert ids(follower) == []
    log.add("e", 7200)
    assert ids(follower) == ["e"]


def test_what_was_told_long_ago_is_not_read_again() -> None:
    log = Log()
    follower = Follower(log.ask, EventQuery())
    for number in range(100):
        log.add(f"{number:03}", number)
        follower.news()
    read = len(log.ask(log.asked[-1]))
    assert read <= SETTLED.total_seconds() + 2  # one a second, and both ends


def test_more_than_a_page_comes_at_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "PAGE", 3)
    log = Log()
    for number in range(9):
        log.add(f"{number}", 0)
    follower = Follower(log.ask, EventQuery())
    assert ids(follower) == [f"{number}" for number in range(9)]
    assert ids(follower) == []
