"""Previews against the engine: what they show, what is then done, and what they leave alone."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.engine import Engine
from stoker.engine.settings import Settings
from stoker.engine.usecases.stacks import StackUseCases
from stoker.errors import Conflict, Invalid, NotFound, Unsupported
from stoker.resources.index import Index
from stoker.store import tables as t
from stoker.store.database import Database
from stoker.store.migrate import upgrade
from stoker.store.seal import KEY_BYTES, Sealer
from stoker.store.traversal import moment
from stoker.usecases.stacks import (
    CreateStack,
    Fate,
    Goal,
    ResourcePreview,
    StackQuery,
    StackRef,
    UpdateStack,
)
from tests.engine.shelf import Keys, Shelf
from tests.engine.usecases.asking import ANN, BOB

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS = Settings(threads=2, beat_seconds=0.5, look_seconds=0.05)
SECRET = "pw-nobody-may-see"
FILES = {
    "child.yaml": """
heat_template_version: 2021-04-16
parameters: {note: {type: string}}
resources:
  inner: {type: OS::Heat::Value, properties: {value: {get_param: note}}}
outputs: {note: {value: {get_attr: [inner, value]}}}
"""
}


def value(of: Any, **more: Any) -> dict[str, Any]:
    return {"type": "OS::Heat::Value", "properties": {"value": of}, **more}


def word(length: int) -> dict[str, Any]:
    return {"type": "OS::Heat::RandomString", "properties": {"length": length}}


def child(note: Any) -> dict[str, Any]:
    return {"type": "child.yaml", "properties": {"note": note}}


def group(count: int, note: Any = "n", **more: Any) -> dict[str, Any]:
    given = {"count": count, "resource_def": child(note), **more}
    return {"type": "OS::Heat::ResourceGroup", "properties": given}


def goal(**resources: Any) -> Goal:
    template = {
        "heat_template_version": "2021-04-16",
        "parameters": {"secret": {"type": "string", "hidden": True, "default": SECRET}},
        "resources": resources,
    }
    return Goal(template, files=FILES)


class House:
    """The use cases and an engine that runs; children need no cloud here."""

    def __init__(self, database: Database) -> None:
        self.database, keys = database, Keys(Shelf())
        credentials: Any = keys
        self.engine = Engine(database, Index(), credentials, SETTINGS)
        self.stacks = StackUseCases(database, Index(), credentials, SETTINGS, self.engine.wake)

    def create(self, what: Goal, name: str = "s") -> StackRef:
        ref = self.stacks.create(ANN, CreateStack(name, what))
        assert self.ended(ref) == "CREATE_COMPLETE"
        return ref

    def update(self, ref: StackRef, what: Goal) -> None:
        self.stacks.update(ANN, ref, UpdateStack(what))
        assert self.ended(ref) == "UPDATE_COMPLETE"

    def ended(self, ref: StackRef) -> str:
        end = time.monotonic() + 30
        while (found := self.stacks.show(ANN, ref)).status == "IN_PROGRESS":
            assert time.monotonic() < end, found
            time.sleep(0.01)
        return f"{found.action}_{found.status}"

    def preview(self, ref: StackRef, what: Goal) -> tuple[ResourcePreview, ...]:
        return self.stacks.preview_update(ANN, ref, UpdateStack(what), show_nested=True).resources

    def all_rows(self) -> dict[str, list[Any]]:
        with self.database.read() as connection:
            return {
                table.name: list(connection.execute(table.select()))
                for table in t.metadata.sorted_tables
                if table is not t.service  # engines beat
            }

    def ids(self) -> dict[tuple[str, str], int]:
        """Return the current rows by stack and resource."""
        names = {stack.id: stack.name for stack in self.all_rows()["stack"]}
        rows = self.all_rows()["resource"]
        return {(names[row.stack_id], row.name): row.id for row in rows if row.is_current}

    def updated(self, since: int) -> set[tuple[str, str]]:
        """Return what was updated after so many events."""
        rows = self.all_rows()
        names = {stack.id: stack.name for stack in rows["stack"]}
        return {
            (names[each.stack_id], each.resource_name)
            for each in rows["event"][since:]
            if (each.action, each.status) == ("UPDATE", "COMPLETE")
            and each.resource_type != "OS::Heat::Stack"
        }


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    house.engine.start()
    yield house
    house.engine.stop()


def fates(found: tuple[ResourcePreview, ...], *wanted: Fate) -> set[tuple[str, str]]:
    return {(each.stack.name, each.name) for each in found if each.fate in wanted}


GOALS = {
    "one": goal(a=value(1), b=value({"get_attr": ["a", "value"]}), w=word(8)),
    "other values": goal(a=value(2), b=value({"get_attr": ["a", "value"]}), w=word(8)),
    "replaced": goal(a=value(1), b=value({"get_resource": "w"}), w=word(9)),
    "other type": goal(a=word(8), w=word(8)),
    "other metadata": goal(a=value(1, metadata={"x": 1}), b=value(1), w=word(8)),
    "a group": goal(a=value(1), w=group(2), c=child("x")),
    "a larger group": goal(a=value(1), w=group(3, "m"), c=child("x")),
    "other children": goal(a=value(1), c=group(1), w=child("x")),
    "nothing": goal(),
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Return a house for tests that do not mind each other's stacks."""
    path = tmp_path_factory.mktemp("previews") / "a.db"
    database = Database(f"sqlite:///{path}", Sealer(b"k" * KEY_BYTES))
    upgrade(database)
    house = House(database)
    house.engine.start()
    yield house
    house.engine.stop()
    database.close()


