"""Recording what came of claimed rows, and claiming the next: the engine's half of the store.

One transaction records a batch of results, releases what they held up and claims the next
rows. A result counts only while its worker holds the row (engine and epoch, checked here);
one that a newer traversal has superseded leaves on the row what it did, and nothing else.

What is released and only computes may be ended in the same transaction (:class:`AtOnce`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import inbox, sinks, software
from stoker.store import tables as t
from stoker.store.beginning import begin_all, standing
from stoker.store.bulk import IDS, alike, among, insert, update, uuids
from stoker.store.claims import Claim, ahead, claim, claims
from stoker.store.engines import freed
from stoker.store.goal import NewRow, Operation
from stoker.store.locks import hold_at
from stoker.store.nodes import Nodes
from stoker.store.replacing import replace_row
from stoker.store.traversal import HEAD_START, Ended, Ready, count_out, make_due, moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlalchemy import Connection

    from stoker.store.software import ConfigRow


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
    ``heard`` is the mail that is done with; ``listened`` says of which resources the state
    was read, and how far: a wait is over where there is more. ``silenced`` forget theirs.
    ``config`` is kept, ``unkept`` is the id of one that goes.
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
    heard: int | None = None
    listened: Mapping[int, int] = field(default_factory=dict)
    silenced: tuple[int, ...] = ()
    config: ConfigRow | None = None
    unkept: str | None = None


@dataclass(frozen=True, slots=True)
class AtOnce:
    """What is done within the transaction that releases it: rows of ``types`` alone.

    ``perform`` returns None for what it leaves to a claim. It calls nothing, may be done over,
    and reads through the transaction, in which what it stands on has just ended.
    """

    types: frozenset[str]
    perform: Callable[[Claim], Result | None]


NOTHING_AT_ONCE = AtOnce(frozenset(), lambda _: None)


WORDS = frozenset(
    {"physical_id", "requires", "sent", "applied", "attributes", "progress", "metadata"}
    | {"type", "implementation"}  # of what it has made: the row may be wanted as another by now
    | {"action", "status", "status_reason", "verb", "verb_traversal", "intent_at", "updated_at"}
)
"""The columns that a superseded result may still write: what it did."""
_STATE = frozenset({"action", "status", "status_reason"})
_INTENT = frozenset({"verb", "verb_traversal", "intent_at"})


def turn(
    connection: Connection,
    engine_id: str,
    results: Sequence[Result],
    room: int,
    now: float,
    at_once: AtOnce = NOTHING_AT_ONCE,
) -> list[Claim]:
    """Record the results, then claim up to ``room`` rows besides those that go on."""
    again = record(connection, engine_id, results, now, at_once) if results else []
    # Last: who has taken rows of any stack must wait for nothing more.
    fresh = claim(connection, engine_id, room, now) if room > 0 else []
    return fresh + claims(connection, engine_id, again)


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


# recording

_r = t.resource.c
_FOLLOWED = 200
"""Rows that are followed at a time: the others are claimed."""


def record(
    connection: Connection,
    engine_id: str,
    results: Sequence[Result],
    now: float,
    at_once: AtOnce = NOTHING_AT_ONCE,
) -> list[int]:
    """Write the results that still count; return the ids of rows that go on."""
    results = sorted(results, key=lambda result: int(result.claim.row.id))
    _hold(connection, results)
    results = _with_children_begun(connection, engine_id, results, now)
    # Only now: a child's operation has superseded what else was done in that child.
    valid, superseded = _sort_out(connection, engine_id, results)
    valid = _with_mail(connection, valid, superseded)
    _write(connection, [_row(each, now, _left_behind(each)) for each in superseded])
    _write(connection, [_row(each, now, _placed(each, now)) for each in valid if not each.gone])
    _keep(connection, valid + superseded)
    for result in valid:
        if (new := result.replacement) is not None:
            old, first = result.claim.row, result.delete_first
            replace_row(connection, old, new, now, delete_first=first)
    ended = [result for result in valid if result.ended]
    nodes = Nodes(connection)
    ready, followed = _follow(connection, engine_id, ended, nodes, at_once, now)
    nodes.write()
    make_due(connection, ready, now - HEAD_START)
    _write_events(connection, valid + followed, now)
    count_out(connection, [_ended(result) for result in ended + followed], now)
    _delete_rows(connection, [result for result in valid + followed if result.gone])
    return [result.claim.row.id for result in valid if result.on]


def _follow(
    connection: Connection,
    engine_id: str,
    ended: Sequence[Result],
    nodes: Nodes,
    at_once: AtOnce,
    now: float,
) -> tuple[list[Ready], list[Result]]:
    """End nodes; perform what they let go, then what that lets go, and so on. Return what is
    left, and the results.

    All of it is in stacks that are held, and nothing is waited for: rows that somebody else has
    locked are left.
    """
    stacks = {result.claim.stack.id: result.claim.stack for result in ended}
    left: list[Ready] = []
    results: list[Result] = []
    while ready := nodes.let_go([_ended(result) for result in ended]):
        wanted = [each.node for each in ready[:_FOLLOWED]]
        held = [
            replace(each, poisoned=each.poisoned or nodes.is_poisoned(each.row.node_id))
            for each in ahead(connection, engine_id, wanted, at_once.types, stacks)
        ]
        performed = (at_once.perform(each) for each in held)
        ended = [result for result in performed if result is not None and _is_plain(result)]
        over = {result.claim.row.node_id for result in ended}
        left += [each for each in ready if each.node not in over]
        _write(connection, [_row(each, now, _over(each)) for each in ended if not each.gone])
        _keep(connection, ended)
        results += ended
    return left, results


def _is_plain(result: Result) -> bool:
    """Tell whether the result has ended its node, and touches nothing but its own row."""
    elsewhere = (result.child, result.replacement, result.heard, result.seconds)
    more = result.on or result.listened or result.silenced
    return result.ended is not None and not more and all(each is None for each in elsewhere)


def _over(result: Result) -> dict[str, Any]:
    """Return the columns of a row that was never claimed, as if it had been and given back."""
    row = result.claim.row
    place = {"node_id": row.node_id, "traversal_id": row.traversal_id, "attempt": 0}
    return {**result.columns, **place, "due": None, "engine_id": None}


def _keep(connection: Connection, results: Sequence[Result]) -> None:
    _write_data(connection, results)
    _write_configs(connection, results)


def _with_mail(
    connection: Connection, valid: list[Result], superseded: list[Result]
) -> list[Result]:
    """Take out the mail that was heard; return the valid results, a wait for what there is
    more of by now due at once."""
    said = valid + superseded
    heard = [result.heard for result in said if result.heard is not None]
    inbox.take_out(connection, heard, [row for result in said for row in result.silenced])
    newest = inbox.newest(connection, {row for result in valid for row in result.listened})
    return [_hastened(result, newest) for result in valid] if newest else valid


def _hastened(result: Result, newest: Mapping[int, int]) -> Result:
    is_late = any(newest.get(row, 0) > read for row, read in result.listened.items())
    return replace(result, seconds=0.0) if is_late and result.seconds is not None else result


def _hold(connection: Connection, results: Sequence[Result]) -> None:
    places: set[tuple[int, str]] = set()
    for result in results:
        stack = result.claim.stack
        places.add((stack.nested_depth, stack.id))
        if result.child is not None:
            places.add((stack.nested_depth + 1, result.child.stack_id))
        if result.ended and stack.owner_id is not None:
            places.add((stack.nested_depth - 1, stack.owner_id))
    hold_at(connection, places)


def _ended(result: Result) -> Ended:
    row = result.claim.row
    is_bad = result.ended == "bad"
    return Ended(
        row.node_id, row.stack_id, row.traversal_id, is_bad, result.cause, result.finding,
        aside=row.snapshot_id is not None and row.traversal_id != result.claim.stack.traversal_id,
    )  # fmt: skip


_HELD = (
    sa.select(_r.id, _r.epoch, _r.engine_id, _r.traversal_id, _r.node_id)
    .where(among(_r.id))
    .order_by(_r.id)
    .with_hint(t.resource, "FORCE INDEX (PRIMARY)", "mysql")
    .with_hint(t.resource, "FORCE INDEX (PRIMARY)", "mariadb")
    .with_for_update()
)


def _sort_out(
    connection: Connection, engine_id: str, results: Sequence[Result]
) -> tuple[list[Result], list[Result]]:
    """Return the results that count and those of superseded traversals; drop the fenced."""
    ids = [result.claim.row.id for result in results]
    there = {row.id: row for row in connection.execute(_HELD, {IDS: ids})}
    valid: list[Result] = []
    superseded: list[Result] = []
    for result in results:
        row, mine = there.get(result.claim.row.id), result.claim
        if row is None or (row.epoch, row.engine_id) != (mine.epoch, engine_id):
            continue
        same = (row.traversal_id, row.node_id) == (mine.row.traversal_id, mine.row.node_id)
        (valid if same else superseded).append(result)
    return valid, superseded


def _with_children_begun(
    connection: Connection, engine_id: str, results: Sequence[Result], now: float
) -> list[Result]:
    """Begin the operations on children that the results ask for, level by level from above: one
    of a child supersedes what else was done in that child."""
    begun: dict[int, Result] = {}
    asking = [result for result in results if result.child is not None]
    for depth in sorted({result.claim.stack.nested_depth for result in asking}):
        level = [result for result in asking if result.claim.stack.nested_depth == depth]
        begun |= _begin_children(connection, engine_id, level, now)
    return [begun.get(result.claim.row.id, result) for result in results]


def _begin_children(
    connection: Connection, engine_id: str, level: Sequence[Result], now: float
) -> dict[int, Result]:
    """Begin the operations of those results that count; return what is left to be done of all.

    A result that does not count has begun nothing, and has nothing to write. Where a child has
    moved on, the step is done anew. The parents' rows are written first: a child that has
    nothing to do ends, and wakes its parent, in this very transaction.
    """
    counts, _ = _sort_out(connection, engine_id, level)
    asked = {id(result.child): result for result in counts}
    found = standing(connection, [result.child for result in counts if result.child is not None])
    started = [asked.pop(id(each.op)) for each in found]
    _write(connection, [_row(result, now, result.columns) for result in started])
    begin_all(connection, found, now)
    left = {result.claim.row.id: replace(result, columns={"intent_at": None}) for result in level}
    left |= {result.claim.row.id: Result(result.claim, seconds=0.0) for result in asked.values()}
    return left | {result.claim.row.id: replace(result, columns={}) for result in started}


def _write(connection: Connection, rows: Iterable[dict[str, Any]]) -> None:
    """Write the rows, those of one shape at once."""
    for group in alike(rows):
        update(connection, t.resource, group)


def _row(result: Result, now: float, columns: Mapping[str, Any]) -> dict[str, Any]:
    return {**columns, "id": result.claim.row.id, "updated_at": moment(now)}


def _left_behind(result: Result) -> dict[str, Any]:
    """Return what a superseded result may write: not that its step goes on, nor what it was to
    do next, for that will not be done."""
    void = _STATE if result.columns.get("status") == "IN_PROGRESS" else frozenset()
    void |= _INTENT if result.on else frozenset()
    left = {k: v for k, v in result.columns.items() if k in WORDS and k not in void}
    return {**left, "engine_id": None}


def _placed(result: Result, now: float) -> dict[str, Any]:
    """Return the columns that give the row back, due or not, or keep it with its next intent."""
    if result.on:
        verb = result.columns.get("verb", result.claim.row.verb)
        has_intent = verb is not None or "inbox_read" in result.columns  # which begins a hearing
        return {**result.columns, "intent_at": now if has_intent else None, "attempt": 0}
    if result.seconds is None:
        return {**result.columns, "engine_id": None}
    return {**result.columns, "engine_id": None, "due": now + result.seconds}


def _write_data(connection: Connection, results: Sequence[Result]) -> None:
    keep = [result for result in results if result.data is not None]
    if not keep:
        return
    ids = [result.claim.row.id for result in keep]
    connection.execute(_FORGET_DATA, {IDS: ids})
    insert(
        connection,
        t.resource_data,
        [
            {"resource_id": result.claim.row.id, "key": key, "value": value}
            for result in keep
            for key, value in (result.data or {}).items()
        ],
    )


def _write_configs(connection: Connection, results: Sequence[Result]) -> None:
    """Keep software configs, and give up others, by their ids."""
    kept = [result.config for result in results if result.config is not None]
    for config in sorted(kept, key=lambda config: config.id):
        software.add_config(connection, config)
    for config_id in sorted(each.unkept for each in results if each.unkept is not None):
        software.give_up_config(connection, config_id)


def _write_events(connection: Connection, results: Sequence[Result], now: float) -> None:
    at = moment(now)
    told = [(result.claim, event) for result in results for event in result.events]
    ids = uuids(len(told))
    insert(
        connection,
        t.event,
        [
            {
                "uuid": uuid,
                "stack_id": claim.row.stack_id,
                "resource_name": claim.row.name,
                "resource_type": claim.row.type,
                "physical_id": event.physical_id,
                "action": event.action,
                "status": event.status,
                "status_reason": event.reason,
                "properties": event.properties,
                "created_at": at,
            }
            for uuid, (claim, event) in zip(ids, told, strict=True)
        ],
    )
    stacks = (claim.stack for claim, _ in told)
    sinks.owe(connection, zip(ids, stacks, strict=True), now)


_FORGET_DATA = sa.delete(t.resource_data).where(among(t.resource_data.c.resource_id))
_FORGET_MAIL = sa.delete(t.inbox).where(among(t.inbox.c.resource_id))
_DELETE = sa.delete(t.resource).where(among(_r.id))


def _delete_rows(connection: Connection, results: Sequence[Result]) -> None:
    ids = [result.claim.row.id for result in results]
    if not ids:
        return
    for statement in (_FORGET_DATA, _FORGET_MAIL, _DELETE):
        connection.execute(statement, {IDS: ids})


def overdue(connection: Connection, now: float) -> bool:
    """Tell whether a stack has used up its time."""
    c = t.stack.c
    query = sa.select(c.id).where(c.deadline <= now, c.status == "IN_PROGRESS").limit(1)
    return connection.scalar(query) is not None
