"""Claiming rows that are due: what an engine then holds, and reads of them.

Statements are built once: building one takes longer than running it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.store import inbox
from stoker.store import tables as t
from stoker.store.bulk import IDS, among
from stoker.store.engines import IS_FREE
from stoker.store.packing import Fetch

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Claim:
    """A row that an engine holds: its columns, its node, its stack.

    ``row`` has the columns of ``resource`` as they were before the claim, except ``epoch``,
    which is the claim's; ``stack`` has those of :data:`OF_STACK`. ``in_doubt``: an intent was
    committed before, and no answer since. ``data`` is what the resource keeps for life, sealed.
    ``at_rest``: no node is to be ended, it is due for its mail alone.
    """

    row: Any
    epoch: int
    forward: bool
    poisoned: bool
    stack: Any
    engine_id: str
    in_doubt: bool = False
    data: Mapping[str, bytes] = field(default_factory=dict)
    at_rest: bool = False


OF_STACK = (
    "id", "name", "project_id", "user_id", "username", "action", "traversal_id", "template_id",
    "user_creds_id", "owner_id", "root_id", "nested_depth", "secrets", "timeout_mins", "deadline",
    "stack_user_project_id", "sinks", "created_at", "updated_at",
)  # fmt: skip
"""The columns of a stack that its steps need."""

_r, _s, _d = t.resource.c, t.sync_point.c, t.resource_data.c
_OF_ROW = {c.name: c for c in _r if c.name not in ("created_at", "updated_at")}
_KEEPS = sa.exists().where(_d.resource_id == _r.id).label("keeps")
_DUE = (
    sa.select(_r.id)
    .where(_r.due <= sa.bindparam("now"), IS_FREE)
    .order_by(_r.due, _r.id)
    .limit(sa.bindparam("room"))
    .with_for_update(skip_locked=True)
)
_CLAIM = (
    sa.update(t.resource)
    .where(among(_r.id))
    .values(
        engine_id=sa.bindparam("engine"),
        epoch=_r.epoch + 1,
        due=None,
        # With a verb under way the next step may make a call: this is its intent. Without one
        # there may be that of mail whose hearing was cut off.
        intent_at=sa.case(
            (_r.verb.is_not(None), sa.func.coalesce(_r.intent_at, sa.bindparam("now"))),
            (sa.and_(_r.inbox_read > 0, inbox.IS_BEGUN), _r.intent_at),
            else_=None,
        ),
    )
)
_POINT = {"is_update": _s.is_update, "poisoned": _s.poisoned, "done": _s.done, "keeps": _KEEPS}
_TURN = {
    "node_id": _s.id, "traversal_id": _s.traversal_id, "attempt": sa.literal_column("0", sa.Integer)
}  # fmt: skip
_ROWS = Fetch(
    {**_OF_ROW, **_POINT},
    lambda select: select.select_from(
        t.resource.outerjoin(t.sync_point, _s.id == _r.node_id)
    ).where(among(_r.id)),
)
_AHEAD = Fetch(
    {**_OF_ROW, **_TURN, **_POINT},
    lambda select: (
        select.select_from(t.sync_point.join(t.resource, _r.id == _s.resource_id))
        .where(among(_s.id), IS_FREE, _r.implementation.in_(sa.bindparam("types", expanding=True)))
        .order_by(_r.id)
        .with_for_update(skip_locked=True, of=t.resource)
    ),
)
_STACKS = Fetch(
    {name: t.stack.c[name] for name in OF_STACK},
    lambda select: select.where(among(t.stack.c.id)),
)
_DATA = sa.select(_d.resource_id, _d.key, _d.value).where(among(_d.resource_id))


def claim(connection: Connection, engine_id: str, room: int, now: float) -> list[Claim]:
    """Claim rows that are due, longest due first."""
    ids = list(connection.scalars(_DUE, {"now": now, "room": room}))
    if not ids:
        return []
    found = claims(connection, engine_id, ids, fresh=True)
    connection.execute(_CLAIM, {IDS: ids, "engine": engine_id, "now": now})
    return found


def claims(
    connection: Connection, engine_id: str, ids: Sequence[int], *, fresh: bool = False
) -> list[Claim]:
    """Return the rows as claims of the engine's; ``fresh``: they are about to become so."""
    if not ids:
        return []
    rows = _ROWS.rows(connection, {IDS: ids})
    of = {IDS: list({row.stack_id for row in rows})}
    stacks = {row.id: row for row in _STACKS.rows(connection, of)}
    return _claims(connection, rows, stacks, engine_id, fresh=fresh)


def ahead(
    connection: Connection,
    engine_id: str,
    nodes: Collection[int],
    types: Collection[str],
    stacks: Mapping[str, Any],
) -> list[Claim]:
    """Lock the rows of these types whose turn comes with these nodes, and return them as claims.

    They are not written as such: they have to be ended before the transaction does. ``stacks``
    are those of the nodes, all of them held. Rows that somebody else holds are left out.
    """
    if not types:
        return []
    asked = {IDS: sorted(nodes), "types": sorted(types)}
    rows = _AHEAD.rows(connection, asked)
    return _claims(connection, rows, stacks, engine_id, fresh=True)


def _claims(
    connection: Connection,
    rows: Sequence[Any],
    stacks: Mapping[str, Any],
    engine_id: str,
    *,
    fresh: bool,
) -> list[Claim]:
    data = _data(connection, [row.id for row in rows if row.keeps])
    return [
        Claim(
            row,
            row.epoch + fresh,
            row.is_update is None or bool(row.is_update),
            bool(row.poisoned),
            stacks[row.stack_id],
            engine_id,
            fresh and row.intent_at is not None,
            data.get(row.id, {}),
            at_rest=row.done is None or bool(row.done),
        )
        for row in rows
    ]


def _data(connection: Connection, ids: Sequence[int]) -> dict[int, dict[str, bytes]]:
    found: dict[int, dict[str, bytes]] = {}
    if ids:
        for row_id, key, value in connection.execute(_DATA, {IDS: ids}):
            found.setdefault(row_id, {})[key] = value
    return found
