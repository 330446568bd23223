from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoker.errors import Invalid
from stoker.graph.dag import Dag
from stoker.plan.decide import Verb
from stoker.plan.node import Node, cleanup, forward
from stoker.plan.plan import Plan, plan_delete, plan_goal
from tests.plan.wanting import Row, goal, plain


def verbs(plan: Plan) -> dict[str, Verb]:
    return {change.name: change.verb for change in plan.changes}


def needs(plan: Plan, node: Node) -> set[Node]:
    return set(plan.needs[node])


# create


def test_a_new_stack_has_a_forward_node_for_each_resource() -> None:
    plan = plan_goal(goal(a=plain(), b=plain("a"), c=plain("a", "b")), [])
    assert verbs(plan) == dict.fromkeys("abc", Verb.CREATE)
    assert plan.needs == {
        forward("a"): frozenset(),
        forward("b"): {forward("a")},
        forward("c"): {forward("a"), forward("b")},
    }
    assert plan.doomed == frozenset()
    assert len(plan.needs) == 3


def test_what_a_type_knows_of_others_orders_nodes_too() -> None:
    plan = plan_goal(goal(a=plain(likes="b"), b=plain()), [])
    assert needs(plan, forward("a")) == {forward("b")}


def test_what_the_template_says_outweighs_what_types_guess() -> None:
    plan = plan_goal(goal(a=plain(likes="b"), b=plain("a")), [])
    assert needs(plan, forward("b")) == {forward("a")}
    assert needs(plan, forward("a")) == set()


# update


def test_an_update_without_change_is_no_work() -> None:
    plan = plan_goal(goal(a=plain(), b=plain("a")), [Row(1, "a"), Row(2, "b", ("a",))])
    assert verbs(plan) == {"a": Verb.KEEP, "b": Verb.KEEP}
    assert plan.needs == {}


def test_what_is_held_stays_what_it_was_and_only_where_that_is_sure() -> None:
    nest = {"type": "T::Nest"}
    wanted = goal(a=plain(size=2), b=plain(size=2), c=plain(size=2), d=nest, e=nest, f=plain())
    old: Any = {"properties": {"size": 1}, "is_as_wanted": False}
    rows = [
        Row(1, "a", **old),
        Row(2, "b", **old, reached=False),
        Row(3, "c", **old, status="FAILED", resting=False),
        Row(4, "d", type="T::Nest", reached=False, is_as_wanted=False),
        Row(5, "e", type="T::Nest", status="FAILED", resting=False),
        Row(6, "f", observed=True),
    ]
    plan = plan_goal(replace(wanted, held=frozenset("abcdefg")), rows)
    assert plan.held == {1, 4}
    assert {node.row for node in plan.needs} == {2, 3, 5, 6}
    assert verbs(plan)["a"] is verbs(plan)["d"] is Verb.KEEP
    assert plan_goal(wanted, rows).held == frozenset()


def test_a_change_in_place_has_no_clean_up_and_takes_its_users_along() -> None:
    rows = [
        Row(1, "a", properties={"size": 1}, is_as_wanted=False),
        Row(2, "b", ("a",)),
        Row(3, "c"),
    ]
    plan = plan_goal(goal(a=plain(size=2), b=plain("a"), c=plain()), rows)
    assert verbs(plan) == {"a": Verb.UPDATE, "b": Verb.KEEP, "c": Verb.KEEP}
    assert plan.needs == {forward(1): frozenset(), forward(2): {forward(1)}}


def test_what_may_be_rolled_back_keeps_the_old_until_all_that_hangs_on_it_is_done() -> None:
    rows = [
        Row(1, "a", properties={"place": "here"}, is_as_wanted=False),
        Row(2, "b", ("a",)),
        Row(3, "c", ("b",)),
        Row(4, "d", ("b",)),
        Row(5, "e", is_as_wanted=False),
    ]
    others = {"b": plain("a"), "c": plain("b"), "d": plain("b"), "e": plain(size=2)}
    wanted = goal(a=plain(place="there"), **others)
    plan, undoable = plan_goal(wanted, rows), plan_goal(wanted, rows, undoable=True)
    assert needs(plan, cleanup(1)) == {forward(1), forward(2)}
    assert needs(undoable, cleanup(1)) == {forward(i) for i in (1, 2, 3, 4)}
    assert undoable.changes == plan.changes


