"""What the tests of webhooks have in common: stacks with sinks, what sends, what has come."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.engine.delivering import Delivering, Post
from stoker.fetch import Limits, post
from stoker.store import tables as t
from stoker.usecases.stacks import CreateStack, Goal, StackRef
from tests.app.serving import eventually
from tests.engine.shelf import ANN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from stoker.store.database import Database
    from tests.engine.house import House
    from tests.engine.receiver import Receiver

THING = "T::Thing"
LAST = "s CREATE_COMPLETE"
SAID = ["s CREATE_IN_PROGRESS", "a CREATE_IN_PROGRESS", "a CREATE_COMPLETE", LAST]
NEAR = partial(post, limits=Limits(0, 5.0, private=True))


@contextmanager
def sending(
    database: Database, post: Post = NEAR, engine_id: Callable[[], str] = str
) -> Iterator[None]:
    sender = Delivering(database, post, engine_id)
    sender.start()
    try:
        yield
    finally:
        sender.stop()


def hook(receiver: Receiver, **more: Any) -> dict[str, Any]:
    return {"type": "webhook", "target": receiver.url(), **more}


def goal(*sinks: Mapping[str, Any], **resources: Any) -> Goal:
    whole = resources or {"a": {"type": THING}}
    template = {"heat_template_version": "2021-04-16", "resources": whole}
    return Goal(template, environment={"event_sinks": list(sinks)})


def create(house: House, *sinks: Mapping[str, Any], **resources: Any) -> StackRef:
    what = CreateStack("s", goal(*sinks, **resources), disable_rollback=not house.undoes)
    return house.stacks.create(ANN, what)


def count(database: Database, table: sa.Table) -> int:
    with database.read() as connection:
        return int(connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0)


def drained(database: Database) -> None:
    """Wait until nothing is owed to anybody."""
    eventually(lambda: count(database, t.delivery) == 0)


def all_said(receiver: Receiver) -> list[str]:
    """Return what has come so far."""
    return [receiver.next().said for _ in range(receiver.received.qsize())]
