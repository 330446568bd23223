"""What ends with a node: its share of the stack's counters, and the stack with its last one.

Readiness (``missing``) and completion (``remaining``) are counters that change in the same
commit as the result that changes them, each by one guarded UPDATE in id order; nothing here
counts other rows. A need that ended badly poisons what waited for it: the dependent becomes
ready all the same, and its worker skips it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from stoker.store import sinks, snapshots
from stoker.store import tables as t
from stoker.store.bulk import IDS, add, alike, among, insert, update, uuids
from stoker.store.locks import hold
from stoker.store.parts import parts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

_WITHOUT_GOAL = frozenset({"CHECK", "SUSPEND", "RESUME", "SNAPSHOT"})
_CHANGING = frozenset({"UPDATE", "RESTORE"})

NOT_SUPPORTED = "CHECK not supported for "
"""How the reason of a resource begins that could not be checked: its type has no check."""

NOT_FULLY = "'CHECK' not fully supported (see resources)"
"""What is said of a stack with such a resource, and of the resource whose child that is."""


def moment(seconds: float) -> datetime:
    """Return the naive UTC moment that is stored for seconds since the epoch."""
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)


_FORGET = tuple(
    sa.delete(table).where(among(table.c.traversal_id)) for table in (t.edge, t.sync_point)
)


def forget_traversals(connection: sa.Connection, ids: Collection[str]) -> None:
    """Delete the counters of traversals that are over or superseded."""
    if ids:
        for statement in _FORGET:
            connection.execute(statement, {IDS: list(ids)})


@dataclass(frozen=True, slots=True, order=True)
class Ready:
    """A row whose node, a sync point of the traversal, waits for no other."""

    row: int
    node: int
    traversal_id: str


HEAD_START: Final = 5.0
"""Seconds. What an end lets go on goes before what has become due by itself for so long: a chain
that is begun ends, before all others are begun too. No longer, so that others have their turn."""


def make_due(connection: sa.Connection, ready: Iterable[Ready], now: float) -> None:
    """Hand rows to whoever claims them first."""
    rows = [
        {
            "id": r.row,
            "due": now,
            "node_id": r.node,
            "traversal_id": r.traversal_id,
            "attempt": 0,
        }
        for r in sorted(ready)
    ]
    update(connection, t.resource, rows)


@dataclass(frozen=True, slots=True)
class Ended:
    """A node that has ended; ``cause`` is the text of a failure that is not a mere skip.

    ``finding`` is what is added to the causes before it; else the first is kept alone.
    ``aside``: the traversal is not the stack's, but deletes one of its snapshots.
    """

    node_id: int
    stack_id: str
    traversal_id: str
    bad: bool
    cause: str | None = None
    finding: str | None = None
    aside: bool = False


def count_out(connection: sa.Connection, ended: list[Ended], now: float) -> None:
    """Count ended nodes out of their stacks, and end those that are through."""
    if not ended:
        return
    own = [e for e in ended if not e.aside]
    _count_out(connection, own)
    finish_ended(connection, {e.stack_id for e in own}, now)
    _count_out_aside(connection, [e for e in ended if e.aside], now)


def _count_out_aside(connection: sa.Connection, ended: list[Ended], now: float) -> None:
    counted: dict[str, snapshots.Counted] = {}
    for e in ended:
        each = counted.setdefault(e.traversal_id, snapshots.Counted())
        each.nodes += 1
        each.failures += e.bad
        each.cause = each.cause or e.cause or ""
    if not counted:
        return
    forget_traversals(connection, snapshots.count_out(connection, counted, moment(now)))


def _count_out(connection: sa.Connection, ended: list[Ended]) -> None:
    totals: Counter[tuple[str, str]] = Counter()
    failures: Counter[tuple[str, str]] = Counter()
    causes: dict[tuple[str, str], list[Ended]] = {}
    for e in ended:
        key = (e.stack_id, e.traversal_id)
        totals[key] += 1
        failures[key] += e.bad
        if e.cause is not None:
            causes.setdefault(key, []).append(e)
    c = t.stack.c
    for (stack_id, traversal), told in sorted(causes.items()):  # before the failures are counted
        mine = (c.id == stack_id, c.traversal_id == traversal)
        connection.execute(sa.update(t.stack).where(*mine).values(status_reason=_reason(told)))
    counted = [
        {"id": key[0], "traversal_id": key[1], "remaining": -n, "failures": failures[key]}
        for key, n in sorted(totals.items())
    ]
    add(connection, t.stack, counted, keys=("id", "traversal_id"))


def _reason(ended: Sequence[Ended]) -> sa.ColumnElement[str]:
    """Return the stack's reason once these have ended: the first cause, then all findings."""
    c = t.stack.c
    first, *others = ended
    more = "".join(f"; {e.finding}" for e in others if e.finding is not None)
    added = more if first.finding is None else f"; {first.finding}{more}"
    fresh = sa.literal(f"{first.cause}{more}")
    return sa.case((c.failures == 0, fresh), else_=c.status_reason + added)


