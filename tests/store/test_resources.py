"""Resource rows: which of several a user sees, and nothing opened that was not asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.store import resources

if TYPE_CHECKING:
    from stoker.store.database import Database
    from tests.store.world import World


def test_the_current_row_hides_the_one_that_it_replaced(world: World) -> None:
    stack = world.stack()
    world.resource(stack, "a", is_current=False, physical_id="old")
    world.resource(stack, "a", physical_id="new")
    world.resource(stack, "a", is_current=False, physical_id="older")
    with world.database.read() as connection:
        found = resources.of_stacks(connection, [stack])
    assert [row.physical_id for row in found] == ["new"]


def test_a_replaced_row_is_seen_while_there_is_no_current_one(world: World) -> None:
    stack = world.stack()
    world.resource(stack, "a", is_current=False, physical_id="older")
    world.resource(stack, "a", is_current=False, physical_id="old")
    with world.database.read() as connection:
        found = resources.named(connection, stack, ["a"])
    assert found["a"].physical_id == "old"


def test_resources_come_in_the_order_of_the_template(world: World) -> None:
    stack = world.stack()
    for name, position in (("c", 2), ("a", 0), ("b", 1)):
        world.resource(stack, name, position=position)
    with world.database.read() as connection:
        found = resources.of_stacks(connection, [stack])
    assert [row.name for row in found] == ["a", "b", "c"]


def test_equal_names_in_two_stacks_do_not_hide_each_other(world: World) -> None:
    stacks = [world.stack("s1"), world.stack("s2")]
    for stack in stacks:
        world.resource(stack, "a")
    with world.database.read() as connection:
        found = resources.of_stacks(connection, stacks)
    assert sorted(row.stack_id for row in found) == sorted(stacks)


def test_sealed_columns_stay_behind_unless_they_are_asked_for(world: World) -> None:
    stack = world.stack()
    world.resource(stack, "a", attributes={"x": 1}, metadata={"m": 1})
    with world.database.read() as connection:
        plain = resources.named(connection, stack, ["a"])["a"]
        some = resources.named(connection, stack, ["a"], sealed=("attributes",))["a"]
    assert (plain.definition, plain.attributes, plain.metadata) == (None, None, None)
    assert (some.definition, some.metadata) == (None, None)
    assert some.attributes is not None
    assert world.database.sealer.open(some.attributes) == {"x": 1}


def test_a_list_has_the_rows_that_are_found_by_name(world: World) -> None:
    stack = world.stack()
    texts = ['"quoted"', "back\\slash", "line\nbreak", "\u00e9\u4e16\U0001f30d", "{}", "", "null"]
    texts += ["\t\x01\x1f\x7f", "\u2028", "'", "\\u0041", "[1,", "%s %"]
    for i, text in enumerate(texts):
        requires = [f"r{j}" for j in range(i)]
        same = {"type": text, "implementation": text, "physical_id": text, "status_reason": text}
        world.resource(stack, f"r{i}{text}", requires=requires, position=i, **same)
    world.resource(stack, "bare", physical_id=None, is_current=False, position=99)
    with world.database.read() as connection:
        listed = resources.of_stacks(connection, [stack])
        named = resources.named(connection, stack, [row.name for row in listed])
    assert [row.reason for row in listed[:-1]] == texts
    assert {row.name: row for row in listed} == named
    assert {type(row.is_current) for row in listed} == {bool}  # not a number that equals it


def test_no_names_ask_nothing(world: World) -> None:
    with world.database.read() as connection, world.counted() as asked:
        assert resources.named(connection, "any", []) == {}
    assert asked == []


def test_very_many_names_are_found_by_one_query(world: World) -> None:
    stack = world.stack()
    world.many(stack, resources.MANY + 10)
    names = [f"r{i}" for i in range(resources.MANY + 5)]
    with world.database.read() as connection, world.counted() as asked:
        found = resources.named(connection, stack, names)
    assert set(found) == set(names)
    assert len([each for each in asked if each.startswith("SELECT")]) == 1


def test_moments_come_with_their_zone(world: World) -> None:
    stack = world.stack()
    world.resource(stack, "a")
    with world.database.read() as connection:
        (row,) = resources.of_stacks(connection, [stack])
    assert row.created_at.utcoffset() is not None
    assert row.updated_at > row.created_at


def test_users_are_those_who_need_the_resource_each_once(world: World) -> None:
    stack = world.stack()
    world.resource(stack, "a")
    world.resource(stack, "b", requires=["a"])
    world.resource(stack, "b", requires=["a"], is_current=False)
    world.resource(stack, "c", requires=["b", "a"])
    with world.database.read() as connection:
        assert resources.users(connection, stack, "a") == ("b", "c")
        assert resources.users(connection, stack, "c") == ()


def test_data_is_found_by_its_resource(world: World, database: Database) -> None:
    stack = world.stack()
    mine, other = world.resource(stack, "a"), world.resource(stack, "b")
    world.data(mine, password="p", port=1)
    world.data(other, password="q")
    with database.read() as connection:
        found = resources.data(connection, mine)
    opened = {key: database.sealer.open(value) for key, value in found.items()}
    assert opened == {"password": "p", "port": 1}


def test_names_that_no_text_can_have_are_read_as_they_were_written(world: World) -> None:
    if world.database.dialect != "sqlite":
        pytest.skip("a server refuses to keep them")
    stack = world.stack()
    world.resource(stack, requires=["plain", "\ud800"])
    with world.database.read() as connection:
        (row,) = resources.of_stacks(connection, [stack])
    assert row.requires == ("plain", "\ud800")
