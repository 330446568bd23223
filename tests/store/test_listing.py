"""Lists of stacks: what is in them, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stoker.store.listing import Wanted, count, listed
from stoker.store.paging import Page

if TYPE_CHECKING:
    from tests.store.world import World

NEWEST = Page()


def names(world: World, wanted: Wanted, page: Page = NEWEST) -> list[str]:
    with world.database.read() as connection:
        return [row.name for row in listed(connection, wanted, page)]


def test_a_project_sees_its_own_root_stacks_newest_first(world: World) -> None:
    first = world.stack("first")
    world.stack("second")
    world.stack("theirs", project_id="p2")
    world.stack("gone", deleted_at=world.moment())
    world.stack("nested", owner_id=first)
    assert names(world, Wanted("p1")) == ["second", "first"]


def test_deleted_nested_and_foreign_stacks_are_there_when_they_are_asked_for(world: World) -> None:
    first = world.stack("first")
    world.stack("theirs", project_id="p2")
    world.stack("gone", deleted_at=world.moment())
    world.stack("nested", owner_id=first)
    assert names(world, Wanted("p1", deleted=True)) == ["gone", "first"]
    assert names(world, Wanted("p1", nested=True)) == ["nested", "first"]
    assert names(world, Wanted(None)) == ["theirs", "first"]


def test_what_was_asked_before_changes_nothing(world: World) -> None:
    for project in ("p1", "p2", "p3"):
        world.stack(f"of {project}", project_id=project, status="FAILED")
        world.stack(f"and {project}", project_id=project)
    for _ in range(2):
        for project in ("p1", "p2", "p3"):
            assert names(world, Wanted(project)) == [f"and {project}", f"of {project}"]
            assert names(world, Wanted(project), Page(limit=1)) == [f"and {project}"]
            assert names(world, Wanted(project, {"status": ["FAILED"]})) == [f"of {project}"]
            assert names(world, Wanted(project, {"name": ["of p2"]})) == (
                ["of p2"] if project == "p2" else []
            )


def test_columns_are_matched_exactly_and_several_values_mean_any_of_them(world: World) -> None:
    world.stack("a", status="FAILED")
    world.stack("b", action="UPDATE")
    world.stack("c", disable_rollback=False, timeout_mins=7)
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"name": ["a", "c"]}, ["c", "a"]),
        ({"status": ["FAILED"]}, ["a"]),
        ({"status": ["COMPLETE"], "action": ["UPDATE"]}, ["b"]),
        ({"disable_rollback": [False]}, ["c"]),
        ({"timeout_mins": [7]}, ["c"]),
        ({"name": ["A"]}, []),
    ]
    for columns, right in cases:
        assert names(world, Wanted("p1", columns)) == right, columns


@pytest.mark.parametrize(
    ("tags", "right"),
    [
        ({"tags": ("x",)}, ["xy", "x"]),
        ({"tags": ("x", "y")}, ["xy"]),
        ({"tags_any": ("x", "y")}, ["xy", "y", "x"]),
        ({"not_tags": ("x", "y")}, ["bare", "y", "x"]),
        ({"not_tags": ("x",)}, ["bare", "y"]),
        ({"not_tags_any": ("x", "y")}, ["bare"]),
        ({"tags_any": ("x",), "not_tags": ("y",)}, ["x"]),
        ({"hidden_tags": ("x",)}, ["bare", "y"]),
        ({"hidden_tags": ("x",), "not_tags_any": ("y",)}, ["bare"]),
        ({"tags": ("X",)}, []),
    ],
    ids=str,
)
def test_tags_choose(world: World, tags: dict[str, Any], right: list[str]) -> None:
    world.stack("x", tags=("x",))
    world.stack("y", tags=("y",))
    world.stack("xy", tags=("x", "y"))
    world.stack("bare")
    assert names(world, Wanted("p1", **tags)) == right
    with world.database.read() as connection:
        assert count(connection, Wanted("p1", **tags)) == len(right)


SORTS = [
    ((), None, ["c", "b", "a"]),
    ((), "asc", ["a", "b", "c"]),
    ((), "desc", ["c", "b", "a"]),
    (("name",), None, ["a", "b", "c"]),
    (("name",), "desc", ["c", "b", "a"]),
    (("created_at",), None, ["a", "b", "c"]),
    (("status", "name"), None, ["a", "c", "b"]),
    (("updated_at",), None, ["b", "c", "a"]),  # never updated is before all times
    (("updated_at",), "desc", ["a", "c", "b"]),
    (("nonsense",), None, ["c", "b", "a"]),
    (("nonsense", "name"), None, ["a", "b", "c"]),
]


@pytest.fixture
def three(world: World) -> World:
    world.stack("a", updated_at=world.moment().replace(year=2027))
    world.stack("b", status="FAILED")
    world.stack("c", updated_at=world.moment())
    return world


@pytest.mark.parametrize(("keys", "direction", "right"), SORTS, ids=str)
def test_stacks_are_sorted(
    three: World, keys: tuple[str, ...], direction: str | None, right: list[str]
) -> None:
    assert names(three, Wanted("p1"), Page(None, None, keys, direction)) == right


@pytest.mark.parametrize(("keys", "direction", "right"), SORTS, ids=str)
def test_pages_put_together_are_the_list(
    three: World, keys: tuple[str, ...], direction: str | None, right: list[str]
) -> None:
    found: list[str] = []
    marker = None
    for _ in range(len(right) + 1):
        page = Page(1, marker, keys, direction)
        with three.database.read() as connection:
            rows = listed(connection, Wanted("p1"), page)
        if not rows:
            break
        found.append(rows[0].name)
        marker = rows[0].id
    assert found == right


def test_a_marker_that_is_not_there_is_ignored(three: World) -> None:
    theirs = three.stack("theirs", project_id="p2")
    for marker in ("nonsense", theirs):
        assert names(three, Wanted("p1"), Page(1, marker)) == ["c"]


def test_a_marker_that_was_deleted_meanwhile_still_marks(world: World) -> None:
    world.stack("a")
    gone = world.stack("b", deleted_at=world.moment())
    world.stack("c")
    assert names(world, Wanted("p1"), Page(marker=gone)) == ["a"]


def test_counting_knows_no_page(three: World) -> None:
    with three.database.read() as connection:
        assert count(connection, Wanted("p1")) == 3
        assert count(connection, Wanted("p1", {"status": ["FAILED"]})) == 1
        assert count(connection, Wanted("none")) == 0
