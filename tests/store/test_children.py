"""Child stacks: found by the resource that made them, in one query for a whole tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.store import children

if TYPE_CHECKING:
    from tests.store.world import World


def test_the_child_of_a_resource_is_the_one_that_is_not_deleted(world: World) -> None:
    top = world.stack()
    group = world.resource(top, "group")
    world.child(top, group, "group", deleted_at=world.moment())
    alive = world.child(top, group, "group")
    with world.database.read() as connection:
        found = children.of_resource(connection, top, group)
        assert found is not None
        assert (found.id, found.owner_id, found.resource_name) == (alive, top, "group")
        assert children.of_resource(connection, top, group + 1) is None
        assert set(children.of_stack(connection, top)) == {group}


def test_a_tree_is_found_by_its_root_and_by_any_stack_of_it_with_those_that_are_gone(
    world: World,
) -> None:
    top, other = world.stack("top"), world.stack("other")
    first = world.child(top, world.resource(top, "a"), "a")
    second = world.child(first, world.resource(first, "b"), "b", root_id=top)
    gone = world.child(top, world.resource(top, "c"), "c", deleted_at=world.moment())
    world.child(other, world.resource(other, "a"), "a")
    with world.database.read() as connection:
        alive = [row.id for row in children.of_tree(connection, top)]
        itself, ever = children.around(connection, second)
        nobody = children.around(connection, "none")
    assert alive == [first, second]
    assert itself is not None
    assert itself.id == second
    assert [row.id for row in ever] == [first, second, gone]
    assert {row.owner_id for row in ever} == {top, first}
    assert nobody == (None, [])


def test_outputs_and_template_stay_sealed(world: World) -> None:
    template = world.template({"heat_template_version": "2016-10-14"})
    stack = world.stack(outputs=[{"name": "o"}], template_id=template)
    unseal = world.database.sealer.open
    with world.database.read() as connection:
        outputs = children.outputs(connection, stack)
        source = children.template(connection, stack)
        assert outputs is not None
        assert source is not None
        assert children.outputs(connection, "none") is None
        assert children.template(connection, "none") is None
    assert unseal(outputs) == [{"name": "o"}]
    assert unseal(source) == {"heat_template_version": "2016-10-14"}
