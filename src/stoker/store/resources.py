"""Read resource rows: named queries that give frozen values.

Columns that may hold a secret stay sealed in these values (None where they were not asked
for); whoever needs one opens just that one.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from stoker.store.packing import PYTHON, packed, unpacked
from stoker.store.tables import resource, resource_data

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

MANY = 500  # names: beyond, one scan of the stack costs less than a long list of values


class ResourceRow(NamedTuple):
    """One resource as its row has it; ``definition`` … ``metadata`` are sealed.

    ``type`` is what the template says, ``implementation`` the type or the template file
    that this stands for.
    """

    id: int
    uuid: str
    stack_id: str
    name: str
    type: str
    implementation: str
    is_current: bool
    position: int
    action: str
    status: str
    reason: str
    physical_id: str | None
    requires: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    definition: bytes | None = None
    attributes: bytes | None = None
    metadata: bytes | None = None


_PLAIN = {
    "id": resource.c.id,
    "uuid": resource.c.uuid,
    "stack_id": resource.c.stack_id,
    "name": resource.c.name,
    "type": resource.c.type,
    "implementation": resource.c.implementation,
    "is_current": resource.c.is_current,
    "position": resource.c.position,
    "action": resource.c.action,
    "status": resource.c.status,
    "reason": resource.c.status_reason,
    "physical_id": resource.c.physical_id,
    "requires": resource.c.requires,
    "created_at": resource.c.created_at,
    "updated_at": resource.c.updated_at,
}
IS_NO_COPY = sa.func.coalesce(resource.c.snapshot_id, "") == ""
"""It is no snapshot's copy. So written that no database takes the index of the few that are, in
which all others stand under one value, for that of the stack."""

_WIDTH = len(_PLAIN)
_OWN_WORDS = frozenset({"uuid", "stack_id", "action", "status"})
"""What this program writes itself, so that there is nothing in it to be quoted."""
_SEALED = {name: resource.c[name] for name in ("definition", "attributes", "metadata")}


def of_stacks(
    connection: sa.Connection, stack_ids: Iterable[str], *, sealed: tuple[str, ...] = ()
) -> list[ResourceRow]:
    """Return the resources of these stacks as users see them, in each template's order.

    ``sealed`` names the sealed columns that are wanted.
    """
    return _read(connection, "of_stacks", {"stack_ids": list(stack_ids)}, sealed)


def named(
    connection: sa.Connection,
    stack_id: str,
    names: Collection[str],
    *,
    sealed: tuple[str, ...] = (),
) -> dict[str, ResourceRow]:
    """Return the resources of one stack that have one of these names."""
    if not names:
        return {}
    if len(names) > MANY:
        wanted = set(names)
        every = of_stacks(connection, [stack_id], sealed=sealed)
        return {row.name: row for row in every if row.name in wanted}
    given = {"stack_id": stack_id, "names": list(names)}
    return {row.name: row for row in _read(connection, "named", given, sealed)}


def users(connection: sa.Connection, stack_id: str, name: str) -> tuple[str, ...]:
    """Return the names of the resources of the stack that need this one."""
    found = connection.execute(_NEEDS, {"stack_id": stack_id})
    return tuple(dict.fromkeys(user for user, needs in found if name in needs))


def data(connection: sa.Connection, resource_id: int) -> dict[str, bytes]:
    """Return what is kept beside a resource for life, still sealed, by key."""
    found = connection.execute(_DATA, {"resource_id": resource_id})
    return {row[0]: row[1] for row in found}


_NEEDS = (
    sa.select(resource.c.name, resource.c.requires)
    .where(resource.c.stack_id == sa.bindparam("stack_id"))
    .order_by(resource.c.position, resource.c.id)
)
_DATA = sa.select(resource_data.c.key, resource_data.c.value).where(
    resource_data.c.resource_id == sa.bindparam("resource_id")
)


_WHICH = {
    "of_stacks": (resource.c.stack_id.in_(sa.bindparam("stack_ids", expanding=True)),),
    "named": (
        resource.c.stack_id == sa.bindparam("stack_id"),
        resource.c.name.in_(sa.bindparam("names", expanding=True)),
    ),
}


def _read(
    connection: sa.Connection, which: str, given: Mapping[str, Any], sealed: tuple[str, ...]
) -> list[ResourceRow]:
    is_packed = connection.dialect.name in PYTHON
    found = connection.execute(_select(which, sealed, is_packed=is_packed), given).all()
    return seen(_of_texts(found, sealed) if is_packed else (value(row, sealed) for row in found))


@cache
def _select(which: str, sealed: tuple[str, ...], *, is_packed: bool) -> sa.Select[Any]:
    plain = (packed(_PLAIN, plain=_OWN_WORDS),) if is_packed else _PLAIN.values()
    return sa.select(*plain, *(_SEALED[name] for name in sealed)).where(IS_NO_COPY, *_WHICH[which])


_CURRENT, _REQUIRES, _CREATED, _UPDATED = (
    list(_PLAIN).index(name) for name in ("is_current", "requires", "created_at", "updated_at")
)


def _of_texts(rows: Sequence[Any], sealed: tuple[str, ...]) -> Iterator[ResourceRow]:
    """Give the rows of which each has the text of the plain columns, and the sealed ones."""
    for found, row in zip(unpacked(row[0] for row in rows), rows, strict=True):
        found[_CURRENT] = bool(found[_CURRENT])
        found[_REQUIRES] = tuple(found[_REQUIRES])
        found[_CREATED] = datetime.fromisoformat(f"{found[_CREATED]}Z")
        found[_UPDATED] = datetime.fromisoformat(f"{found[_UPDATED]}Z")
        plain = ResourceRow(*found)
        yield plain._replace(**dict(zip(sealed, row[1:], strict=True))) if sealed else plain


def columns(sealed: tuple[str, ...]) -> tuple[sa.ColumnElement[Any], ...]:
    """Return the columns of which :func:`value` makes a row."""
    return (*_PLAIN.values(), *(_SEALED[name] for name in sealed))


def seen(rows: Iterable[ResourceRow]) -> list[ResourceRow]:
    """Keep one row for each name: the current one, else the newest."""
    oldest_first = sorted(rows, key=lambda row: (row.is_current, row.id))
    by_name = {(row.stack_id, row.name): row for row in oldest_first}
    return sorted(by_name.values(), key=lambda row: (row.position, row.id))


def value(found: Sequence[Any], sealed: tuple[str, ...]) -> ResourceRow:
    """Return the row that has these :func:`columns`."""
    *same, requires, created_at, updated_at = found[:_WIDTH] if sealed else found
    plain: Any = (*same, tuple(requires), aware(created_at), aware(updated_at))
    if not sealed:
        return ResourceRow(*plain)
    return ResourceRow(*plain, **dict(zip(sealed, found[_WIDTH:], strict=True)))


def aware(moment: datetime) -> datetime:
    """Return a stored moment (UTC, naive) with its zone."""
    return datetime.combine(moment, moment.time(), UTC)  # a tenth of the time of ``replace``
