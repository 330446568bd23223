from __future__ import annotations

from dataclasses import replace

import pytest

from stoker.errors import Conflict
from stoker.store import tables as t
from stoker.store.database import Database
from stoker.store.goal import Moved, Operation
from tests.store.traversing import START, Player, bad, goal_of, good


@pytest.fixture
def player(database: Database) -> Player:
    return Player(database)


@pytest.fixture
def made(player: Player) -> Operation:
    """A stack of a and b (which needs a) that is complete."""
    op = player.create({"a": [], "b": ["a"]})
    player.turn(good(player.turn()["a"]), room=0)
    player.turn(good(player.turn()["b"]), room=0)
    assert player.stack(op).status == "COMPLETE"
    return op


# what one commit writes


def test_what_needs_nothing_is_due_at_once_and_nothing_else_is(player: Player) -> None:
    player.create({"a": [], "b": ["a"], "c": []})
    assert {row.name: row.due for row in player.resources()} == {"a": START, "b": None, "c": START}


def test_the_stack_counts_its_nodes_and_each_node_its_needs(player: Player) -> None:
    op = player.create({"a": [], "b": ["a"], "c": ["a", "b"]})
    stack = player.stack(op)
    assert (stack.action, stack.status, stack.remaining) == ("CREATE", "IN_PROGRESS", 3)
    assert stack.deadline == START + 3600
    assert [node.missing for node in player.nodes()] == [0, 1, 2]
    assert player.count(t.edge) == 3
    assert player.events() == [("s", "CREATE", "IN_PROGRESS")]


def test_a_stack_without_a_node_has_ended_already(player: Player) -> None:
    op = player.create({})
    assert (player.stack(op).status, player.stack(op).deadline) == ("COMPLETE", None)
    assert player.events() == [("s", "CREATE", "IN_PROGRESS"), ("s", "CREATE", "COMPLETE")]


def test_documents_are_kept_of_the_goal_and_of_the_last_one_that_was_reached(
    player: Player, made: Operation
) -> None:
    reached = player.stack(made).template_id
    for _ in range(3):
        player.begin(player.next(made, {"+a": []}))
        player.turn(bad(player.turn()["a"], "why"))
        stack = player.stack(made)
        assert {row.id for row in player.templates()} == {reached, stack.template_id}
    player.begin(player.next(made, {"+a": []}, "CHECK"))
    player.turn(good(player.turn()["a"]))
    assert len(player.templates()) == 2
    player.begin(player.next(made, {"+a": []}))
    player.turn(good(player.turn()["a"]))
    assert [row.id for row in player.templates()] == [player.stack(made).template_id]


def test_a_name_that_is_taken_is_a_conflict_and_nothing_is_written(player: Player) -> None:
    player.create({"a": []})
    with pytest.raises(Conflict, match="The Stack \\(s\\) already exists"):
        player.create({"b": []})
    assert [row.name for row in player.resources()] == ["a"]
    assert player.count(t.raw_template) == 1


def test_equal_files_are_kept_once(player: Player) -> None:
    player.create({}, "one")
    player.create({}, "two")
    assert player.count(t.raw_template) == 2
    assert player.count(t.raw_template_files) == 1


def test_tags_are_replaced_where_they_are_given(player: Player, made: Operation) -> None:
    player.begin(replace(player.next(made, {}), tags=("x", "y")))
    player.begin(player.next(made, {}))
    assert player.count(t.stack_tag) == 2
    player.begin(replace(player.next(made, {}), tags=("z",)))
    assert player.count(t.stack_tag) == 1


def test_rows_are_given_their_new_goal(player: Player, made: Operation) -> None:
    player.set("a", is_doomed=True)
    goals = (goal_of(player.row("a"), b"new"),)
    player.begin(replace(player.next(made, {"+a": [], "-b": ["+a"]}), goals=goals))
    a, b = player.row("a"), player.row("b")
    assert (a.definition, a.type, a.position, a.requires) == (b"new", "T::New", 7, ["x"])
    assert (a.is_doomed, b.is_doomed) == (False, True)
    assert b.definition == b"definition"


