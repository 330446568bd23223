"""Everything that was captured of a real Heat's API, sent again in its order.

An answer must have the same status, the same headers and the same shape, but for what
``differences.py`` lists; what is listed and does not show is a failure too.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Final

import pytest

from stoker.engine.settings import Settings
from tests.replay.differences import DIFFERENCES, LEFT_OUT
from tests.replay.exchange import Exchange, read
from tests.replay.shape import shape
from tests.replay.site import Site

if TYPE_CHECKING:
    from pathlib import Path

    from tests.replay.differences import Difference

FIRST: Final = "[01]"
RUNS: Final = {
    FIRST: Settings(),
    "20": Settings(enable_stack_abandon=True, enable_stack_adopt=True),
    "221": Settings(max_resources_per_stack=5),
    "23": Settings(max_stacks_per_tenant=0),
}
"""How the installations were set up, by the first digits of what was captured there."""

AT_ONCE: Final = frozenset(
    {
        "007-stack-show-in-progress",
        "063-update-while-in-progress-409",
        "064-update-patch-202",
        "081-stack-show-update-in-progress",
        "082-action-cancel-update",
        "085-update-patch-for-cancel-nr",
        "086-action-cancel-without-rollback",
        "089-action-cancel-create",
        "090-delete-while-creating",
        "091-show-delete-in-progress",
        "164-stack-show-delete-in-progress",
    }
)
"""What is sent while a stack is at work."""


def lines(site: Site, exchange: Exchange) -> list[str]:
    """Send a request and return how the answer is otherwise."""
    if exchange.name not in AT_ONCE:
        site.rest()
    theirs, ours = shape(exchange.answer), shape(site.send(exchange))
    return sorted({f"- {each}" for each in theirs - ours} | {f"+ {each}" for each in ours - theirs})


def exchanges(shared: Path, digits: str) -> list[Exchange]:
    """Return what was captured under these digits, in order."""
    found = [read(file) for file in sorted((shared / "facts" / "http").glob(f"{digits}*.txt"))]
    assert found
    return [each for each in found if each.name not in LEFT_OUT]


def test_answers_are_those_of_heat_but_for_what_is_listed(shared: Path, tmp_path: Path) -> None:
    unexplained: dict[str, list[str]] = {}
    used: set[Difference] = set()
    for number, (digits, settings) in enumerate(RUNS.items()):
        with closing(Site(tmp_path / f"{number}.db", settings)) as site:
            if digits == FIRST:
                site.neighbour()
            for exchange in exchanges(shared, digits):
                for line in lines(site, exchange):
                    reasons = {each for each in DIFFERENCES if each.explains(exchange.name, line)}
                    used |= reasons
                    if not reasons:
                        unexplained.setdefault(exchange.name, []).append(line)
    assert unexplained == {}
    assert [each for each in DIFFERENCES if each not in used] == []


@pytest.mark.parametrize("name", [*LEFT_OUT, *AT_ONCE])
def test_what_is_named_was_captured(shared: Path, name: str) -> None:
    assert (shared / "facts" / "http" / f"{name}.txt").is_file()
