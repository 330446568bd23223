"""Claiming rows that are due, and recording what came of them: the engine's half of the store.

One transaction records a batch of results, releases what they held up and claims the next
rows. A result counts only while its worker holds the row (engine and epoch, checked here);
one that a newer traversal has superseded leaves on the row what it did, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.engines import freed
from stoker.store.goal import Moved, NewRow, Operation, begin, new_row
from stoker.store.locks import hold
from stoker.store.traversal import Ended, make_due, moment, release

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Claim:
    """A row that an engine holds: its columns, its node, its stack.

    ``row`` has the columns of ``resource`` as they were before the claim, except ``epoch``,
    which is the claim's. ``in_doubt``: an intent was committed before, and no answer since.
    ``data`` is what the resource keeps for life, sealed.
    """

    row: Any
    epoch: int
    forward: bool
    poisoned: bool
    stack: Any
    engine_id: str
    in_doubt: bool = False
    data: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EventRow:
    """A resource event to write; ``properties`` sealed."""

    action: str
    status: str
    reason: str
    physical_id: str | None
    properties: bytes | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What a worker made of a claim.

    ``columns`` are written in any case. Then one of: the node ``ended`` ("good", "bad"); it
    goes ``on`` at once, still claimed, with its next intent committed; it waits ``seconds``;
    or it waits to be woken (none of them). ``cause`` is the first that is told of the stack,
    ``finding`` what is added where others were told before. ``child`` begins an operation on
    the child stack, ``replacement`` hands the node to a new row, ``gone`` deletes the row.
    """

    claim: Claim
    columns: dict[str, Any] = field(default_factory=dict)
    ended: str | None = None
    on: bool = False
    seconds: float | None = None
    cause: str | None = None
    finding: str | None = None
    events: tuple[EventRow, ...] = ()
    data: dict[str, bytes] | None = None
    child: Operation | None = None
    replacement: NewRow | None = None
    delete_first: bool = False
    gone: bool = False


WORDS = frozenset(
    {"physical_id", "sent", "applied", "attributes", "progress", "metadata"}
    | {"action", "status", "status_reason", "verb", "verb_traversal", "intent_at", "updated_at"}
)
"""The columns that a superseded result may still write: what it did."""
_STATE = frozenset({"action", "status", "status_reason"})


def turn(
    connection: Connection, engine_id: str, results: Sequence[Result], room: int, now: float
) -> list[Claim]:
    """Record the results, then claim up to ``room`` rows besides those that go on."""
    again = record(connection, engine_id, results, now) if results else []
    fresh = claim(connection, engine_id, room, now) if room > 0 else []
    return fresh + _claims(connection, engine_id, again)


def disown(connection: Connection, engine_id: str, known: Iterable[Claim], now: float) -> bool:
    """Give back the rows that an engine holds without knowing it: a commit was not answered.

    Return whether that is all of them; others may be at work on some.
    """
    r = t.resource.c
    epochs = {claim.row.id: claim.epoch for claim in known}
    held = connection.execute(sa.select(r.id, r.epoch).where(r.engine_id == engine_id))
    strange = {row for row, epoch in held if epochs.get(row) != epoch}
    if not strange:
        return True
    mine = sa.select(r.id).where(r.id.in_(strange), r.engine_id == engine_id)
    free = connection.scalars(mine.with_for_update(skip_locked=True)).all()
    connection.execute(sa.update(t.resource).where(r.id.in_(free)).values(**freed(now)))
    return len(free) == len(strange)


# claiming


def claim(connection: Connection, engine_id: str, room: int, now: float) -> list[Claim]:
    """Claim rows that are due, longest due first."""
    r = t.resource.c
    query = (
        sa.select(r.id)
        .where(r.due <= now, r.engine_id.is_(None))
        .order_by(r.due, r.id)
        .limit(room)
        .with_for_update(skip_locked=True)
    )
    ids = list(connection.scalars(query))
    if not ids:
        return []
    claims = _claims(connection, engine_id, ids, fresh=True)
    connection.execute(
        sa.update(t.resource)
        .where(r.id.in_(ids))
        .values(
            engine_id=engine_id,
            epoch=r.epoch + 1,
            due=None,
            # With a verb under way the next step may make a call: this is its intent.
            intent_at=sa.case((r.verb.is_(None), None), else_=sa.func.coalesce(r.intent_at, now)),
        )
    )
    return claims


def _claims(
    connection: Connection, engine_id: str, ids: Sequence[int], *, fresh: bool = False
) -> list[Claim]:
    if not ids:
        return []
    s = t.sync_point.c
    rows = connection.execute(
        sa.select(t.resource, s.is_update.label("forward"), s.poisoned)
        .join(t.sync_point, s.id == t.resource.c.node_id)
        .where(t.resource.c.id.in_(ids))
    ).all()
    stacks = {
        row.id: row
        for row in connection.execute(
            sa.select(t.stack).where(t.stack.c.id.in_({row.stack_id for row in rows}))
        )
    }
    data = _data(connection, ids)
    return [
        Claim(
            row,
            row.epoch + fresh,
            bool(row.forward),
            row.poisoned > 0,
            stacks[row.stack_id],
            engine_id,
            fresh and row.intent_at is not None,
            data.get(row.id, {}),
        )
        for row in rows
    ]