@pytest.mark.parametrize("new", GOALS)
@pytest.mark.parametrize("old", ["one", "a group"])
def test_an_update_does_what_its_preview_showed(shared: House, old: str, new: str) -> None:
    house = shared
    ref = house.create(GOALS[old], f"from-{old}-to-{new}".replace(" ", "-"))
    found = house.preview(ref, GOALS[new])
    before, events = house.ids(), len(house.all_rows()["event"])
    house.update(ref, GOALS[new])
    after, updated = house.ids(), house.updated(events)
    planned = {(each.stack.name, each.name) for each in found if each.stack.id == "None"}
    made = {key for key in after if before.get(key) != after[key]}
    replaced = {key for key in made if key in before}
    # Stacks that are only planned have no name yet: their resources are compared by number.
    assert fates(found, Fate.REPLACED) <= replaced <= fates(found, Fate.REPLACED, Fate.OPEN)
    assert fates(found, Fate.ADDED) - planned <= made - replaced
    assert len(fates(found, Fate.ADDED)) == len(made - replaced)
    assert fates(found, Fate.DELETED) == before.keys() - after.keys()
    told = fates(found, Fate.UPDATED)
    silent = {key for key in told if _is_metadata(found, key)}
    assert told - silent <= updated <= told | fates(found, Fate.OPEN)
    untouched = fates(found, Fate.UNCHANGED)
    assert all(before[key] == after[key] for key in untouched)
    assert not untouched & updated


def _is_metadata(found: tuple[ResourcePreview, ...], key: tuple[str, str]) -> bool:
    (why,) = [each.why for each in found if (each.stack.name, each.name) == key]
    return why == "changed: metadata"


def test_a_preview_writes_nothing(house: House) -> None:
    ref = house.create(GOALS["a group"])
    before = house.all_rows()
    for each in GOALS.values():
        house.preview(ref, each)
        house.stacks.preview_create(ANN, CreateStack("new", each))
    assert house.all_rows() == before


def test_a_preview_knows_what_a_group_keeps_for_life(house: House) -> None:
    removed = {"removal_policies": [{"resource_list": ["0"]}]}
    ref = house.create(goal(g=group(2)))
    house.update(ref, goal(g=group(2, **removed)))
    found = house.preview(ref, goal(g=group(2)))
    members = {each.name: each.fate for each in found if each.parent_resource == "g"}
    assert members == {"1": Fate.UPDATED, "2": Fate.UPDATED}
    assert not fates(found, Fate.ADDED, Fate.DELETED, Fate.REPLACED)


def test_values_that_are_not_known_leave_a_resource_and_its_members_open(house: House) -> None:
    used = {"get_attr": ["w", "value"]}
    ref = house.create(goal(w=word(8), v=value(used), g=group(1, used), c=child(used)))
    wanted = goal(w=word(9), v=value(used), g=group(1, used), c=child(used))
    found = house.preview(ref, wanted)
    for parent in ("c", "0"):
        assert {each.name: each.fate for each in found if each.parent_resource == parent} == {
            "inner": Fate.OPEN
        }
    assert {each.name: each.fate for each in found} == {
        "w": Fate.REPLACED,
        "v": Fate.OPEN,
        "g": Fate.UPDATED,
        "c": Fate.UPDATED,
        "0": Fate.UPDATED,
        "inner": Fate.OPEN,
    }


def test_what_is_being_worked_on_is_open(house: House) -> None:
    slow = {"type": "OS::Heat::TestResource", "properties": {"wait_secs": 60}}
    ref = house.stacks.create(ANN, CreateStack("s", goal(slow=slow, late=value(1))))
    end = time.monotonic() + 30
    while house.stacks.resource(ANN, ref, "slow").action == "INIT":
        assert time.monotonic() < end
        time.sleep(0.01)
    found = {each.name: each for each in house.preview(ref, goal(slow=slow))}
    assert (found["slow"].fate, found["slow"].why) == (Fate.OPEN, "it is being worked on")
    assert found["late"].fate is Fate.DELETED


