"""Writing stack operations: one transaction after which anybody can carry them on.

The commit of :func:`begin` is the operation. It is guarded by the stack's version and by the
epochs of the rows that the plan leaves alone; where they moved, nothing is written. Several
are written in as many statements as one: a group's children begin together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from stoker.errors import Conflict
from stoker.store import sinks, snapshots
from stoker.store import tables as t
from stoker.store.bulk import IDS, alike, among, insert, update
from stoker.store.goal import Moved
from stoker.store.locks import hold
from stoker.store.purge import forget_rows
from stoker.store.savepoint import savepoint
from stoker.store.traversal import (
    Ready,
    finish_ended,
    followed,
    forget_goals,
    forget_traversals,
    make_due,
    moment,
    stack_events,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from stoker.plan.node import Node
    from stoker.store.goal import NewRow, Operation, TemplateRow


@dataclass(frozen=True, slots=True)
class Beginning:
    """An operation that can be begun: its stack and that one's rows as they are, locked.

    ``before`` is None where the stack is new.
    """

    op: Operation
    before: Any = None
    rows: Sequence[Any] = ()


def begin(connection: sa.Connection, op: Operation, now: float) -> None:
    """Write the operation; raises Moved, or Conflict where the name is taken."""
    if op.version is not None:
        hold(connection, [op.stack_id], ending=() if op.needs else [op.stack_id])
    found = standing(connection, [op])
    if not found:
        raise Moved(f"stack {op.stack_id} or its resources have changed since the plan was made")
    begin_all(connection, found, now)


def begin_all(connection: sa.Connection, all_: Sequence[Beginning], now: float) -> None:
    """Write operations whose stacks are held; raises Conflict where a name is taken."""
    ops = [each.op for each in all_]
    templates = _templates(connection, ops, now)
    _insert_stacks(connection, [op for op in ops if op.version is None], templates, now)
    _supersede(connection, [each for each in all_ if each.before is not None], templates, now)
    for op in ops:
        _tags(connection, op)
    for each in all_:
        _sinks(connection, each)
    gone = [op.stack_id for op in ops if op.action == "DELETE"]
    forget_traversals(connection, snapshots.doom(connection, gone, moment(now)))
    for op in ops:
        if op.snapshot is not None:
            snapshots.insert(connection, op.stack_id, op.snapshot, moment(now))
    _nodes(connection, ops, _rows(connection, ops, now), now)
    stack_events(connection, [_Shown(each, now) for each in all_], now)
    finish_ended(connection, [op.stack_id for op in ops if not op.needs], now)


# what there is

_BEFORE = sa.select(t.stack).where(among(t.stack.c.id))
_CREDENTIALS = sa.select(t.stack.c.id, t.stack.c.user_creds_id).where(among(t.stack.c.id))
_r = t.resource.c
_BY_STACK = "FORCE INDEX (ix_resource_stack_id_name)"
_THERE = (
    sa.select(_r.id, _r.stack_id, _r.epoch, _r.due, _r.engine_id, _r.node_id, _r.snapshot_id)
    .where(among(_r.stack_id))
    .order_by(_r.id)
    .with_hint(t.resource, _BY_STACK, "mysql")
    .with_hint(t.resource, _BY_STACK, "mariadb")
    .with_for_update()
)


def standing(connection: sa.Connection, ops: Iterable[Operation]) -> list[Beginning]:
    """Return the operations whose stacks and rows are as their plans knew them, with those."""
    every = list(ops)
    old = {IDS: [op.stack_id for op in every if op.version is not None]}
    stacks: dict[str, Any] = {}
    rows: dict[str, list[Any]] = {}
    if old[IDS]:
        stacks = {row.id: row for row in connection.execute(_BEFORE, old)}
        for row in connection.execute(_THERE, old):
            rows.setdefault(row.stack_id, []).append(row)
    found = [_seen(op, stacks.get(op.stack_id), rows.get(op.stack_id, ())) for op in every]
    return [each for each in found if each is not None]


def _seen(op: Operation, before: Any, rows: Sequence[Any]) -> Beginning | None:
    if op.version is None:
        return Beginning(op)
    if before is None or before.version != op.version:
        return None
    mine = [row for row in rows if op.action == "DELETE" or row.snapshot_id is None]
    there = {row.id: row.epoch for row in mine}
    idle = {**op.idle, **op.forgotten}
    if there.keys() != op.rows or any(there[i] != epoch for i, epoch in idle.items()):
        return None
    return Beginning(op, before, mine)


# documents

_FILES = sa.select(t.raw_template_files.c.digest, t.raw_template_files.c.id).where(
    among(t.raw_template_files.c.digest)
)
_NEW_GOALS = sa.insert(t.raw_template).returning(t.raw_template.c.id, sort_by_parameter_order=True)


def _templates(connection: sa.Connection, ops: Sequence[Operation], now: float) -> dict[str, int]:
    """Write the goals' documents; return their ids by the stacks'."""
    told = [(op.stack_id, op.template) for op in ops if op.template is not None]
    if not told:
        return {}
    files = _files(connection, [template for _, template in told])
    rows = [
        {
            "template": template.template,
            "environment": template.environment,
            "files_id": files[template.files_digest],
            "created_at": moment(now),
        }
        for _, template in told
    ]
    ids = connection.scalars(_NEW_GOALS, rows)
    return {stack_id: id for (stack_id, _), id in zip(told, ids, strict=True)}


def _files(connection: sa.Connection, rows: Sequence[TemplateRow]) -> dict[str, int]:
    """Return the ids of the goals' files, stored once for all goals that have the same."""
    wanted = {row.files_digest: row.files for row in rows}
    known = dict(connection.execute(_FILES, {IDS: list(wanted)}).all())
    for digest in wanted.keys() - known.keys():
        known[digest] = _new_files(connection, digest, wanted[digest])
    return known