_THROUGH = sa.select(t.stack.c.id).where(
    among(t.stack.c.id), t.stack.c.remaining == 0, t.stack.c.status == "IN_PROGRESS"
)
_STACKS = sa.select(t.stack).where(among(t.stack.c.id)).order_by(t.stack.c.id)


def finish_ended(connection: sa.Connection, stack_ids: Iterable[str], now: float) -> None:
    """End each of the stacks whose traversal has no node left."""
    ids = sorted(stack_ids)
    if not ids:
        return
    # Nearly never there is one: a whole row's columns would cost more than all else.
    through = connection.scalars(_THROUGH, {IDS: ids}).all()
    if through:
        rows = connection.execute(_STACKS, {IDS: sorted(through)})
        end_stacks(connection, [Ending(row) for row in rows], now)


def followed(reason: str, cause: str | None) -> str:
    """Return the reason of a stack that is rolled back, or was, with what that follows."""
    return reason if cause is None else f"{reason}. It follows: {cause}"


@dataclass(frozen=True, slots=True)
class Ending:
    """A stack, as its row is, that ends.

    ``failed`` ends it before its nodes have ended (a time-out, a cancel), with that reason.
    Without ``undo`` a failure is not rolled back, whatever the stack says.
    """

    row: sa.Row[Any]
    failed: str | None = None
    undo: bool = True

    @property
    def bad(self) -> bool:
        """Whether the operation has failed."""
        return self.failed is not None or bool(self.row.failures > 0)


def end_stacks(connection: sa.Connection, endings: Sequence[Ending], now: float) -> None:
    """Give stacks their final status; wake the resources whose children they are."""
    if not endings:
        return
    ended = [_Changed(e.row, _final(connection, e, now)) for e in endings]
    for rows in alike(each.values for each in ended):
        update(connection, t.stack, rows)
    _forget_goals_before(connection, endings)
    snapshots.settle(connection, ended, moment(now))
    stack_events(connection, ended, now)
    forget_traversals(connection, [each.traversal_id for each in ended if each.traversal_id])
    _tell_parents(connection, [e.row for e in endings], now)


def _final(connection: sa.Connection, ending: Ending, now: float) -> dict[str, Any]:
    """Return the columns of a stack that has ended."""
    row, bad = ending.row, ending.bad
    text = (ending.failed or row.status_reason) if bad else _good_text(connection, row)
    values: dict[str, Any] = {
        "id": row.id,
        "status": "FAILED" if bad else "COMPLETE",
        "status_reason": followed(text, row.cause),
        "deadline": None,
        "rollback_due": now if bad and ending.undo and _is_undone(row) else None,
        "updated_at": None if row.action == "CREATE" else moment(now),
    }
    return values if bad else {**values, **_well_ended(connection, row, now)}


def _good_text(connection: sa.Connection, row: sa.Row[Any]) -> str:
    text = f"Stack {row.action} completed successfully"
    is_partly = row.action == "CHECK" and _is_partly_checked(connection, row.id)
    return f"{text}. {NOT_FULLY}" if is_partly else text


def _is_undone(row: sa.Row[Any]) -> bool:
    """Tell whether a failure is rolled back: to nothing, or to the last goal that was reached."""
    if row.disable_rollback:
        return False
    is_back = row.action in _CHANGING and row.complete_template_id is not None
    return row.action == "CREATE" or is_back


def _is_partly_checked(connection: sa.Connection, stack_id: str) -> bool:
    r = t.resource.c
    unchecked = sa.or_(
        r.status_reason.startswith(NOT_SUPPORTED, autoescape=True), r.status_reason == NOT_FULLY
    )
    query = sa.select(r.id).where(r.stack_id == stack_id, r.action == "CHECK", unchecked)
    return connection.execute(query.limit(1)).first() is not None


def _well_ended(connection: sa.Connection, row: sa.Row[Any], now: float) -> dict[str, Any]:
    if row.action in _WITHOUT_GOAL:
        return {}
    if row.action == "DELETE":
        if row.owner_id is None and row.user_creds_id is not None:
            connection.execute(
                sa.update(t.user_creds)
                .where(t.user_creds.c.id == row.user_creds_id)
                .values(state="REVOKING")
            )
        return {"deleted_at": moment(now), "taken_name": None}
    return {"complete_template_id": row.template_id}


def _forget_goals_before(connection: sa.Connection, endings: Iterable[Ending]) -> None:
    """Delete the documents of goals that others have taken the place of."""
    old = [
        e.row.complete_template_id
        for e in endings
        if not e.bad and e.row.action not in (*_WITHOUT_GOAL, "DELETE")
        if e.row.complete_template_id not in (None, e.row.template_id)
    ]
    forget_goals(connection, old)


_FORGET_GOALS = sa.delete(t.raw_template).where(among(t.raw_template.c.id))


def forget_goals(connection: sa.Connection, ids: Collection[int]) -> None:
    """Delete the documents of goals."""
    if ids:
        connection.execute(_FORGET_GOALS, {IDS: list(ids)})


_PARENTS = sa.select(t.resource.c.id, t.resource.c.child_traversal).where(
    among(t.resource.c.id), t.resource.c.node_id.is_not(None)
)