def test_a_replaced_object_goes_when_all_that_used_it_is_through() -> None:
    rows = [
        Row(1, "a", properties={"place": "here"}, is_as_wanted=False),
        Row(2, "b", ("a",)),
    ]
    plan = plan_goal(goal(a=plain(place="there"), b=plain("a")), rows)
    assert verbs(plan) == {"a": Verb.REPLACE, "b": Verb.KEEP}
    assert needs(plan, cleanup(1)) == {forward(1), forward(2)}
    assert plan.doomed == frozenset()


def test_a_removed_resource_goes_after_its_former_users_let_go() -> None:
    rows = [Row(1, "a"), Row(2, "b", ("a",), {"size": 1}, is_as_wanted=False)]
    plan = plan_goal(goal(b=plain(size=2)), rows)
    assert verbs(plan) == {"b": Verb.UPDATE, "a": Verb.DELETE}
    assert needs(plan, cleanup(1)) == {forward(2)}
    assert plan.doomed == {1}


def test_removed_resources_go_users_first() -> None:
    rows = [Row(1, "a"), Row(2, "b", ("a",)), Row(3, "c", ("b",))]
    plan = plan_goal(goal(), rows)
    assert plan.needs == {
        cleanup(1): {cleanup(2)},
        cleanup(2): {cleanup(3)},
        cleanup(3): frozenset(),
    }


def test_what_hangs_on_a_value_to_come_is_open_and_may_need_a_clean_up() -> None:
    rows = [
        Row(1, "a", properties={"place": "here"}, is_as_wanted=False),
        Row(2, "b", ("a",), {"place": "id-of-a"}),
    ]
    wanted = goal(a=plain(place="there"), b=plain(place={"get_resource": "a"}))
    plan = plan_goal(wanted, rows)
    assert verbs(plan) == {"a": Verb.REPLACE, "b": Verb.OPEN}
    assert needs(plan, cleanup(1)) == {cleanup(2), forward(1), forward(2)}
    assert needs(plan, cleanup(2)) == {forward(2)}


def test_a_reference_to_what_stays_is_a_value_already() -> None:
    rows = [Row(1, "a"), Row(2, "b", ("a",), {"place": "id-of-a"}, is_as_wanted=False)]
    plan = plan_goal(goal(a=plain(), b=plain(place={"get_resource": "a"})), rows)
    assert verbs(plan)["b"] is Verb.KEEP


def test_an_attribute_of_what_changes_is_no_value_yet() -> None:
    rows = [
        Row(1, "a", properties={"size": 1}, is_as_wanted=False),
        Row(2, "b", ("a",), {"place": "where-of-a"}, is_as_wanted=False),
    ]
    wanted = goal(a=plain(size=2), b=plain(place={"get_attr": ["a", "where"]}))
    assert verbs(plan_goal(wanted, rows))["b"] is Verb.OPEN


def test_a_row_that_is_not_at_rest_gets_nodes_though_nothing_changed() -> None:
    plan = plan_goal(goal(a=plain()), [Row(1, "a", resting=False)])
    assert plan.needs == {forward(1): frozenset(), cleanup(1): {forward(1)}}
    assert plan.doomed == frozenset()


def test_a_goal_that_was_never_reached_is_compared_by_values_and_gets_its_turn() -> None:
    rows = [Row(1, "a", properties={"size": 1}, reached=False), Row(2, "b", reached=False)]
    plan = plan_goal(goal(a=plain(size=2), b=plain()), rows)
    assert verbs(plan) == {"a": Verb.UPDATE, "b": Verb.KEEP}
    assert plan.needs.keys() == {forward(1), forward(2)}


def test_what_refers_to_a_resource_that_is_not_at_rest_is_open() -> None:
    rows = [Row(1, "a", resting=False), Row(2, "b", ("a",), {"place": "id-of-a"})]
    plan = plan_goal(goal(a=plain(), b=plain(place={"get_resource": "a"})), rows)
    assert verbs(plan)["b"] is Verb.OPEN
    assert cleanup(2) in plan.needs


def test_a_row_whose_deletion_was_begun_gives_its_name_to_a_new_one() -> None:
    plan = plan_goal(goal(a=plain()), [Row(1, "a", stays=False, action="DELETE", resting=False)])
    assert plan.needs == {forward("a"): frozenset(), cleanup(1): {forward("a")}}
    assert plan.doomed == {1}


def test_the_newest_row_of_a_name_goes_on_and_older_ones_go() -> None:
    rows = [Row(1, "a", stays=False), Row(2, "a", is_as_wanted=False, properties={"size": 1})]
    plan = plan_goal(goal(a=plain(size=2)), rows)
    assert needs(plan, cleanup(1)) == {forward(2)}
    assert plan.doomed == {1}


