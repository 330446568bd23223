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

from tests.kill.actor import chosen
from tests.kill.installation import Installation
from tests.kill.rest import Doors, RefusedError, UnansweredError
from tests.kill.story import STORIES
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

    from tests.kill.actor import Actor
    from tests.kill.rest import Json

LIMIT_SECONDS = 30.0
PATIENCE_SECONDS = 90.0
TRUSTS_SECONDS = 10.0
KILL_WITHIN = 3.0
KILL_AGAIN_WITHIN = 8.0
KILL_AGAIN = 0.3
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
        self.installation = Installation(folder / "state")
        self._slow = self._random.choice(SLOW)
        self._actors = [chosen(self._random, f"{s.name}{seed}", s) for s in STORIES]
        self.report = Report(seed)

    def go(self) -> Report:
        """Run it to its end and return what came of it."""
        try:
            before = self._begin()
            self._disturb()
            doors = self._recover()
            self._judge(doors, before)
            self._empty(doors, before)
            code = self.installation.terminate()
            if code:
                self.wrong(f"it ended with code {code} when asked to end")
        except (AssertionError, RefusedError, UnansweredError) as e:
            self.wrong(f"the run broke off: {e!r}")
        finally:
            self.installation.close()
        return self.report

    # the acts

    def _begin(self) -> Cloud:
        """Start, and make what is there before the first kill."""
        doors = self._started()
        doors.make_default_group()
        doors.set_latency(LATENCY)
        before = Cloud.seen(doors)
        for actor in self._actors:
            if actor.begin is not None:
                doors.create(actor.name, actor.story.body(actor.begin))
        self._settled(doors, PATIENCE_SECONDS)
        return before

    def _disturb(self) -> None:
        """Ask for everything, and kill in the middle."""
        doors = Doors.of(self.installation)
        doors.log_in()
        for fault in self._slow:
            for service in ("network", "compute"):
                for method in ("POST", "PUT", "DELETE"):
                    doors.arm({**fault, "service": service, "method": method})
        instant = self._random.uniform(0.0, KILL_WITHIN)
        begun = time.monotonic()
        with ThreadPoolExecutor(len(self._actors)) as pool:
            acting = [pool.submit(self._act, actor, doors, begun) for actor in self._actors]
            _sleep_until(begun + instant)
            self.interrupt(f"{instant:.2f} s after the first request")
            interrupted = time.monotonic()
            for each in acting:
                each.result()
        self._judge_refusals(interrupted)

    def _judge_refusals(self, interrupted: float) -> None:
        for moment, error in (each for actor in self._actors for each in actor.refusals):
            # The parts of what is killed do not die in one order: an API may still say 5xx.
            early = interrupted - moment > DYING_SECONDS
            if early or error.status < HTTPStatus.INTERNAL_SERVER_ERROR:
                self.wrong(f"a request was refused: {error}")

    @staticmethod
    def _act(actor: Actor, doors: Doors, begun: float) -> None:
        for offset, goal in actor.asks:
            _sleep_until(begun + offset)
            if not actor.ask(doors, goal):
                return

    def _recover(self) -> Doors:
        """Start again, and wait until every stack has ended."""
        ready = self.restart()
        doors = Doors.of(self.installation)
        doors.log_in()
        self.report.in_progress = len(_running(doors))
        self.report.end_seconds = max(0.0, self._settled(doors, PATIENCE_SECONDS) - ready)
        if self.report.end_seconds > self.limit_seconds:
            self.wrong(f"the last stack ended {self.report.end_seconds:.1f} s after the restart")
        return doors

    # what happens to the processes, which milder runs do otherwise

    limit_seconds = LIMIT_SECONDS

    def interrupt(self, when: str) -> None:
        """Kill everything."""
        self.installation.kill()
        self.report.kills.append(when)

    def restart(self) -> float:
        """Start again, perhaps kill that too, and return the moment of being ready."""
        while self._random.random() < KILL_AGAIN:
            instant = self._random.uniform(0.0, KILL_AGAIN_WITHIN)
            self.installation.launch()
            _sleep_until(time.monotonic() + instant)
            self.interrupt(f"{instant:.2f} s after start {self.installation.starts}")
        self.installation.launch()
        return self.installation.wait_ready()

    # the verdict

    def _judge(self, doors: Doors, before: Cloud) -> None:
        cloud = Cloud.seen(doors)
        records = {actor.name: Record.read(doors, actor.name) for actor in self._actors}
        there = [record for record in records.values() if record is not None]
        self._add(judge_objects(cloud, before, there))
        for actor in self._actors:
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
            self.wrong(f"stack {actor.name} is {record.status}, and its deletion was accepted")
            return
        found = [differences(record, actor.story, goal, cloud) for goal in goals]
        for text in min(found, key=len):
            self.wrong(text)

    def _empty(self, doors: Doors, before: Cloud) -> None:
        """Delete what is left; then the cloud holds what it held before."""
        for actor in self._actors:
            if doors.show(actor.name) is not None:
                doors.delete(actor.name)
        self._settled(doors, PATIENCE_SECONDS)
        for stack in doors.stacks():
            self.wrong(f"stack {stack.name} is {stack.status} after its deletion")
        cloud = Cloud.seen(doors)
        self._add(judge_objects(cloud, before, ()))
        for table, count in rows_left(self.installation.state / "stoker.db").items():
            self.wrong(f"{count} rows are left in {table}")
        self._count_trusts(doors)

    def _count_trusts(self, doors: Doors) -> None:
        """Count the trusts left: at most one for each request without an answer (docs/limits)."""
        until = time.monotonic() + TRUSTS_SECONDS
        while (left := len(Cloud.seen(doors).trusts)) and time.monotonic() < until:
            time.sleep(_TICK)
        self.report.trusts = left
        if left > self.report.unanswered:
            self.wrong(f"{left} trusts are left, of {self.report.unanswered} unanswered requests")

    # parts

    def _started(self) -> Doors:
        self.installation.launch()
        self.installation.wait_ready()
        doors = Doors.of(self.installation)
        doors.log_in()
        return doors

    def _settled(self, doors: Doors, seconds: float) -> float:
        """Wait until no stack is under way, and return the moment."""
        until = time.monotonic() + seconds
        while running := _running(doors):
            if time.monotonic() > until:
                self.wrong(f"after {seconds:.0f} s still under way: {', '.join(running)}")
                break
            time.sleep(_TICK)
        return time.monotonic()

    def wrong(self, text: str) -> None:
        """Note what is not as it must be."""
        self.report.findings.wrong.append(text)

    def _add(self, found: Findings) -> None:
        self.report.findings.leaked += found.leaked
        self.report.findings.lost += found.lost


def _running(doors: Doors) -> list[str]:
    return [f"{s.name} {s.status}" for s in doors.stacks() if s.status.endswith("_IN_PROGRESS")]


def _sleep_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.monotonic()))