def _new_files(connection: sa.Connection, digest: str, files: bytes) -> int:
    c = t.raw_template_files.c
    new = sa.insert(t.raw_template_files).values(digest=digest, files=files).returning(c.id)
    try:
        with savepoint(connection):
            return int(connection.execute(new).scalar_one())
    except IntegrityError:  # another request has just stored them
        return int(connection.execute(sa.select(c.id).where(c.digest == digest)).scalar_one())


# stacks


def _running(op: Operation, now: float) -> dict[str, Any]:
    named = {} if op.sinks is None else {"sinks": sinks.named(op.sinks)}
    return {
        **named,
        "action": op.action,
        "status": "IN_PROGRESS",
        "status_reason": followed(f"Stack {op.action} started", op.cause),
        "cause": op.cause,
        "rollback_due": None,
        "traversal_id": op.traversal_id,
        "remaining": len(op.needs),
        "failures": 0,
        "deadline": None if op.seconds is None else now + op.seconds,
    }


class _Shown:
    """What an event tells of a stack whose operation has just begun."""

    def __init__(self, each: Beginning, now: float) -> None:
        op = each.op
        columns = {**op.stack, **_running(op, now)}
        self.id = op.stack_id
        self.name = columns["name"] if each.before is None else each.before.name
        self.action, self.status = columns["action"], columns["status"]
        self.status_reason = columns["status_reason"]
        self.sinks = _sinks_named(each)


def _insert_stacks(
    connection: sa.Connection, ops: Sequence[Operation], templates: Mapping[str, int], now: float
) -> None:
    inherited = _inherited(connection, ops)
    rows = [
        {
            **op.stack,
            **inherited.get(op.stack.get("owner_id"), {}),
            **_running(op, now),
            "id": op.stack_id,
            "version": 1,
            "template_id": templates.get(op.stack_id),
            "created_at": moment(now),
        }
        for op in ops
    ]
    for group in alike(rows):
        if "taken_name" not in group[0]:  # children: nothing of theirs can be taken
            insert(connection, t.stack, group)
            continue
        for row in group:
            _insert_named(connection, row)


