"""Many write events and several send them, on each database: none is lost or out of order."""

from __future__ import annotations

import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from stoker.engine import delivering
from stoker.engine.delivering import Delivering
from stoker.errors import Unfetched
from stoker.lang.sinks import Webhook
from stoker.store import tables as t
from stoker.store.database import Database
from stoker.store.goal import NewSink
from stoker.store.happening import happened
from stoker.store.locks import hold
from stoker.store.migrate import upgrade
from stoker.store.seal import KEY_BYTES, Sealer
from tests.app.serving import eventually
from tests.databases.server import KINDS, why_not
from tests.store.traversing import Player

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import sqlalchemy as sa

    from tests.databases.server import Servers

STACKS, EVENTS, SENDERS = 4, 40, 3


@pytest.fixture(params=["sqlite", *KINDS])
def database(
    request: pytest.FixtureRequest, servers: Servers, tmp_path: Path
) -> Iterator[Database]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'a.db'}"
    elif (reason := why_not(request.param)) is not None:
        pytest.skip(reason)
    else:
        url = servers.one(request.param).database()
    database = Database(url, Sealer(b"k" * KEY_BYTES))
    upgrade(database)
    yield database
    database.close()


class Post:
    """Keeps what was sent by stack; each third request is refused."""

    def __init__(self) -> None:
        self.taken: dict[str, list[str]] = defaultdict(list)
        self._count, self._guard = 0, threading.Lock()

    def __call__(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        payload = orjson.loads(body)["payload"]
        with self._guard:
            self._count += 1
            if self._count % 3 == 0:
                raise Unfetched("not now")
            self.taken[payload["stack_id"]].append(payload["resource_status_reason"])


def test_many_that_write_and_several_that_send_lose_nothing_and_keep_the_order(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivering, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(delivering, "pause", lambda failures: 0.01)
    player, post = Player(database, now=database.now()), Post()
    config = asdict(Webhook("https://hooks.example/"))
    for number in range(STACKS):
        player.sinks = (NewSink(f"sink{number}", "place", database.sealer.seal(config)),)
        player.create({"a": []}, name=f"s{number}")
    rows = player.resources()
    senders = [Delivering(database, post, str) for _ in range(SENDERS)]
    for sender in senders:
        sender.start()
    with ThreadPoolExecutor(STACKS) as writers:
        list(writers.map(lambda row: write_events(database, row), rows))
    eventually(lambda: player.count(t.delivery) == 0)
    for sender in senders:
        sender.stop()
    wanted = ["Stack CREATE started", *map(str, range(EVENTS))]
    assert post.taken == {row.stack_id: wanted for row in rows}


def write_events(database: Database, row: Any) -> None:
    for number in range(EVENTS):
        database.again(partial(write, row=row, now=database.now(), reason=str(number)))


def write(connection: sa.Connection, row: Any, now: float, reason: str) -> None:
    hold(connection, [row.stack_id])
    happened(connection, row, now, ("SIGNAL", "COMPLETE", reason))