def test_hidden_values_are_masked_in_previews(house: House) -> None:
    secret = {"get_param": "secret"}
    given = {"hidden": value(secret, metadata={"x": secret}, description="of " + SECRET)}
    wanted = goal(**given, g=group(1, secret), o=child(secret))
    preview = house.stacks.preview_create(ANN, CreateStack("s", wanted))
    assert SECRET not in repr(preview)
    assert preview.stack.parameters["secret"] == "******"
    first = preview.resources[0]
    assert isinstance(first, ResourcePreview)
    assert first.properties == {"value": "******", "type": None}
    ref = house.create(wanted)
    found = house.preview(ref, goal(hidden=value(1)))
    assert len(found) == 6
    assert SECRET not in repr(found)


def test_problems_of_a_child_are_told_with_the_way_to_it(house: House) -> None:
    length = {"get_attr": ["v", "value"]}
    inner = {
        "heat_template_version": "2021-04-16",
        "parameters": {"n": {"type": "number", "constraints": [{"range": {"max": 9}}]}},
        "resources": {"w": {"type": "OS::Heat::RandomString", "properties": {"length": 4}}},
    }
    holder = {
        "type": "OS::Heat::Stack",
        "properties": {"template": str(inner), "parameters": {"n": length}},
    }
    ref = house.create(goal(v=value(9), holder=holder))
    house.update(ref, goal(v=value(10)))
    with pytest.raises(Invalid) as caught:
        house.preview(ref, goal(v=value(10), holder=holder))
    assert caught.value.problems[0].at[:2] == ("resources", "holder")


def test_a_preview_of_a_create_is_refused_where_the_create_would_be(house: House) -> None:
    house.create(GOALS["one"])
    with pytest.raises(Conflict, match="already exists"):
        house.stacks.preview_create(ANN, CreateStack("s", GOALS["one"]))
    with pytest.raises(Invalid, match="Unknown resource Type"):
        house.stacks.preview_create(ANN, CreateStack("n", goal(a={"type": "No::Such"})))


def test_an_update_that_goes_by_a_preview_is_refused_once_the_stack_has_moved(
    house: House,
) -> None:
    ref = house.create(GOALS["a group"])

    def version() -> str:
        what = UpdateStack(GOALS["a group"])
        return house.stacks.preview_update(ANN, ref, what).version

    seen = version()
    assert version() == seen
    nested = house.stacks.list(ANN, StackQuery(show_nested=True))
    inside = next(each for each in nested if each.name.startswith("s-c-"))
    note = UpdateStack(Goal(None, {"note": "y"}), existing=True)
    house.stacks.update(ANN, StackRef(inside.id, inside.name, "p1"), note)
    house.ended(StackRef(inside.id, inside.name, "p1"))
    going_by = UpdateStack(GOALS["nothing"], expected=seen)
    for ask in (house.stacks.update, house.stacks.preview_update):
        with pytest.raises(Conflict, match="has changed since the preview"):
            ask(ANN, ref, going_by)
    house.stacks.update(ANN, ref, replace(going_by, expected=version()))
    assert house.ended(ref) == "UPDATE_COMPLETE"


def test_a_stack_of_another_project_is_not_there(house: House) -> None:
    ref = house.create(GOALS["one"])
    before = house.all_rows()
    what = UpdateStack(GOALS["nothing"])
    for of in (ref, replace(ref, project_id=BOB.project_id)):
        for ask in (
            lambda of=of: house.stacks.update(BOB, of, what),
            lambda of=of: house.stacks.preview_update(BOB, of, what),
            lambda of=of: house.stacks.delete(BOB, of),
            lambda of=of: house.stacks.cancel(BOB, of),
        ):
            with pytest.raises(NotFound):
                ask()
    assert house.all_rows() == before


def test_a_stack_is_changed_under_its_own_name_only(house: House) -> None:
    ref = house.create(GOALS["one"])
    with pytest.raises(NotFound):
        house.stacks.delete(ANN, replace(ref, name="other"))


def test_only_a_create_or_an_update_can_be_cancelled(house: House) -> None:
    ref = house.create(GOALS["one"])
    with pytest.raises(Unsupported, match="when stack is CREATE_COMPLETE is not supported"):
        house.stacks.cancel(ANN, ref)


def test_an_engine_is_up_while_it_beats(house: House) -> None:
    (engine,) = house.stacks.engines(ANN)
    assert (engine.id, engine.is_up) == (house.engine.lease.engine_id, True)
    silent = time.time() - SETTINGS.dead_seconds - 60
    with house.database.write() as connection:
        late = t.service.insert().values(
            {**_columns(engine), "id": "silent", "beat": 0, "updated_at": moment(silent)}
        )
        connection.execute(late)
    assert {each.id: each.is_up for each in house.stacks.engines(ANN)} == {
        engine.id: True,
        "silent": False,
    }


def _columns(engine: Any) -> dict[str, Any]:
    names = ("host", "hostname", "binary", "topic", "report_interval")
    return {name: getattr(engine, name) for name in names} | {
        "created_at": engine.created_at.replace(tzinfo=None)
    }
