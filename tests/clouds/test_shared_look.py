"""Many that wait for the same status share one list; few, and whoever a list says nothing of,
are looked at themselves.
"""

from __future__ import annotations

import threading
from typing import Any

from stoker.clouds.shared_look import MANY, OLDEST, RENEWED, SharedLook
from tests.clouds.wire import wired


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Listing:
    """Counts how often a list is asked for, which shows ``ids``."""

    def __init__(self, *ids: str) -> None:
        self.ids, self.asked = frozenset(ids), 0

    def __call__(self) -> frozenset[str]:
        self.asked += 1
        return self.ids


def test_few_are_not_worth_a_list() -> None:
    clock, listing = Clock(), Listing("a")
    look = SharedLook(clock)
    for _ in range(3 * MANY):
        clock.now += 1.0
        assert not look.has("a", listing)
    assert listing.asked == 0


def test_many_share_one_list() -> None:
    clock, listing = Clock(), Listing("a", "b")
    look = SharedLook(clock)
    told = [look.has(each, listing) for each in ["a", "b"] * MANY]
    assert told == [False] * (MANY - 1) + [True] * (MANY + 1)
    assert listing.asked == 1
    assert not look.has("c", listing), "it says nothing of what it does not show"


def test_a_list_is_renewed_and_never_believed_for_long() -> None:
    clock, listing = Clock(), Listing("a")
    look = SharedLook(clock)
    for _ in range(MANY):
        look.has("a", listing)
    listing.ids = frozenset()
    clock.now += RENEWED
    assert look.has("a", listing), "the last one is new enough"
    clock.now += RENEWED
    assert not look.has("a", listing)
    assert listing.asked == 2


def test_while_one_asks_the_others_go_by_the_last_list() -> None:
    clock = Clock()
    look = SharedLook(clock)
    asking, go = threading.Event(), threading.Event()
    for _ in range(MANY):
        look.has("a", Listing("a"))

    def slow() -> frozenset[str]:
        asking.set()
        assert go.wait(10)
        return frozenset()

    clock.now += 2 * RENEWED
    thread = threading.Thread(target=look.has, args=("a", slow))
    thread.start()
    assert asking.wait(10)
    listing = Listing()
    assert look.has("a", listing)
    go.set()
    thread.join()
    assert listing.asked == 0
    assert not look.has("a", listing)


def test_a_list_that_took_too_long_tells_nothing() -> None:
    clock = Clock()
    look = SharedLook(clock)

    def slow() -> frozenset[str]:
        clock.now += OLDEST
        return frozenset("a")

    told = [look.has("a", slow) for _ in range(MANY)]
    assert told[-1], "it was asked for after this look had begun"
    clock.now += RENEWED
    listing = Listing()
    assert not look.has("a", listing)
    assert listing.asked == 1


def _still(rows: list[str], size: int, *, broken: bool = False) -> tuple[Any, list[str]]:
    """Return servers that are still at BUILD, as a service with small pages lists them."""
    asked: list[str] = []

    def answers(method: str, path: str, _body: Any) -> Any:
        if "/servers?" not in path:
            return 200, {"version": {"version": "2.90"}}
        asked.append(path)
        if broken:
            return 403, {"forbidden": {"message": "no"}}
        marker = path.partition("marker=")[2].partition("&")[0]
        start = rows.index(marker) + 1 if marker else 0
        page = rows[start : start + size]
        more = {"servers_links": [{"rel": "next"}]} if start + size < len(rows) else {}
        return 200, {"servers": [{"id": each} for each in page], **more}

    cloud, _ = wired(answers)
    return cloud, asked


def test_all_pages_of_a_list_count() -> None:
    cloud, asked = _still(["a", "b", "c"], 2)
    told = [cloud.compute.is_still("/servers", "BUILD", "c") for _ in range(MANY)]
    assert (told[-1], len(asked)) == (True, 2)
    assert all("status=BUILD" in each for each in asked)


def test_a_list_that_is_refused_tells_nothing() -> None:
    cloud, asked = _still(["a"], 2, broken=True)
    told = [cloud.compute.is_still("/servers", "BUILD", "a") for _ in range(MANY)]
    assert not any(told)
    assert asked
