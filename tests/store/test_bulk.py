from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
import sqlalchemy as sa

from stoker.errors import Bug
from stoker.store import tables as t
from stoker.store.bulk import IDS, add, among, insert, update, uuids
from tests.store.asked import asked_by

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from stoker.store.database import Database

MANY = 450
"""More than one statement takes."""
LONG = 400_000
"""Bytes of which sixty are more than MariaDB takes in a statement."""
AT = datetime(2026, 1, 2, 3, 4, 5, 600_000)  # noqa: DTZ001 - as it is stored


def events(count: int) -> list[dict[str, Any]]:
    alike = {"stack_id": "s", "resource_type": "T", "action": "CREATE", "status": "COMPLETE"}
    return [
        {
            **alike, "uuid": uuid, "resource_name": f"r{i}", "status_reason": "a % and a \"",
            "physical_id": None if i % 2 else "p", "created_at": AT,
            "properties": bytes([0, 255, i % 256]),
        }
        for i, uuid in enumerate(uuids(count))
    ]  # fmt: skip


def test_many_rows_arrive_as_they_were_given(database: Database) -> None:
    rows = events(MANY)
    with database.write() as connection:
        insert(connection, t.event, rows)
        found = connection.execute(sa.select(t.event).order_by(t.event.c.id)).all()
    assert [{name: getattr(row, name) for name in rows[0]} for row in found] == rows


def test_each_row_is_updated_with_its_own_values_and_no_other(database: Database) -> None:
    with database.write() as connection:
        insert(connection, t.event, events(MANY))
        ids = list(connection.scalars(sa.select(t.event.c.id).order_by(t.event.c.id)))
        update(
            connection,
            t.event,
            [{"id": i, "status_reason": f"of {i}", "properties": None} for i in ids[1:]],
        )
        found = connection.execute(sa.select(t.event).order_by(t.event.c.id)).all()
    first, *others = found
    assert (first.status_reason, first.properties) == ('a % and a "', bytes([0, 255, 0]))
    assert [(row.status_reason, row.properties) for row in others] == [
        (f"of {i}", None) for i in ids[1:]
    ]


def test_each_row_is_added_its_own_number_and_no_other(database: Database) -> None:
    node = {"stack_id": "s", "traversal_id": "t", "is_update": True, "resource_id": 1}
    counters = {"missing": 5, "poisoned": 0, "done": False, "requires": []}
    with database.write() as connection:
        insert(connection, t.sync_point, [{**node, **counters} for _ in range(MANY)])
        ids = list(connection.scalars(sa.select(t.sync_point.c.id).order_by(t.sync_point.c.id)))
        rows = [{"id": i, "missing": -(i % 3), "poisoned": 1} for i in ids[1:]]
        add(connection, t.sync_point, rows)
        columns = (t.sync_point.c.missing, t.sync_point.c.poisoned)
        found = connection.execute(sa.select(*columns).order_by(t.sync_point.c.id)).all()
    assert [tuple(row) for row in found] == [(5, 0), *((5 - i % 3, 1) for i in ids[1:])]


def test_rows_that_are_longer_together_than_a_server_takes_arrive_all_the_same(
    database: Database,
) -> None:
    rows = [{**row, "properties": bytes([i]) * LONG} for i, row in enumerate(events(60))]
    with database.write() as connection:
        insert(connection, t.event, rows)
        c = t.event.c
        kept = dict(connection.execute(sa.select(c.id, c.properties).order_by(c.id)).all())
        assert list(kept.values()) == [row["properties"] for row in rows]
        changed = [{"id": id, "properties": b"'" * LONG} for id in kept]
        update(connection, t.event, changed)
        assert set(connection.scalars(sa.select(c.properties))) == {b"'" * LONG}


@pytest.mark.parametrize("count", [0, 1, 2, MANY])
def test_rows_are_found_that_have_one_of_many_values(database: Database, count: int) -> None:
    query = sa.select(t.event.c.resource_name).where(among(t.event.c.uuid)).order_by(t.event.c.id)
    rows = events(MANY)
    with database.write() as connection:
        insert(connection, t.event, rows)
        found = connection.scalars(query, {IDS: [row["uuid"] for row in rows[:count]]}).all()
    assert list(found) == [f"r{i}" for i in range(count)]


def test_an_index_serves_the_look_for_many_values(database: Database) -> None:
    query = sa.select(t.event.c.resource_name).where(among(t.event.c.uuid), t.event.c.id > 0)
    written = str(query.compile(dialect=database.engine.dialect))
    assert "= 1" not in written
    assert written.count(" IN (") + written.count(" = ANY (") == 1


@pytest.mark.parametrize("kind", ["postgresql"])  # the one that keeps what it knew of a table
def test_no_row_is_looked_for_in_a_whole_table_that_was_empty_when_it_was_last_looked_over(
    database: Database,
) -> None:
    node = {"stack_id": "s", "traversal_id": "t", "is_update": True, "resource_id": 1}
    counters = {"missing": 5, "poisoned": 0, "done": False, "requires": []}
    rows = [{**node, **counters} for _ in range(MANY)]
    s = t.sync_point.c
    with database.write() as connection:
        insert(connection, t.sync_point, rows)
        connection.execute(sa.delete(t.sync_point))
        connection.execute(sa.text("ANALYZE sync_point"))
        insert(connection, t.sync_point, rows)
        ids = list(connection.scalars(sa.select(s.id)))
        plans = plans_of(connection, lambda: update(connection, t.sync_point, aimed(ids)))
        plans += plans_of(connection, lambda: add(connection, t.sync_point, aimed(ids)))
        query = sa.select(s.done).where(among(s.id))
        plans += plans_of(connection, lambda: connection.execute(query, {IDS: ids}))
    assert plans
    for plan in plans:
        assert "Seq Scan" not in plan
        assert re.search(r"Index Scan using pk_sync_point .*\n *Index Cond: \(id = ANY", plan)


@pytest.mark.parametrize("kind", ["mariadb"])
def test_no_row_but_those_that_are_changed_is_locked_in_a_table_that_counts_as_empty(
    database: Database,
) -> None:
    with database.write() as connection:
        asked = asked_by(connection, lambda: update(connection, t.sync_point, aimed([1, 2])))
        asked += asked_by(connection, lambda: add(connection, t.sync_point, aimed([1, 2])))
        for statement, parameters in asked:
            plan = connection.exec_driver_sql(f"EXPLAIN {statement}", parameters).mappings()
            (target,) = [row for row in plan if row["table"] == "sync_point"]
            assert target["key"] == "PRIMARY"


def aimed(ids: Sequence[int]) -> list[dict[str, int]]:
    return [{"id": i, "missing": 1} for i in ids]


def plans_of(connection: sa.Connection, act: Callable[[], object]) -> list[str]:
    """Return how PostgreSQL goes about the statements of what is done."""
    return [
        "\n".join(connection.exec_driver_sql(f"EXPLAIN {statement}", parameters).scalars())
        for statement, parameters in asked_by(connection, act)
    ]


def test_rows_with_different_columns_are_refused_and_nothing_is_left_out(
    database: Database,
) -> None:
    with pytest.raises(Bug, match="event with different columns"), database.write() as connection:
        update(connection, t.event, [{"id": 1, "status": "x"}, {"id": 2, "action": "y"}])


def test_uuids_are_random_ones_and_all_different() -> None:
    made = uuids(1000)
    assert len(set(made)) == len(made)
    assert all(str(UUID(each)) == each and UUID(each).version == 4 for each in made)
