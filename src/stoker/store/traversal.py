"""The counters of a traversal: releasing what waited, and ending a stack with its last node.

Readiness (``missing``) and completion (``remaining``) are counters that change in the same
commit as the result that changes them, each by one guarded UPDATE in id order; nothing here
counts other rows. A need that ended badly poisons what waited for it: the dependent becomes
ready all the same, and its worker skips it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import sqlalchemy as sa

from stoker.store import snapshots
from stoker.store import tables as t
from stoker.store.bulk import add, among, update
from stoker.store.locks import hold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_CHUNK = 500  # parameters of one IN list
_WITHOUT_GOAL = frozenset({"CHECK", "SUSPEND", "RESUME", "SNAPSHOT"})
_CHANGING = frozenset({"UPDATE", "RESTORE"})

NOT_SUPPORTED = "CHECK not supported for "
"""How the reason of a resource begins that could not be checked: its type has no check."""

NOT_FULLY = "'CHECK' not fully supported (see resources)"
"""What is said of a stack with such a resource, and of the resource whose child that is."""


def moment(seconds: float) -> datetime:
    """Return the naive UTC moment that is stored for seconds since the epoch."""
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)


def forget_traversal(connection: sa.Connection, traversal_id: str) -> None:
    """Delete the counters of a traversal that is over or superseded."""
    for table in (t.edge, t.sync_point):
        connection.execute(sa.delete(table).where(table.c.traversal_id == traversal_id))


def make_due(
    connection: sa.Connection, traversal_id: str, ready: list[dict[str, int]], now: float
) -> None:
    """Hand rows (``{"row": id, "node": sync point}``) to whoever claims them first."""
    rows = [
        {
            "id": r["row"],
            "due": now,
            "node_id": r["node"],
            "traversal_id": traversal_id,
            "attempt": 0,
        }
        for r in sorted(ready, key=lambda r: r["row"])
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


def release(connection: sa.Connection, ended: list[Ended], now: float) -> None:
    """Count the ended nodes out, hand on what they held up, end stacks that are through."""
    if not ended:
        return
    bad = {e.node_id for e in ended if e.bad}
    done = [{"id": node, "done": True} for node in sorted(e.node_id for e in ended)]
    update(connection, t.sync_point, done)
    _release_dependents(connection, [e.node_id for e in ended], bad, now)
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
    for traversal_id in snapshots.count_out(connection, counted, moment(now)):
        forget_traversal(connection, traversal_id)


_s = t.sync_point.c
_HELD_UP = sa.select(t.edge.c.need_id, t.edge.c.dependent_id).where(among(t.edge.c.need_id))
_READY = sa.select(_s.id, _s.resource_id, _s.traversal_id).where(
    among(_s.id), _s.missing == 0, _s.done.is_(False)
)


def _release_dependents(
    connection: sa.Connection, nodes: list[int], bad: set[int], now: float
) -> None:
    met: Counter[int] = Counter()
    poisoned: Counter[int] = Counter()
    for need, dependent in connection.execute(_HELD_UP, {"ids": nodes}):
        met[dependent] += 1
        poisoned[dependent] += need in bad
    if not met:
        return
    counted = [{"missing": -met[d], "poisoned": poisoned[d], "id": d} for d in sorted(met)]
    add(connection, t.sync_point, counted)
    ready: dict[str, list[dict[str, int]]] = {}
    for node, row, traversal in connection.execute(_READY, {"ids": sorted(met)}):
        ready.setdefault(traversal, []).append({"row": row, "node": node})
    for traversal, rows in ready.items():
        make_due(connection, traversal, rows, now)


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
    for stack_id, traversal in sorted(totals):
        key = (stack_id, traversal)
        values: dict[str, Any] = {
            "remaining": c.remaining - totals[key],
            "failures": c.failures + failures[key],
        }
        if key in causes:
            values["status_reason"] = _reason(causes[key])
        connection.execute(
            sa.update(t.stack).where(c.id == stack_id, c.traversal_id == traversal).values(**values)
        )


def _reason(ended: Sequence[Ended]) -> sa.ColumnElement[str]:
    """Return the stack's reason once these have ended: the first cause, then all findings."""
    c = t.stack.c
    first, *others = ended
    more = "".join(f"; {e.finding}" for e in others if e.finding is not None)
    added = more if first.finding is None else f"; {first.finding}{more}"
    fresh = sa.literal(f"{first.cause}{more}")
    return sa.case((c.failures == 0, fresh), else_=c.status_reason + added)


