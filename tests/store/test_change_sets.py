"""The rows of change sets: found by stack, one of a name, and none of a stack that has gone."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from stoker.errors import Conflict
from stoker.store import change_sets
from stoker.store.change_sets import ChangeSetRow
from tests.store.world import START

if TYPE_CHECKING:
    from tests.store.world import World


def kept(world: World, name: str, stack_id: str, **more: Any) -> ChangeSetRow:
    row = ChangeSetRow(
        **{
            "id": world.uuid(),
            "name": name,
            "description": "d",
            "project_id": "p1",
            "stack_id": stack_id,
            "stack_name": "s",
            "is_new": False,
            "execution": "available",
            "reason": "",
            "request": world.seal({"a": 1}),
            "shown": world.seal({}),
            "created_at": START,
            **more,
        }
    )
    with world.database.write() as connection:
        change_sets.add(connection, row)
    return row


def names(world: World, stack: str, project: str = "p1") -> list[str]:
    with world.database.read() as connection:
        return [row.name for row in change_sets.of_stack(connection, project, stack)]


def test_one_is_found_as_it_was_kept_until_it_is_removed(world: World) -> None:
    row = kept(world, "one", world.stack("s"))
    with world.database.write() as connection:
        assert change_sets.by_id(connection, row.id) == row
        change_sets.end(connection, row.id, "done")
        found = change_sets.by_id(connection, row.id)
        assert found is not None
        assert found.execution == "done"
        change_sets.remove(connection, row.id)
        assert change_sets.by_id(connection, row.id) is None


def test_those_of_a_stack_are_found_by_its_name_and_its_id_in_its_project(world: World) -> None:
    stack = world.stack("s")
    kept(world, "one", stack)
    kept(world, "two", stack, created_at=START + timedelta(seconds=1))
    kept(world, "other", world.stack("s", project_id="p2"), project_id="p2")
    assert names(world, "s") == names(world, stack) == ["one", "two"]
    assert names(world, stack, "p2") == []


def test_a_name_is_taken_within_its_stack(world: World) -> None:
    stack = world.stack("s")
    kept(world, "one", stack)
    with pytest.raises(Conflict, match="ChangeSet one already exists"):
        kept(world, "one", stack)
    assert names(world, stack) == ["one"]


def test_what_a_former_stack_of_the_name_has_left_goes(world: World) -> None:
    kept(world, "former", world.stack("s", deleted_at=world.moment()))
    kept(world, "planned", world.uuid(), is_new=True)
    assert names(world, "s") == ["planned"]
    kept(world, "at the same time", world.uuid(), is_new=True)
    assert set(names(world, "s")) == {"planned", "at the same time"}
    kept(world, "own", world.stack("s"))
    assert names(world, "s") == ["own"]
