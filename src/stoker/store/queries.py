"""What planning and the worker read: whole rows, by keys that are indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.resources import IS_NO_COPY
from stoker.store.traversal import moment

if TYPE_CHECKING:
    from collections.abc import Collection


def stack(connection: sa.Connection, stack_id: str) -> Any:
    """Return the stack's row, or None."""
    return connection.execute(sa.select(t.stack).where(t.stack.c.id == stack_id)).one_or_none()


def is_under_way(connection: sa.Connection, stack_id: str) -> bool:
    """Return whether the stack is at work, or about to be rolled back."""
    s = t.stack.c
    works = sa.or_(s.status == "IN_PROGRESS", s.rollback_due.is_not(None))
    return connection.scalar(sa.select(s.id).where(s.id == stack_id, works)) is not None


def resources(connection: sa.Connection, stack_id: str, *, copies: bool = False) -> list[Any]:
    """Return every resource row of the stack, oldest first; with those of snapshots' ``copies``."""
    r = t.resource.c
    query = sa.select(t.resource).where(r.stack_id == stack_id).order_by(r.id)
    return list(connection.execute(query if copies else query.where(IS_NO_COPY)))


def planned(
    connection: sa.Connection, stack_ids: Collection[str], *, copies: bool = False
) -> list[Any]:
    """Return the resource rows of these stacks, oldest first; with those of snapshots' ``copies``.

    Each has ``settled`` besides: its stack's last goal was reached.
    """
    r, s = t.resource.c, t.stack.c
    settled = sa.func.coalesce(s.template_id == s.complete_template_id, sa.false())
    query = (
        sa.select(t.resource, settled.label("settled"))
        .join(t.stack, s.id == r.stack_id)
        .where(r.stack_id.in_(stack_ids))
        .order_by(r.id)
    )
    return list(connection.execute(query if copies else query.where(IS_NO_COPY)))


def states(connection: sa.Connection, root_id: str) -> list[Any]:
    """Return how far each nested stack of a tree has come, oldest first."""
    s = t.stack.c
    query = (
        sa.select(s.id, s.version, s.traversal_id, s.action, s.status)
        .where(s.root_id == root_id, s.deleted_at.is_(None), s.parent_resource_id.is_not(None))
        .order_by(s.created_at, s.id)
    )
    return list(connection.execute(query))


def epochs(connection: sa.Connection, stack_id: str) -> list[Any]:
    """Return how often each resource of the stack was written, oldest first."""
    r = t.resource.c
    query = sa.select(r.id, r.epoch).where(r.stack_id == stack_id, IS_NO_COPY)
    return list(connection.execute(query.order_by(r.id)))


def recording(connection: sa.Connection, implementation: str, physical_id: str) -> list[Any]:
    """Return the ``id``, sealed ``definition`` and properties ``sent``, and stack's ``user_id`` of
    each resource of this kind that has this id, of whatever project."""
    r = t.resource.c
    query = (
        sa.select(r.id, r.definition, r.sent, t.stack.c.user_id)
        .join(t.stack, t.stack.c.id == r.stack_id)
        .where(r.physical_id == physical_id, r.implementation == implementation, IS_NO_COPY)
    )
    return list(connection.execute(query))


def making(connection: sa.Connection, root_id: str, implementation: str) -> list[Any]:
    """Return ``id``, sealed properties ``sent`` and ``intent_at`` of each resource of this kind in
    a tree of stacks for which a create call is intended and no object is recorded."""
    r, s = t.resource.c, t.stack.c
    query = (
        sa.select(r.id, r.sent, r.intent_at)
        .join(t.stack, s.id == r.stack_id)
        .where(s.root_id == root_id, r.implementation == implementation, r.verb == "create")
        .where(r.physical_id.is_(None), r.intent_at.is_not(None), r.sent.is_not(None), IS_NO_COPY)
    )
    return list(connection.execute(query))


def documents(connection: sa.Connection, template_id: int) -> Any:
    """Return template, environment and files (sealed) of a goal, or None."""
    r, f = t.raw_template.c, t.raw_template_files.c
    query = (
        sa.select(r.template, r.environment, f.files)
        .join(t.raw_template_files, f.id == r.files_id)
        .where(r.id == template_id)
    )
    return connection.execute(query).one_or_none()


def tree_size(connection: sa.Connection, root_id: str) -> int:
    """Return how many resources a tree of stacks has."""
    query = (
        sa.select(sa.func.count())
        .select_from(t.resource)
        .join(t.stack, t.stack.c.id == t.resource.c.stack_id)
        .where(t.stack.c.root_id == root_id, IS_NO_COPY)
    )
    return int(connection.scalar(query) or 0)


def size_below(connection: sa.Connection, stack_id: str) -> int:
    """Return how many resources a stack has, with those of the stacks below it."""
    c, r = t.stack.c, t.resource.c
    level, size = [stack_id], 0
    while level:
        mine = sa.select(sa.func.count()).where(r.stack_id.in_(level), IS_NO_COPY)
        size += int(connection.scalar(mine) or 0)
        level = list(connection.scalars(sa.select(c.id).where(c.owner_id.in_(level))))
    return size


def root_stacks(connection: sa.Connection, project_id: str) -> int:
    """Return how many live root stacks a project has."""
    c = t.stack.c
    query = sa.select(sa.func.count()).where(
        c.project_id == project_id, c.deleted_at.is_(None), c.owner_id.is_(None)
    )
    return int(connection.scalar(query) or 0)


def stack_named(connection: sa.Connection, project_id: str, name: str) -> Any:
    """Return id, name, project_id and request_id of the live root stack of this name, or None."""
    s = t.stack.c
    query = sa.select(s.id, s.name, s.project_id, s.request_id)
    return connection.execute(query.where(s.taken_name == f"{project_id}/{name}")).one_or_none()


def is_freeing(connection: sa.Connection, root_id: str, since: float | None) -> bool:
    """Tell whether a tree of stacks deletes something that needs no other node to end first.

    What was deleted after ``since`` counts too: a call begun then did not see it gone.
    """
    s, e, stacks = t.sync_point.c, t.event.c, t.stack.c
    tree = sa.select(stacks.id).where(stacks.root_id == root_id)
    going = sa.select(s.id).where(
        s.stack_id.in_(tree), s.is_update.is_(False), s.done.is_(False), s.missing == 0
    )
    if connection.execute(going.limit(1)).first() is not None:
        return True
    if since is None:
        return False
    gone = sa.select(e.id).where(
        e.stack_id.in_(tree),
        e.action == "DELETE",
        e.status == "COMPLETE",
        e.created_at >= moment(since),
    )
    return connection.execute(gone.limit(1)).first() is not None
