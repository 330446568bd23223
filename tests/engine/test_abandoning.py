"""Stacks as documents: exported, abandoned, adopted; what is let go of, and what is taken on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from stoker.errors import Conflict, Invalid, NotFound, Unsupported
from stoker.store import tables as t
from stoker.usecases.stacks import CreateStack, UpdateStack
from tests.engine.house import SETTINGS, House, goal
from tests.engine.keeping import KeepingThings
from tests.engine.shelf import ANN, Fate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stoker.store.database import Database
    from stoker.usecases.stacks import Json, StackRef

ENABLED = replace(SETTINGS, enable_stack_abandon=True, enable_stack_adopt=True, look_seconds=0.02)
INNER: dict[str, Any] = {"x": {"type": "T::Thing"}, "y": {"type": "T::Mere", "depends_on": "x"}}
TREE: dict[str, Any] = {
    "a": "T::Thing",
    "n": {"type": "T::Nest", "properties": {"inner": INNER}, "depends_on": "a"},
}


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database, types=KeepingThings(), settings=ENABLED)
    house.engine.start()
    yield house
    house.engine.stop()


@pytest.fixture
def tree(house: House) -> StackRef:
    ref = house.stacks.create(ANN, CreateStack("s", goal(TREE), tags=("x", "y")))
    assert house.ended(ref) == "CREATE_COMPLETE"
    return ref


def adopted(house: House, document: Json, name: str = "s", **what: Any) -> StackRef:
    """Begin to adopt what the document tells of."""
    request = CreateStack(name, replace(goal({}), template=document["template"]), **what)
    return house.stacks.create(ANN, replace(request, adopted=document))


def counts(house: House) -> dict[str, int]:
    with house.database.read() as connection:
        return {
            table.name: connection.execute(
                sa.select(sa.func.count()).select_from(table)
            ).scalar_one()
            for table in (t.resource, t.resource_data, t.inbox, t.sync_point, t.edge, t.snapshot)
        }


NOTHING = dict.fromkeys(("resource", "resource_data", "inbox", "sync_point", "edge", "snapshot"), 0)


def test_what_is_abandoned_and_adopted_is_the_same_in_all(house: House, tree: StackRef) -> None:
    before, things = house.rows(), dict(house.shelf.things)
    exported = house.stacks.export(ANN, tree)
    document = house.stacks.abandon(ANN, tree)
    assert document == exported
    assert house.ended(tree) == "DELETE_COMPLETE"
    assert counts(house) == NOTHING
    with house.database.read() as connection:
        alive = connection.scalars(sa.select(t.stack.c.name).where(t.stack.c.deleted_at.is_(None)))
        assert list(alive) == [], "nested ones neither"
    calls = house.shelf.calls
    ref = adopted(house, document)
    assert house.ended(ref) == "ADOPT_COMPLETE"
    assert house.stack(ref).status_reason == "Stack ADOPT completed successfully"
    after = house.rows()
    for name in ("a", "x", "y"):
        assert after[name].physical_id == before[name].physical_id
    assert {f"{row.action}_{row.status}" for row in after.values()} == {"ADOPT_COMPLETE"}
    assert house.stacks.show(ANN, ref).tags == ("x", "y")
    assert house.shelf.told == [("check", "a"), ("check", "x")], "a look, and in order"
    assert house.update(ref, **TREE) == "UPDATE_COMPLETE"
    assert (house.shelf.calls, house.shelf.things) == (calls, things)
    house.stacks.delete(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"
    assert house.shelf.things == {}


def test_the_document_has_heats_form(house: House, tree: StackRef) -> None:
    document, rows = house.stacks.export(ANN, tree), house.rows()
    assert list(document) == [
        "name", "id", "action", "environment", "files", "status", "template", "resources",
        "project_id", "stack_user_project_id", "tags",
    ]  # fmt: skip
    assert document["environment"] == {
        "resource_registry": {"resources": {}}, "parameters": {}, "parameter_defaults": {},
        "event_sinks": [],
    }  # fmt: skip
    assert document["resources"]["a"] == {
        "name": "a", "resource_id": rows["a"].physical_id, "type": "T::Thing",
        "action": "CREATE", "status": "COMPLETE", "metadata": {}, "resource_data": {},
    }  # fmt: skip
    nested = document["resources"]["n"]
    assert (nested["id"], nested["template"]["resources"]) == (rows["n"].physical_id, INNER)
    assert set(nested["resources"]) == {"x", "y"}
    assert document["tags"] == ["x", "y"]


def test_without_the_operators_word_none_of_it_is_done(database: Database) -> None:
    house = House(database)
    ref = house.create(m="T::Mere")
    for ask in (house.stacks.export, house.stacks.abandon):
        with pytest.raises(Unsupported, match=r"^Stack Abandon is not supported\.$"):
            ask(ANN, ref)
    with pytest.raises(Unsupported, match=r"^Stack Adopt is not supported\.$"):
        adopted(house, {"template": {"heat_template_version": "2021-04-16"}}, "other")


def test_a_stack_at_work_is_not_abandoned_nor_a_part_of_one(house: House, tree: StackRef) -> None:
    child = house.stacks.locate(ANN, house.rows()["n"].physical_id)
    with pytest.raises(Unsupported, match="A nested stack cannot be abandoned without"):
        house.stacks.abandon(ANN, child)
    house.engine.stop()
    house.stacks.update(ANN, tree, UpdateStack(goal({**TREE, "b": "T::Thing"})))
    with pytest.raises(Conflict, match=r"already has an action \(UPDATE\) in progress"):
        house.stacks.abandon(ANN, tree)
    with pytest.raises(NotFound):
        house.stacks.abandon(replace(ANN, project_id="p2"), tree)


def test_what_a_document_cannot_tell_of_is_deleted_first(house: House) -> None:
    old: dict[str, Any] = {"a": {"type": "T::Thing"}, "m": "T::Mere"}
    ref = house.create(**old)
    house.ended(ref)
    before = set(house.shelf.things)
    changed: dict[str, Any] = {
        "a": {"type": "T::Thing", "properties": {"size": 2}},
        "b": {"type": "T::Thing", "depends_on": "a"},
        "c": {"type": "T::Thing"},
    }
    house.shelf.fates = [Fate.ANSWERED, Fate.ANSWERED, Fate.REFUSED]
    assert house.update(ref, **changed) == "UPDATE_FAILED"
    document = house.stacks.abandon(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"
    told = {each["resource_id"] for each in document["resources"].values()} - {None}
    assert set(house.shelf.things) == told, "all that is left is told of"
    assert not before & told, "what was replaced is gone"
    assert counts(house) == NOTHING


def test_a_create_in_doubt_is_looked_for_when_its_stack_is_abandoned(house: House) -> None:
    house.shelf.fates = [Fate.LOST]
    house.shelf.looks = [Fate.REFUSED] * 20
    ref = house.create(a="T::Thing")
    assert house.ended(ref) == "CREATE_FAILED"
    house.shelf.looks = []
    document = house.stacks.abandon(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"
    assert (document["resources"], house.shelf.things) == ({}, {})


def test_snapshots_go_with_an_abandoned_stack(house: House) -> None:
    ref = house.create(k="T::Kept")
    house.ended(ref)
    house.stacks.snapshot(ANN, ref, None)
    house.ended(ref)
    kept = house.rows()
    assert len(house.shelf.things) == 2
    document = house.stacks.abandon(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"
    assert set(house.shelf.things) == {document["resources"]["k"]["resource_id"]}
    assert counts(house) == NOTHING
    assert kept


@pytest.mark.parametrize(("is_left", "given"), [(True, 2), (False, 1)])
def test_credentials_that_are_lost_are_renewed_where_something_is_to_be_deleted(
    house: House, given: int, *, is_left: bool
) -> None:
    ref = house.create(k="T::Kept")
    house.ended(ref)
    if is_left:
        house.stacks.snapshot(ANN, ref, None)
        house.ended(ref)
    house.keys.lost = True
    house.stacks.abandon(ANN, ref)
    assert house.ended(ref) == "DELETE_COMPLETE"
    assert (house.keys.given, len(house.shelf.things)) == (given, 1)


def test_what_is_not_settled_below_holds_an_abandonment_up(house: House, tree: StackRef) -> None:
    changed = {**TREE, "n": {"type": "T::Nest", "properties": {"inner": {
        "x": {"type": "T::Thing", "properties": {"size": 2}},
        "z": {"type": "T::Thing", "depends_on": "x"},
    }}}}  # fmt: skip
    house.shelf.fates = [Fate.ANSWERED, Fate.REFUSED]
    assert house.update(tree, **changed) == "UPDATE_FAILED"
    with pytest.raises(Conflict, match=r"What is there of n\.[xy].* is not settled"):
        house.stacks.abandon(ANN, tree)
    assert house.update(tree, **changed) == "UPDATE_COMPLETE"
    house.stacks.abandon(ANN, tree)
    assert house.ended(tree) == "DELETE_COMPLETE"


# adopting


def test_a_resource_without_an_id_fails_and_is_made_by_the_next_update(house: House) -> None:
    template = goal({"a": "T::Thing", "m": {"type": "T::Mere", "depends_on": "a"}}).template
    ref = adopted(house, {"template": template, "resources": {"m": {"resource_id": "mine"}}})
    assert house.ended(ref) == "ADOPT_FAILED"
    assert house.stack(ref).status_reason == (
        "Resource ADOPT failed: Exception: resources.a: Resource ID was not provided."
    )
    assert house.states() == {"a": "ADOPT_FAILED", "m": "INIT_COMPLETE"}
    house.stacks.update(ANN, ref, UpdateStack(replace(goal({}), template=template)))
    assert house.ended(ref) == "UPDATE_COMPLETE"
    rows = house.rows()
    assert house.shelf.things.keys() == {rows["a"].physical_id}
    assert rows["m"].physical_id == "mine", "what had an id is still taken on"


def test_what_is_gone_fails_the_adoption_and_is_not_rolled_back(house: House) -> None:
    house.shelf.things["t9"] = "whose"
    template = goal({"a": "T::Thing", "b": "T::Thing"}).template
    resources = {"a": {"resource_id": "t9"}, "b": {"resource_id": "gone"}}
    document = {"template": template, "resources": resources}
    ref = adopted(house, document, disable_rollback=False)
    assert house.ended(ref) == "ADOPT_FAILED"
    assert house.shelf.things == {"t9": "whose"}
    assert house.states() == {"a": "ADOPT_COMPLETE", "b": "ADOPT_FAILED"}


def test_what_was_not_adopted_yet_is_deleted_with_its_stack(house: House) -> None:
    house.engine.stop()
    house.shelf.things["t9"] = "whose"
    template = goal({"a": "T::Thing"}).template
    ref = adopted(house, {"template": template, "resources": {"a": {"resource_id": "t9"}}})
    house.stacks.delete(ANN, ref)
    again = House(house.database, house.shelf, KeepingThings(), ENABLED)
    again.engine.start()
    assert again.ended(ref) == "DELETE_COMPLETE"
    again.engine.stop()
    assert house.shelf.things == {}


def test_a_document_of_a_part_is_adopted_as_a_stack(house: House, tree: StackRef) -> None:
    document = house.stacks.abandon(ANN, tree)["resources"]["n"]
    part = {key: document[key] for key in ("template", "resources")}
    ref = adopted(house, {**part, "environment": {"parameters": {}}}, "part")
    assert house.ended(ref) == "ADOPT_COMPLETE"
    assert house.rows()["x"].physical_id == document["resources"]["x"]["resource_id"]


def test_parameters_of_the_document_count_less_than_those_given(house: House) -> None:
    template = {
        "heat_template_version": "2021-04-16",
        "parameters": {"one": {"type": "number"}, "two": {"type": "number"}},
        "resources": {"m": {"type": "T::Mere", "properties": {"size": {"get_param": "one"}}}},
    }
    document = {
        "template": template,
        "environment": {"parameters": {"one": 1, "two": 1}},
        "resources": {"m": {"resource_id": "mine"}},
    }
    request = CreateStack("s", replace(goal({}), template=template, parameters={"two": 2}))
    ref = house.stacks.create(ANN, replace(request, adopted=document))
    assert house.ended(ref) == "ADOPT_COMPLETE"
    shown = house.stacks.show(ANN, ref).parameters
    assert (shown["one"], shown["two"]) == ("1", "2")


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ({"resources": []}, "'resources' must be a map"),
        ({"resources": {"m": 1}}, "'m' must be a map"),
        ({"resources": {"m": {"resource_id": "x" * 256}}}, "'resource_id' must have 255"),
        ({"resources": {"m": {"metadata": "x"}}}, "'metadata' must be a map"),
        ({"resources": {"m": {"resource_data": [1]}}}, "'resource_data' must be a map"),
        ({"environment": 5}, "'environment' must be a map"),
        ({"files": {"a": 1}}, "'files' must be a map of texts"),
        ({"tags": "x"}, "'tags' must be a list of texts"),
        ({"tags": ["x" * 81]}, "'tags' must be a list of texts of 80"),
    ],
)
def test_a_document_of_another_form_is_refused(house: House, part: Json, text: str) -> None:
    document = {"template": goal({"m": "T::Mere"}).template, **part}
    with pytest.raises(Invalid, match=f"Invalid adopt data: {text}"):
        adopted(house, document)
