"""Events that are owed to sinks: who sends them, and which have been sent.

Rule: a sink is taken up by one at a time, for a while; where nothing is said in time, or the engine
that sends is dead, another takes it up and sends again what may have been sent. What is owed is
read in the order in which it was written, and forgotten only when it was sent, or given up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from stoker.store.events import ALL, EventRow, of_row
from stoker.store.tables import delivery, event, event_sink, stack

if TYPE_CHECKING:
    from collections.abc import Collection

_k, _d, _e, _s = event_sink.c, delivery.c, event.c, stack.c


@dataclass(frozen=True, slots=True)
class Taken:
    """A sink that was taken up; ``config`` is sealed, ``failures`` are those in a row.

    ``refusals`` are those of the first event that is owed, the last of these.
    """

    id: str
    stack_id: str
    place: str
    config: bytes
    epoch: int
    failures: int
    refusals: int


@dataclass(frozen=True, slots=True)
class Owed:
    """An event that is to be sent, and of its stack what it does not say."""

    id: int
    event: EventRow
    stack_name: str
    project_id: str
    root_id: str


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of a turn: what is done with, and how it goes on.

    ``due`` None: at once if there is more. ``given_up`` is the moment before which nothing may
    be owed any more.
    """

    done: Collection[int] = ()
    due: float | None = None
    failures: int = 0
    refusals: int = 0
    given_up: float | None = None


def is_any_due(connection: sa.Connection, now: float) -> bool:
    """Tell whether a sink has something to be sent, which is read without a lock."""
    return connection.scalar(sa.select(_k.id).where(_k.due <= now).limit(1)) is not None


_REFUSALS = sa.case(
    (_k.refusals.is_(None), 0), (_k.refusals > _k.failures, _k.failures), else_=_k.refusals
)


def take_up(
    connection: sa.Connection, now: float, until: float, most: int,
    engine_id: str | None, busy: Collection[str] = (),
) -> list[Taken]:  # fmt: skip
    """Return sinks that are due, the longest due first, but for those at ``busy`` places.

    They are ours until that moment, or until the engine of that id is buried.
    """
    due = sa.select(_k.id).where(_k.due <= now).order_by(_k.due, _k.id).limit(most)
    if busy:
        due = due.where(_k.place.not_in(sorted(busy)))
    ids = list(connection.scalars(due.with_for_update(skip_locked=True)))
    if not ids:
        return []
    mine = _k.id.in_(ids)
    values = {"due": until, "epoch": _k.epoch + 1, "engine_id": engine_id}
    connection.execute(sa.update(event_sink).where(mine).values(**values))
    columns = (_k.id, _k.stack_id, _k.place, _k.config, _k.epoch, _k.failures, _REFUSALS)
    found = {row.id: Taken(*row) for row in connection.execute(sa.select(*columns).where(mine))}
    return [found[id] for id in ids]


_OWED = (
    sa.select(_d.id, _s.name, _s.project_id, _s.root_id, *ALL)
    .select_from(delivery)
    .join(stack, _s.id == _d.stack_id)
    .outerjoin(event, _e.uuid == _d.event_uuid)
    .where(_d.stack_id == sa.bindparam("stack_id"), _d.sink_id == sa.bindparam("sink_id"))
    .order_by(_d.id)
    .limit(sa.bindparam("most"))
)


def owed(connection: sa.Connection, sink: Taken, most: int) -> tuple[list[Owed], list[int]]:
    """Return what is owed to the sink, in the order in which it happened.

    Besides, the ids of what is owed and not there any more.
    """
    of = {"stack_id": sink.stack_id, "sink_id": sink.id, "most": most}
    found: list[Owed] = []
    lost: list[int] = []
    for id, name, project_id, root_id, *columns in connection.execute(_OWED, of):
        if columns[0] is None:
            lost.append(id)
        else:
            found.append(Owed(id, of_row(columns), name, project_id, root_id))
    return found, lost


def settle(connection: sa.Connection, sink: Taken, sent: Sent, now: float) -> int:
    """Write what came of the turn, and return how many were given up.

    Where another has taken the sink up meanwhile, only what was sent is written.
    """
    locked = sa.select(_k.epoch).where(_k.id == sink.id).with_for_update()
    epoch = connection.scalar(locked)
    connection.execute(sa.delete(delivery).where(_d.id.in_(list(sent.done))))
    if epoch != sink.epoch:
        return 0
    given_up = 0 if sent.given_up is None else _give_up(connection, sink, sent.given_up)
    # Asked under the lock that whoever owes more has to take after having written it.
    more = connection.scalar(sa.select(_d.id).where(*_of(sink)).limit(1)) is not None
    due = None if not more else now if sent.due is None else sent.due
    values = {"due": due, "failures": sent.failures, "refusals": sent.refusals, "engine_id": None}
    connection.execute(sa.update(event_sink).where(_k.id == sink.id).values(**values))
    return given_up


def hand_on(connection: sa.Connection, engine_ids: Collection[str], now: float) -> None:
    """Make due what these engines were sending; what they still say of it is that of the overtaken.

    A sink that another has locked stays theirs, and is found later.
    """
    theirs = sa.select(_k.id).where(_k.engine_id.in_(engine_ids))
    ids = list(connection.scalars(theirs.with_for_update(skip_locked=True)))
    if ids:
        values = {"due": now, "epoch": _k.epoch + 1, "engine_id": None}
        connection.execute(sa.update(event_sink).where(_k.id.in_(ids)).values(**values))


def senders(connection: sa.Connection) -> set[str]:
    """Return the engines that send, dead or alive."""
    found = sa.select(_k.engine_id).where(_k.engine_id.is_not(None)).distinct()
    return set(connection.scalars(found))


def _of(sink: Taken) -> tuple[sa.ColumnElement[bool], ...]:
    return (_d.stack_id == sink.stack_id, _d.sink_id == sink.id)


def _give_up(connection: sa.Connection, sink: Taken, before: float) -> int:
    old = sa.delete(delivery).where(*_of(sink), _d.owed_at < before)
    return int(connection.execute(old).rowcount)
