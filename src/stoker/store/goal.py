"""Writing a stack operation: one transaction after which anybody can carry it on.

The commit of :func:`begin` is the operation. It is guarded by the stack's version and by the
epochs of the rows that the plan leaves alone; where they moved, nothing is written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from stoker.errors import Conflict, StokerError
from stoker.plan.node import Node
from stoker.store import snapshots
from stoker.store import tables as t
from stoker.store.bulk import insert, update
from stoker.store.locks import hold
from stoker.store.traversal import (
    finish_ended,
    followed,
    forget_traversal,
    make_due,
    moment,
    stack_event,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stoker.store.snapshots import NewSnapshot


_CHUNK = 500  # parameters of one IN list


class Moved(StokerError):
    """What the plan was made from has changed; plan again."""


@dataclass(frozen=True, slots=True)
class NewRow:
    """A resource row to add; ``snapshot_id`` is that of a copy, ``columns`` are set besides."""

    name: str
    type: str
    implementation: str
    uuid: str
    position: int
    definition: bytes
    requires: tuple[str, ...]
    snapshot_id: str | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RowGoal:
    """What an existing row is wanted to be from now on; ``progress`` is set where there is one."""

    id: int
    position: int
    type: str
    definition: bytes
    requires: tuple[str, ...]
    progress: bytes | None = None


@dataclass(frozen=True, slots=True)
class TemplateRow:
    """A goal's documents, sealed; ``files_digest`` tells equal files apart from others."""

    template: bytes
    environment: bytes
    files: bytes
    files_digest: str


@dataclass(frozen=True, slots=True)
class Operation:
    """A stack operation to write. ``version`` None: the stack is new.

    ``stack`` holds columns of the stack's row. ``idle``: epochs of the rows without a node;
    ``rows``: ids of all rows that the plan knew; ``returned``: rows that take their names back.
    ``cause`` is what a rollback follows. Nodes name new rows by the resource's name, copies by
    their UUID. ``snapshot`` is the one that the operation takes; ``forgotten`` are rows, with
    their epochs, that go at once and whose objects stay.
    """

    stack_id: str
    traversal_id: str
    action: str
    stack: Mapping[str, Any]
    needs: Mapping[Node, frozenset[Node]]
    seconds: float | None
    version: int | None = None
    template: TemplateRow | None = None
    tags: tuple[str, ...] | None = None
    new: tuple[NewRow, ...] = ()
    goals: tuple[RowGoal, ...] = ()
    doomed: frozenset[int] = frozenset()
    returned: frozenset[int] = frozenset()
    idle: Mapping[int, int] = field(default_factory=dict)
    rows: frozenset[int] = frozenset()
    cause: str | None = None
    snapshot: NewSnapshot | None = None
    forgotten: Mapping[int, int] = field(default_factory=dict)


def begin(connection: sa.Connection, op: Operation, now: float) -> None:
    """Write the operation; raises Moved, or Conflict where the name is taken."""
    if op.version is not None:
        hold(connection, [op.stack_id], ending=() if op.needs else [op.stack_id])
    template_id = _template(connection, op.template, now)
    if op.version is None:
        _insert_stack(connection, op, template_id, now)
    else:
        _supersede(connection, op, template_id, now)
    if op.tags is not None:
        _tags(connection, op)
    if op.action == "DELETE":
        for traversal_id in snapshots.doom(connection, op.stack_id, moment(now)):
            forget_traversal(connection, traversal_id)
    if op.snapshot is not None:
        snapshots.insert(connection, op.stack_id, op.snapshot, moment(now))
    ids = _rows(connection, op, now)
    _nodes(connection, op, ids, now)
    row = connection.execute(sa.select(t.stack).where(t.stack.c.id == op.stack_id)).one()
    stack_event(connection, row, now)
    if not op.needs:
        finish_ended(connection, [op.stack_id], now)


def _template(connection: sa.Connection, row: TemplateRow | None, now: float) -> int | None:
    if row is None:
        return None
    return _inserted(
        connection,
        t.raw_template,
        {
            "template": row.template,
            "environment": row.environment,
            "files_id": _files(connection, row),
            "created_at": moment(now),
        },
    )


