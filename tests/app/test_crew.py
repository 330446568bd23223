from __future__ import annotations

import sys
from queue import SimpleQueue
from typing import TYPE_CHECKING

import pytest

from stoker.app.crew import Crew
from stoker.engine.processes import has_ended

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of processes")
SECONDS = 30.0


@pytest.fixture
def died() -> SimpleQueue[str]:
    return SimpleQueue()


@pytest.fixture
def crew(died: SimpleQueue[str]) -> Iterator[Callable[[str], Crew]]:
    crews: list[Crew] = []

    def crew(program: str) -> Crew:
        command = (sys.executable, "-c", program)
        crews.append(Crew(command, 1, gave_up=lambda _: None, died=died.put))
        crews[-1].start()
        return crews[-1]

    yield crew
    for each in crews:
        each.stop()


def test_the_parent_tells_of_each_child_that_has_died_before_another_follows(
    crew: Callable[[str], Crew], died: SimpleQueue[str]
) -> None:
    crew("import os; os.kill(os.getpid(), 9)")
    first, second = died.get(timeout=SECONDS), died.get(timeout=SECONDS)
    assert has_ended(first)
    assert first != second


def test_of_one_that_ends_in_order_it_says_nothing(
    crew: Callable[[str], Crew], died: SimpleQueue[str]
) -> None:
    crew("import sys; sys.stdin.read()").stop()
    assert died.empty()
