"""Many signals at the same time to resources that several engines work on: each counts once."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.engine import Engine
from stoker.store.database import Database
from stoker.store.migrate import upgrade
from stoker.store.seal import KEY_BYTES, Sealer
from stoker.usecases.stacks import CreateStack
from tests.databases.server import KINDS, why_not
from tests.engine.house import SETTINGS, goal
from tests.engine.shelf import ANN
from tests.engine.test_signals import PAIR, Hearers, Site, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.usecases.stacks import StackRef
    from tests.databases.server import Servers

CALM = replace(SETTINGS, threads=4, beat_seconds=0.5, dead_seconds=20.0)
"""Nobody is declared dead because the machine is busy."""
SENDERS, EACH = 3, 4
WANTED = {
    "h": PAIR["h"],
    "c": {
        "type": "OS::Heat::WaitCondition",
        "properties": {
            "handle": {"get_resource": "h"},
            "timeout": 60,
            "count": SENDERS * EACH,
        },
    },
    "a": "T::Ear",
    "b": {"type": "T::Ear", "properties": {"size": 2}},
}


@pytest.fixture(params=KINDS)
def site(request: pytest.FixtureRequest, servers: Servers) -> Iterator[Site]:
    if (reason := why_not(request.param)) is not None:
        pytest.skip(reason)
    database = Database(servers.one(request.param).database(), Sealer(b"k" * KEY_BYTES))
    upgrade(database)
    site = Site(database)
    keys: Any = site.keys
    engines = [Engine(database, Hearers(), keys, CALM) for _ in range(2)]
    for each in engines:
        each.start()
    yield site
    for each in engines:
        each.stop()
    database.close()


def test_each_of_many_signals_counts_once(site: Site) -> None:
    refs = [site.stacks.create(ANN, CreateStack(f"s{i}", goal(WANTED))) for i in range(2)]
    failed: list[BaseException] = []

    def send(ref: StackRef, name: str) -> None:
        for x in range(EACH):
            try:
                site.signal(ref, name, x=x)
            except BaseException as e:  # noqa: BLE001 - told by the test
                failed.append(e)

    names = ("h",) * SENDERS + ("a", "b")
    threads = [threading.Thread(target=send, args=(ref, name)) for ref in refs for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    for ref in refs:
        assert site.ended(ref) == "CREATE_COMPLETE"
    until(lambda: site.letters() == len(refs), "all is heard, and the states are there")
    for ref in refs:
        assert len(site.stacks.metadata(ANN, ref, "h")) == SENDERS * EACH
        for name in ("a", "b"):
            assert site.attribute(ref, name, "said") == list(range(EACH))
        site.stacks.delete(ANN, ref)
    for ref in refs:
        assert site.ended(ref) == "DELETE_COMPLETE"
    assert site.letters() == 0
