"""Everything that was captured of a real Heat's API, sent again in its order.

An answer must have the same status, the same headers and the same shape, but for what
``differences.py`` lists; what is listed and does not show is a failure too. Each must also be as
the OpenAPI document says.
"""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING, Final

import jsonschema  # type: ignore[import-untyped]  # it has no types
import pytest

from stoker.api.openapi import document
from stoker.api.v1.application import ROUTES
from stoker.api.v1.described import OPERATIONS
from stoker.api.v1.shapes import SHAPES
from stoker.engine.settings import Settings
from tests.replay.differences import DIFFERENCES, LEFT_OUT
from tests.replay.exchange import Exchange, read
from tests.replay.shape import shape
from tests.replay.site import Site

if TYPE_CHECKING:
    from pathlib import Path

    from stoker.api.route import Route
    from tests.replay.differences import Difference
    from tests.replay.exchange import Answer

FIRST: Final = "[01]"
DOCUMENT: Final = document(ROUTES, OPERATIONS, SHAPES)
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
    answer = site.send(exchange)
    check(exchange, answer)
    theirs, ours = shape(exchange.answer), shape(answer)
    return sorted({f"- {each}" for each in theirs - ours} | {f"+ {each}" for each in ours - theirs})


def served_by(exchange: Exchange) -> Route | None:
    """Return the route of a request: the one whose path says the most."""
    path = exchange.path.partition("?")[0].removeprefix("/v1")
    found = [
        route
        for route in ROUTES
        if route.verb == exchange.method
        and re.fullmatch(re.sub(r"{\w+}", "[^/]+", route.path), path)
    ]
    return min(found, key=lambda route: route.path.count("{"), default=None)


def check(exchange: Exchange, answer: Answer) -> None:
    """Fail where an answer is otherwise than the OpenAPI document says."""
    route = served_by(exchange)
    if route is None:
        return  # what no route serves: the versions, and what is not there
    responses = DOCUMENT["paths"][route.path][route.verb.lower()]["responses"]
    content = responses.get(str(answer.status), responses["default"]).get("content")
    if content is None:
        assert not answer.text, exchange.name
    else:
        schema = content["application/json"]["schema"] | {"components": DOCUMENT["components"]}
        jsonschema.validate(answer.json, schema)


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


@pytest.mark.parametrize("name", sorted({*LEFT_OUT, *AT_ONCE}))
def test_what_is_named_was_captured(shared: Path, name: str) -> None:
    assert (shared / "facts" / "http" / f"{name}.txt").is_file()
