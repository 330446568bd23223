"""Stack rows: who finds which, and what a stack was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.store import stacks

if TYPE_CHECKING:
    from tests.store.world import World


def test_a_stack_is_found_by_id_also_when_it_is_deleted(world: World) -> None:
    alive = world.stack(updated_at=world.moment())
    gone = world.stack("gone", deleted_at=world.moment())
    with world.database.read() as connection:
        first, second = stacks.by_id(connection, alive), stacks.by_id(connection, gone)
        assert stacks.by_id(connection, "none") is None
    assert first is not None
    assert second is not None
    assert first.updated_at is not None
    assert first.updated_at.utcoffset() is not None
    assert first.deleted_at is None
    assert second.deleted_at is not None


def test_of_equal_names_the_oldest_is_found_and_no_deleted_one(world: World) -> None:
    world.stack("s", deleted_at=world.moment())
    first = world.stack("s")
    world.stack("s", owner_id=first)
    with world.database.read() as connection:
        found = stacks.by_name(connection, "s", "p1")
        assert stacks.by_name(connection, "S", "p1") is None
        assert stacks.by_name(connection, "s", "p2") is None
    assert found is not None
    assert found.id == first


def test_a_name_is_found_from_the_project_of_the_stack_users(world: World) -> None:
    stack = world.stack("s", stack_user_project_id="domain-project")
    with world.database.read() as connection:
        found = stacks.by_name(connection, "s", "domain-project")
    assert found is not None
    assert found.id == stack


def test_who_holds_an_object_is_found_in_the_project_alone(world: World) -> None:
    mine, twin, gone = (
        world.stack("a"),
        world.stack("b"),
        world.stack("c", deleted_at=world.moment()),
    )
    theirs = world.stack("d", project_id="p2")
    world.resource(mine, physical_id="one")
    for stack in (mine, twin, gone, theirs):
        world.resource(stack, "r2", physical_id="two")
    world.resource(mine, "r3", physical_id="three", is_current=False)
    with world.database.read() as connection:
        found = {
            each: {row.id for row in stacks.holding(connection, each, "p1")}
            for each in ("one", "two", "three")
        }
    assert found == {"one": {mine}, "two": {mine, twin}, "three": set()}


def test_tags_keep_their_order(world: World) -> None:
    first, second, bare = (
        world.stack("a", tags=("z", "a")),
        world.stack("b", tags=("m",)),
        world.stack("c"),
    )
    with world.database.read() as connection:
        found = stacks.tags(connection, [first, second, bare])
        assert stacks.tags(connection, []) == {}
    assert found == {first: ("z", "a"), second: ("m",)}


def test_the_source_of_a_stack_stays_sealed(world: World) -> None:
    template = {"heat_template_version": "2016-10-14"}
    with_files = world.stack(template_id=world.template(template, files={"f": "text"}))
    without = world.stack(template_id=world.template())
    unseal = world.database.sealer.open
    with world.database.read() as connection:
        found = stacks.source(connection, with_files)
        bare = stacks.source(connection, without)
        assert stacks.source(connection, "none") is None
    assert found is not None
    assert found.files is not None
    assert unseal(found.template) == {"heat_template_version": "2016-10-14"}
    assert unseal(found.files) == {"f": "text"}
    assert bare is not None
    assert bare.files is None
