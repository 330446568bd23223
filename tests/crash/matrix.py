"""One case of the matrix: the operations of a scenario, with one disturbance.

What disturbs lies either between two effects of an engine (it is killed or paused there, or
its commit is not answered), or in the cloud (an answer that comes late or never).
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from threading import current_thread
from typing import TYPE_CHECKING, Any

from stoker.store.database import Database
from stoker.store.passing import Passing
from stoker.usecases.stacks import Goal
from tests.crash import ledger
from tests.crash.site import CHANGES
from tests.crash.watch import Spot
from tests.crash.world import SCALED, World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import sqlalchemy as sa

    from stoker.engine.settings import Settings
    from stoker.usecases.stacks import StackRef
    from tests.crash.scenario import Scenario
    from tests.crash.site import Site
    from tests.crash.world import Process

DELETE = "delete"


class Way(StrEnum):
    """How a case is disturbed."""

    KILL = "killed"
    PAUSE = "paused until another has taken over"
    SLEEP = "paused until the operation has ended"
    FORGET = "commit not answered"
    LATE = "answer after the time-out"
    OVERDUE = "effect after the time-out"
    SLOW = "answer late, within the time-out"
    CUT = "connection cut after the effect"
    CUT_BEFORE = "connection cut before the effect"


STOPS = (Way.KILL, Way.PAUSE, Way.SLEEP, Way.FORGET)
"""The ways that happen at a spot of an engine's step."""

FAULTS = tuple(way for way in Way if way not in STOPS)
"""The ways that happen to a call."""

_TIMED = (Way.LATE, Way.OVERDUE)
_PATIENT = 10.0


def fault(way: Way, settings: Settings) -> dict[str, Any]:
    """Return what the cloud does to the call."""
    too_long = 1.5 * settings.client_timeout
    faults: dict[Way, dict[str, Any]] = {
        Way.LATE: {"delay": too_long, "late": True},
        Way.OVERDUE: {"delay": too_long},
        Way.SLOW: {"delay": 2 * settings.dead_seconds, "late": True},
        Way.CUT: {"reset": True},
        Way.CUT_BEFORE: {"reset_before": True},
    }
    return faults[way]


@dataclass(frozen=True, slots=True)
class Call:
    """The ``nth`` call (from 1) of this method and service in an operation."""

    operation: str
    service: str
    method: str
    nth: int

    def __str__(self) -> str:
        return f"{self.operation}, {self.service} {self.method} {self.nth}"


@dataclass(frozen=True)
class Case:
    """``way`` None: undisturbed."""

    scenario: Scenario
    way: Way | None = None
    at: Spot | Call | None = None

    def __str__(self) -> str:
        return f"{self.scenario.name}: {self.way or 'undisturbed'} ({self.at})"


@dataclass
class Outcome:
    """What a case came to: accounts by operation, what was met on the way, what is wrong."""

    case: Case
    accounts: dict[str, dict[str, Any]] = field(default_factory=dict)
    spots: list[Spot] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    wrongs: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def against(self, undisturbed: Outcome) -> list[str]:
        """Return everything that is wrong, with what differs from an undisturbed run."""
        wrongs = list(self.wrongs)
        for operation, mine in self.accounts.items():
            theirs = undisturbed.accounts[operation]
            wrongs += [f"{operation}: {x}" for x in ledger.differences(theirs, mine)]
        return wrongs


class Forgetful(Database):
    """A database that does not answer the next commit of the committing thread."""

    is_forgetting = False

    def forget(self) -> None:
        self.is_forgetting = True

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        with super().write() as connection:
            yield connection
        if self.is_forgetting and current_thread().name == "stoker-commit":
            self.is_forgetting = False
            raise Passing(ConnectionResetError("no answer"), taken_back=False)


def run(case: Case, site: Site, folder: Path, settings: Settings = SCALED) -> Outcome:
    """Run one case in a folder of its own.

    The short time-out is kept to the cases that are about it: a busy machine is slow, too.
    """
    if case.way not in _TIMED:
        settings = replace(settings, client_timeout=max(_PATIENT, settings.client_timeout))
    old = site.things()
    if case.scenario.foreign is not None:
        case.scenario.foreign(site)
    world = World(site, folder, settings)
    try:
        return _Run(case, world).outcome()
    finally:
        world.end()
        site.disarm()
        site.clear(old)


