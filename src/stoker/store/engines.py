"""The engines that work on this database: their beats, and the rows of the dead."""

from __future__ import annotations

import socket
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import deliveries
from stoker.store import tables as t
from stoker.store.parts import parts
from stoker.store.resources import aware
from stoker.store.traversal import moment

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from sqlalchemy import Connection

_c = t.service.c
# Written so that no index serves them: what fits them is most of a table, which SQLite would
# read whole for it, whatever else is asked.
IS_FREE = sa.func.coalesce(t.resource.c.engine_id, "") <= ""
"""No engine holds the row."""
IS_NOT_DUE = sa.func.coalesce(t.resource.c.due, -1.0) == -1.0
"""Nobody is to claim the row."""


@dataclass(frozen=True, slots=True)
class EngineRow:
    """An engine that works, or that was found dead (``deleted_at``); interval in seconds."""

    id: str
    host: str
    hostname: str
    binary: str
    topic: str
    report_interval: int
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None


@dataclass(frozen=True, slots=True)
class Pulse:
    """An engine's counter, the process it is (where that is told), and for how many ``still``
    seconds the counter is known to have stood still."""

    beat: int
    process: str | None
    still: float


_LISTED = tuple(each.name for each in fields(EngineRow))


def join(
    connection: Connection,
    engine_id: str,
    interval: float,
    now: float,
    process: str | None = None,
) -> None:
    """Write a new engine's row; ``process`` tells it apart from every other of any machine."""
    host = socket.gethostname()
    connection.execute(
        sa.insert(t.service).values(
            id=engine_id,
            host=host,
            hostname=host,
            binary="stoker-engine",
            topic="engine",
            process=process,
            report_interval=max(1, round(interval)),
            beat=0,
            created_at=moment(now),
            updated_at=moment(now),
        )
    )


def beat(connection: Connection, engine_id: str, now: float) -> bool:
    """Move the engine's counter; return False where it counts as dead."""
    result = connection.execute(
        sa.update(t.service)
        .where(_c.id == engine_id, _c.deleted_at.is_(None))
        .values(beat=_c.beat + 1, updated_at=moment(now))
    )
    return result.rowcount == 1


def beats(connection: Connection) -> dict[str, int]:
    """Return the counter of each engine that is not known to be dead."""
    rows = connection.execute(sa.select(_c.id, _c.beat).where(_c.deleted_at.is_(None)))
    return dict(rows.all())


def pulses(connection: Connection) -> dict[str, Pulse]:
    """Return the pulse of each engine that is not known to be dead."""
    still = sa.case((_c.still_beat == _c.beat, _c.still_seconds), else_=0.0)
    query = sa.select(_c.id, _c.beat, _c.process, still).where(_c.deleted_at.is_(None))
    return {row[0]: Pulse(*row[1:]) for row in connection.execute(query)}


def note_still(connection: Connection, still: Mapping[str, tuple[int, float]]) -> None:
    """Write down for how many seconds beats were seen to stand still, where that is news.

    Each is known to whoever saw it, by a clock of its own; the longest is true of all.
    """
    for engine_id, (counter, seconds) in sorted(still.items()):
        is_news = sa.or_(
            _c.still_beat.is_(None), _c.still_beat != counter, _c.still_seconds < seconds
        )
        connection.execute(
            sa.update(t.service)
            .where(_c.id == engine_id, _c.beat == counter, is_news)
            .values(still_beat=counter, still_seconds=seconds)
        )


def listed(connection: Connection, since: float) -> list[EngineRow]:
    """Return the engines not known to be dead, and those found dead since then, oldest first."""
    query = (
        sa.select(*(_c[name] for name in _LISTED))
        .where(sa.or_(_c.deleted_at.is_(None), _c.deleted_at >= moment(since)))
        .order_by(_c.created_at, _c.id)
    )
    return [_engine_row(found) for found in connection.execute(query)]


def _engine_row(found: Any) -> EngineRow:
    values = dict(zip(_LISTED, found, strict=True))
    for name in ("created_at", "updated_at", "deleted_at"):
        values[name] = values[name] and aware(values[name])
    return EngineRow(**values)


def holders(connection: Connection) -> set[str]:
    """Return the engines that hold rows, or send to sinks, dead or alive."""
    e = t.resource.c.engine_id
    holders = set(connection.scalars(sa.select(e).where(e.is_not(None)).distinct()))
    return holders | deliveries.senders(connection)


def bury(
    connection: Connection, dead: Mapping[str, int], gone: Collection[str], now: float
) -> None:
    """Declare engines dead whose counter is still the one given, and free their rows.

    ``gone`` are engines without a living row of their own whose rows are still held. The
    epoch goes up, so that nothing they still try is taken for a result.
    """
    buried = set(gone)
    for engine_id, counter in sorted(dead.items()):
        result = connection.execute(
            sa.update(t.service)
            .where(_c.id == engine_id, _c.beat == counter, _c.deleted_at.is_(None))
            .values(deleted_at=moment(now))
        )
        if result.rowcount == 1:
            buried.add(engine_id)
    _free(connection, buried, now)


def leave(connection: Connection, engine_id: str, now: float) -> None:
    """Take an engine off the list and give its rows back at once.

    Nothing is kept of it: only an engine that died is worth a look afterwards. Rows that it
    holds all the same are found to be nobody's.
    """
    connection.execute(sa.delete(t.service).where(_c.id == engine_id))
    _free(connection, {engine_id}, now)


def freed(now: float) -> dict[str, Any]:
    """Return the columns of a row taken from its engine: due at once, and fenced.

    A call that was intended may have been sent at any time until now, and is in doubt from now.
    """
    r = t.resource.c
    due = sa.case((r.node_id.is_not(None), now), else_=None)
    intent_at = sa.case((r.intent_at.is_not(None), now), else_=None)
    return {"engine_id": None, "epoch": r.epoch + 1, "due": due, "intent_at": intent_at}


def _free(connection: Connection, engine_ids: Collection[str], now: float) -> None:
    """Free the rows of engines; one that others work on stays held, and is found later."""
    if not engine_ids:
        return
    r = t.resource.c
    held = sa.select(r.id).where(r.engine_id.in_(engine_ids))
    rows = connection.scalars(held.with_for_update(skip_locked=True)).all()
    for part in parts(rows):
        connection.execute(sa.update(t.resource).where(r.id.in_(part)).values(**freed(now)))
    deliveries.hand_on(connection, engine_ids, now)  # in the order of locks sinks come last