def _inherited(
    connection: sa.Connection, ops: Iterable[Operation]
) -> dict[str | None, dict[str, Any]]:
    """Return what children have of their owners, who are held: other credentials may have come
    into the tree since the plan was made."""
    owners = {op.stack["owner_id"] for op in ops if "owner_id" in op.stack}
    if not owners:
        return {}
    found = connection.execute(_CREDENTIALS, {IDS: list(owners)})
    return {row.id: {"user_creds_id": row.user_creds_id} for row in found}


def _insert_named(connection: sa.Connection, row: Mapping[str, Any]) -> None:
    try:
        insert(connection, t.stack, [row])
    except IntegrityError:  # the conflict ends the transaction
        raise Conflict(f"The Stack ({row['name']}) already exists.") from None


def _supersede(
    connection: sa.Connection, all_: Sequence[Beginning], templates: Mapping[str, int], now: float
) -> None:
    """Take the stacks over from whatever traversals they had."""
    forget_rows(connection, [id for each in all_ for id in each.op.forgotten])
    rows = [_taken_over(each, templates.get(each.op.stack_id), now) for each in all_]
    for group in alike(rows):
        update(connection, t.stack, group)
    unreached = [
        each.before.template_id
        for each in all_
        if each.op.stack_id in templates
        and each.before.template_id != each.before.complete_template_id
    ]
    forget_goals(connection, unreached)
    over = [each.before.traversal_id for each in all_ if each.before.traversal_id is not None]
    forget_traversals(connection, over)
    freed = [
        {"id": row.id, "traversal_id": each.op.traversal_id, "node_id": None, "due": None}
        for each in all_
        for row in each.rows
        if row.id not in each.op.forgotten
        if (row.due, row.engine_id, row.node_id) != (None, None, None)
    ]
    update(connection, t.resource, freed)


def _taken_over(each: Beginning, template_id: int | None, now: float) -> dict[str, Any]:
    values = {**each.op.stack, **_running(each.op, now)}
    values |= {
        "id": each.op.stack_id,
        "version": each.before.version + 1,
        "updated_at": moment(now),
    }
    return values if template_id is None else {**values, "template_id": template_id}


def _sinks(connection: sa.Connection, each: Beginning) -> None:
    if each.op.sinks is not None:
        before = None if each.before is None else each.before.sinks
        sinks.keep(connection, each.op.stack_id, each.op.sinks, before)


def _sinks_named(each: Beginning) -> str | None:
    """Return what the stack's row says of its sinks once the operation is written."""
    if each.op.sinks is not None:
        return sinks.named(each.op.sinks)
    before: str | None = None if each.before is None else each.before.sinks
    return before


def _tags(connection: sa.Connection, op: Operation) -> None:
    if op.tags is None:
        return
    if op.version is not None:
        connection.execute(sa.delete(t.stack_tag).where(t.stack_tag.c.stack_id == op.stack_id))
    rows = [{"stack_id": op.stack_id, "position": i, "tag": x} for i, x in enumerate(op.tags)]
    insert(connection, t.stack_tag, rows)


# resources


_NEW_IDS = sa.select(_r.uuid, _r.id).where(among(_r.stack_id))
Ids = dict[tuple[str, str], int]
"""Ids of new rows, by the stack's and what the operation calls the row."""


def _rows(connection: sa.Connection, ops: Sequence[Operation], now: float) -> Ids:
    """Add and re-aim rows."""
    goals = sorted((g for op in ops for g in op.goals), key=lambda g: g.id)
    aimed = [
        {
            "id": g.id,
            "position": g.position,
            "definition": g.definition,
            "requires": list(g.requires),
            "is_doomed": False,
        }
        for g in goals
    ]
    update(connection, t.resource, aimed)
    named = [
        {"id": g.id, "implementation": g.implementation, "type": g.type}
        for g in goals
        if g.type is not None
    ]
    update(connection, t.resource, named, keys=("id", "implementation"))
    doomed = sorted(i for op in ops for i in op.doomed)
    update(connection, t.resource, [{"id": i, "is_doomed": True} for i in doomed])
    told = [{"id": g.id, "progress": g.progress} for g in goals if g.progress is not None]
    update(connection, t.resource, told)
    for op in ops:
        _return(connection, op)
    return _new_rows(connection, [op for op in ops if op.new], now)


