"""What is deleted for good, and what is not."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa

from stoker.store import change_sets, engines
from stoker.store import tables as t
from stoker.store.change_sets import ChangeSetRow
from stoker.store.purge import forget_dead, purge
from tests.store.world import START

if TYPE_CHECKING:
    from stoker.store.database import Database
    from tests.store.world import World

DAY = 86_400
NOW = (START + timedelta(days=100)).timestamp()
DEPENDENT = (t.resource, t.event, t.stack_tag, t.resource_data, t.raw_template)


def names(database: Database) -> list[str]:
    with database.read() as connection:
        return sorted(connection.scalars(sa.select(t.stack.c.name)))


def rows(database: Database, table: sa.Table) -> int:
    with database.read() as connection:
        return int(connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0)


def deleted(world: World, name: str, days_ago: int, **columns: str) -> str:
    at = (START + timedelta(days=100 - days_ago)).replace(tzinfo=None)
    return world.stack(name, deleted_at=at, tags=("a",), **columns)


def test_stacks_deleted_long_ago_go_and_no_others(database: Database, world: World) -> None:
    world.stack("alive")
    deleted(world, "young", 5)
    for i in range(5):
        deleted(world, f"old{i}", 20 + i)
    assert purge(database, NOW - 10 * DAY, None, 2) == 5
    assert names(database) == ["alive", "young"]
    assert purge(database, NOW - 10 * DAY, None, 2) == 0


def test_only_one_projects_go_when_told_so(database: Database, world: World) -> None:
    deleted(world, "mine", 20)
    deleted(world, "theirs", 20, project_id="p2")
    assert purge(database, NOW, "p2", 20) == 1
    assert names(database) == ["mine"]


def test_all_that_is_kept_of_a_stack_goes_with_it(database: Database, world: World) -> None:
    for stack_id in (world.stack("alive", tags=("a",)), deleted(world, "old", 20)):
        resource_id = world.resource(stack_id, "r")
        world.event(stack_id)
        world.insert(t.resource_data, resource_id=resource_id, key="k", value=world.seal("v"))
    before = {table.name: rows(database, table) for table in DEPENDENT}
    assert set(before.values()) == {2}
    purge(database, NOW, None, 20)
    after = {table.name: rows(database, table) for table in DEPENDENT}
    assert set(after.values()) == {1}, after


def planned(world: World, name: str, stack_id: str, days_ago: int, project_id: str = "p1") -> None:
    row = ChangeSetRow(
        id=world.uuid(),
        name=name,
        description="",
        project_id=project_id,
        stack_id=stack_id,
        stack_name=name,
        is_new=True,
        execution="available",
        reason="",
        request=world.seal({}),
        shown=world.seal({}),
        created_at=START + timedelta(days=100 - days_ago),
    )
    with world.database.write() as connection:
        change_sets.add(connection, row)


def test_change_sets_go_with_their_stack_or_when_it_was_never_made(
    database: Database, world: World
) -> None:
    planned(world, "alive", world.stack("alive"), 50)
    planned(world, "gone", deleted(world, "gone", 20), 50)
    planned(world, "old", world.uuid(), 50)
    planned(world, "young", world.uuid(), 1)
    planned(world, "theirs", world.uuid(), 50, "p2")
    purge(database, NOW - 10 * DAY, "p1", 20)
    with database.read() as connection:
        found = set(connection.scalars(sa.select(t.change_set.c.name)))
    assert found == {"alive", "young", "theirs"}


def test_of_engines_the_long_dead_go(database: Database) -> None:
    with database.write() as connection:
        for name in ("alive", "dead"):
            engines.join(connection, name, 2, NOW)
        engines.bury(connection, {"dead": 0}, (), NOW)
        assert forget_dead(connection, NOW) == 0
        assert forget_dead(connection, NOW + 1) == 1
        assert [row.id for row in engines.listed(connection, 0)] == ["alive"]
