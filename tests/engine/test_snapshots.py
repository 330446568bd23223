"""Snapshots of whole stacks: taken, shown, gone back to, deleted, in whatever else goes on."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from stoker.errors import CloudError, Conflict, LimitExceeded, NotFound, Unsupported
from stoker.store import tables as t
from stoker.store.traversal import expire
from stoker.usecases.stacks import Action, CreateStack, ResourceQuery, UpdateStack
from tests.engine.house import SETTINGS, House, goal
from tests.engine.keeping import KeepingThings
from tests.engine.shelf import ANN, Fate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from stoker.store.database import Database
    from stoker.usecases.stacks import SnapshotView, StackRef

PAIR: dict[str, Any] = {
    "b": {"type": "T::Kept", "depends_on": "a"},
    "a": "T::Kept",
    "m": "T::Mere",
}
NESTED: dict[str, Any] = {"k": {"type": "T::Kept"}, "w": {"type": "T::Thing"}}
NEST: dict[str, Any] = {"n": {"type": "T::Nest", "properties": {"inner": NESTED}}}


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database, types=KeepingThings(), settings=replace(SETTINGS, look_seconds=0.02))
    house.engine.start()
    yield house
    house.engine.stop()


@pytest.fixture
def pair(house: House) -> StackRef:
    ref = house.create(**PAIR)
    assert house.ended(ref) == "CREATE_COMPLETE"
    return ref


def taken(house: House, ref: StackRef, name: str | None = None) -> SnapshotView:
    """Take a snapshot and wait for its end."""
    begun = house.stacks.snapshot(ANN, ref, name)
    house.ended(ref)
    return house.stacks.snapshot_of(ANN, ref, begun.id)


def copies(house: House) -> dict[str, str]:
    """Return the copies on the shelf, by the thing that each is of."""
    labels = {id: label.split() for id, label in house.shelf.things.items()}
    return {label[0]: id for id, label in labels.items() if len(label) > 1}


def row(house: House, name: str) -> Any:
    """Return the row of a resource, not that of a copy."""
    query = t.resource.select().where(t.resource.c.name == name, t.resource.c.snapshot_id.is_(None))
    with house.database.read() as connection:
        return connection.execute(query.order_by(t.resource.c.id.desc())).first()


def count(house: House, table: sa.Table) -> int:
    with house.database.read() as connection:
        return int(connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


# taking


def test_a_snapshot_copies_in_the_order_of_creation_and_touches_no_resource(
    house: House, pair: StackRef
) -> None:
    before = {name: row(house, name) for name in PAIR}
    begun = house.stacks.snapshot(ANN, pair, "one")
    assert (begun.name, begun.action, begun.status, begun.reason) == (
        "one", "CREATE", "IN_PROGRESS", "",
    )  # fmt: skip
    assert begun.data["resources"] == {}
    assert house.ended(pair) == "SNAPSHOT_COMPLETE"
    assert house.shelf.told == [("copy", "a"), ("copy", "b")]
    assert copies(house).keys() == {before["a"].physical_id, before["b"].physical_id}
    untouched = ("epoch", "action", "status", "sent", "applied", "attributes", "updated_at")
    for name, there in before.items():
        now = row(house, name)
        assert [getattr(now, x) for x in untouched] == [getattr(there, x) for x in untouched]
    stack = house.stack(pair)
    assert stack.status_reason == "Stack SNAPSHOT completed successfully"
    assert stack.template_id == stack.complete_template_id
    calls = house.shelf.calls
    assert house.update(pair, **PAIR) == "UPDATE_COMPLETE"
    assert house.shelf.calls == calls, "an update without change is still none"


def test_a_snapshot_shows_what_the_stack_was_and_where_its_copies_are(
    house: House, pair: StackRef
) -> None:
    snapshot = taken(house, pair)
    assert (snapshot.status, snapshot.reason) == (
        "COMPLETE", "Stack SNAPSHOT completed successfully",
    )  # fmt: skip
    data, a = snapshot.data, row(house, "a")
    assert (data["name"], data["action"], data["status"]) == ("s", "SNAPSHOT", "COMPLETE")
    assert data["resources"]["a"] == {
        "name": "a", "resource_id": a.physical_id, "type": "T::Kept", "action": "SNAPSHOT",
        "status": "COMPLETE", "metadata": {},
        "resource_data": {"copied_to": copies(house)[a.physical_id]},
    }  # fmt: skip
    assert data["resources"]["m"]["resource_data"] == {}
    assert house.stacks.snapshots(ANN, pair) == [snapshot]
    assert set(house.stacks.snapshot_of(ANN, pair, snapshot.id).data["template"]["resources"]) == {
        "a", "b", "m",
    }  # fmt: skip


def test_copies_are_no_resources_of_the_stack(house: House, pair: StackRef) -> None:
    taken(house, pair)
    seen = house.stacks.resources(ANN, pair, ResourceQuery())
    assert [(x.name, f"{x.action}_{x.status}") for x in seen] == [
        ("b", "CREATE_COMPLETE"), ("a", "CREATE_COMPLETE"), ("m", "CREATE_COMPLETE"),
    ]  # fmt: skip
    assert house.act(pair, Action.CHECK) == "CHECK_COMPLETE"
    assert ("check", "a") in house.shelf.told
    assert house.update(pair, a="T::Kept") == "UPDATE_COMPLETE"
    assert len(copies(house)) == 2, "what is copied may go, its copy stays"


def test_the_events_tell_of_the_resources_that_are_copied(house: House, pair: StackRef) -> None:
    taken(house, pair)
    with house.database.read() as connection:
        rows = connection.execute(t.event.select().where(t.event.c.action == "SNAPSHOT")).all()
    a = row(house, "a").physical_id
    assert [(x.resource_name, x.status) for x in rows if x.physical_id == a] == [
        ("a", "IN_PROGRESS"), ("a", "COMPLETE"),
    ]  # fmt: skip
    assert {x.resource_name for x in rows} == {"s", "a", "b"}


def test_what_snapshots_keep_no_copy_of_is_left_out(house: House) -> None:
    ref = house.create(a={"type": "T::Kept", "properties": {"copied": False}}, m="T::Mere")
    house.ended(ref)
    assert taken(house, ref).status == "COMPLETE"
    assert copies(house) == {}


def test_copies_of_nested_stacks_are_the_snapshots_own(house: House) -> None:
    ref = house.create(**NEST)
    house.ended(ref)
    snapshot = taken(house, ref)
    assert len(copies(house)) == 1
    assert house.update(ref, m="T::Mere") == "UPDATE_COMPLETE"
    assert len(copies(house)) == 1, "the nested stack is gone"
    house.stacks.forget_snapshot(ANN, ref, snapshot.id)
    until(lambda: not house.stacks.snapshots(ANN, ref))
    assert house.shelf.things == {}


def test_what_a_failed_update_was_to_replace_by_another_type_is_not_copied(house: House) -> None:
    ref = house.create(a="T::Kept")
    house.ended(ref)
    house.shelf.fates = [Fate.REFUSED]
    assert house.update(ref, a="T::Thing") == "UPDATE_FAILED"
    snapshot = taken(house, ref)
    assert (snapshot.status, copies(house)) == ("COMPLETE", {})
    house.stacks.restore(ANN, ref, snapshot.id)
    assert house.ended(ref) == "RESTORE_COMPLETE"


def test_a_copy_that_fails_fails_the_snapshot_and_nothing_else(
    house: House, pair: StackRef
) -> None:
    house.shelf.fates = [Fate.REFUSED]
    snapshot = taken(house, pair)
    assert (snapshot.action, snapshot.status) == ("CREATE", "FAILED")
    reason = "Resource SNAPSHOT failed: CloudError: resources.a: refused"
    assert (snapshot.reason, house.stack(pair).status_reason) == (reason, reason)
    assert snapshot.data["resources"] == {}
    assert house.states()["m"] == "CREATE_COMPLETE"
    assert ("copy", "b") not in house.shelf.told, "it needs a"
    with pytest.raises(Unsupported, match="Restoring incomplete snapshot is not supported"):
        house.stacks.restore(ANN, pair, snapshot.id)
    house.stacks.forget_snapshot(ANN, pair, snapshot.id)
    until(lambda: not house.stacks.snapshots(ANN, pair))
    assert house.update(pair, **PAIR) == "UPDATE_COMPLETE"


def test_a_copy_whose_answer_is_lost_is_not_made_twice(house: House, pair: StackRef) -> None:
    house.shelf.fates = [Fate.LOST]
    assert taken(house, pair).status == "COMPLETE"
    assert len(house.shelf.things) == 4


# refusals


def test_a_stack_at_work_takes_no_snapshot_and_one_that_takes_it_no_update(
    house: House, pair: StackRef
) -> None:
    house.engine.stop()
    snapshot = house.stacks.snapshot(ANN, pair, None)
    text = r"Stack s already has an action \(SNAPSHOT\) in progress"
    for ask in (
        lambda: house.stacks.snapshot(ANN, pair, None),
        lambda: house.stacks.update(ANN, pair, UpdateStack(goal(PAIR))),
        lambda: house.stacks.act(ANN, pair, Action.SUSPEND),
        lambda: house.stacks.restore(ANN, pair, snapshot.id),
    ):
        with pytest.raises((Conflict, Unsupported), match=f"{text}|Restoring incomplete"):
            ask()
    with pytest.raises(Unsupported, match="Deleting in-progress snapshot is not supported"):
        house.stacks.forget_snapshot(ANN, pair, snapshot.id)


def test_a_suspended_stack_takes_no_snapshot(house: House, pair: StackRef) -> None:
    house.act(pair, Action.SUSPEND)
    with pytest.raises(Unsupported, match="when it is suspended is not supported"):
        house.stacks.snapshot(ANN, pair, None)


def test_a_stack_has_so_many_snapshots_and_no_more(database: Database) -> None:
    house = House(database, settings=replace(SETTINGS, max_snapshots_per_stack=1))
    house.engine.start()
    ref = house.create(m="T::Mere")
    house.ended(ref)
    taken(house, ref)
    with pytest.raises(LimitExceeded, match="You have reached the maximum snapshots per stack, 1"):
        house.stacks.snapshot(ANN, ref, None)
    house.stacks.snapshot(replace(ANN, is_admin=True), ref, None)
    house.engine.stop()


def test_a_snapshot_of_another_stack_is_not_found(house: House, pair: StackRef) -> None:
    snapshot = taken(house, pair)
    with pytest.raises(NotFound):
        house.stacks.snapshot_of(ANN, pair, "0b9f8ad4-3a0d-4ee4-8a0a-5c0e2e4a0f00")
    stranger = replace(ANN, project_id="p2")
    for ask in (house.stacks.snapshot_of, house.stacks.forget_snapshot, house.stacks.restore):
        with pytest.raises(NotFound):
            ask(stranger, pair, snapshot.id)


# going back


def test_a_restore_brings_data_back_each_time_and_only_by_request(
    house: House, pair: StackRef
) -> None:
    snapshot = taken(house, pair)
    origin = copies(house)[row(house, "a").physical_id]
    changed = {**PAIR, "a": {"type": "T::Kept", "properties": {"size": 7}}, "x": "T::Mere"}
    assert house.update(pair, **changed) == "UPDATE_COMPLETE"
    for _ in range(2):
        house.shelf.told.clear()
        house.stacks.restore(ANN, pair, snapshot.id)
        assert house.ended(pair) == "RESTORE_COMPLETE"
        assert ("restore", f"a of {origin}") in house.shelf.told
        assert [verb for verb, _ in house.shelf.told] == ["restore", "restore"]
    assert house.database.sealer.open(row(house, "a").applied) == {"origin": origin}
    assert row(house, "x") is None
    template = house.stacks.template(ANN, pair)
    assert template["resources"]["a"]["properties"] == {"origin": origin}
    house.shelf.told.clear()
    house.stacks.update(ANN, pair, UpdateStack(goal({}), existing=True))
    house.ended(pair)
    assert house.shelf.told == []


def test_what_is_gone_is_made_of_its_copy(house: House, pair: StackRef) -> None:
    snapshot = taken(house, pair)
    old = row(house, "a").physical_id
    assert house.update(pair, m="T::Mere") == "UPDATE_COMPLETE"
    house.stacks.restore(ANN, pair, snapshot.id)
    assert house.ended(pair) == "RESTORE_COMPLETE"
    sent = house.database.sealer.open(row(house, "a").sent)
    assert sent == {"origin": copies(house)[old]}


def test_nested_stacks_are_restored_and_stay_so(house: House) -> None:
    ref = house.create(**NEST)
    house.ended(ref)
    snapshot = taken(house, ref)
    origin = copies(house)[row(house, "k").physical_id]
    for _ in range(2):
        house.shelf.told.clear()
        house.stacks.restore(ANN, ref, snapshot.id)
        assert house.ended(ref) == "RESTORE_COMPLETE"
        assert house.shelf.told == [("restore", f"k of {origin}")]
    house.shelf.told.clear()
    house.stacks.update(
        ANN, ref, UpdateStack(replace(goal({}), template=None), existing=True)
    )  # fmt: skip
    assert house.ended(ref) == "UPDATE_COMPLETE"
    assert house.shelf.told == [], "the goal still says what was restored"
    assert house.database.sealer.open(row(house, "k").applied) == {"origin": origin}


@pytest.mark.parametrize("size", [1, 2])
def test_a_group_that_goes_in_batches_is_restored_and_each_member_once(
    house: House, size: int
) -> None:
    def group(size: int) -> dict[str, Any]:
        member = {"type": "T::Kept", "properties": {"size": size}}
        properties = {"count": 3, "resource_def": member}
        policy = {"rolling_update": {"max_batch_size": 1}}
        kind = "OS::Heat::ResourceGroup"
        return {"g": {"type": kind, "properties": properties, "update_policy": policy}}

    ref = house.create(**group(1))
    house.ended(ref)
    snapshot = taken(house, ref)
    assert house.update(ref, **group(size)) == "UPDATE_COMPLETE"
    house.shelf.told.clear()
    house.stacks.restore(ANN, ref, snapshot.id)
    assert house.ended(ref) == "RESTORE_COMPLETE"
    members = sorted(text.split()[0] for verb, text in house.shelf.told if verb == "restore")
    assert members == ["0", "1", "2"]
    assert house.update(ref, **group(1)) == "UPDATE_COMPLETE"


def test_what_a_nested_stack_had_before_it_was_reached_is_not_given_to_another_type(
    house: House,
) -> None:
    ref = house.create(**NEST)
    house.ended(ref)
    inner = {"inner": {"k": {"type": "T::Thing"}}}
    nest = {"type": "T::Nest", "properties": inner, "depends_on": "x"}
    house.shelf.fates = [Fate.REFUSED]
    assert house.update(ref, x="T::Thing", n=nest) == "UPDATE_FAILED"
    snapshot = taken(house, ref)
    assert len(copies(house)) == 1, "the nested stack knows nothing of the update yet"
    house.shelf.told.clear()
    house.stacks.restore(ANN, ref, snapshot.id)
    assert house.ended(ref) == "RESTORE_COMPLETE"
    assert house.shelf.told == []


def test_tags_and_parameters_come_back_with_the_rest(house: House) -> None:
    whole = goal({"m": {"type": "T::Mere", "properties": {"size": {"get_param": "n"}}}})
    assert isinstance(whole.template, dict)
    template = {**whole.template, "parameters": {"n": {"type": "number"}}}
    wanted = replace(whole, template=template, parameters={"n": 3})
    ref = house.stacks.create(ANN, CreateStack("s", wanted, tags=("x", "y")))
    house.ended(ref)
    snapshot = taken(house, ref)
    other = replace(wanted, parameters={"n": 4})
    house.stacks.update(ANN, ref, UpdateStack(other, tags=("z",)))
    house.ended(ref)
    house.stacks.restore(ANN, ref, snapshot.id)
    assert house.ended(ref) == "RESTORE_COMPLETE"
    shown = house.stacks.show(ANN, ref)
    assert (shown.tags, shown.parameters["n"]) == (("x", "y"), "3")


def test_a_restore_that_fails_is_rolled_back(house: House) -> None:
    house.undoes = True
    ref = house.create(a="T::Kept")
    house.ended(ref)
    snapshot = taken(house, ref)
    assert house.update(ref, m="T::Mere") == "UPDATE_COMPLETE"
    house.shelf.fates = [Fate.REFUSED]
    house.stacks.restore(ANN, ref, snapshot.id)
    assert house.ended(ref) == "ROLLBACK_COMPLETE"
    assert house.stack(ref).status_reason.startswith("Stack ROLLBACK completed successfully. It")
    assert {x.name for x in house.rows().values() if x.snapshot_id is None} == {"m"}


# deleting


def test_a_snapshot_goes_with_its_copies_while_the_stack_does_something_else(
    house: House, pair: StackRef
) -> None:
    first, second = taken(house, pair), taken(house, pair)
    house.engine.stop()
    house.stacks.forget_snapshot(ANN, pair, first.id)
    house.stacks.forget_snapshot(ANN, pair, first.id)
    there = house.stacks.snapshot_of(ANN, pair, first.id)
    assert (there.action, there.status) == ("DELETE", "IN_PROGRESS")
    house.stacks.update(ANN, pair, UpdateStack(goal({**PAIR, "x": "T::Thing"})))
    again = House(house.database, house.shelf, KeepingThings())
    again.engine.start()
    assert again.ended(pair) == "UPDATE_COMPLETE"
    until(lambda: [x.id for x in again.stacks.snapshots(ANN, pair)] == [second.id])
    again.engine.stop()
    assert len(house.shelf.things) == 2 + 1 + 2
    assert [count(house, table) for table in (t.sync_point, t.edge)] == [0, 0]


def test_a_snapshot_whose_copy_cannot_be_deleted_stays_and_can_be_deleted_again(
    house: House, pair: StackRef
) -> None:
    def refuse() -> None:
        raise CloudError("no", service="network", status=403)

    snapshot = taken(house, pair)
    house.shelf.before_take = refuse
    house.stacks.forget_snapshot(ANN, pair, snapshot.id)
    until(lambda: house.stacks.snapshot_of(ANN, pair, snapshot.id).status == "FAILED")
    there = house.stacks.snapshot_of(ANN, pair, snapshot.id)
    assert there.action == "DELETE"
    assert there.reason.startswith("Resource DELETE failed: CloudError: resources.")
    assert house.stack(pair).status == "COMPLETE"
    house.shelf.before_take = lambda: None
    house.stacks.forget_snapshot(ANN, pair, snapshot.id)
    until(lambda: not house.stacks.snapshots(ANN, pair))
    assert copies(house) == {}


def test_snapshots_and_their_copies_go_with_the_stack(house: House, pair: StackRef) -> None:
    taken(house, pair)
    taken(house, pair)
    house.stacks.delete(ANN, pair)
    assert house.ended(pair) == "DELETE_COMPLETE"
    assert house.shelf.things == {}
    assert [count(house, table) for table in (t.resource, t.snapshot, t.sync_point)] == [0, 0, 0]


def test_a_deletion_takes_over_a_snapshot_and_finds_a_copy_in_doubt(
    house: House, pair: StackRef
) -> None:
    house.shelf.fates = [Fate.LOST]
    house.shelf.looks = [Fate.ERROR]
    house.stacks.snapshot(ANN, pair, None)
    until(lambda: len(house.shelf.things) == 3)
    house.stacks.delete(ANN, pair)
    assert house.ended(pair) == "DELETE_COMPLETE"
    assert house.shelf.things == {}
    assert count(house, t.snapshot) == 0


def test_a_snapshot_that_runs_out_of_time_fails_and_leaves_nothing_when_it_is_deleted(
    house: House, pair: StackRef
) -> None:
    house.shelf.fates = [Fate.BUSY] * 200
    snapshot = house.stacks.snapshot(ANN, pair, None)
    until(lambda: len(house.shelf.fates) < 200)
    with house.database.write() as connection:
        connection.execute(sa.update(t.stack).values(deadline=1.0))
        expire(connection, house.database.now())
    assert house.ended(pair) == "SNAPSHOT_FAILED"
    there = house.stacks.snapshot_of(ANN, pair, snapshot.id)
    assert (there.status, there.reason) == ("FAILED", "Timed out")
    house.shelf.fates = []
    house.stacks.forget_snapshot(ANN, pair, snapshot.id)
    until(lambda: not house.stacks.snapshots(ANN, pair))
    assert len(house.shelf.things) == 2


def test_what_is_kept_is_sealed(house: House, pair: StackRef) -> None:
    taken(house, pair)
    with house.database.read() as connection:
        data = bytes(connection.scalars(sa.select(t.snapshot.c.data)).one())
    assert b"T::Kept" not in data


def test_a_copy_waits_for_those_of_what_its_resource_needs_and_no_more(house: House) -> None:
    chain = {"k0": {"type": "T::Kept"}} | {
        f"k{i}": {"type": "T::Kept", "depends_on": f"k{i - 1}"} for i in range(1, 6)
    }
    ref = house.create(**chain)
    house.ended(ref)
    house.engine.stop()
    house.stacks.snapshot(ANN, ref, None)
    with house.database.read() as connection:
        edges = connection.execute(sa.select(t.edge)).all()
    assert len(edges) == len(chain) - 1, "each waits for the one before it"
