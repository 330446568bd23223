"""One run: stacks are asked for, everything is killed, started again, and looked into.

Rule: all choices come from the seed; only the machine's speed makes two runs of a seed differ.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http import HTTPStatus
from random import Random
from typing import TYPE_CHECKING

from tests.kill.installation import Installation
from tests.kill.rest import Doors, RefusedError, UnansweredError
from tests.kill.story import STORIES, Story, Version
from tests.kill.verdict import (
    Cloud,
    Findings,
    Record,
    differences,
    judge_objects,
    rows_left,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kill.rest import Json

LIMIT_SECONDS = 30.0
PATIENCE_SECONDS = 90.0
TRUSTS_SECONDS = 10.0
KILL_WITHIN = 3.0
KILL_AGAIN_WITHIN = 8.0
KILL_AGAIN = 0.3
TWICE = 0.3
DYING_SECONDS = 1.0
LATENCY = {"compute": {"boot": 2.0, "resize": 1.5, "delete": 1.0}}
SLOW: tuple[list[Json], ...] = (
    [],
    [{"delay": 0.3}],
    [{"delay": 0.3, "late": True}],
    [{"delay": 0.5, "every": 2}, {"delay": 0.4, "late": True, "every": 3}],
)
"""How the calls that change something are slowed down: before or after their effect."""
_TICK = 0.1

Goal = Version | None
"""What a stack is to be; None: gone."""


@dataclass
class Actor:
    """A stack of the run: where it begins, what is asked of it and when, what it may be now."""

    name: str
    story: Story
    begin: Goal
    asks: list[tuple[float, Goal]]
    may_be: list[Goal]
    answered: int = 0
    unanswered: int = 0
    refusals: list[tuple[float, RefusedError]] = field(default_factory=list)

    def ask(self, doors: Doors, goal: Goal) -> bool:
        """Ask for a goal; return False where there was no answer, or an error for one."""
        try:
            self._send(doors, goal)
        except (UnansweredError, RefusedError) as e:
            if isinstance(e, RefusedError):
                self.refusals.append((time.monotonic(), e))
            self.unanswered += 1
            self.may_be = [*self.may_be, goal]
            return False
        self.answered += 1
        self.may_be = [goal]
        return True

    def _send(self, doors: Doors, goal: Goal) -> None:
        if goal is None:
            doors.delete(self.name)
        elif self.may_be == [None]:
            doors.create(self.name, self.story.body(goal))
        else:
            doors.update(self.name, self.story.body(goal))


@dataclass
class Report:
    """What came of a run."""

    seed: int
    kills: list[str] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)
    end_seconds: float = 0.0
    in_progress: int = 0
    answered: int = 0
    unanswered: int = 0
    trusts: int = 0

    def __str__(self) -> str:
        return (
            f"seed {self.seed}: killed {', '.join(self.kills)}; {self.answered} requests answered, "
            f"{self.unanswered} not; {self.in_progress} stacks under way at the restart, "
            f"ended after {self.end_seconds:.1f} s; {len(self.findings.leaked)} leaked, "
            f"{len(self.findings.lost)} lost, {self.trusts} trusts left"
        )


class Run:
    """One run of a seed in a directory of its own."""

    def __init__(self, seed: int, folder: Path) -> None:
        self._random = Random(seed)  # noqa: S311 - reproducible on purpose
        self._installation = Installation(folder / "state")
        self._slow = self._random.choice(SLOW)
        self.actors = [self._actor(f"{s.name}{seed}", s) for s in STORIES]
        self.report = Report(seed)

    def go(self) -> Report:
        """Run it to its end and return what came of it."""
        try:
            before = self._begin()
            self._disturb()
            doors = self._recover()
            self._judge(doors, before)
            self._empty(doors, before)
            code = self._installation.terminate()
            if code:
                self._wrong(f"it ended with code {code} when asked to end")
        finally:
            self._installation.close()
        return self.report

    # the choices

    def _actor(self, name: str, story: Story) -> Actor:
        random = self._random
        begin = random.choice((None, *story.versions))
        goals = [random.choice([v for v in (None, *story.versions) if v is not begin])]
        offsets = [random.uniform(0.0, 1.0)]
        if random.random() < TWICE and goals[0] is not None:
            goals.append(random.choice([v for v in (None, *story.versions) if v is not goals[0]]))
            offsets.append(offsets[0] + random.uniform(0.1, 1.5))
        return Actor(name, story, begin, list(zip(offsets, goals, strict=True)), [begin])

    # the acts

    def _begin(self) -> Cloud:
        """Start, and make what is there before the first kill."""
        doors = self._started()
        doors.make_default_group()
        doors.set_latency(LATENCY)
        before = Cloud.seen(doors)
        for actor in self.actors:
            if actor.begin is not None:
                doors.create(actor.name, actor.story.body(actor.begin))
        self._settled(doors, PATIENCE_SECONDS)
        return before

    def _disturb(self) -> None:
        """Ask for everything, and kill in the middle."""
        doors = Doors(self._installation)
        doors.log_in()
        for fault in self._slow:
            for service in ("network", "compute"):
                for method in ("POST", "PUT", "DELETE"):
                    doors.arm({**fault, "service": service, "method": method})
        instant = self._random.uniform(0.0, KILL_WITHIN)
        begun = time.monotonic()
        with ThreadPoolExecutor(len(self.actors)) as pool:
            acting = [pool.submit(self._act, actor, doors, begun) for actor in self.actors]
            _sleep_until(begun + instant)
            self._kill(f"{instant:.2f} s after the first request")
            killed = time.monotonic()
            for each in acting:
                each.result()
        for moment, error in (each for actor in self.actors for each in actor.refusals):
            # The parts of what is killed do not die in one order: an API may still say 5xx.
            if error.status < HTTPStatus.INTERNAL_SERVER_ERROR or killed - moment > DYING_SECONDS:
                self._wrong(f"a request was refused: {error}")

    @staticmethod
    def _act(actor: Actor, doors: Doors, begun: float) -> None:
        for offset, goal in actor.asks:
            _sleep_until(begun + offset)
            if not actor.ask(doors, goal):
                return

    def _recover(self) -> Doors:
        """Start again, perhaps kill that too, and wait until every stack has ended."""
        while self._random.random() < KILL_AGAIN:
            instant = self._random.uniform(0.0, KILL_AGAIN_WITHIN)
            self._installation.launch()
            _sleep_until(time.monotonic() + instant)
            self._kill(f"{instant:.2f} s after start {self._installation.starts}")
        self._installation.launch()
        ready = self._installation.wait_ready()
        doors = Doors(self._installation)
        doors.log_in()
        self.report.in_progress = len(_running(doors))
        self.report.end_seconds = max(0.0, self._settled(doors, PATIENCE_SECONDS) - ready)
        if self.report.end_seconds > LIMIT_SECONDS:
            self._wrong(f"the last stack ended {self.report.end_seconds:.1f} s after the restart")
        return doors

    def _judge(self, doors: Doors, before: Cloud) -> None:
        cloud = Cloud.seen(doors)
        records = {actor.name: Record.read(doors, actor.name) for actor in self.actors}
        there = [record for record in records.values() if record is not None]
        self._add(judge_objects(cloud, before, there))
        for actor in self.actors:
            self.report.answered += actor.answered
            self.report.unanswered += actor.unanswered
            self._judge_actor(actor, records[actor.name], cloud)

    def _judge_actor(self, actor: Actor, record: Record | None, cloud: Cloud) -> None:
        """A stack is as the last accepted request wants it; one without answer may count or not."""
        if record is None:
            if None not in actor.may_be:
                self.report.findings.lost.append(f"stack {actor.name}")
            return
        goals = [goal for goal in actor.may_be if goal is not None]
        if not goals:
            self._wrong(f"stack {actor.name} is {record.status}, and its deletion was accepted")
            return
        found = [differences(record, actor.story, goal, cloud) for goal in goals]
        for text in min(found, key=len):
            self._wrong(text)

    def _empty(self, doors: Doors, before: Cloud) -> None:
        """Delete what is left; then the cloud holds what it held before."""
        for actor in self.actors:
            if doors.show(actor.name) is not None:
                doors.delete(actor.name)
        self._settled(doors, PATIENCE_SECONDS)
        for stack in doors.stacks():
            self._wrong(f"stack {stack.name} is {stack.status} after its deletion")
        cloud = Cloud.seen(doors)
        self._add(judge_objects(cloud, before, ()))
        for table, count in rows_left(self._installation.state / "stoker.db").items():
            self._wrong(f"{count} rows are left in {table}")
        self._count_trusts(doors)

    def _count_trusts(self, doors: Doors) -> None:
        """Count the trusts left: at most one for each request without an answer (docs/limits)."""
        until = time.monotonic() + TRUSTS_SECONDS
        while (left := len(Cloud.seen(doors).trusts)) and time.monotonic() < until:
            time.sleep(_TICK)
        self.report.trusts = left
        if left > self.report.unanswered:
            self._wrong(f"{left} trusts are left, of {self.report.unanswered} unanswered requests")

    # parts

    def _started(self) -> Doors:
        self._installation.launch()
        self._installation.wait_ready()
        doors = Doors(self._installation)
        doors.log_in()
        return doors

    def _kill(self, when: str) -> None:
        self._installation.kill()
        self.report.kills.append(when)

    def _settled(self, doors: Doors, seconds: float) -> float:
        """Wait until no stack is under way, and return the moment."""
        until = time.monotonic() + seconds
        while running := _running(doors):
            if time.monotonic() > until:
                self._wrong(f"after {seconds:.0f} s still under way: {', '.join(running)}")
                break
            time.sleep(_TICK)
        return time.monotonic()

    def _wrong(self, text: str) -> None:
        self.report.findings.wrong.append(text)

    def _add(self, found: Findings) -> None:
        self.report.findings.leaked += found.leaked
        self.report.findings.lost += found.lost


def _running(doors: Doors) -> list[str]:
    return [f"{s.name} {s.status}" for s in doors.stacks() if s.status.endswith("_IN_PROGRESS")]


def _sleep_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.monotonic()))
