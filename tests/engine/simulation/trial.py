"""Running one program to its end, and judging it.

First the program, with everything that goes wrong. Then calm: what is under way must come to
rest, each stack must reach what it was last asked to be, and at last everything must be deletable.
"""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from stoker.engine.settings import Settings
from stoker.engine.stored import StoredCredentials
from stoker.engine.trusts import ServiceUser
from stoker.engine.usecases.stacks import StackUseCases
from stoker.errors import CloudError, Unavailable, UserError
from tests.engine.simulation import site
from tests.engine.simulation.asking import SIGNALLED, Asking
from tests.engine.simulation.borrowed import errors, moved
from tests.engine.simulation.crew import Crew
from tests.engine.simulation.door import Door, Troubles
from tests.engine.simulation.keystone import Keystone
from tests.engine.simulation.kinds import Kinds
from tests.engine.simulation.outsider import Outsider
from tests.engine.simulation.program import Program, Request
from tests.engine.simulation.sky import CLIENT_SECONDS, SERVICE_SECONDS, Sky
from tests.engine.simulation.stage import DAY, START, Process, Stage, Stuck
from tests.engine.simulation.verdict import agreed, copied, restored
from tests.engine.simulation.watch import AFTER_A_FAULT, TAKEN_OVER_SECONDS, Watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.store.database import Database
    from tests.engine.simulation.records import Snapshot

SETTINGS = Settings(
    threads=2,
    in_doubt_seconds=CLIENT_SECONDS + SERVICE_SECONDS,
    client_timeout=CLIENT_SECONDS,
    stack_action_timeout=900,
    action_retry_limit=2,
)
_SERVICE_USER = ServiceUser("http://sky", "heat", "secret")
_SKEW = 300.0
_TICK = 2.0
_RARE_LOSS = 0.1
"""How often, at a tick, a trust is lost."""
_RARE_MEDDLING = 0.3
"""How often, at a tick, others take away or change an object."""
_HOUR = 3600.0


@dataclass(frozen=True)
class Verdict:
    """What was wrong with a run, and what it came to; ``trace`` is the same for the same run."""

    program: Program
    wrongs: tuple[str, ...]
    seconds: float  # virtual
    commits: int
    calls: int
    trace: str