class _Run:
    def __init__(self, case: Case, world: World) -> None:
        self._case, self._world = case, world
        self._before = world.site.things()
        self._journal, _ = world.site.changing()
        self._seen = self._journal
        self._outcome = Outcome(case)
        self._first = self._start()

    def outcome(self) -> Outcome:
        ref: StackRef | None = None
        for operation in self._operations():
            ref = self._operate(operation, ref)
            self._look(operation)
        self._close()
        return self._outcome

    def _operations(self) -> list[str]:
        """Return what is done: all that leads to the disturbed operation, and a delete."""
        whole = list(self._case.scenario.goals)
        at = self._case.at
        last = whole.index(at.operation) if at is not None and at.operation != DELETE else -1
        return [*(whole[: last + 1] if last >= 0 else whole), DELETE]

    def _start(self) -> Process:
        forgetful: list[Forgetful] = []

        def wrap(database: Database) -> Database:
            forgetful.append(Forgetful(str(database.engine.url), database.sealer))
            return forgetful[0]

        if self._case.way is not Way.FORGET:
            return self._world.start()
        process = self._world.start(wrap=wrap)
        process.watch.action = forgetful[0].forget
        return process

    # operations

    def _operate(self, operation: str, ref: StackRef | None) -> StackRef:
        self._first.watch.operation = operation
        is_disturbed = self._case.at is not None and self._case.at.operation == operation
        if is_disturbed:
            self._arm()
        ref = self._begin(operation, ref)
        if is_disturbed:
            self._disturbed(ref)
        self._world.until(lambda: not self._world.is_running(ref), f"the end of {operation}")
        if isinstance(self._case.at, Spot) and self._case.way is Way.SLEEP:
            self._first.watch.resume()
        return ref

    def _begin(self, operation: str, ref: StackRef | None) -> StackRef:
        goal = self._case.scenario.goals.get(operation)
        if ref is None:
            assert isinstance(goal, Goal)
            return self._world.create("s", goal, undoes=self._case.scenario.undoes)
        if isinstance(goal, Goal):
            self._world.update(ref, goal)
        elif callable(goal):
            return goal(self._world, ref) or ref
        elif goal is not None:
            self._world.act(ref, goal)
        else:
            self._world.delete(ref)
        return ref

    # disturbances

    def _arm(self) -> None:
        watch, at = self._first.watch, self._case.at
        if isinstance(at, Spot):
            watch.spot = at
            if self._case.way in (Way.PAUSE, Way.SLEEP):
                watch.action = watch.pause
        elif at is not None and self._case.way is not None:
            chosen = {"service": at.service, "method": at.method, "path": CHANGES}
            faulty = fault(self._case.way, self._world.settings)
            self._world.site.arm(**chosen, skip=at.nth - 1, count=1, **faulty)

    def _disturbed(self, ref: StackRef) -> None:
        if not isinstance(self._case.at, Spot):
            return
        watch = self._first.watch
        if not watch.met.wait(60.0):
            self._outcome.wrongs.append(f"not met: {self._case.at}")
            return
        if self._case.way is Way.FORGET:
            return
        self._world.start()
        if self._case.way is Way.PAUSE:
            self._world.until(lambda: self._world.is_buried(self._first), "the takeover")
            watch.resume()

    # looks

    def _look(self, operation: str) -> None:
        world, outcome = self._world, self._outcome
        world.until(lambda: not ledger.restless(world), "rest", 3.0, fails=False)
        found = ledger.restless(world)
        found += ledger.leaked(world, self._before) + ledger.lost(world)
        found += ledger.touched(world, self._before)
        outcome.wrongs += [f"{operation}: {text}" for text in found]
        outcome.accounts[operation] = ledger.account(world, self._before)
        self._note_calls(operation)

    def _note_calls(self, operation: str) -> None:
        self._seen, entries = self._world.site.changing(self._seen)
        counts: dict[tuple[str, str], int] = {}
        for entry in entries:
            key = (entry["service"], entry["method"])
            counts[key] = counts.get(key, 0) + 1
            self._outcome.calls.append(Call(operation, *key, counts[key]))

    def _close(self) -> None:
        """Wait for what comes after the last operation, and look at the whole."""
        world, outcome = self._world, self._outcome
        world.until(lambda: not ledger.left_over(world), "nothing", 20.0, fails=False)
        outcome.wrongs += ledger.left_over(world)
        outcome.wrongs += ledger.leaked(world, self._before)
        watches = [process.watch for process in world.processes]

        def unseen() -> int:
            _, entries = world.site.changing(self._journal)
            return len(entries) - sum(watch.calls for watch in watches)

        # The cloud writes a call down when it is through with it, maybe long after its caller.
        # A call may also have been announced that never arrived: its time-out was too short.
        patience = 2 * world.settings.client_timeout if self._case.way in _TIMED else 3.0
        world.until(lambda: unseen() == 0, "the journal", patience, fails=False)
        if unseen() > 0:
            outcome.wrongs.append(f"{unseen()} calls came that the engines did not announce")
        outcome.wrongs += [text for watch in watches for text in watch.wrongs]
        outcome.spots = [
            s for s in self._first.watch.trace if s.name in self._case.scenario.subjects
        ]
        at = self._case.at
        if isinstance(at, Call) and not world.site.hits():
            outcome.wrongs.append(f"not met: {at}")


def cases(undisturbed: Outcome) -> list[Case]:
    """Return every case of a scenario, from what its undisturbed run met."""
    scenario = undisturbed.case.scenario
    stops = [Case(scenario, way, spot) for spot in undisturbed.spots for way in STOPS]
    faults = [Case(scenario, way, call) for call in undisturbed.calls for way in FAULTS]
    return stops + faults
