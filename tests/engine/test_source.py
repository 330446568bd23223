"""What is gathered at once says the same as what is asked for piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.source import Gathered, Source
from stoker.engine.views import Outputs
from stoker.lang.expression import dump, references
from stoker.lang.syntax import Call

if TYPE_CHECKING:
    from tests.engine.kinds import Kinds
    from tests.store.world import World

VERSION = "2018-08-31"


def get_attr(*args: Any) -> Call:
    return Call("get_attr", list(args), VERSION)


def output(name: str, value: Any) -> dict[str, Any]:
    return {"name": name, "description": "", "value": dump(value), "error": None}


@pytest.fixture
def deep(world: World) -> str:
    """Return a stack with a template's child, that has a group, whose members have children."""
    wanted = [("of", get_attr("n", "a")), ("inside", get_attr("n", "b")), ("x", get_attr("x", "a"))]
    top = world.stack(outputs=[output(*each) for each in wanted])
    world.resource(top, "x", attributes={"a": 1})
    row = world.resource(top, "n", implementation="mid.yaml")
    middle = world.child(
        top, row, "n", outputs=[output("a", get_attr("g", "a")), output("b", get_attr("k", "a"))]
    )
    world.resource(middle, "k", attributes={"a": "of k"})
    group = world.resource(middle, "g", type="T::Group")
    members = world.child(middle, group, "g", root_id=top)
    for number in range(3):
        name = str(number)
        member = world.resource(members, name, implementation="low.yaml", position=number)
        low = world.child(members, member, name, root_id=top, outputs=[output("a", number)])
        world.resource(low, "r")
    return top


def outputs(source: Source, kinds: Kinds, stack: str) -> dict[str, Any]:
    return dict(Outputs(source, kinds, stack, strict=False))


def test_two_statements_read_what_outputs_need_however_deep_it_stands(
    world: World, kinds: Kinds, deep: str
) -> None:
    rows = Source(world.database).outputs(deep)
    named = {each for row in rows.values() for each in references(row.value)}
    with world.counted() as asked:
        found = outputs(Gathered(world.database, deep, named, outputs=rows), kinds, deep)
    assert len([each for each in asked if each.startswith(("SELECT", "WITH"))]) == 2
    assert found == outputs(Source(world.database), kinds, deep)
    assert found == {"of": [0, 1, 2], "inside": "of k", "x": 1}


def test_everything_is_read_where_nothing_else_is_said(
    world: World, kinds: Kinds, deep: str
) -> None:
    source = Gathered(world.database, deep)
    assert [row.name for row in source.members(deep)] == ["x", "n"]
    assert len(source.nested) == 5
    with world.counted() as asked:
        for child in source.nested:
            assert source.members(child.id)
            assert source.outputs(child.id) == Source(world.database).outputs(child.id)
    assert len([each for each in asked if each.startswith("SELECT")]) == 5  # the other's own
    assert outputs(source, kinds, deep)["of"] == [0, 1, 2]


def test_what_was_not_gathered_is_asked_for(world: World, deep: str) -> None:
    source = Gathered(world.database, deep, references(get_attr("x", "a")))
    assert source.nested == []
    plain = Source(world.database)
    assert source.named(deep, ["n"]) == plain.named(deep, ["n"])
    assert source.children(deep) == plain.children(deep)
    assert list(source.members(deep)) == list(plain.members(deep))
    row = plain.named(deep, ["n"])["n"]
    assert source.child(deep, row.id) == plain.child(deep, row.id)
    assert source.data(row.id) == {}
    assert source.state(row.id) is None
    assert source.outputs(deep) == plain.outputs(deep)


def test_nothing_is_asked_where_nothing_is_wanted(world: World, deep: str) -> None:
    with world.counted() as asked:
        source = Gathered(world.database, deep, ())
        assert source.nested == []
    assert not asked
