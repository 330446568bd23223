"""Rows come the same whatever way the driver's cost has them fetched."""

from __future__ import annotations

import math
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store.packing import Fetch

if TYPE_CHECKING:
    from tests.store.world import World

_r, _p = t.resource.c, t.sync_point.c
COLUMNS = {
    **{column.name: column for column in _r},
    "deleted_at": t.stack.c.deleted_at,
    "point": _p.id,
    "is_done": _p.done,
    "has_data": sa.exists().where(t.resource_data.c.resource_id == _r.id),
    "nothing": sa.literal_column("0", sa.Integer),
}
ROWS = Fetch(
    COLUMNS,
    lambda select: select.select_from(
        t.resource.join(t.stack, t.stack.c.id == _r.stack_id).outerjoin(
            t.sync_point, _p.id == _r.node_id
        )
    ).order_by(_r.id),
)
MOMENT = datetime(2026, 1, 2, 3, 4, 5, 678901)  # noqa: DTZ001 - as stored
ODD = [
    "quotes \" and ' and \\",
    "controls \x01 \t \n \x7f",
    "ünïcode \U0001f600 \u2028",
    "%s :name {0}",
    "",
    "null",
    "[1, 2]",
]


def fetched(world: World) -> list[Any]:
    with world.database.read() as connection:
        return ROWS.rows(connection)


@pytest.mark.parametrize("odd", ODD)
def test_what_was_written_is_read(world: World, odd: str) -> None:
    stack = world.stack()
    point = {
        "stack_id": stack, "traversal_id": stack, "is_update": True, "resource_id": 1,
        "requires": [], "missing": 0, "poisoned": 0, "done": True,
    }  # fmt: skip
    plain = {
        "name": "r", "status_reason": odd, "requires": [odd, "b"], "physical_id": odd,
        "is_current": False, "is_doomed": True, "position": 3, "due": 1796033710.6467938,
        "intent_at": None, "verb": None, "node_id": world.insert(t.sync_point, **point),
        "created_at": MOMENT, "updated_at": MOMENT.replace(microsecond=0),
    }  # fmt: skip
    world.data(world.resource(stack, sent={"x": odd}, **plain), k="v")
    world.resource(stack, "bare", physical_id=None)
    first, second = fetched(world)
    assert {name: getattr(first, name) for name in plain} == plain
    assert world.database.sealer.open(first.sent) == {"x": odd}
    assert (first.point, first.is_done, first.has_data, first.nothing) == (
        first.node_id,
        True,
        True,
        0,
    )
    assert (first.deleted_at, first.applied) == (None, None)
    absent = (second.node_id, second.point, second.is_done, second.physical_id, second.due)
    assert absent == (None,) * 5
    assert (second.has_data, second.is_current) == (False, True)


def test_each_column_has_the_type_that_the_library_gives_it(world: World) -> None:
    stack = world.stack(deleted_at=MOMENT)
    world.resource(stack, due=2.0, intent_at=0.5, sent={})
    (row,) = fetched(world)
    with world.database.read() as connection:
        plain = connection.execute(sa.select(t.resource)).one()
    for name, value in plain._mapping.items():  # noqa: SLF001 - public, named so
        assert (name, getattr(row, name)) == (name, value)
        assert type(getattr(row, name)) is type(value), name
    assert row.deleted_at == MOMENT


def test_seconds_come_to_the_last_bit(world: World) -> None:
    chance = Random(1)  # noqa: S311 - no secret
    whole = [chance.uniform(0, 4e9) for _ in range(300)]
    every = [*whole, 0.1 + 0.2, 1e-7, 1e15, 1796033710.0, math.nextafter(1.8e9, 2e9), -1.0]
    stack = world.stack()
    world.many(stack, len(every))
    with world.database.write() as connection:
        ids = connection.scalars(sa.select(_r.id).order_by(_r.id)).all()
        for id, due in zip(ids, every, strict=True):
            connection.execute(sa.update(t.resource).where(_r.id == id).values(due=due))
    assert [row.due for row in fetched(world)] == every
