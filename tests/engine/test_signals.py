"""Signals: what is told to a resource counts once, whoever dies, and no early one is lost."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.engine import Engine
from stoker.engine.hearing import ANOTHER_THERE, CUT_OFF
from stoker.engine.usecases import signalling
from stoker.engine.usecases.stacks import StackUseCases
from stoker.errors import CloudError, Conflict, NotFound, Unsupported, UserError
from stoker.resources.heat.wait_condition import WaitCondition
from stoker.resources.heat.wait_condition_handle import WaitConditionHandle
from stoker.sdk.resource import At, Done, Heard, Next, Resource, Step, Wait
from stoker.sdk.schema import Attr, attrs
from stoker.store import tables as t
from stoker.usecases.stacks import Action, Deaf, StackRef
from tests.engine.house import SETTINGS, House
from tests.engine.shelf import ANN, Fate, OneShelf, Thing, ThingProps, Things

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from stoker.sdk.cloud import Cloud
    from stoker.store.database import Database

PAIR: dict[str, Any] = {
    "h": "OS::Heat::WaitConditionHandle",
    "c": {
        "type": "OS::Heat::WaitCondition",
        "properties": {"handle": {"get_resource": "h"}, "timeout": 60, "count": 2},
    },
}


class Ear(Thing):
    """Puts a thing on the shelf at each signal; what it is told is its attribute."""

    type_name = "T::Ear"
    attributes = attrs(said=Attr("What it was told.", "list"))

    def create(self, at: At[ThingProps], cloud: Cloud) -> Step:
        step = super().create(at, cloud)
        if isinstance(step, Done) and at.props.size > 1:
            return Wait(60.0, {"said": []}, id=step.id) if at.id is None else self._enough(at)
        return step

    def _enough(self, at: At[ThingProps]) -> Step:
        said = at.data["said"]
        return Done({"said": said}, data={"said": said}) if said else Wait(60.0)

    def hear(self, at: At[ThingProps], details: Mapping[str, Any], cloud: Cloud) -> Heard:
        assert isinstance(cloud, OneShelf)
        cloud.shelf.put(f"heard {details.get('x')}", cloud.guard)
        said = [*(at.stored if at.verb is None else at.data).get("said", []), details.get("x")]
        if at.verb is None:
            return Heard(Done({"said": said}, data={"said": said}), f"heard {details.get('x')}")
        return Heard(Next(data={"said": said}), f"heard {details.get('x')}")


class Hearers(Things):
    """The index of these types as well."""

    _more: dict[str, Resource[Any]] = {  # noqa: RUF012 - as its base
        each.type_name: each for each in (Ear(), WaitCondition(), WaitConditionHandle())
    }

    def get(self, type_name: str) -> Resource[Any] | None:
        return self._more.get(type_name) or super().get(type_name)


class Site(House):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        keys: Any = self.keys
        self.engine = Engine(database, Hearers(), keys, SETTINGS)
        self.stacks = StackUseCases(database, Hearers(), keys, SETTINGS, self.engine.wake)

    def told(self, name: str) -> list[str]:
        with self.database.read() as connection:
            e = t.event.c
            found = t.event.select().where(e.resource_name == name, e.action == "SIGNAL")
            rows = connection.execute(found.order_by(e.id)).all()
        return [f"{row.status}: {row.status_reason}" for row in rows]

    def letters(self) -> int:
        with self.database.read() as connection:
            return len(connection.execute(t.inbox.select()).all())

    def signal(self, ref: StackRef, name: str, **details: Any) -> None:
        self.stacks.signal(ANN, ref, name, details)

    def attribute(self, ref: StackRef, name: str, attribute: str) -> Any:
        return dict(self.stacks.resource(ANN, ref, name, ()).attributes or {})[attribute]

    def set(self, name: str, **columns: Any) -> None:
        with self.database.write() as connection:
            row = t.resource.update().where(t.resource.c.name == name)
            connection.execute(row.values(**columns))


@pytest.fixture
def site(database: Database) -> Iterator[Site]:
    site = Site(database)
    site.engine.start()
    yield site
    site.engine.stop()


def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


# what is folded at once


def test_a_wait_ends_with_the_last_signal_that_it_waits_for(site: Site) -> None:
    ref = site.create(**PAIR)
    until(lambda: site.states()["c"] == "CREATE_IN_PROGRESS", "it waits")
    site.signal(ref, "h", id="1", data="a")
    site.signal(ref, "h", data="b")
    assert site.ended(ref) == "CREATE_COMPLETE"
    assert json.loads(site.attribute(ref, "c", "data")) == {"1": "a", "2": "b"}
    assert site.told("h") == [
        "COMPLETE: Signal: status:SUCCESS reason:Signal 1 received",
        "COMPLETE: Signal: status:SUCCESS reason:Signal 2 received",
    ]
    assert set(site.stacks.metadata(ANN, ref, "h")) == {"1", "2"}
    assert site.letters() == 1, "only what came of them is kept"


def test_signals_that_come_before_the_wait_count(site: Site) -> None:
    ref = site.create(h="OS::Heat::WaitConditionHandle")
    assert site.ended(ref) == "CREATE_COMPLETE"
    for _ in range(2):
        site.signal(ref, "h")
    assert site.update(ref, **PAIR) == "UPDATE_COMPLETE"


def test_a_signal_during_the_step_that_finds_too_few_ends_the_wait(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked, signalled = threading.Event(), threading.Event()
    create = WaitCondition.create

    def slow(self: WaitCondition, at: Any, cloud: Cloud) -> Step:
        step = create(self, at, cloud)
        looked.set()
        assert signalled.wait(10)
        return step

    monkeypatch.setattr(WaitCondition, "create", slow)
    ref = site.create(**PAIR)
    assert looked.wait(10)
    site.signal(ref, "h")
    site.signal(ref, "h")
    signalled.set()
    assert site.ended(ref) == "CREATE_COMPLETE"


def test_a_failure_ends_the_wait_and_says_why(site: Site) -> None:
    ref = site.create(**PAIR)
    site.signal(ref, "h", status="FAILURE", reason="disk full")
    assert site.ended(ref) == "CREATE_FAILED"
    text = "Resource CREATE failed: WaitConditionFailure: resources.c: disk full"
    assert site.stack(ref).status_reason == text


def test_a_wait_ends_with_its_time_and_says_what_came(site: Site) -> None:
    properties = {"handle": {"get_resource": "h"}, "timeout": 1, "count": 2}
    ref = site.create(**PAIR | {"c": {"type": "OS::Heat::WaitCondition", "properties": properties}})
    site.signal(ref, "h", reason="half-way")
    assert site.ended(ref) == "CREATE_FAILED"
    text = "WaitConditionTimeout: resources.c: 1 of 2 received - half-way"
    assert site.stack(ref).status_reason == f"Resource CREATE failed: {text}"


def test_what_is_no_handle_is_told(site: Site) -> None:
    condition = {"type": "OS::Heat::WaitCondition", "properties": {"handle": "x", "timeout": 9}}
    ref = site.create(c=condition)
    assert site.ended(ref) == "CREATE_FAILED"
    assert "NoHandle: resources.c: x is no wait condition" in site.stack(ref).status_reason


def test_a_condition_that_goes_lets_its_handle_forget(site: Site) -> None:
    ref = site.create(**PAIR)
    site.signal(ref, "h")
    site.signal(ref, "h")
    site.ended(ref)
    assert site.update(ref, h=PAIR["h"]) == "UPDATE_COMPLETE"
    assert (site.letters(), site.stacks.metadata(ANN, ref, "h")) == (0, {})


def test_the_state_goes_with_the_resource(site: Site) -> None:
    ref = site.create(**PAIR)
    site.signal(ref, "h")
    site.signal(ref, "h")
    site.ended(ref)
    site.stacks.delete(ANN, ref)
    assert site.ended(ref) == "DELETE_COMPLETE"
    assert site.letters() == 0


def test_what_is_no_signal_is_refused_and_leaves_nothing(site: Site) -> None:
    ref = site.create(**PAIR)
    until(lambda: site.states()["c"] == "CREATE_IN_PROGRESS", "it waits")
    with pytest.raises(UserError, match="status is SUCCESS or FAILURE"):
        site.signal(ref, "h", status="PERHAPS")
    with pytest.raises(Unsupported, match="signal is not supported for resource"):
        site.signal(ref, "c")
    with pytest.raises(NotFound):
        site.signal(ref, "x")
    assert (site.letters(), site.told("h")) == (0, [])


def test_a_state_has_its_limit(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signalling, "MOST_BYTES", 500)
    ref = site.create(**PAIR)
    with pytest.raises(UserError, match="cannot keep more than 500 bytes of signals"):
        site.signal(ref, "h", data="x" * 1000)
    assert site.letters() == 0


def test_signals_at_the_same_time_all_count(site: Site) -> None:
    many = 12
    condition = {**PAIR["c"], "properties": {**PAIR["c"]["properties"], "count": many}}
    ref = site.create(h=PAIR["h"], c=condition)
    threads = [threading.Thread(target=site.signal, args=(ref, "h")) for _ in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert site.ended(ref) == "CREATE_COMPLETE"
    assert len(site.stacks.metadata(ANN, ref, "h")) == many


# what a step hears


def test_mail_is_heard_in_order_and_once(site: Site) -> None:
    ref = site.create(a="T::Ear")
    site.ended(ref)
    for x in range(3):
        site.signal(ref, "a", x=x)
    until(lambda: len(site.told("a")) == 3, "all is heard")
    assert site.told("a") == [f"COMPLETE: heard {x}" for x in range(3)]
    assert [m for m in site.shelf.things.values() if "heard" in m] == [
        f"heard {x}" for x in range(3)
    ]
    assert (site.attribute(ref, "a", "said"), site.letters()) == ([0, 1, 2], 0)
    assert (site.states()["a"], site.stack(ref).status) == ("CREATE_COMPLETE", "COMPLETE")


def test_mail_is_heard_between_the_steps_of_a_verb(site: Site) -> None:
    ref = site.create(a={"type": "T::Ear", "properties": {"size": 2}})
    until(lambda: site.rows()["a"].physical_id is not None, "it waits")
    site.signal(ref, "a", x="go")
    assert site.ended(ref) == "CREATE_COMPLETE"
    assert (site.attribute(ref, "a", "said"), site.letters()) == (["go"], 0)
    assert site.told("a") == ["IN_PROGRESS: heard go"]


@pytest.mark.parametrize("size", [1, 2])
def test_mail_to_what_is_not_there_yet_waits_until_there_is_something_of_it(
    site: Site, size: int
) -> None:
    site.engine.stop()
    ref = site.create(a={"type": "T::Ear", "properties": {"size": size}})
    for x in range(2):
        site.signal(ref, "a", x=x)
    keys: Any = site.keys
    site.engine = Engine(site.database, Hearers(), keys, SETTINGS)
    site.engine.start()
    assert site.ended(ref) == "CREATE_COMPLETE"
    until(lambda: site.letters() == 0, "all is heard")
    assert site.attribute(ref, "a", "said") == [0, 1]
    with site.database.read() as connection:
        assert len(connection.execute(t.resource.select()).all()) == 1


def test_mail_that_comes_during_a_step_that_waits_is_heard_at_once(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    stepped, signalled = threading.Event(), threading.Event()
    enough = Ear.create

    def slow(self: Ear, at: Any, cloud: Cloud) -> Step:
        step = enough(self, at, cloud)
        if at.id is not None:
            stepped.set()
            assert signalled.wait(10)
        return step

    monkeypatch.setattr(Ear, "create", slow)
    ref = site.create(a={"type": "T::Ear", "properties": {"size": 2}})
    until(lambda: site.rows()["a"].physical_id is not None, "it waits")
    site.set("a", due=0.0)  # so that it is asked again
    assert stepped.wait(10)
    site.signal(ref, "a", x="go")
    signalled.set()
    assert site.ended(ref) == "CREATE_COMPLETE"


def test_mail_that_was_cut_off_is_not_heard_again(site: Site) -> None:
    ref = site.create(a="T::Ear")
    site.ended(ref)
    site.engine.stop()
    site.signal(ref, "a", x=1)
    with site.database.read() as connection:
        letter = connection.execute(t.inbox.select()).one()
    site.set("a", inbox_read=letter.id, intent_at=site.database.now())  # as a step leaves it
    calls = site.shelf.calls
    keys: Any = site.keys
    site.engine = Engine(site.database, Hearers(), keys, SETTINGS)
    site.engine.start()
    until(lambda: site.letters() == 0, "it is done with")
    assert (site.told("a"), site.shelf.calls) == ([f"FAILED: {CUT_OFF}"], calls)
    site.signal(ref, "a", x=2)
    until(lambda: len(site.told("a")) == 2, "the next one is heard")


def test_mail_whose_turn_was_lost_is_heard_all_the_same(site: Site) -> None:
    ref = site.create(a="T::Ear")
    site.ended(ref)
    site.engine.stop()
    site.signal(ref, "a", x=1)
    site.set("a", due=None)
    keys: Any = site.keys
    site.engine = Engine(site.database, Hearers(), keys, SETTINGS)
    site.engine.start()
    until(lambda: site.told("a") == ["COMPLETE: heard 1"], "it is heard")


def test_nothing_hears_for_an_object_that_is_deleted_and_an_event_says_so(site: Site) -> None:
    ref = site.create(a="T::Ear")
    site.ended(ref)
    site.engine.stop()
    site.signal(ref, "a", x=1)
    # As the clean-up leaves it, until a goal that wants it again makes another one.
    gone = {"action": "DELETE", "status": "COMPLETE", "physical_id": None, "applied": None}
    site.set("a", **gone)
    keys: Any = site.keys
    site.engine = Engine(site.database, Hearers(), keys, SETTINGS)
    site.engine.start()
    until(lambda: site.letters() == 0, "it is told")
    text = "there is nothing that could hear the signal: it is deleted"
    assert site.told("a") == [f"FAILED: {text}"]


def test_what_has_become_of_another_type_hears_nothing_and_an_event_says_so(site: Site) -> None:
    site.shelf.fates = [Fate.REFUSED]
    ref = site.create(a="T::Thing", e={"type": "T::Ear", "depends_on": "a"})
    assert site.ended(ref) == "CREATE_FAILED"
    site.signal(ref, "e", x=1)
    assert site.update(ref, a="T::Thing", e="T::Thing") == "UPDATE_COMPLETE"
    until(lambda: site.letters() == 0, "it is told")
    assert site.told("e") == [f"FAILED: {ANOTHER_THERE}"]


@pytest.mark.parametrize("fate", [Fate.UNREACHED, Fate.REFUSED, Fate.LOST])
def test_a_hearing_that_fails_is_told_and_nothing_more(site: Site, fate: Fate) -> None:
    ref = site.create(a="T::Ear")
    site.ended(ref)
    site.shelf.fates = [fate]
    site.signal(ref, "a", x=1)
    until(lambda: len(site.told("a")) == 1, "it is told")
    assert site.told("a") == [f"FAILED: CloudError: resources.a: {fate}"]
    assert site.states()["a"] == "CREATE_COMPLETE"
    assert site.stack(ref).status == "COMPLETE"


def test_a_hearing_that_could_not_begin_is_tried_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    hear, calls = Ear.hear, []

    def flaky(self: Ear, at: Any, details: Any, cloud: Any) -> Heard:
        calls.append(details)
        if len(calls) == 1:
            raise CloudError("away", service="network", status=503)
        return hear(self, at, details, cloud)

    monkeypatch.setattr(Ear, "hear", flaky)
    ref = site.create(a="T::Ear")
    site.ended(ref)
    site.signal(ref, "a", x=1)
    until(lambda: site.told("a") == ["COMPLETE: heard 1"], "it is heard")


def test_a_fault_of_the_type_ends_the_signal_and_not_the_resource(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(*_: Any) -> Heard:
        raise KeyError("name")

    monkeypatch.setattr(Ear, "hear", faulty)
    ref = site.create(a="T::Ear")
    site.ended(ref)
    site.signal(ref, "a", x=1)
    until(lambda: site.told("a") == [f"FAILED: {CUT_OFF}"], "it is told")
    assert site.states()["a"] == "CREATE_COMPLETE"
    assert site.update(ref, a="T::Ear", b="T::Mere") == "UPDATE_COMPLETE"


def test_mail_before_an_update_is_heard_first(site: Site) -> None:
    ref = site.create(a="T::Ear", b={"type": "T::Mere", "depends_on": "a"})
    site.ended(ref)
    site.engine.stop()
    site.signal(ref, "a", x=1)
    keys: Any = site.keys
    site.engine = Engine(site.database, Hearers(), keys, SETTINGS)
    site.stacks.act(ANN, ref, Action.CHECK)
    site.engine.start()
    assert site.ended(ref) == "CHECK_COMPLETE"
    assert site.told("a") == ["COMPLETE: heard 1"]


def test_no_signal_is_taken_while_suspended_and_an_event_says_so(site: Site) -> None:
    ref = site.create(a="T::Ear", **PAIR)
    site.signal(ref, "h")
    site.signal(ref, "h")
    site.ended(ref)
    assert site.act(ref, Action.SUSPEND) == "SUSPEND_COMPLETE"
    for name in ("a", "h"):
        with pytest.raises(Deaf, match="Signal resource during SUSPEND is not supported"):
            site.signal(ref, name)
    with site.database.read() as connection:
        query = t.event.select().where(t.event.c.resource_name == "h").order_by(t.event.c.id)
        last = connection.execute(query).all()[-1]
    assert last.status_reason == "Cannot signal resource during SUSPEND"
    assert (last.action, last.status) == ("SUSPEND", "COMPLETE")
    assert site.act(ref, Action.RESUME) == "RESUME_COMPLETE"
    site.signal(ref, "a", x=1)
    until(lambda: site.told("a") == ["COMPLETE: heard 1"], "it is heard")


def test_what_is_deleted_hears_nothing_and_keeps_its_pauses(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def slow(self: Ear, at: Any, cloud: Cloud) -> Step:
        asked.append(time.monotonic())
        return Wait(0.5, {"asked": True}) if not at.data else Thing.delete(self, at, cloud)

    monkeypatch.setattr(Ear, "delete", slow)
    ref = site.create(a="T::Ear")
    site.ended(ref)
    site.engine.stop()
    site.signal(ref, "a", x=1)
    site.stacks.delete(ANN, ref)
    keys: Any = site.keys
    site.engine = Engine(site.database, Hearers(), keys, SETTINGS)
    site.engine.start()
    assert site.ended(ref) == "DELETE_COMPLETE"
    assert (len(asked), site.told("a"), site.letters()) == (2, [], 0)
    assert asked[1] - asked[0] > 0.4


def test_no_more_waits_than_may(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signalling, "MOST_WAITING", 2)
    ref = site.create(a="T::Ear")
    site.ended(ref)
    site.engine.stop()
    for x in range(2):
        site.signal(ref, "a", x=x)
    with pytest.raises(Conflict, match="2 signals wait for a already"):
        site.signal(ref, "a", x=2)
    assert site.letters() == 2