class Trial:
    """One program, with the world that it runs in."""

    def __init__(
        self,
        program: Program,
        database: Database,
        settings: Settings = SETTINGS,
        kinds: Kinds | None = None,
    ) -> None:
        self.program, self._settings = program, settings
        self._chance = random.Random(f"run {program.seed}")  # noqa: S311 - no secret
        self.stage = Stage()
        patience = TAKEN_OVER_SECONDS + (AFTER_A_FAULT if program.faults else 0.0)
        self.watch = Watch(
            database, self.stage, settings.threads, patience=patience,
            is_strict=program.kill_every > 0,
        )  # fmt: skip
        self._troubles = Troubles(
            self.stage, self._chance, program.deaths, program.pauses, program.faults
        )
        self.sky = Sky(self.stage, self._chance, program.trouble, self.watch.called)
        self.watch.sky = self.sky
        self._door = Door(database, self.stage, self._troubles, self.watch)
        self._keystone = Keystone(self.sky, self.watch.revoked)
        self._losses = program.losses
        self._outsider = Outsider(self.sky, program.meddling, self.watch.touched)
        self._kinds = kinds or Kinds()
        stacks = StackUseCases(self._door, self._kinds, self._trusts(), settings, self._hint)
        self._asking = Asking(stacks, self.watch)
        self._customers = 0

    def run(self) -> Verdict:
        """Run it and return the verdict."""
        with errors() as told, moved(self.stage, self.program.seed):
            try:
                self._play()
            except Stuck as e:
                self.watch.tell([f"{e}: {self._unrest()}"])
            finally:
                self.stage.end()
                self.watch.close()
        wrongs = (*self.watch.wrongs, *told)
        seconds = self.stage.now - START
        trace = f"{seconds!r} {self.watch.commits} {self.watch.calls} {self._chance.random()!r}"
        return Verdict(self.program, wrongs, seconds, self.watch.commits, self.watch.calls, trace)

    def _play(self) -> None:
        for _ in range(self.program.workers):
            self._engage()
        self.stage.at(START + _TICK, self._tick)
        if self.program.kill_every:
            self.stage.at(START + self.program.kill_every, self._strike)
        for name in dict.fromkeys(each.stack for each in self.program.requests):
            self._customer(partial(self._live, name))
        self._until(lambda: not self._customers)
        self._calm()
        self._until(self._at_rest)
        for step in (self._mend, self._agree, self._remove, self._agree):
            if not self.watch.wrongs:
                step()

    # workers

    def _engage(self) -> None:
        chance, watch = self._chance, self.watch
        name = f"w{len(watch.crews)}"
        process = Process(
            name,
            wall=chance.uniform(-_SKEW, _SKEW),
            boot=chance.uniform(0.0, DAY),
            machine="m" if self.program.beside else name,
        )
        trusts = self._trusts()
        crew = Crew(process, self._door, self._kinds, trusts, self._settings, watch, chance)
        watch.crews.append(crew)

    def _trusts(self) -> StoredCredentials:
        """Return the credentials as one process keeps them."""
        clouds: Any = self._keystone
        return StoredCredentials(self._door, clouds, _SERVICE_USER)

    def _tick(self) -> None:
        """Look at what waits, and put others in the place of the dead, sooner or later."""
        self.watch.tick()
        if self._losses and self._chance.random() < _RARE_LOSS:
            self._losses -= 1
            self._keystone.lose()
        if self._outsider.left > 0 and self._chance.random() < _RARE_MEDDLING:
            self._outsider.meddle(self.watch.records)
        self._signal()
        missing = self.program.workers - sum(each.process.is_alive for each in self.watch.crews)
        if missing > 0 and (not self._troubles.deaths or self._chance.random() < 0.15):
            self._engage()
        self.stage.at(self.stage.now + _TICK, self._tick)

    def _strike(self) -> None:
        """Kill a worker, and again after a while, as long as anything is asked."""
        living = [each for each in self.watch.crews if each.process.is_alive]
        if living and self._customers:
            self.stage.kill(self._chance.choice(living).process)
            self.stage.at(self.stage.now + self.program.kill_every, self._strike)

    def _hint(self) -> None:
        """Wake the workers: some never hear of it, some late, some twice."""
        chance = self._chance
        for crew in self.watch.crews:
            for _ in range(chance.choice((0, 0, 1, 1, 2))):
                self.stage.at(self.stage.now + chance.random() * 3, crew.wake)

    # customers

    def _customer(self, job: Callable[[], None]) -> None:
        self._customers += 1
        process = Process(f"customer {self._customers}")

        def whole() -> None:
            job()
            self._customers -= 1

        self.stage.start(process, "customer", whole)

    def _live(self, name: str) -> None:
        for request in self.program.requests:
            if request.stack != name:
                continue
            while request.waits and not self._at_rest(name):
                self.stage.sleep(1.0)
            self.stage.sleep(request.pause)
            self._request(request)
        until = self.stage.now + self._chance.choice((0.0, 20.0, 60.0, 60.0))
        while self.stage.now < until and not self._at_rest(name):  # calm would come too soon
            self.stage.sleep(1.0)

    def _request(self, request: Request) -> None:
        """Make a request as a process of its own, which may end on the way, or stand still."""
        over: list[bool] = []

        def whole() -> None:
            try:
                with suppress(UserError, Unavailable, CloudError):  # refused, as things are
                    self._asking.ask(request)
            finally:
                over.append(True)

        process = self._api()
        self.stage.start(process, "request", whole)
        while not over and process.is_alive:
            self.stage.sleep(0.5)

    def _api(self) -> Process:
        return Process("api", wall=self._chance.uniform(-_SKEW, _SKEW))

    def _signal(self) -> None:
        """Let somebody signal a resource, now and then."""
        rows = [row for row in self.watch.records.rows.values() if row.type in SIGNALLED]
        if rows and self._chance.random() < 0.5:
            row = self._chance.choice(rows)
            self.stage.start(self._api(), "signal", partial(self._asking.signal, row))

    # coming to rest

    def _at_rest(self, name: str | None = None) -> bool:
        return not self._unrest(name)

    def _unrest(self, name: str | None = None) -> list[str]:
        records = self.watch.records
        busy = [
            (each.name, f"{each.name} {each.action} {each.status} {each.reason}")
            for each in records.stacks.values()
            if each.status == "IN_PROGRESS" or each.rollback_due is not None
        ]
        busy += [
            (records.stacks[each.stack_id].name, f"a snapshot {each.action} {each.status}")
            for each in records.snapshots.values()
            if each.traversal_id is not None
        ]
        return [text for whose, text in busy if name in (None, whose)]

    def _until(self, is_over: Callable[[], bool]) -> None:
        limit = self.stage.now + _HOUR

        def is_through() -> bool:
            if self.watch.wrongs:
                return True
            if self.stage.now > limit:
                raise Stuck("it takes more than an hour")
            return is_over()

        self.stage.run(is_through)

    def _calm(self) -> None:
        self._troubles.end()
        self.sky.trouble = 0.0
        self._losses = self._outsider.left = 0

    def _mend(self) -> None:
        """Bring each stack that is there to what it was last asked to be."""
        for stack in self.watch.records.roots():
            if stack.action == "DELETE" or self.watch.records.has_nest_left(stack.id):
                self._all(Request(stack.name, "delete"))
                continue
            if stack.action == "SUSPEND":
                self._all(Request(stack.name, "resume"))
            if self.watch.touched:  # a restore does not look
                self._update(stack.name, converges=True)
            if self._turn_back(stack.name) or not self.watch.touched:
                self._update(stack.name)

    def _update(self, name: str, *, converges: bool = False) -> None:
        pieces = self._asking.wanted[name].pieces
        self._all(Request(name, "update", pieces, converges=converges))
        self._must_be(name, "UPDATE")

    def _turn_back(self, name: str) -> bool:
        """Restore the newest snapshot of a stack, if that is whole, forget the oldest, and all
        that have failed: nothing else mends those. Tell whether there was any."""
        stack = self._asking.named(name)
        kept = [
            e for e in self.watch.records.snapshots.values() if stack and e.stack_id == stack.id
        ]
        if kept and (kept[-1].action, kept[-1].status) == ("CREATE", "COMPLETE"):
            self._all(Request(name, "restore"))
            self._must_be(name, "RESTORE")
            self._judge(kept[-1])
        if kept:
            self._all(Request(name, "forget"))
            self._all(Request(name, "clear"))
            left = self.watch.records.snapshots
            failed = [e for e in kept if e.id in left and (e == kept[0] or e.status == "FAILED")]
            self.watch.tell(f"{each} of {name} is not deleted" for each in failed)
        return bool(kept)

    def _must_be(self, name: str, action: str) -> None:
        now = self._asking.named(name)
        if now is not None and (now.action, now.status) != (action, "COMPLETE"):
            self.watch.tell([f"{name} is not mended: {now.action} {now.status} {now.reason}"])

    def _judge(self, snapshot: Snapshot) -> None:
        """Judge what has just been restored."""
        taken, shapes = self.watch.taken[snapshot.id], self._asking.shapes
        records, things = self.watch.records, self.sky.living()
        self.watch.tell(copied(records, snapshot, taken))
        self.watch.tell(restored(records, things, snapshot, taken, shapes))

    def _remove(self) -> None:
        for stack in self.watch.records.roots():
            self._all(Request(stack.name, "delete"))
        records = self.watch.records
        left = [f"{each.name} {each.action} {each.reason}" for each in records.roots()]
        left += map(str, records.snapshots.values())
        self.watch.tell(f"{each} is not deleted" for each in left)
        self._until(lambda: not self.watch.records.is_tending_due())
        recorded = [each.id for each in self.watch.records.trusts.values() if each.id]
        if not self.program.faults:  # what cannot be recorded may not be taken back either
            leaked = self._keystone.unrecorded(recorded)
            self.watch.tell(f"P4: {each} is there, and nobody knows of it" for each in leaked)
        twice = [number for number, times in self.sky.heeded.items() if times > 1]
        self.watch.tell(f"signal {each} was heeded more than once" for each in twice)

    def _all(self, request: Request) -> None:
        self._customer(lambda: self._asking.ask(request))
        self._until(lambda: not self._customers and self._at_rest())

    def _agree(self) -> None:
        wanted = self._asking.wanted
        pieces = {each.name: wanted[each.name].pieces for each in self.watch.records.roots()}
        self.watch.tell(agreed(self.watch.records, self.sky.living(), pieces))


def run(program: Program, database: Database, **how: Any) -> Verdict:
    """Run a program on an empty database and return the verdict."""
    site.empty(database)
    return Trial(program, database, **how).run()