def _new_rows(connection: sa.Connection, ops: Sequence[Operation], now: float) -> Ids:
    if not ops:
        return {}
    rows = [new_row(op.stack_id, r, now) for op in ops for r in op.new]
    for group in alike(rows):
        insert(connection, t.resource, group)
    found = dict(connection.execute(_NEW_IDS, {IDS: [op.stack_id for op in ops]}).all())
    data = [
        {"resource_id": found[r.uuid], "key": key, "value": value}
        for op in ops
        for r in op.new
        for key, value in r.data.items()
    ]
    insert(connection, t.resource_data, data)
    return {
        (op.stack_id, r.uuid if r.snapshot_id else r.name): found[r.uuid]
        for op in ops
        for r in op.new
    }


def _return(connection: sa.Connection, op: Operation) -> None:
    for row_id in sorted(op.returned):
        name = sa.select(_r.name).where(_r.id == row_id)
        named = connection.scalar(name)
        connection.execute(
            sa.update(t.resource)
            .where(_r.stack_id == op.stack_id, _r.name == named, _r.snapshot_id.is_(None))
            .values(is_current=_r.id == row_id)
        )


def new_row(stack_id: str, row: NewRow, now: float) -> dict[str, Any]:
    """Return the columns of a resource row on which nothing has been done."""
    return {
        "uuid": row.uuid,
        "stack_id": stack_id,
        "name": row.name,
        "type": row.type,
        "implementation": row.implementation,
        "is_current": row.snapshot_id is None,
        "is_doomed": False,
        "position": row.position,
        "definition": row.definition,
        "requires": list(row.requires),
        "action": "INIT",
        "status": "COMPLETE",
        "status_reason": "",
        "epoch": 0,
        "attempt": 0,
        "inbox_read": 0,
        "created_at": moment(now),
        "updated_at": moment(now),
        "snapshot_id": row.snapshot_id,
        **row.columns,
    }


# nodes

_s = t.sync_point.c
_POINTS = sa.select(_s.id, _s.traversal_id, _s.is_update, _s.resource_id).where(
    among(_s.traversal_id)
)


def _nodes(connection: sa.Connection, ops: Sequence[Operation], new: Ids, now: float) -> None:
    ops = [op for op in ops if op.needs]
    if not ops:
        return
    points = [
        {
            "stack_id": op.stack_id,
            "traversal_id": op.traversal_id,
            "is_update": node.forward,
            "resource_id": _row_of(op, node, new),
            "requires": sorted({_row_of(op, n, new) for n in needs}),
            "missing": len(needs),
            "poisoned": 0,
            "done": False,
        }
        for op in ops
        for node, needs in op.needs.items()
    ]
    insert(connection, t.sync_point, points)
    found = connection.execute(_POINTS, {IDS: [op.traversal_id for op in ops]})
    ids = {(traversal, bool(forward), row): i for i, traversal, forward, row in found}
    ready: list[Ready] = []
    edges: list[dict[str, Any]] = []
    for op in ops:
        at = {n: ids[op.traversal_id, n.forward, _row_of(op, n, new)] for n in op.needs}
        edges += [
            {"need_id": at[need], "dependent_id": at[node], "traversal_id": op.traversal_id}
            for node, needs in op.needs.items()
            for need in needs
        ]
        ready += [
            Ready(_row_of(op, node, new), at[node], op.traversal_id)
            for node, needs in op.needs.items()
            if not needs
        ]
    insert(connection, t.edge, edges)
    make_due(connection, ready, now)


def _row_of(op: Operation, node: Node, new: Ids) -> int:
    return new[op.stack_id, node.row] if isinstance(node.row, str) else node.row