def test_an_object_that_was_replaced_takes_its_name_back_where_it_is_as_wanted() -> None:
    old = Row(1, "a", properties={"place": "here"}, returnable=True, stays=False)
    new = Row(2, "a", properties={"place": "there"}, is_as_wanted=False, resting=False)
    plan = plan_goal(goal(a=plain(place="here"), b=plain("a")), [old, new, Row(3, "b", ("a",))])
    assert verbs(plan)["a"] is Verb.DELETE  # the newer object, told last
    assert [(c.verb, c.row) for c in plan.changes if c.name == "a"] == [
        (Verb.KEEP, 1),
        (Verb.DELETE, 2),
    ]
    assert plan.returned == {1}
    assert plan.doomed == {2}
    assert plan.needs == {cleanup(2): frozenset()}


def test_an_object_that_takes_its_name_back_is_looked_at_where_the_update_looks() -> None:
    old = Row(
        1, "a", properties={"place": "here"}, returnable=True, stays=False,
        is_as_wanted=False, observed=True,
    )  # fmt: skip
    new = Row(2, "a", properties={"place": "there"}, is_as_wanted=False, observed=True)
    plan = plan_goal(goal(a=plain(place="here")), [old, new])
    assert plan.returned == {1}
    assert (Verb.OPEN, 1) in [(c.verb, c.row) for c in plan.changes]
    assert plan.needs.keys() >= {forward(1), cleanup(1)}  # it may be found to be gone


def test_a_nested_stack_that_was_replaced_takes_its_name_back_and_follows() -> None:
    old = Row(1, "a", type="T::Nest", returnable=True, stays=False, is_as_wanted=False)
    new = Row(2, "a")
    plan = plan_goal(goal(a={"type": "T::Nest"}), [old, new])
    assert plan.returned == {1}
    assert [(c.verb, c.row) for c in plan.changes] == [(Verb.UPDATE, 1), (Verb.DELETE, 2)]


def test_an_object_that_was_replaced_does_not_come_back_for_another_goal() -> None:
    old = Row(
        1,
        "a",
        properties={"place": "here"},
        returnable=True,
        stays=False,
        is_as_wanted=False,
    )
    new = Row(2, "a", properties={"place": "there"}, is_as_wanted=False)
    plan = plan_goal(goal(a=plain(place="elsewhere")), [old, new])
    assert plan.returned == frozenset()
    assert plan.doomed == {1}


def test_whoever_takes_over_an_exclusive_value_waits_until_its_holder_is_gone() -> None:
    holder = Row(1, "old", properties={"address": "x"})
    user = Row(2, "user", ("old",))
    plan = plan_goal(goal(new=plain(address="x"), user=plain("new")), [holder, user])
    assert needs(plan, forward("new")) == {cleanup(1)}
    assert needs(plan, cleanup(1)) == set()
    other = plan_goal(goal(new=plain(address="y"), user=plain("new")), [holder, user])
    assert needs(other, forward("new")) == set()


def test_dependencies_turned_round_order_the_clean_up_by_what_stays() -> None:
    rows = [
        Row(1, "a", ("b",), stays=False),
        Row(2, "b", stays=False),
        Row(3, "a", resting=False, is_as_wanted=False),
        Row(4, "b", ("a",), resting=False, is_as_wanted=False),
    ]
    plan = plan_delete(rows)
    assert cleanup(4) in needs(plan, cleanup(3))
    list(Dag(plan.needs).waves())


def test_changes_that_types_do_not_allow_are_all_refused_with_their_places() -> None:
    rows = [Row(i, n, properties={"fixed": "x"}, is_as_wanted=False) for i, n in enumerate("ab")]
    with pytest.raises(Invalid) as caught:
        plan_goal(goal(a=plain(fixed="y"), b=plain(fixed="z")), rows)
    assert {problem.at for problem in caught.value.problems} == {
        ("resources", "a", "properties", "fixed"),
        ("resources", "b", "properties", "fixed"),
    }


# delete


def test_a_delete_removes_every_row_users_first() -> None:
    plan = plan_delete([Row(1, "a"), Row(2, "b", ("a",)), Row(3, "a", stays=False)])
    assert plan.needs == {
        cleanup(1): {cleanup(2)},
        cleanup(2): frozenset(),
        cleanup(3): {cleanup(2)},
    }
    assert plan.doomed == {1, 2, 3}


