"""Several engines on one database, killed at random while stacks change: nothing is lost.

The short form runs a few programs on each database, other ones each time (``STOKER_SEED``
repeats one); the long form (``STOKER_LONG=1``) runs fifty.
"""

from __future__ import annotations

import os
import random
from functools import partial
from typing import TYPE_CHECKING

import pytest

from stoker.engine import stored
from tests.crash.site import Site
from tests.databases.server import KINDS, why_not
from tests.databases.storm import ABANDONED_SECONDS, Storm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.databases.server import Server, Servers

LONG = os.environ.get("STOKER_LONG") == "1"
PROGRAMS = 50 if LONG else 2


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.stop()


@pytest.fixture(params=[*KINDS])
def server(request: pytest.FixtureRequest, servers: Servers) -> Server:
    if (reason := why_not(request.param)) is not None:
        pytest.skip(reason)
    return servers.one(request.param)


@pytest.fixture(autouse=True)
def _soon_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "_ABANDONED_SECONDS", ABANDONED_SECONDS)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("number", range(PROGRAMS))
def test_nothing_is_lost_leaked_or_stuck_whoever_dies(
    site: Site, server: Server, number: int
) -> None:
    given = os.environ.get("STOKER_SEED")
    seed = int(given) + number if given else random.SystemRandom().randrange(1_000_000)
    url = server.database()
    wrongs = Storm(site, url, seed, partial(server.cut, url)).run()
    assert not wrongs, f"STOKER_SEED={seed}:\n" + "\n".join(wrongs[:20])