def finish_ended(connection: sa.Connection, stack_ids: Iterable[str], now: float) -> None:
    """End each of the stacks whose traversal has no node left."""
    c = t.stack.c
    for part in _parts(sorted(stack_ids)):
        query = sa.select(t.stack).where(
            c.id.in_(part), c.remaining == 0, c.status == "IN_PROGRESS"
        )
        for row in connection.execute(query).all():
            end_stack(connection, row, now)


def followed(reason: str, cause: str | None) -> str:
    """Return the reason of a stack that is rolled back, or was, with what that follows."""
    return reason if cause is None else f"{reason}. It follows: {cause}"


def end_stack(
    connection: sa.Connection,
    row: sa.Row[Any],
    now: float,
    *,
    failed: str | None = None,
    undo: bool = True,
) -> None:
    """Give the stack its final status; wake the resource whose child it is.

    ``failed`` ends it before its nodes have ended (a time-out, a cancel), with that reason.
    Without ``undo`` a failure is not rolled back, whatever the stack says.
    """
    bad = failed is not None or row.failures > 0
    text = (failed or row.status_reason) if bad else _good_text(connection, row)
    values: dict[str, Any] = {
        "status": "FAILED" if bad else "COMPLETE",
        "status_reason": followed(text, row.cause),
        "deadline": None,
        "rollback_due": now if bad and undo and _is_undone(row) else None,
        "updated_at": None if row.action == "CREATE" else moment(now),
    }
    if not bad:
        values |= _well_ended(connection, row, now)
    connection.execute(sa.update(t.stack).where(t.stack.c.id == row.id).values(**values))
    snapshots.settle(connection, row, values["status"], values["status_reason"], moment(now))
    stack_event(connection, _Changed(row, values), now)
    if row.traversal_id is not None:
        forget_traversal(connection, row.traversal_id)
    if row.parent_resource_id is not None:
        _tell_parent(connection, row, now)


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
    r = t.raw_template.c
    before = row.complete_template_id
    if before is not None and before != row.template_id:
        connection.execute(sa.delete(t.raw_template).where(r.id == before))
    return {"complete_template_id": row.template_id}


def _tell_parent(connection: sa.Connection, row: sa.Row[Any], now: float) -> None:
    """Wake the resource, if it still waits for this."""
    r = t.resource.c
    connection.execute(
        sa.update(t.resource)
        .where(r.id == row.parent_resource_id, r.child_traversal == row.traversal_id)
        .where(r.node_id.is_not(None))
        .values(due=now)
    )


class _Changed:
    """A row with some columns as they have just been written."""

    def __init__(self, row: sa.Row[Any], values: Mapping[str, Any]) -> None:
        self._row, self._values = row, values

    def __getattr__(self, name: str) -> Any:
        return self._values[name] if name in self._values else getattr(self._row, name)


def stack_event(connection: sa.Connection, row: Any, now: float) -> None:
    """Write the event that says what the stack's row says."""
    connection.execute(
        sa.insert(t.event).values(
            uuid=str(uuid4()),
            stack_id=row.id,
            resource_name=row.name,
            resource_type="OS::Heat::Stack",
            physical_id=row.id,
            action=row.action,
            status=row.status,
            status_reason=row.status_reason,
            created_at=moment(now),
            tell_at=now,
        )
    )


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
    for part in _parts(owners):
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
    end_stack(connection, row, now, failed=reason, undo=undo)


def _parts(items: Iterable[Any]) -> Iterable[list[Any]]:
    whole = list(items)
    for start in range(0, len(whole), _CHUNK):
        yield whole[start : start + _CHUNK]