def _data(connection: Connection, ids: Sequence[int]) -> dict[int, dict[str, bytes]]:
    d = t.resource_data.c
    found: dict[int, dict[str, bytes]] = {}
    query = sa.select(d.resource_id, d.key, d.value).where(d.resource_id.in_(ids))
    for row_id, key, value in connection.execute(query):
        found.setdefault(row_id, {})[key] = value
    return found


# recording


def record(
    connection: Connection, engine_id: str, results: Sequence[Result], now: float
) -> list[int]:
    """Write the results that still count; return the ids of rows that go on."""
    results = sorted(results, key=lambda result: int(result.claim.row.id))
    _hold(connection, results)
    results = [_with_child_begun(connection, engine_id, result, now) for result in results]
    # Only now: a child's operation has superseded what else was done in that child.
    valid, superseded = _sort_out(connection, engine_id, results)
    _write_columns(connection, superseded, now, only=WORDS)
    _hand_back(connection, [result.claim.row.id for result in superseded])
    _write_columns(connection, valid, now)
    going = _place(connection, valid, now)
    _write_data(connection, valid + superseded)
    _write_events(connection, valid, now)
    for result in valid:
        if result.replacement is not None:
            _replace(connection, result, now)
    release(connection, [_ended(result) for result in valid if result.ended], now)
    _delete_rows(connection, [result for result in valid if result.gone])
    return going


def _hold(connection: Connection, results: Sequence[Result]) -> None:
    stacks = {result.claim.row.stack_id for result in results}
    children = {result.child.stack_id for result in results if result.child is not None}
    ending = {result.claim.row.stack_id for result in results if result.ended}
    hold(connection, stacks | children, ending=ending)


def _ended(result: Result) -> Ended:
    row = result.claim.row
    is_bad = result.ended == "bad"
    return Ended(
        row.node_id, row.stack_id, row.traversal_id, is_bad, result.cause, result.finding,
        aside=row.snapshot_id is not None and row.traversal_id != result.claim.stack.traversal_id,
    )  # fmt: skip


def _sort_out(
    connection: Connection, engine_id: str, results: Sequence[Result]
) -> tuple[list[Result], list[Result]]:
    """Return the results that count and those of superseded traversals; drop the fenced."""
    r = t.resource.c
    query = (
        sa.select(r.id, r.epoch, r.engine_id, r.traversal_id, r.node_id)
        .where(r.id.in_([result.claim.row.id for result in results]))
        .order_by(r.id)
        .with_hint(t.resource, "FORCE INDEX (PRIMARY)", "mysql")
        .with_hint(t.resource, "FORCE INDEX (PRIMARY)", "mariadb")
        .with_for_update()
    )
    there = {row.id: row for row in connection.execute(query)}
    valid: list[Result] = []
    superseded: list[Result] = []
    for result in results:
        row, mine = there.get(result.claim.row.id), result.claim
        if row is None or (row.epoch, row.engine_id) != (mine.epoch, engine_id):
            continue
        same = (row.traversal_id, row.node_id) == (mine.row.traversal_id, mine.row.node_id)
        (valid if same else superseded).append(result)
    return valid, superseded


def _with_child_begun(connection: Connection, engine_id: str, result: Result, now: float) -> Result:
    """Begin the operation on a child that the result asks for, if the result counts.

    One that does not count has begun nothing, and has nothing to write.
    """
    if result.child is None:
        return result
    counts, _ = _sort_out(connection, engine_id, [result])
    if not counts:
        return replace(result, columns={"intent_at": None})
    return _begin_child(connection, result, result.child, now)


def _begin_child(connection: Connection, result: Result, child: Operation, now: float) -> Result:
    """Begin the child's operation; where the child has moved on, the step is done anew.

    The parent's row is written first: a child that has nothing to do ends, and wakes its
    parent, in this very transaction.
    """
    try:
        with connection.begin_nested():
            _write_columns(connection, [result], now)
            begin(connection, child, now)
    except Moved:
        return Result(result.claim, seconds=0.0)
    return replace(result, columns={})


def _write_columns(
    connection: Connection,
    results: Sequence[Result],
    now: float,
    only: frozenset[str] | None = None,
) -> None:
    shapes: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for result in results:
        values = dict(result.columns) if only is None else _left_behind(result.columns, only)
        if values:
            row = {f"v_{k}": v for k, v in values.items()} | {"row": result.claim.row.id}
            shapes.setdefault(tuple(sorted(values)), []).append(row)
    for names, rows in shapes.items():
        columns: dict[str, Any] = {name: sa.bindparam(f"v_{name}") for name in names}
        connection.execute(
            sa.update(t.resource)
            .where(t.resource.c.id == sa.bindparam("row"))
            .values(**columns, updated_at=moment(now)),
            rows,
        )


