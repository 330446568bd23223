"""List and count stacks: filters, tags, order and pages.

The one place where a list of stacks is put together; what is asked comes in columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store.paging import LONG_AGO, Page, from_first, ordered
from stoker.store.stacks import LISTED, TAGS, StackRow, tagged, value
from stoker.store.tables import stack, stack_tag

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_SORTABLE = {
    "name": stack.c.name,
    "status": stack.c.status,
    "created_at": stack.c.created_at,
    "updated_at": sa.func.coalesce(stack.c.updated_at, LONG_AGO),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which stacks are wanted. ``project_id`` None: of every project.

    ``columns`` maps columns to their allowed values. Of the tags a stack must have all of
    ``tags`` and one of ``tags_any``; it must not have all of ``not_tags`` nor any of
    ``not_tags_any`` and ``hidden_tags``.
    """

    project_id: str | None
    columns: Mapping[str, Collection[Any]] = field(default_factory=dict, hash=False)
    deleted: bool = False
    nested: bool = False
    tags: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    not_tags: tuple[str, ...] = ()
    not_tags_any: tuple[str, ...] = ()
    hidden_tags: tuple[str, ...] = ()


def listed(connection: sa.Connection, wanted: Wanted, page: Page) -> list[StackRow]:
    """Return a page of the stacks; sort keys are name, status, created_at, updated_at."""
    given: dict[str, Any] = {}
    if page.marker is None:
        if wanted.project_id is not None:
            given = {"project_id": wanted.project_id}
            wanted = replace(wanted, project_id=_SOME)
        query = _from_first(wanted, page)
    else:
        last = sa.and_(stack.c.id == page.marker, *_scope(wanted))
        query = ordered(connection, _query(wanted), page, _SORTABLE, tie=stack.c.id, last=last)
    return [value(found[:-1], tagged(found[-1])) for found in connection.execute(query, given)]


_SOME = "some project, of which the parameters say which"


@lru_cache(maxsize=64)
def _from_first(wanted: Wanted, page: Page) -> sa.Select[Any]:
    """Return the query; to make one takes longer than a short list takes otherwise."""
    return from_first(_query(wanted), page, _SORTABLE, tie=stack.c.id)


def _query(wanted: Wanted) -> sa.Select[Any]:
    return sa.select(*LISTED.values(), TAGS).where(*_conditions(wanted))


def count(connection: sa.Connection, wanted: Wanted) -> int:
    """Return how many stacks there are."""
    query = sa.select(sa.func.count()).select_from(stack).where(*_conditions(wanted))
    return int(connection.execute(query).scalar_one())


def _scope(wanted: Wanted) -> list[sa.ColumnElement[bool]]:
    if wanted.project_id is None:
        return []
    return [stack.c.project_id == sa.bindparam("project_id", wanted.project_id)]


def _conditions(wanted: Wanted) -> list[sa.ColumnElement[bool]]:
    found = _scope(wanted)
    found += [stack.c[column].in_(list(values)) for column, values in wanted.columns.items()]
    if not wanted.deleted:
        found.append(stack.c.deleted_at.is_(None))
    if not wanted.nested:
        found.append(stack.c.owner_id.is_(None))
    return found + _tag_conditions(wanted)


def _tag_conditions(wanted: Wanted) -> list[sa.ColumnElement[bool]]:
    found: list[sa.ColumnElement[bool]] = [_has_one([tag]) for tag in wanted.tags]
    if wanted.tags_any:
        found.append(_has_one(wanted.tags_any))
    if wanted.not_tags:
        found.append(sa.not_(sa.and_(*(_has_one([tag]) for tag in wanted.not_tags))))
    if unwanted := {*wanted.not_tags_any, *wanted.hidden_tags}:
        found.append(sa.not_(_has_one(sorted(unwanted))))
    return found


def _has_one(tags: Collection[str]) -> sa.ColumnElement[bool]:
    return sa.exists().where(stack_tag.c.stack_id == stack.c.id, stack_tag.c.tag.in_(list(tags)))