def _files(connection: sa.Connection, row: TemplateRow) -> int:
    """Return the id of the goal's files, stored once for all goals that have the same."""
    c = t.raw_template_files.c
    known = sa.select(c.id).where(c.digest == row.files_digest)
    found = connection.scalar(known)
    if found is not None:
        return int(found)
    values = {"digest": row.files_digest, "files": row.files}
    try:
        with connection.begin_nested():
            return _inserted(connection, t.raw_template_files, values)
    except IntegrityError:  # another request has just stored them
        return int(connection.execute(known).scalar_one())


def _inserted(connection: sa.Connection, table: sa.Table, values: dict[str, Any]) -> int:
    result = connection.execute(sa.insert(table).values(**values))
    key = result.inserted_primary_key
    if key is None:
        raise Moved("the database gave no key")
    return int(key[0])


def _running(op: Operation, now: float) -> dict[str, Any]:
    return {
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


def _insert_stack(
    connection: sa.Connection, op: Operation, template_id: int | None, now: float
) -> None:
    values = {
        **op.stack,
        **_running(op, now),
        "id": op.stack_id,
        "version": 1,
        "template_id": template_id,
        "created_at": moment(now),
    }
    try:
        with connection.begin_nested():
            connection.execute(sa.insert(t.stack).values(**values))
    except IntegrityError:
        raise Conflict(f"The Stack ({op.stack['name']}) already exists.") from None


def _supersede(
    connection: sa.Connection, op: Operation, template_id: int | None, now: float
) -> None:
    """Take the stack over from whatever traversal it had."""
    before = connection.execute(sa.select(t.stack).where(t.stack.c.id == op.stack_id)).one_or_none()
    if before is None or before.version != op.version:
        raise Moved("another request was faster")
    r = t.resource.c
    mine = sa.true() if op.action == "DELETE" else r.snapshot_id.is_(None)
    there = dict(
        connection.execute(
            sa.select(t.resource.c.id, t.resource.c.epoch)
            .where(t.resource.c.stack_id == op.stack_id, mine)
            .order_by(t.resource.c.id)
            .with_hint(t.resource, "FORCE INDEX (ix_resource_stack_id_name)", "mysql")
            .with_hint(t.resource, "FORCE INDEX (ix_resource_stack_id_name)", "mariadb")
            .with_for_update()
        ).all()
    )
    idle = {**op.idle, **op.forgotten}
    if there.keys() != op.rows or any(there[i] != epoch for i, epoch in idle.items()):
        raise Moved("resources have changed since the plan was made")
    forget_rows(connection, op.forgotten)
    began = {"version": before.version + 1, "updated_at": moment(now)}
    values = {**op.stack, **_running(op, now), **began}
    if template_id is not None:
        values["template_id"] = template_id
    connection.execute(sa.update(t.stack).where(t.stack.c.id == op.stack_id).values(**values))
    if template_id is not None and before.template_id != before.complete_template_id:
        was = t.raw_template.c.id == before.template_id  # a goal that was never reached
        connection.execute(sa.delete(t.raw_template).where(was))
    if before.traversal_id is not None:
        forget_traversal(connection, before.traversal_id)
    connection.execute(
        sa.update(t.resource)
        .where(r.stack_id == op.stack_id, mine)
        .where(sa.or_(r.due.is_not(None), r.engine_id.is_not(None), r.node_id.is_not(None)))
        .values(traversal_id=op.traversal_id, node_id=None, due=None)
    )


def forget_rows(connection: sa.Connection, ids: Iterable[int]) -> None:
    """Delete resource rows with all that is kept beside them."""
    every = sorted(ids)
    for start in range(0, len(every), _CHUNK):
        part = every[start : start + _CHUNK]
        for table in (t.resource_data, t.inbox):
            connection.execute(sa.delete(table).where(table.c.resource_id.in_(part)))
        connection.execute(sa.delete(t.resource).where(t.resource.c.id.in_(part)))


def _tags(connection: sa.Connection, op: Operation) -> None:
    connection.execute(sa.delete(t.stack_tag).where(t.stack_tag.c.stack_id == op.stack_id))
    rows = [
        {"stack_id": op.stack_id, "position": i, "tag": tag} for i, tag in enumerate(op.tags or ())
    ]
    if rows:
        connection.execute(sa.insert(t.stack_tag), rows)


def _rows(connection: sa.Connection, op: Operation, now: float) -> dict[str, int]:
    """Add and re-aim rows; return the ids of the new ones by name."""
    update(
        connection,
        t.resource,
        [
            {
                "id": g.id,
                "position": g.position,
                "type": g.type,
                "definition": g.definition,
                "requires": list(g.requires),
                "is_doomed": False,
            }
            for g in op.goals
        ],
    )
    update(connection, t.resource, [{"id": i, "is_doomed": True} for i in sorted(op.doomed)])
    told = [{"id": g.id, "progress": g.progress} for g in op.goals if g.progress is not None]
    update(connection, t.resource, told)
    _return(connection, op)
    if not op.new:
        return {}
    insert(connection, t.resource, [new_row(op.stack_id, r, now) for r in op.new])
    keys = {r.uuid: r.uuid if r.snapshot_id else r.name for r in op.new}
    found = connection.execute(
        sa.select(t.resource.c.uuid, t.resource.c.id).where(t.resource.c.stack_id == op.stack_id)
    )
    ids = {uuid: i for uuid, i in found if uuid in keys}
    _data(connection, op, ids)
    return {keys[uuid]: i for uuid, i in ids.items()}


def _data(connection: sa.Connection, op: Operation, ids: Mapping[str, int]) -> None:
    rows = [
        {"resource_id": ids[row.uuid], "key": key, "value": value}
        for row in op.new
        for key, value in row.data.items()
    ]
    if rows:
        connection.execute(sa.insert(t.resource_data), rows)


def _return(connection: sa.Connection, op: Operation) -> None:
    r = t.resource.c
    for row_id in sorted(op.returned):
        name = sa.select(r.name).where(r.id == row_id)
        named = connection.scalar(name)
        connection.execute(
            sa.update(t.resource)
            .where(r.stack_id == op.stack_id, r.name == named, r.snapshot_id.is_(None))
            .values(is_current=r.id == row_id)
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
        **_COLUMNS,
        **row.columns,
    }


_COLUMNS: dict[str, Any] = dict.fromkeys(("physical_id", "verb", "verb_traversal", "progress"))
"""What a new row may have from the start: a batch of rows has the same columns."""


def _nodes(connection: sa.Connection, op: Operation, new: Mapping[str, int], now: float) -> None:
    if not op.needs:
        return

    def row_of(node: Node) -> int:
        return new[node.row] if isinstance(node.row, str) else node.row

    insert(
        connection,
        t.sync_point,
        [
            {
                "stack_id": op.stack_id,
                "traversal_id": op.traversal_id,
                "is_update": node.forward,
                "resource_id": row_of(node),
                "requires": sorted({row_of(n) for n in needs}),
                "missing": len(needs),
                "poisoned": 0,
                "done": False,
            }
            for node, needs in op.needs.items()
        ],
    )
    s = t.sync_point.c
    points = {
        (bool(forward), row): i
        for i, row, forward in connection.execute(
            sa.select(s.id, s.resource_id, s.is_update).where(s.traversal_id == op.traversal_id)
        )
    }
    at = {node: points[node.forward, row_of(node)] for node in op.needs}
    edges = [
        {"need_id": at[need], "dependent_id": at[node], "traversal_id": op.traversal_id}
        for node, needs in op.needs.items()
        for need in needs
    ]
    insert(connection, t.edge, edges)
    ready = [
        {"row": row_of(node), "node": at[node]} for node, needs in op.needs.items() if not needs
    ]
    make_due(connection, op.traversal_id, ready, now)