def _left_behind(columns: Mapping[str, Any], only: frozenset[str]) -> dict[str, Any]:
    """Return what a superseded result may write; that its step goes on is not true any more."""
    goes_on = columns.get("status") == "IN_PROGRESS"
    return {k: v for k, v in columns.items() if k in only and not (goes_on and k in _STATE)}


def _hand_back(connection: Connection, ids: list[int]) -> None:
    if ids:
        connection.execute(
            sa.update(t.resource).where(t.resource.c.id.in_(ids)).values(engine_id=None)
        )


def _place(connection: Connection, results: Sequence[Result], now: float) -> list[int]:
    """Give rows back, due or not, or keep them for the next step with its intent."""
    r = t.resource.c
    going = [result.claim.row.id for result in results if result.on]
    if going:
        connection.execute(
            sa.update(t.resource).where(r.id.in_(going)).values(intent_at=now, attempt=0)
        )
    waiting = [
        {"row": result.claim.row.id, "when": now + result.seconds}
        for result in results
        if not result.on and result.seconds is not None
    ]
    if waiting:
        connection.execute(
            sa.update(t.resource)
            .where(r.id == sa.bindparam("row"))
            .values(engine_id=None, due=sa.bindparam("when")),
            waiting,
        )
    _hand_back(
        connection,
        [x.claim.row.id for x in results if not x.on and x.seconds is None],
    )
    return going


def _write_data(connection: Connection, results: Sequence[Result]) -> None:
    d = t.resource_data.c
    keep = [result for result in results if result.data is not None]
    if not keep:
        return
    ids = [result.claim.row.id for result in keep]
    connection.execute(sa.delete(t.resource_data).where(d.resource_id.in_(ids)))
    rows = [
        {"resource_id": result.claim.row.id, "key": key, "value": value}
        for result in keep
        for key, value in (result.data or {}).items()
    ]
    if rows:
        connection.execute(sa.insert(t.resource_data), rows)


def _write_events(connection: Connection, results: Sequence[Result], now: float) -> None:
    rows = [
        {
            "uuid": str(uuid4()),
            "stack_id": result.claim.row.stack_id,
            "resource_name": result.claim.row.name,
            "resource_type": result.claim.row.type,
            "physical_id": event.physical_id,
            "action": event.action,
            "status": event.status,
            "status_reason": event.reason,
            "properties": event.properties,
            "created_at": moment(now),
        }
        for result in results
        for event in result.events
    ]
    if rows:
        connection.execute(sa.insert(t.event), rows)


def _replace(connection: Connection, result: Result, now: float) -> None:
    """Hand the node to a new row for the same name; the old one is left to the clean-up."""
    old, new = result.claim.row, result.replacement
    if new is None:
        raise Moved("there is no replacement")
    values = new_row(old.stack_id, new, now) | {"replaces_id": old.id, "metadata": old.metadata}
    key = connection.execute(sa.insert(t.resource).values(**values)).inserted_primary_key
    row_id = int(key[0]) if key is not None else 0
    connection.execute(
        sa.update(t.resource)
        .where(t.resource.c.id == old.id)
        .values(is_current=False, node_id=None, traversal_id=old.traversal_id)
    )
    connection.execute(
        sa.update(t.sync_point).where(t.sync_point.c.id == old.node_id).values(resource_id=row_id)
    )
    if result.delete_first:
        _turn_round(connection, old, now)
    else:
        make_due(connection, old.traversal_id, [{"row": row_id, "node": old.node_id}], now)


def _turn_round(connection: Connection, old: Any, now: float) -> None:
    """Let the old row's clean-up go first, and the replacement wait for it."""
    s = t.sync_point.c
    cleanup = connection.scalar(
        sa.select(s.id).where(
            s.traversal_id == old.traversal_id, s.resource_id == old.id, s.is_update.is_(False)
        )
    )
    if cleanup is None:
        raise Moved("the plan has no clean-up for a resource that is replaced")
    connection.execute(sa.delete(t.edge).where(t.edge.c.dependent_id == cleanup))
    connection.execute(sa.update(t.sync_point).where(s.id == cleanup).values(missing=0, poisoned=0))
    connection.execute(
        sa.insert(t.edge).values(
            need_id=cleanup, dependent_id=old.node_id, traversal_id=old.traversal_id
        )
    )
    connection.execute(sa.update(t.sync_point).where(s.id == old.node_id).values(missing=1))
    make_due(connection, old.traversal_id, [{"row": old.id, "node": cleanup}], now)


def _delete_rows(connection: Connection, results: Sequence[Result]) -> None:
    ids = [result.claim.row.id for result in results]
    if not ids:
        return
    for table, column in (
        (t.resource_data, t.resource_data.c.resource_id),
        (t.inbox, t.inbox.c.resource_id),
        (t.resource, t.resource.c.id),
    ):
        connection.execute(sa.delete(table).where(column.in_(ids)))


def overdue(connection: Connection, now: float) -> bool:
    """Tell whether a stack has used up its time."""
    c = t.stack.c
    query = sa.select(c.id).where(c.deadline <= now, c.status == "IN_PROGRESS").limit(1)
    return connection.scalar(query) is not None