def test_a_row_that_has_become_something_else_since_keeps_its_type(
    player: Player, made: Operation
) -> None:
    goals = (goal_of(player.row("a"), b"new"),)
    player.set("a", implementation="T::Else", type="T::Else")
    player.begin(replace(player.next(made, {"+a": []}), goals=goals))
    assert (player.row("a").type, player.row("a").definition) == ("T::Else", b"new")


# taking over from another traversal


def test_a_new_goal_forgets_the_counters_of_the_one_before(player: Player) -> None:
    op = player.create({"a": [], "b": ["a"]})
    player.begin(player.next(op, {"+b": []}))
    assert [(node.resource_id, node.missing) for node in player.nodes()] == [(player.rows["b"], 0)]
    assert player.count(t.edge) == 0
    assert {row.name: row.due for row in player.resources()} == {"a": None, "b": START}
    assert player.stack(op).remaining == 1


def test_a_row_that_is_held_waits_for_its_engine_and_is_then_due(player: Player) -> None:
    op = player.create({"a": []})
    claim = player.turn()["a"]
    player.begin(player.next(op, {"+a": []}))
    assert player.turn(engine="e2") == {}
    again = player.turn(good(claim), engine="e1")["a"]
    assert again.row.traversal_id == player.stack(op).traversal_id != claim.row.traversal_id
    assert player.stack(op).status == "IN_PROGRESS"


def test_a_held_row_without_a_node_in_the_new_goal_is_left_in_peace(player: Player) -> None:
    op = player.create({"a": [], "b": []})
    claims = player.turn()
    player.begin(player.next(op, {"+b": []}))
    assert player.turn(good(claims["a"]), good(claims["b"])).keys() == {"b"}
    assert player.row("a").due is None


# guards


def test_another_request_in_between_means_to_plan_again(player: Player, made: Operation) -> None:
    op = player.next(made, {"+a": []})
    player.begin(player.next(made, {}))
    with pytest.raises(Moved):
        player.begin(op)
    assert player.nodes() == []


def test_a_new_row_in_between_means_to_plan_again(player: Player, made: Operation) -> None:
    op = player.next(made, {"+a": []})
    with pytest.raises(Moved):
        player.begin(replace(op, rows=op.rows - {player.rows["b"]}))
    assert player.stack(made).version == 1


def test_a_row_that_the_plan_leaves_alone_must_not_have_moved(
    player: Player, made: Operation
) -> None:
    epoch = player.row("b").epoch
    op = replace(player.next(made, {"+a": []}), idle={player.rows["b"]: epoch})
    player.set("b", epoch=epoch + 1)
    with pytest.raises(Moved):
        player.begin(op)


def test_a_row_with_a_node_may_have_moved(player: Player, made: Operation) -> None:
    op = replace(player.next(made, {"+a": []}), idle={player.rows["b"]: player.row("b").epoch})
    player.set("a", epoch=99)
    player.begin(op)
    assert player.stack(made).remaining == 1


def test_a_stack_that_is_gone_cannot_be_changed(player: Player, made: Operation) -> None:
    op = replace(player.next(made, {}), stack_id=player.uuid())
    with pytest.raises(Moved):
        player.begin(op)


# the last goal that was reached


def test_the_last_complete_goal_is_kept_until_the_next_is_complete(
    player: Player, made: Operation
) -> None:
    first = player.stack(made).template_id
    player.begin(player.next(made, {"+a": []}))
    assert player.stack(made).complete_template_id == first != player.stack(made).template_id
    assert player.count(t.raw_template) == 2
    player.turn(good(player.turn()["a"]))
    assert player.stack(made).complete_template_id == player.stack(made).template_id
    assert player.count(t.raw_template) == 1
