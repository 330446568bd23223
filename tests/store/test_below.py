"""What is nested below a stack, read at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoker.store import below, queries, resources
from stoker.store.below import Part
from tests.store.asked import asked_by

if TYPE_CHECKING:
    from tests.store.world import World

_COUNTS = {"postgresql": "ANALYZE resource", "mariadb": "ANALYZE TABLE resource"}


def test_stacks_below_are_found_however_deep_but_only_of_the_resources_asked_for(
    world: World,
) -> None:
    top = world.stack("top")
    first = world.child(top, world.resource(top, "a"), "a")
    second = world.child(first, world.resource(first, "b", implementation="b.yaml"), "b")
    third = world.child(second, world.resource(second, "c"), "c")
    other = world.child(top, world.resource(top, "other"), "other")
    world.child(top, world.resource(top, "gone"), "gone", deleted_at=world.moment())
    with world.database.read() as connection:
        every = below.nested(connection, Part(top))
        some = below.nested(connection, Part(top, {"a", "absent"}))
        many = below.nested(connection, Part(top, {f"r{i}" for i in range(600)}))
    assert {row.child.id for row in every} == {first, second, third, other}
    assert {row.child.id for row in some} == {first, second, third}
    assert {row.child.id for row in many} == {row.child.id for row in every}
    assert [row.child.id for row in every if row.template is not None] == [second]


def test_rows_come_with_what_is_kept_beside_them(world: World) -> None:
    top, deep = world.stack("top"), world.stack("deep")
    kept = world.resource(top, "kept")
    world.data(kept, k="v", l="w")
    world.resource(top, "plain")
    world.resource(top, "left")
    inner = world.resource(deep, "inner")
    with world.database.read() as connection:
        found = below.held(connection, Part(top, {"kept", "plain"}), [deep], sealed=())
        every = below.held(connection, Part(top), [], sealed=("attributes",))
    assert [row.name for row in found.rows] == ["kept", "plain", "inner"]
    assert {key: len(each) for key, each in found.data.items()} == {kept: 2}
    assert not found.states
    assert inner in {row.id for row in found.rows}
    assert [row.name for row in every.rows] == ["kept", "plain", "left"]


def test_who_needs_a_resource_is_told_whatever_its_name(world: World) -> None:
    top = world.stack("top")
    odd = 'a%_"/\\ä'
    world.resource(top, odd)
    world.resource(top, "aX", position=1)
    world.resource(top, "second", requires=["x", odd], position=3)
    world.resource(top, "first", requires=[odd], position=2)
    world.resource(top, "none", requires=["aX", odd.upper()], position=4)
    with world.database.read() as connection:
        found = below.held(connection, Part(top, {odd}, odd), [], sealed=())
        absent = below.held(connection, Part(top, {"nobody"}, "nobody"), [], sealed=())
    assert found.users == ("first", "second")
    assert odd in {row.name for row in found.rows}
    assert (absent.rows, absent.users) == ([], ())


def test_only_the_rows_of_these_stacks_are_read(world: World) -> None:
    """Also on SQLite, which knows nothing of a table's rows; the servers are told, since one whose
    figures are those of the empty table takes any index."""
    ids = [world.stack(f"s{number}") for number in range(30)]
    for each in ids:
        world.many(each, 30)
    if (counts := _COUNTS.get(world.database.dialect)) is not None:
        with world.database.write() as connection:
            connection.exec_driver_sql(counts).close()
    with world.database.read() as connection:
        top = Part(ids[0], {"r1"})
        asked = [
            *asked_by(connection, lambda: below.held(connection, top, [], sealed=())),
            *asked_by(connection, lambda: below.held(connection, top, ids[1:4], sealed=())),
            *asked_by(connection, lambda: resources.of_stacks(connection, ids[:4])),
            *asked_by(connection, lambda: queries.planned(connection, ids[:4])),
        ]
        explain = "EXPLAIN QUERY PLAN" if world.database.dialect == "sqlite" else "EXPLAIN"
        plans = [
            str(connection.exec_driver_sql(f"{explain} {text}", values).all())
            for text, values in asked
            if text.startswith("SELECT")
        ]
    assert len(plans) == 4
    for plan in plans:
        assert "ix_resource_stack_id_name" in plan, plan
