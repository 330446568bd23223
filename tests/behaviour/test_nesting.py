"""Stacks in stacks (6.5 of the captured facts), and what there is no more of (6.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stoker.store import tables as t
from stoker.usecases.stacks import StackQuery, UpdateStack
from tests.behaviour.proof import Row, check
from tests.engine.house import goal
from tests.engine.shelf import ANN, Fate

if TYPE_CHECKING:
    from tests.engine.house import House

HERE = "behaviour/test_nesting.py"
ROWS = (
    Row(
        "owner, parent resource, depth, root; the root's credentials; no rollback of its own",
        (f"{HERE}::test_a_child_knows_where_it_belongs_and_rolls_nothing_back_itself",),
    ),
    Row(
        "made and changed in any engine",
        ("store/test_work.py::test_a_child_begins_with_the_step_and_its_end_wakes_its_parent",),
    ),
    Row(
        "its failure's reason is its parent's",
        (
            f"{HERE}::test_a_childs_reason_becomes_its_parents_with_the_way_to_it",
            "engine/test_acting.py::test_what_fails_in_a_child_is_told_with_its_path_and_mended_in_place",
        ),
    ),
    Row(
        "no check of its name; hidden from lists",
        (f"{HERE}::test_a_child_is_called_after_its_resource_and_is_in_no_list",),
    ),
    Row(
        "one that has vanished is made again",
        (f"{HERE}::test_a_child_that_has_vanished_is_made_again",),
    ),
    Row(
        "a rollback of the parent takes the child back",
        (f"{HERE}::test_a_rollback_takes_the_child_back_too",),
    ),
    Row(
        "an update before its create has finished",
        (
            f"{HERE}::test_an_update_before_the_child_is_made_brings_it_to_the_new_goal",
            "store/test_work.py::test_a_child_that_moved_on_has_the_step_done_anew",
        ),
    ),
    Row("how deep", ("behaviour/test_budgets.py::test_stacks_are_nested_so_deep_and_no_deeper",)),
    Row(
        "the budget of the whole tree",
        ("behaviour/test_budgets.py::test_the_resources_of_the_whole_tree_are_counted",),
    ),
    Row("the legacy engine (6.4)", told="The legacy engine"),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_shows_a_row_is_there(row: Row) -> None:
    check(row)


def nest(**inner: Any) -> dict[str, Any]:
    whole = {k: {"type": v} if isinstance(v, str) else v for k, v in inner.items()}
    return {"type": "T::Nest", "properties": {"inner": whole}}


def stacks(house: House) -> dict[str, Any]:
    """Return the rows of the stacks that are alive, by the resource that each is of."""
    with house.database.read() as connection:
        rows = connection.execute(t.stack.select().where(t.stack.c.deleted_at.is_(None)))
        return {row.parent_resource_name or "": row for row in rows}


def test_a_child_knows_where_it_belongs_and_rolls_nothing_back_itself(house: House) -> None:
    ref = house.create(outer=nest(inner=nest(a="T::Thing")))
    assert house.ended(ref) == "CREATE_COMPLETE"
    found = stacks(house)
    top, outer, inner = found[""], found["outer"], found["inner"]
    assert (outer.owner_id, inner.owner_id) == (top.id, outer.id)
    assert [each.nested_depth for each in (top, outer, inner)] == [0, 1, 2]
    assert {each.root_id for each in (top, outer, inner)} == {top.id}
    assert {each.user_creds_id for each in (top, outer, inner)} == {top.user_creds_id}
    assert top.user_creds_id is not None
    assert outer.disable_rollback
    assert inner.disable_rollback


def test_a_childs_reason_becomes_its_parents_with_the_way_to_it(house: House) -> None:
    house.shelf.fates = [Fate.REFUSED]
    ref = house.create(outer=nest(inner=nest(a="T::Thing")))
    assert house.ended(ref) == "CREATE_FAILED"
    text = "Resource CREATE failed: CloudError: resources.outer.resources.inner.resources.a:"
    assert house.stack(ref).status_reason == f"{text} refused"


def test_a_child_is_called_after_its_resource_and_is_in_no_list(house: House) -> None:
    ref = house.create(outer=nest(a="T::Mere"))
    house.ended(ref)
    assert stacks(house)["outer"].name.startswith("s-outer-")
    query = StackQuery()
    assert [each.name for each in house.stacks.list(ANN, query)] == ["s"]


def test_a_child_that_has_vanished_is_made_again(house: House) -> None:
    ref = house.create(outer=nest(a="T::Mere"))
    house.ended(ref)
    gone = stacks(house)["outer"].id
    with house.database.write() as connection:  # by an operator's hand
        connection.execute(t.resource.delete().where(t.resource.c.stack_id == gone))
        connection.execute(t.stack.delete().where(t.stack.c.id == gone))
    assert house.update(ref, outer=nest(a="T::Mere", b="T::Mere")) == "UPDATE_COMPLETE"
    made = stacks(house)["outer"]
    assert (made.id != gone, made.status) == (True, "COMPLETE")


def test_a_rollback_takes_the_child_back_too(house: House) -> None:
    house.undoes = True
    ref = house.create(outer=nest(a="T::Mere"))
    house.ended(ref)
    house.shelf.fates = [Fate.REFUSED]
    wanted = goal({"outer": nest(a="T::Mere", b="T::Thing")})
    house.stacks.update(ANN, ref, UpdateStack(wanted))
    assert house.ended(ref) == "ROLLBACK_COMPLETE"
    assert set(house.rows()) == {"outer", "a"}
    assert stacks(house)["outer"].status == "COMPLETE"


def test_an_update_before_the_child_is_made_brings_it_to_the_new_goal(house: House) -> None:
    house.engine.stop()
    ref = house.create(outer=nest(a="T::Mere"))
    house.stacks.update(ANN, ref, UpdateStack(goal({"outer": nest(b="T::Mere")})))
    again = type(house)(house.database, house.shelf)
    again.engine.start()
    try:
        assert again.ended(ref) == "UPDATE_COMPLETE"
        assert set(again.rows()) == {"outer", "b"}
    finally:
        again.engine.stop()
