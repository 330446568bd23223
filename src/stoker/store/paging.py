"""Order the rows of a list and cut a page out of it, by key and never by offset.

A page begins after its marker's place in the order, so that rows which come and go between
two requests neither repeat nor hide others.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

if TYPE_CHECKING:
    from collections.abc import Mapping

    Column = sa.ColumnElement[Any]

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)
"""Stands for a moment that never was: databases disagree on where NULL sorts."""


@dataclass(frozen=True, slots=True)
class Page:
    """What part of a list is wanted, in what order; see :func:`ordered`."""

    limit: int | None = None
    marker: str | None = None
    sort_keys: tuple[str, ...] = ()
    sort_dir: str | None = None


def ordered(
    connection: sa.Connection,
    query: sa.Select[Any],
    page: Page,
    sortable: Mapping[str, Column],
    *,
    tie: Column,
    last: Column | None,
) -> sa.Select[Any]:
    """Return the query with its order and its page.

    Sort keys that ``sortable`` does not have are ignored; without any the newest come
    first. ``tie`` settles what the keys leave open. ``last`` is true for the marker's row;
    a marker that is gone is ignored, as the rows after it cannot be told any more.
    """
    if last is not None:
        order, descends = _order(page, sortable, tie)
        place = connection.execute(sa.select(*order).where(last)).first()
        if place is not None:
            query = query.where(_beyond(order, place, descends=descends))
    return from_first(query, page, sortable, tie=tie)


def from_first(
    query: sa.Select[Any], page: Page, sortable: Mapping[str, Column], *, tie: Column
) -> sa.Select[Any]:
    """Return the query with its order and with the page's length, wherever that begins."""
    order, descends = _order(page, sortable, tie)
    query = query.order_by(*(each.desc() if descends else each.asc() for each in order))
    return query if page.limit is None else query.limit(page.limit)


def _order(page: Page, sortable: Mapping[str, Column], tie: Column) -> tuple[list[Any], bool]:
    """Return what is sorted by, and whether the greatest comes first."""
    keys = [sortable[key] for key in page.sort_keys if key in sortable]
    descends = page.sort_dir == "desc" or (page.sort_dir is None and not keys)
    return [*(keys or [sortable["created_at"]]), tie], descends


def _beyond(order: list[Column], place: sa.Row[Any], *, descends: bool) -> Column:
    """Return what is true for the rows after ``place``, first key by first key."""
    *earlier, (key, value) = zip(order, place, strict=True)
    condition: Column = key < value if descends else key > value
    for outer, held in reversed(earlier):
        further = outer < held if descends else outer > held
        condition = sa.or_(further, sa.and_(outer == held, condition))
    return condition
