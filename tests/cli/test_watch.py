"""Following an operation, on a stack that a test plays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import pytest

from stoker.cli import watch
from stoker.cli.operation import Operation, Outcome
from stoker.cli.progress import Progress, State, beginning
from stoker.cli.watch import Detached, StillWaiting, follow, watched
from stoker.errors import CloudError
from tests.cli.rows import event, row

if TYPE_CHECKING:
    from stoker.cli.operation import Sight
    from stoker.cli.session import Json

GONE = CloudError("gone", service="orchestration", status=404)
AWAY = CloudError("no answer", service="orchestration")
ID = "root-id"
Scene = tuple[str, dict[str, str]] | BaseException


class Played:
    """Shows one scene after the other: the stack's status and its resources' statuses.

    A resource's status may have the time of its last change after it.
    """

    def __init__(self, *scenes: Scene, rollback: bool = False) -> None:
        self._scenes = list(scenes)
        self._rollback = rollback
        self.told: list[Json] = []
        self.asked: list[dict[str, Any]] = []

    def stack(self, name: str, id: str) -> Json:
        scene = self._scenes[0]
        if isinstance(scene, BaseException):
            self._scenes.pop(0)
            raise scene
        return {
            "stack_status": scene[0],
            "stack_status_reason": "because",
            "disable_rollback": not self._rollback,
        }

    def resources(self, name: str, id: str) -> list[Json]:
        scene = self._scenes.pop(0)
        assert not isinstance(scene, BaseException)
        return [
            row(name, *status.split()[:1], updated_time=status.partition(" ")[2])
            for name, status in scene[1].items()
        ]

    def events(self, name: str, id: str, **query: Any) -> list[Json]:
        self.asked.append(query)
        return self.told


@dataclass
class Shown:
    """Remembers what it is to show."""

    sights: list[Sight] = field(default_factory=list)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def show(self, sight: Sight) -> None:
        self.sights.append(sight)


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "LOOK_SECONDS", (0.0, 0.0))


def new(action: str = "CREATE") -> Operation:
    return Operation("n", ID, Progress(action), fresh=True)


def old(action: str = "UPDATE") -> Operation:
    return Operation("n", ID, beginning(action, [row("a", "CREATE_COMPLETE")]), "marker")


def followed(source: Played, operation: Operation) -> Outcome:
    return follow(source, operation, Shown())


def test_every_look_is_shown_until_all_is_done() -> None:
    shown = Shown()
    played = Played(
        ("CREATE_IN_PROGRESS", {"a": "CREATE_IN_PROGRESS", "b": "INIT_COMPLETE"}),
        ("CREATE_IN_PROGRESS", {"a": "CREATE_COMPLETE", "b": "CREATE_IN_PROGRESS"}),
        ("CREATE_COMPLETE", {"a": "CREATE_COMPLETE", "b": "CREATE_COMPLETE"}),
    )
    outcome = follow(played, new(), shown)
    assert [sight.progress.count(State.DONE) for sight in shown.sights] == [0, 1, 2]
    assert outcome.is_good
    assert outcome.progress is shown.sights[-1].progress


@pytest.mark.parametrize("status", ["CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED"])
def test_another_end_is_no_good_one(status: str) -> None:
    outcome = followed(Played(("CREATE_IN_PROGRESS", {}), (status, {})), new())
    assert (outcome.is_good, outcome.status) == (False, status)


def test_a_stack_that_somebody_deletes_meanwhile_was_not_created() -> None:
    outcome = followed(Played(("CREATE_IN_PROGRESS", {}), GONE), new())
    assert (outcome.is_good, outcome.status) == (False, "DELETE_COMPLETE")


def test_a_stack_that_is_not_found_any_more_is_deleted() -> None:
    played = Played(("DELETE_IN_PROGRESS", {"a": "DELETE_IN_PROGRESS"}), GONE)
    outcome = followed(played, old("DELETE"))
    assert outcome.is_good
    assert outcome.progress.count(State.DONE) == 1


def test_the_end_of_the_operation_before_is_not_taken_for_this_one() -> None:
    played = Played(
        ("UPDATE_COMPLETE", {"a": "CREATE_COMPLETE"}),
        ("UPDATE_IN_PROGRESS", {"a": "UPDATE_IN_PROGRESS"}),
        ("UPDATE_COMPLETE", {"a": "UPDATE_COMPLETE"}),
    )
    outcome = followed(played, old())
    assert outcome.progress.items["a",].status == "UPDATE_COMPLETE"
    assert played.asked == [{"marker": "marker"}]


def test_an_operation_too_fast_to_be_seen_is_known_by_its_event() -> None:
    played = Played(("UPDATE_COMPLETE", {"a": "CREATE_COMPLETE"}))
    played.told = [event("n", "UPDATE_COMPLETE", of=ID)]
    assert followed(played, old()).is_good


def test_what_was_only_looked_at_is_unchanged_and_what_has_an_event_is_not() -> None:
    played = Played(
        ("UPDATE_IN_PROGRESS", {"a": "UPDATE_IN_PROGRESS"}),
        ("UPDATE_COMPLETE", {"a": "UPDATE_COMPLETE", "b": "C_COMPLETE 9", "c": "C_COMPLETE 9"}),
    )
    played.told = [event("c", "C_COMPLETE")]
    before = [row("a", "CREATE_COMPLETE"), row("b", "C_COMPLETE"), row("c", "C_COMPLETE")]
    outcome = followed(played, Operation("n", ID, beginning("UPDATE", before), "marker"))
    states = {name: item.state for (name,), item in outcome.progress.items.items()}
    assert states == {"a": State.DONE, "b": State.KEPT, "c": State.DONE}


def test_the_event_of_a_nested_stack_is_not_taken_for_the_stack_s() -> None:
    played = Played(("UPDATE_COMPLETE", {}), ("UPDATE_IN_PROGRESS", {}), ("UPDATE_FAILED", {}))
    played.told = [event("n", "UPDATE_COMPLETE", of="other", within="other")]
    assert followed(played, old()).status == "UPDATE_FAILED"


def test_an_end_of_which_nothing_tells_is_believed_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watch, "SETTLE_SECONDS", 0.0)
    scene: Scene = ("UPDATE_COMPLETE", {"a": "CREATE_COMPLETE"})
    assert followed(Played(scene, scene, scene), old()).is_good


def test_a_failure_that_will_be_rolled_back_is_not_the_end() -> None:
    played = Played(
        ("CREATE_FAILED", {"a": "CREATE_FAILED"}),
        ("ROLLBACK_IN_PROGRESS", {"a": "DELETE_IN_PROGRESS"}),
        ("ROLLBACK_COMPLETE", {}),
        rollback=True,
    )
    assert followed(played, new()).status == "ROLLBACK_COMPLETE"


def test_a_service_that_is_away_for_a_moment_is_asked_again() -> None:
    shown = Shown()
    played = Played(("CREATE_IN_PROGRESS", {"a": "INIT_COMPLETE"}), AWAY, ("CREATE_COMPLETE", {}))
    assert follow(played, new(), shown).is_good
    assert [sight.silent for sight in shown.sights] == ["", "no answer", ""]
    assert shown.sights[1].progress.items.keys() == {("a",)}


def test_a_service_that_stays_away_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "SILENCE_SECONDS", -1.0)
    with pytest.raises(CloudError, match="no answer"):
        followed(Played(("CREATE_IN_PROGRESS", {}), AWAY), new())


def test_a_refusal_is_told_at_once() -> None:
    refusal = CloudError("not yours", service="orchestration", status=403)
    with pytest.raises(CloudError, match="not yours"):
        followed(Played(refusal), new())


def test_it_waits_no_longer_than_it_may() -> None:
    with pytest.raises(StillWaiting, match=r"still CREATE_IN_PROGRESS .* it goes on"):
        follow(Played(("CREATE_IN_PROGRESS", {})), new(), Shown(), 0.0)


def test_who_interrupts_only_ends_the_watching() -> None:
    with pytest.raises(Detached, match="the create of n goes on"):
        watched(Played(("CREATE_IN_PROGRESS", {}), KeyboardInterrupt()), new(), Shown(), None)


def test_a_slow_service_is_asked_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    clock = iter(float(second) for second in range(100))
    monkeypatch.setattr(watch, "LOOK_SECONDS", (0.25, 3.0))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    monkeypatch.setattr("time.sleep", slept.append)
    followed(Played(("CREATE_IN_PROGRESS", {}), ("CREATE_COMPLETE", {})), new())
    assert slept == [3.0]