def test_of_two_of_one_name_a_row_on_its_way_out_used_the_one_that_was_there_before_it() -> None:
    rows = [
        Row(1, "a", stays=False),
        Row(2, "b", ("a",), doomed=True),
        Row(4, "d", ("b",), stays=False),
        Row(8, "a", ("d",), status="FAILED", resting=False),
    ]
    plan = plan_delete(rows)
    assert plan.needs == {
        cleanup(1): {cleanup(2)},
        cleanup(2): {cleanup(4)},
        cleanup(4): {cleanup(8)},
        cleanup(8): frozenset(),
    }


def test_of_two_of_one_name_a_row_that_goes_on_used_the_one_that_stays() -> None:
    rows = [
        Row(1, "a", ("b",), stays=False),
        Row(2, "b", ("a",)),
        Row(8, "a"),
    ]
    plan = plan_delete(rows)
    assert plan.needs == {
        cleanup(1): frozenset(),
        cleanup(2): {cleanup(1)},
        cleanup(8): {cleanup(2)},
    }


def test_where_only_circles_are_recorded_rows_are_deleted_in_any_order() -> None:
    plan = plan_delete([Row(1, "a", ("b",)), Row(2, "b", ("a",))])
    assert plan.needs == {cleanup(1): frozenset(), cleanup(2): frozenset()}


# whatever is recorded and wanted

NAMES = ["a", "b", "c", "d"]


@st.composite
def templates(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    chosen = draw(st.lists(st.sampled_from(NAMES), unique=True))
    wanted: dict[str, dict[str, Any]] = {}
    for name in chosen:  # a resource needs earlier ones only
        needed = draw(st.sets(st.sampled_from(sorted(wanted)))) if wanted else set()
        wanted[name] = plain(*sorted(needed), size=draw(st.integers(1, 2)))
    return wanted


ROWS = st.lists(
    st.builds(
        Row,
        id=st.integers(1, 100),
        name=st.sampled_from(NAMES),
        requires=st.lists(st.sampled_from(NAMES), max_size=2, unique=True).map(tuple),
        properties=st.fixed_dictionaries({"size": st.integers(1, 2)}),
        stays=st.booleans(),
        resting=st.booleans(),
        reached=st.booleans(),
        is_as_wanted=st.just(value=False),
        made=st.booleans(),
    ),
    max_size=6,
    unique_by=lambda row: row.id,
)


def _one_a_name(rows: list[Row]) -> list[Row]:
    """Only one row of each name is current."""
    seen: set[str] = set()
    for row in rows:
        row.stays = row.stays and row.name not in seen
        seen |= {row.name} if row.stays else set()
        row.resting = row.resting and row.stays
    return rows


@given(templates(), ROWS, st.booleans())
def test_every_plan_can_be_carried_out_and_leaves_the_goal(
    wanted: dict[str, dict[str, Any]],
    rows: list[Row],
    undoable: bool,  # noqa: FBT001 - hypothesis gives it
) -> None:
    rows = _one_a_name(rows)
    plan = plan_goal(goal(**wanted), rows, undoable=undoable)
    list(Dag(plan.needs).waves())  # no circle
    assert {need for each in plan.needs.values() for need in each} <= plan.needs.keys()
    current = {row.name: row for row in rows if row.stays}
    for row in rows:
        goes_on = row.name in wanted and current.get(row.name) is row
        assert goes_on or (cleanup(row.id) in plan.needs and row.id in plan.doomed)
        assert row.resting or cleanup(row.id) in plan.needs
    for name in wanted:
        there = forward(current[name].id) if name in current else forward(name)
        settled = name in current and current[name].resting and current[name].reached
        kept = settled and verbs(plan)[name] is Verb.KEEP
        assert kept or there in plan.needs


@given(ROWS)
def test_every_delete_reaches_every_row(rows: list[Row]) -> None:
    plan = plan_delete(_one_a_name(rows))
    list(Dag(plan.needs).waves())
    assert plan.needs.keys() == {cleanup(row.id) for row in rows}


@pytest.mark.parametrize("need", ["a", "b"])
def test_a_clean_up_waits_for_the_forward_node_of_its_own_name(need: str) -> None:
    rows = [Row(1, "a", is_as_wanted=False, properties={"place": "here"}), Row(2, "b")]
    plan = plan_goal(goal(a=plain(place="there"), b=plain(need) if need == "a" else plain()), rows)
    assert forward(1) in needs(plan, cleanup(1))


def test_a_snapshot_at_the_end_is_refused_for_what_has_none() -> None:
    with pytest.raises(Invalid) as caught:
        goal(a={"deletion_policy": "Snapshot"}, b={"deletion_policy": "Retain"})
    [problem] = caught.value.problems
    assert problem.at == ("resources", "a", "deletion_policy")
    assert "there are no snapshots of T::Plain; use Delete or Retain" in problem.text
