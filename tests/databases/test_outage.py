"""A database that goes away in the middle of work: all goes on by itself once it is back."""

from __future__ import annotations

import logging
import os
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from stoker.api.faults import fault_of
from stoker.errors import Unavailable
from tests.crash import ledger
from tests.crash.scenario import goal
from tests.crash.site import Site
from tests.crash.world import World
from tests.databases.server import KINDS, why_not
from tests.databases.storm import SETTINGS, errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from stoker.usecases.stacks import Goal, StackRef
    from tests.databases.server import Server

LONG = os.environ.get("STOKER_LONG") == "1"
FEW = 4
AWAY_SECONDS = 10.0 if LONG else 2.5
"""Longer than an engine may be silent before it counts as dead, in any case."""
_NET = {"type": "OS::Neutron::Net"}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.stop()


@pytest.fixture(params=[*KINDS])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Give a server of this test's own, for it is stopped."""
    if (reason := why_not(request.param)) is not None:
        pytest.skip(reason)
    with TemporaryDirectory(prefix="stoker-outage-") as folder:
        Path(folder).chmod(0o755)
        server = KINDS[request.param](Path(folder))
        yield server
        server.stop()


@pytest.fixture
def world(site: Site, server: Server) -> Iterator[World]:
    world = World(site, server.database(), SETTINGS)
    yield world
    world.end()


def _wanted(length: int) -> Goal:
    slow = {"value": str(length), "wait_secs": 0.4}
    inner = "heat_template_version: 2021-04-16\nresources: {net: {type: OS::Neutron::Net}}"
    below = {"type": "OS::Heat::Stack", "properties": {"template": inner}}
    chain = {
        f"r{i}": {
            "type": "OS::Heat::TestResource",
            "properties": slow,
            **({"depends_on": f"r{i - 1}"} if i else {}),
        }
        for i in range(4)
    }
    return goal({"net": _NET, "below": {**below, "depends_on": "r1"}, **chain})


@pytest.mark.timeout(300)
@pytest.mark.parametrize("how", ["stop", "kill"] if LONG else ["kill"])
def test_work_goes_on_by_itself_when_the_database_is_back(
    world: World, server: Server, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    before = world.site.things()
    with errors() as told:
        engines = [world.start() for _ in range(2)]
        changed = world.create("changed", _wanted(1))
        world.until(lambda: not world.is_running(changed), "the first create")
        world.update(changed, _wanted(2))
        created = world.create("created", _wanted(1))
        time.sleep(0.5)  # in the middle of both
        getattr(server, how)()
        _all_refused(world, changed)
        server.start()
        for ref in (changed, created):
            world.until(partial(_is_at_rest, world, ref), f"the end of {ref.name}", 60.0)
            assert world.show(ref).status == "COMPLETE"
        assert ledger.lost(world) + ledger.leaked(world, before) == []
        for ref in (changed, created):
            world.delete(ref)
            world.until(partial(_is_at_rest, world, ref), "the deletion")
        world.until(lambda: not ledger.left_over(world), "nothing", 20.0)
    assert [text for each in engines for text in each.watch.wrongs] + told == []
    # A commit that was not answered is told; those that it is tried again with are not.
    failed = [r for r in caplog.records if "a commit failed" in r.message]
    assert 0 < sum(r.levelno >= logging.WARNING for r in failed) <= FEW * len(engines)


def _all_refused(world: World, ref: StackRef) -> None:
    """Ask for everything for as long as the database is away: 503, and nothing else."""
    asked: list[Callable[[], object]] = [
        lambda: world.show(ref),
        lambda: world.create("new", _wanted(1)),
        lambda: world.update(ref, _wanted(3)),
        lambda: world.delete(ref),
        lambda: world.cancel(ref),
    ]
    until = time.monotonic() + AWAY_SECONDS
    while time.monotonic() < until:
        for ask in asked:
            with pytest.raises(Unavailable) as refused:
                ask()
            assert fault_of(refused.value, {}, {}).status == 503


def _is_at_rest(world: World, ref: StackRef) -> bool:
    with suppress(Unavailable):
        return not world.is_running(ref)
    return False
