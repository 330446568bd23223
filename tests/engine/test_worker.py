"""One step at a time: what a step leaves on its row, above all what stays in doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.instants import nobody
from stoker.engine.job import Tools
from stoker.engine.kinds import Kinds as KindsOf
from stoker.engine.lease import CallGuard, Lease, LeaseLost
from stoker.engine.settings import Settings
from stoker.engine.usecases.stacks import StackUseCases
from stoker.engine.worker import Worker
from stoker.plan.machine import MAX_RETRIES
from stoker.store import tables as t
from stoker.store import work
from stoker.store.traversal import expire
from stoker.usecases.stacks import Action, CreateStack, Goal, StackRef, UpdateStack
from tests.engine.shelf import ANN, Fate, Keys, Shelf, Thing, Things

if TYPE_CHECKING:
    from stoker.store.claims import Claim
    from stoker.store.database import Database
    from stoker.store.work import Result
    from tests.store.world import World

IN_DOUBT = 100.0
SETTINGS = Settings(in_doubt_seconds=IN_DOUBT)
TEMPLATE = {"heat_template_version": "2021-04-16", "resources": {"it": {"type": "T::Thing"}}}


@dataclass
class Bench:
    """A worker, and a clock that is set forward by hand; each step is committed."""

    database: Database
    shelf: Shelf
    seconds: float = 0.0

    def __post_init__(self) -> None:
        types, keys = Things(), Keys(self.shelf)
        self.lease = Lease(self.database, SETTINGS)
        self.lease.join()
        tools = Tools(self.database, types, KindsOf(self.database, types), bytes)
        self.stacks = StackUseCases(self.database, types, keys, SETTINGS, lambda: None)  # type: ignore[arg-type]
        self.worker = Worker(tools, None, keys.cloud_of, SETTINGS, nobody, lambda: 0.0)  # type: ignore[arg-type]
        self.real_now = self.database.now
        self.database.now = lambda: self.real_now() + self.seconds  # type: ignore[method-assign]
        self.flying: Claim | None = None

    def create(self) -> StackRef:
        return self.stacks.create(ANN, CreateStack("s", Goal(TEMPLATE)))

    def turn(self, *results: Result) -> None:
        with self.database.write() as connection:
            claims = work.turn(connection, self.lease.engine_id, results, 10, self.database.now())
        self.flying = claims[0] if claims else None

    def step(self) -> Result:
        """Have one step performed and committed."""
        if self.flying is None:
            self.turn()
        assert self.flying is not None, "nothing is due"
        claim = self.flying
        result = self.worker.perform(claim, CallGuard(self.lease, nobody, claim))
        self.turn(result)
        return result

    def crash(self) -> None:
        """Lose what flies, as when another engine buries this one."""
        self.flying = None
        with self.database.write() as connection:
            connection.execute(
                t.resource.update().values(engine_id=None, epoch=t.resource.c.epoch + 1, due=0.0)
            )

    @property
    def row(self) -> Any:
        with self.database.read() as connection:
            return connection.execute(t.resource.select()).one_or_none()


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def bench(database: Database, shelf: Shelf) -> Bench:
    return Bench(database, shelf)


@pytest.fixture
def begun(bench: Bench) -> Bench:
    """A create whose intent is committed, and which is about to call."""
    bench.create()
    bench.step()
    assert bench.row.verb == "create"
    assert bench.row.intent_at is not None
    assert bench.shelf.calls == 0
    return bench


def test_the_intent_is_committed_before_the_call(begun: Bench, shelf: Shelf) -> None:
    result = begun.step()
    assert (result.ended, begun.row.physical_id, len(shelf.things)) == ("good", "t0", 1)
    assert (begun.row.verb, begun.row.intent_at) == (None, None)


@pytest.mark.parametrize("fate", [Fate.LOST, Fate.GATEWAY, Fate.CUT, Fate.READ_FAILS])
def test_a_call_that_says_nothing_sure_stays_in_doubt(begun: Bench, fate: Fate) -> None:
    begun.shelf.fates = [fate]
    intent_at = begun.row.intent_at
    result = begun.step()
    assert result.seconds is not None
    assert begun.row.verb == "create"
    assert begun.row.intent_at > intent_at, "in doubt from when it was sent, not intended"


@pytest.mark.parametrize("fate", [Fate.UNREACHED, Fate.BUSY])
def test_a_call_that_surely_did_nothing_is_repeated_without_a_look(
    begun: Bench, fate: Fate
) -> None:
    begun.shelf.fates = [fate]
    begun.step()
    assert begun.row.intent_at is None
    begun.shelf.looks = [Fate.REFUSED]  # would end the step badly
    begun.seconds += 5
    begun.step()
    assert begun.row.physical_id is not None


def test_after_an_error_of_the_service_one_look_is_enough(begun: Bench) -> None:
    begun.shelf.fates = [Fate.ERROR]
    begun.step()
    begun.seconds += 5
    begun.step()
    begun.step()
    assert (begun.row.physical_id, begun.row.status) == ("t1", "COMPLETE")


def test_only_a_look_that_began_after_the_doubt_counts(begun: Bench, shelf: Shelf) -> None:
    shelf.fates = [Fate.CUT]
    begun.step()
    begun.seconds += 5

    def standing_still() -> None:  # in the middle of the look, and what was sent arrives meanwhile
        begun.seconds += 10 * IN_DOUBT

    shelf.before_look = standing_still
    result = begun.step()
    assert (result.on, result.ended, shelf.calls) == (False, None, 1)
    shelf.before_look = lambda: None
    begun.seconds += 5
    begun.step()
    begun.step()
    assert shelf.calls == 2, "nothing had come, and it is made now"


def test_what_a_lost_answer_made_is_found_and_taken_on(begun: Bench, shelf: Shelf) -> None:
    shelf.fates = [Fate.LOST]
    begun.step()
    begun.seconds += 5
    begun.step()
    begun.step()
    assert (begun.row.physical_id, shelf.calls, begun.row.status) == ("t0", 1, "COMPLETE")


def test_what_is_not_found_is_made_again_when_the_doubt_is_over(begun: Bench) -> None:
    begun.shelf.fates = [Fate.CUT]
    begun.step()
    begun.seconds += IN_DOUBT / 2
    assert begun.step().seconds == 1.0
    assert begun.shelf.calls == 1
    begun.seconds += IN_DOUBT / 2
    begun.step()
    begun.step()
    assert (begun.row.physical_id, begun.shelf.calls) == ("t1", 2)


@pytest.mark.parametrize("fate", [Fate.UNREACHED, Fate.BUSY, Fate.ERROR, Fate.CUT])
def test_a_look_that_fails_settles_nothing(begun: Bench, fate: Fate) -> None:
    begun.crash()
    intent_at = begun.row.intent_at
    begun.shelf.looks = [fate]
    begun.step()
    assert (begun.row.verb, begun.row.intent_at) == ("create", intent_at)
    begun.seconds += 20
    assert begun.step().seconds == 1.0, "it is looked for again"
    assert begun.shelf.calls == 0


def test_a_look_that_is_refused_fails_the_resource_and_leaves_the_doubt(
    begun: Bench, shelf: Shelf
) -> None:
    shelf.things["x"] = f"stoker-{begun.row.uuid}"
    begun.crash()
    shelf.looks = [Fate.REFUSED]
    assert begun.step().ended == "bad"
    assert (begun.row.status, begun.row.verb) == ("FAILED", "create")
    assert begun.row.intent_at is not None
    begun.stacks.delete(ANN, StackRef(begun.row.stack_id, "s", "p1"))
    while begun.row is not None:
        begun.step()
    assert shelf.things == {}


def test_what_was_made_before_its_type_gave_up_is_found_when_the_stack_goes(
    begun: Bench, shelf: Shelf
) -> None:
    shelf.fates = [Fate.INVALID]
    assert begun.step().ended == "bad"
    assert (begun.row.status, begun.row.verb) == ("FAILED", "create")
    begun.stacks.delete(ANN, StackRef(begun.row.stack_id, "s", "p1"))
    while begun.row is not None:
        begun.step()
    assert shelf.things == {}


def test_a_refused_call_fails_the_resource_and_leaves_no_doubt(begun: Bench) -> None:
    begun.shelf.fates = [Fate.REFUSED]
    assert begun.step().ended == "bad"
    row = begun.row
    assert (row.status, row.verb, row.intent_at) == ("FAILED", None, None)


def test_a_failed_resource_in_doubt_is_looked_for_before_an_update_makes_another(
    begun: Bench, shelf: Shelf
) -> None:
    shelf.fates = [Fate.INVALID]
    begun.step()
    begun.stacks.update(ANN, StackRef(begun.row.stack_id, "s", "p1"), UpdateStack(Goal(TEMPLATE)))
    while begun.row.status != "COMPLETE":
        begun.step()
    assert (len(shelf.things), begun.row.physical_id) == (1, "t0")


_SAME = {"type": "T::Thing", "physical_id": "t0", "definition": {"external_id": None}}


@pytest.mark.parametrize(
    ("other", "owner", "of_users", "is_ours"),
    [
        (_SAME, "u1", False, False),
        (_SAME, "u2", False, False),
        (_SAME, "u1", True, False),
        (_SAME, "u2", True, True),
        ({**_SAME, "definition": {"external_id": "t0"}}, "u1", False, True),
        ({**_SAME, "snapshot_id": "00000000-0000-4000-8000-00000000000a"}, "u1", False, True),
        ({**_SAME, "physical_id": "t1"}, "u1", False, True),
        ({**_SAME, "type": "T::Slow"}, "u1", False, True),
        ({**_SAME, "sent": {"size": 2}}, "u1", False, True),
        ({**_SAME, "sent": {"size": 1}}, "u1", False, False),
        ({**_SAME, "sent": {"size": "?"}}, "u1", False, False),
    ],
    ids=[
        "theirs", "another user's", "the user's own", "one of another user's own",
        "only referred to", "a copy", "another thing", "of another kind",
        "another with the same id", "the same in all", "unreadable",
    ],
)  # fmt: skip
def test_what_another_row_records_is_not_taken_for_what_a_lost_answer_made(
    begun: Bench,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    other: dict[str, Any],
    owner: str,
    of_users: bool,  # noqa: FBT001 - a case
    is_ours: bool,  # noqa: FBT001 - a case
) -> None:
    monkeypatch.setattr(Thing, "ids_of_users", of_users)
    monkeypatch.setattr(Thing, "is_one", lambda _self, one, other: one.size == other.size)
    begun.shelf.fates = [Fate.INVALID]
    begun.step()
    begun.stacks.update(ANN, StackRef(begun.row.stack_id, "s", "p1"), UpdateStack(Goal(TEMPLATE)))
    world.resource(world.stack("other", user_id=owner, project_id="p2"), "other", **other)
    found = begun.step()
    assert found.columns.get("physical_id") == ("t0" if is_ours else None)
    assert is_ours or (found.seconds, found.on) == (1.0, False), "it may still come"
    begun.seconds = IN_DOUBT + 1
    assert is_ours or begun.step().on, "and is made when it can no longer come"


def test_a_step_without_a_lease_makes_no_call(begun: Bench, shelf: Shelf) -> None:
    begun.lease.leave()
    with pytest.raises(LeaseLost):
        begun.step()
    assert shelf.calls == 0


# check, suspend, resume


@pytest.fixture
def made(begun: Bench) -> Bench:
    begun.step()
    assert begun.row.status == "COMPLETE"
    return begun


def ref(bench: Bench) -> StackRef:
    return StackRef(bench.row.stack_id, "s", "p1")


def test_a_service_that_is_away_says_nothing_of_an_object(made: Bench, shelf: Shelf) -> None:
    made.stacks.act(ANN, ref(made), Action.CHECK)
    made.step()
    shelf.looks = [Fate.ERROR] * (MAX_RETRIES + 1)
    while made.step().ended is None:
        made.seconds += 60
    row = made.row
    assert (row.action, row.status, row.verb) == ("CHECK", "FAILED", "check")
    made.stacks.update(ANN, ref(made), UpdateStack(Goal(TEMPLATE)))
    while made.step().ended is None:
        pass
    assert (made.row.status, made.row.physical_id, shelf.calls) == ("COMPLETE", "t0", 1)
    assert shelf.told == [("check", "it")], "it was checked before anything else"


def test_a_check_is_repeated_while_the_service_is_away(made: Bench, shelf: Shelf) -> None:
    made.stacks.act(ANN, ref(made), Action.CHECK)
    made.step()
    shelf.looks = [Fate.ERROR, Fate.CUT]
    while made.step().ended is None:
        made.seconds += 60
    assert (made.row.action, made.row.status) == ("CHECK", "COMPLETE")


def test_a_check_that_runs_out_of_time_has_found_nothing(made: Bench, shelf: Shelf) -> None:
    made.stacks.act(ANN, ref(made), Action.CHECK)
    made.step()
    with made.database.write() as connection:
        expire(connection, made.database.now() + 3600)
    made.flying = None
    made.crash()
    assert (made.row.action, made.row.status) == ("CHECK", "FAILED")
    made.stacks.update(ANN, ref(made), UpdateStack(Goal(TEMPLATE)))
    while made.step().ended is None:
        pass
    assert (made.row.physical_id, shelf.calls, shelf.told) == ("t0", 1, [("check", "it")])


def test_the_intent_to_suspend_is_committed_before_the_call(made: Bench, shelf: Shelf) -> None:
    made.stacks.act(ANN, ref(made), Action.SUSPEND)
    made.step()
    assert (made.row.verb, shelf.told) == ("suspend", [])
    assert made.row.intent_at is not None
    shelf.fates = [Fate.LOST]
    made.step()
    made.crash()
    made.step()
    made.step()
    assert (shelf.told, shelf.calls) == ([("suspend", "it")], 2)
    assert (made.row.action, made.row.status, made.row.verb) == ("SUSPEND", "COMPLETE", None)


def test_what_an_earlier_call_has_done_since_the_look_is_done(made: Bench, shelf: Shelf) -> None:
    made.stacks.act(ANN, ref(made), Action.SUSPEND)
    made.step()
    shelf.fates = [Fate.CUT]
    made.step()
    made.seconds += 60
    shelf.fates = [Fate.OVERTAKEN]
    while made.step().ended is None:
        pass
    assert (made.row.action, made.row.status, made.row.verb) == ("SUSPEND", "COMPLETE", None)
    assert (shelf.told, shelf.calls) == ([("suspend", "it")], 3)


def test_what_another_has_is_refused_after_one_more_look(made: Bench, shelf: Shelf) -> None:
    made.stacks.act(ANN, ref(made), Action.SUSPEND)
    made.step()
    shelf.fates = [Fate.TAKEN, Fate.TAKEN]
    assert made.step().ended == "bad"
    assert (made.row.action, made.row.status, shelf.calls) == ("SUSPEND", "FAILED", 3)


def test_an_action_keeps_what_an_update_has_left(made: Bench) -> None:
    left = made.database.sealer.seal({"changed": ["size"], "data": {"port": "p1"}})
    with made.database.write() as connection:
        connection.execute(t.resource.update().values(progress=left, status="FAILED"))
        connection.execute(t.resource.update().values(action="UPDATE"))
    made.stacks.act(ANN, ref(made), Action.CHECK)
    while made.step().ended is None:
        pass
    kept = made.database.sealer.open(made.row.progress)
    assert (made.row.status, kept) == ("COMPLETE", {"changed": ["size"], "data": {"port": "p1"}})


def test_a_create_in_doubt_stays_in_doubt_whatever_is_done_to_the_stack(
    begun: Bench, shelf: Shelf
) -> None:
    shelf.fates = [Fate.INVALID]
    assert begun.step().ended == "bad"
    before = begun.row
    assert before.intent_at is not None
    begun.stacks.act(ANN, ref(begun), Action.CHECK)
    begun.step()
    after = begun.row
    assert (after.action, after.status) == ("CHECK", "FAILED"), "it is not whole"
    same = ("verb", "verb_traversal", "intent_at", "physical_id", "progress")
    assert [getattr(after, x) for x in same] == [getattr(before, x) for x in same]
    begun.stacks.update(ANN, ref(begun), UpdateStack(Goal(TEMPLATE)))
    while begun.row.status != "COMPLETE":
        begun.step()
    assert (len(shelf.things), begun.row.physical_id) == (1, "t0")