def _tell_parents(connection: sa.Connection, rows: Iterable[sa.Row[Any]], now: float) -> None:
    """Wake the resources whose child stacks these are, if they still wait for this."""
    over = {(row.parent_resource_id, row.traversal_id) for row in rows if row.parent_resource_id}
    if not over:
        return
    parents = connection.execute(_PARENTS, {IDS: sorted({parent for parent, _ in over})})
    waiting = [{"id": id, "due": now} for id, child in parents if (id, child) in over]
    update(connection, t.resource, waiting)


class _Changed:
    """A row with some columns as they have just been written."""

    def __init__(self, row: sa.Row[Any], values: Mapping[str, Any]) -> None:
        self._row, self.values = row, values

    def __getattr__(self, name: str) -> Any:
        return self.values[name] if name in self.values else getattr(self._row, name)


def stack_events(connection: sa.Connection, rows: Collection[Any], now: float) -> None:
    """Write the events that say what the stacks' rows say."""
    at = moment(now)
    events = [
        {
            "uuid": uuid,
            "stack_id": row.id,
            "resource_name": row.name,
            "resource_type": "OS::Heat::Stack",
            "physical_id": row.id,
            "action": row.action,
            "status": row.status,
            "status_reason": row.status_reason,
            "created_at": at,
            "tell_at": now,
        }
        for uuid, row in zip(uuids(len(rows)), rows, strict=True)
    ]
    insert(connection, t.event, events)
    owed = zip((each["uuid"] for each in events), rows, strict=True)
    sinks.owe(connection, owed, now)


def expire(connection: sa.Connection, now: float) -> list[str]:
    """End every stack that has used up its time; return their ids."""
    c = t.stack.c
    is_late = (c.deadline <= now, c.status == "IN_PROGRESS")
    late = connection.scalars(sa.select(c.id).where(*is_late)).all()
    hold(connection, late, ending=late)
    rows = connection.execute(sa.select(t.stack).where(c.id.in_(late), *is_late)).all()
    for row in rows:
        _cut_short(connection, row, now, "Timed out")
    return [row.id for row in rows]


def cancel(connection: sa.Connection, stack_id: str, now: float) -> str | None:
    """End a create or update where it stands, and all that goes on in the stacks below.

    Return None, or what the stack is in where it is neither of the two: nothing is written.
    """
    hold(connection, [stack_id], ending=[stack_id])
    row = connection.execute(sa.select(t.stack).where(t.stack.c.id == stack_id)).one()
    if row.action not in ("CREATE", "UPDATE") or row.status != "IN_PROGRESS":
        return f"{row.action}_{row.status}"
    _cut_tree(connection, row, now, "Stack {} cancelled")
    return None


def reset(connection: sa.Connection, stack_id: str, now: float) -> bool:
    """End whatever goes on in a stack and in those below, by an operator's word.

    Return whether there is such a stack.
    """
    c = t.stack.c
    hold(connection, [stack_id], ending=[stack_id])
    query = sa.select(t.stack).where(c.id == stack_id, c.deleted_at.is_(None))
    row = connection.execute(query).one_or_none()
    if row is not None:
        _cut_tree(connection, row, now, "Stack status manually reset")
    return row is not None


def _cut_tree(connection: sa.Connection, top: sa.Row[Any], now: float, reason: str) -> None:
    level: Sequence[sa.Row[Any]] = [top]
    while level:
        for each in level:
            if each.status == "IN_PROGRESS":
                _cut_short(connection, each, now, reason.format(each.action), undo=False)
        # Looked for only now: before, a step could still have made one.
        level = _below(connection, [each.id for each in level])


def _below(connection: sa.Connection, owners: list[str]) -> list[sa.Row[Any]]:
    """Return the stacks of the next level, locked; while their owners are, none joins them."""
    c = t.stack.c
    found: list[sa.Row[Any]] = []
    for part in parts(owners):
        query = sa.select(t.stack).where(c.owner_id.in_(part), c.deleted_at.is_(None))
        ids = connection.scalars(query.with_only_columns(c.id)).all()
        hold(connection, ids)
        found += connection.execute(query.order_by(c.id)).all()
    return found


def _cut_short(
    connection: sa.Connection, row: sa.Row[Any], now: float, reason: str, *, undo: bool = True
) -> None:
    """End a stack before its nodes have ended.

    Its rows lose their nodes: what is under way counts as superseded.
    """
    r = t.resource.c
    # A snapshot may be under deletion meanwhile, which is no business of this operation.
    mine = sa.or_(r.snapshot_id.is_(None), r.traversal_id == row.traversal_id)
    connection.execute(
        sa.update(t.resource)
        .where(r.stack_id == row.id, r.status == "IN_PROGRESS", mine)
        .values(status="FAILED", status_reason=reason)
    )
    connection.execute(
        sa.update(t.resource)
        .where(r.stack_id == row.id, mine)
        .values(traversal_id=None, node_id=None, due=None)
    )
    end_stacks(connection, [Ending(row, reason, undo)], now)
