"""Where a stack's events are sent to, and that they are owed: written with the events themselves.

Rule: whoever writes events holds the stack, and writes what is owed in the same transaction, after
them. A stack without sinks costs no statement. Whoever locks a sink waits for nothing after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store.bulk import insert
from stoker.store.tables import delivery, event_sink

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from stoker.store.goal import NewSink

_s = event_sink.c
_ROUSE = (
    sa.update(event_sink)
    .where(_s.id == sa.bindparam("sink"))
    .values(due=sa.func.coalesce(_s.due, sa.bindparam("now")))
)


def named(sinks: Iterable[NewSink]) -> str | None:
    """Return what the stack's row says of its sinks."""
    return " ".join(sorted(each.id for each in sinks)) or None


def keep(
    connection: sa.Connection, stack_id: str, sinks: Sequence[NewSink], before: str | None
) -> None:
    """Write the sinks that a stack has from now on; the others stay until nothing is owed to them.

    ``before`` is what its row said of them.
    """
    if not sinks and before is None:
        return
    wanted = {each.id: each for each in sinks}
    mine = _s.stack_id == stack_id
    if before is not None:
        idle = (_s.due.is_(None), _s.id.not_in(list(wanted)))
        connection.execute(sa.delete(event_sink).where(mine, *idle))
    there = set(connection.scalars(sa.select(_s.id).where(mine)))
    new = [wanted[id] for id in sorted(wanted.keys() - there)]
    insert(connection, event_sink, [_row(stack_id, each) for each in new])


def _row(stack_id: str, sink: NewSink) -> dict[str, Any]:
    values = {"id": sink.id, "stack_id": stack_id, "place": sink.place, "config": sink.config}
    return {**values, "due": None, "epoch": 0, "failures": 0}


def owe(connection: sa.Connection, events: Iterable[tuple[str, Any]], now: float) -> None:
    """Write that events are to be sent: their UUIDs, each with the row of its stack."""
    owed = [
        {"stack_id": stack.id, "sink_id": sink, "event_uuid": uuid, "owed_at": now}
        for uuid, stack in events
        if stack.sinks is not None
        for sink in stack.sinks.split()
    ]
    if not owed:
        return
    insert(connection, delivery, owed)
    for sink in sorted({each["sink_id"] for each in owed}):
        connection.execute(_ROUSE, {"sink": sink, "now": now})


def without(connection: sa.Connection, stack_id: str, uuids: sa.Select[tuple[str]]) -> int:
    """Owe these events of the stack to nobody any more; return how often they were owed."""
    d = delivery.c
    gone = sa.delete(delivery).where(d.stack_id == stack_id, d.event_uuid.in_(uuids))
    return int(connection.execute(gone).rowcount)
