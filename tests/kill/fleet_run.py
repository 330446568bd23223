"""One run of a fleet: customers keep it busy while its engines, broker and database are disturbed.

Rule: what is disturbed, and in which order, comes from the seed. Nobody helps: whatever stands
when the disturbances end must come to its end by itself.
"""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

import sqlalchemy as sa

from tests.kill.customers import Customer, Customers
from tests.kill.fleet import ENGINES, away, fleet
from tests.kill.mix import mixed
from tests.kill.pauses import Watch
from tests.kill.verdict import WORKING_TABLES, Cloud, Record, differences, judge_objects

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.kill.fleet import Fleet, Stoppable
    from tests.kill.mix import Size
    from tests.kill.pauses import Pause
    from tests.kill.rest import Doors, Json

SETTLE_SECONDS = 180.0
RESTART_PAUSE_SECONDS = 2.0
CALM_SECONDS = 12.0
"""After so long engines that were killed are found dead, and what they held is taken up."""
AFTER_RESTART_SECONDS = 5.0
AFTER_OUTAGE_SECONDS = 15.0
"""So long after an outage requests may have been sent during it."""
LATENCY = {"compute": {"boot": 1.0, "delete": 0.5}}
_SERVICES = ("network", "compute")
FAULTS: tuple[Json, ...] = (
    *({"service": s, "method": "GET", "every": 50, "status": 503} for s in _SERVICES),
    *(
        {"service": s, "method": m, **how}
        for s in _SERVICES
        for m in ("POST", "PUT", "DELETE")
        for how in (
            {"every": 100, "status": 503},
            {"every": 200, "skip": 50, "reset": True},
            {"every": 200, "skip": 60, "reset_before": True},
            {"delay": 0.1},
        )
    ),
)
"""Two calls of a hundred fail: refused, or cut off after or before their effect; all are slow."""
_TICK = 0.2


@dataclass(frozen=True, slots=True)
class Plan:
    """How large the run is, and how often what happens; ``gap``: seconds between two of them.

    ``calm``: plain restarts and outages of the database are for times at which nothing else
    happens, and what they hold up is judged. After so many ``seconds`` the rest is left out.
    """

    stacks: int
    size: Size
    kills: int
    restarts: int
    outages: int
    outage_seconds: float
    gap: tuple[float, float]
    calm: bool = True
    seconds: float = math.inf
    pause_seconds: float = 15.0


@dataclass
class Report:
    """What came of a run."""

    seed: int
    plan: Plan
    findings: list[str] = field(default_factory=list)
    kills: int = 0
    restarts: int = 0
    outages: int = 0
    asked: int = 0
    unanswered: int = 0
    reached: int = 0
    longest_pause: float = 0.0
    longest_less_outage: float = 0.0
    longest_of_a_stack: float = 0.0
    longest_of_the_dead: float = 0.0
    longest_at_restart: float = 0.0
    settle_seconds: float = 0.0
    seconds: float = 0.0

    def __str__(self) -> str:
        plan = self.plan
        return (
            f"seed {self.seed}: {plan.stacks} stacks of {plan.size.resources} resources, "
            f"{self.kills} kills, {self.restarts} plain restarts, {self.outages} outages of "
            f"{plan.outage_seconds:.0f} s in {self.seconds:.0f} s; {self.asked} requests answered, "
            f"{self.unanswered} not, {self.reached} goals reached; longest pause of all "
            f"{self.longest_pause:.1f} s ({self.longest_less_outage:.1f} s of it with a database), "
            f"of one stack {self.longest_of_a_stack:.1f} s, of what a dead engine held "
            f"{self.longest_of_the_dead:.1f} s, at a plain "
            f"restart {self.longest_at_restart:.1f} s; at rest {self.settle_seconds:.1f} s after "
            f"the last disturbance; {len(self.findings)} findings"
        )


class FleetRun:
    """One run; ``servers`` are the database's nodes, and ``urls`` say how to reach them."""

    def __init__(
        self, seed: int, plan: Plan, servers: Sequence[Stoppable], urls: Sequence[str]
    ) -> None:
        self._random = Random(seed)  # noqa: S311 - reproducible on purpose
        self._plan, self._servers, self._urls = plan, servers, urls
        self._outages: list[tuple[float, float]] = []
        self._restarts: list[float] = []
        self._done: list[tuple[float, str]] = []
        self.report = Report(seed, plan)

    def go(self, folder: Path) -> Report:
        """Run it to its end and return what came of it."""
        with fleet(folder, self._urls) as found:
            doors = found.doors()
            doors.lift_quotas()
            doors.make_default_group()
            doors.set_latency(LATENCY)
            before = Cloud.seen(doors)
            for fault in FAULTS:
                doors.arm(fault)
            customers = self._customers(found)
            with closing(Watch(self._urls)) as watch:
                self._disturb(found, customers)
                doors = found.doors()
                doors.disarm()
                self._settle(doors)
                self._judge_pauses(watch)
            self._judge(doors, customers, before)
            self._empty(doors, customers, before)
            self._end(found)
        return self.report

    def _customers(self, found: Fleet) -> Customers:
        story = mixed(self._plan.size)
        seeds = [self._random.random() for _ in range(self._plan.stacks)]
        every = [Customer(f"s{i}", story, Random(s)) for i, s in enumerate(seeds)]  # noqa: S311 - as there
        return Customers(found.doors, every)

    # disturbing

    def _disturb(self, found: Fleet, customers: Customers) -> None:
        began = time.monotonic()
        with ThreadPoolExecutor(1) as pool:
            asking = pool.submit(customers.run)
            try:
                for what in self._chosen():
                    if time.monotonic() - began > self._plan.seconds:
                        break  # the rest is left out, and the report tells how much was done
                    time.sleep(self._random.uniform(*self._plan.gap))
                    self._done.append((time.monotonic(), what.__name__.strip("_")))
                    what(found)
                    assert not asking.done(), "the customers have stayed away"
            finally:
                customers.close()
                asking.result()
        self.report.seconds = time.monotonic() - began

    def _chosen(self) -> list[_Disturbance]:
        plan = self._plan
        chosen: list[_Disturbance] = [
            *[self._kill] * plan.kills,
            *[self._restart] * plan.restarts,
            *[self._broker_away, self._database_away] * plan.outages,
        ]
        self._random.shuffle(chosen)
        return chosen

    def _kill(self, found: Fleet) -> None:
        if self._plan.calm:
            found.wait_ready()  # else, on a slow machine, there would be nobody to take over
        place = self._random.randrange(ENGINES)
        if self._random.random() < 0.5 and found.kill_worker(place):
            self.report.kills += 1
            return
        found.kill(place)
        self.report.kills += 1

    def _restart(self, found: Fleet) -> None:
        """End one in good order: one that is not yet ready has nothing to hand over."""
        found.wait_ready()
        self._wait_for_calm(found)
        self._restarts.append(time.monotonic())
        code = found.restart(self._random.randrange(ENGINES))
        self.report.restarts += 1
        if self._plan.calm:
            time.sleep(AFTER_RESTART_SECONDS)
        if code:
            self.report.findings.append(f"wrong: an engine ended with {code} when asked to end")

    def _wait_for_calm(self, found: Fleet) -> None:
        """Wait, where that is judged, until all have been at work for a while."""
        if self._plan.calm:
            found.wait_ready()
            time.sleep(CALM_SECONDS)

    def _broker_away(self, found: Fleet) -> None:
        away(found.broker, self._plan.outage_seconds)
        self.report.outages += 1

    def _database_away(self, found: Fleet) -> None:
        self._wait_for_calm(found)
        began = time.monotonic()
        away(self._random.choice(self._servers), self._plan.outage_seconds)
        self._outages.append((began, time.monotonic()))
        self.report.outages += 1

    # the verdict

    def _settle(self, doors: Doors) -> None:
        """Wait until no stack is at work any more."""
        began = time.monotonic()
        while running := [s for s in doors.stacks() if s.status.endswith("IN_PROGRESS")]:
            if time.monotonic() - began > SETTLE_SECONDS:
                names = ", ".join(f"{s.name} {s.status}" for s in running)
                self.report.findings.append(f"stuck: {names}")
                break
            time.sleep(_TICK)
        self.report.settle_seconds = time.monotonic() - began

    def _judge_pauses(self, watch: Watch) -> None:
        report = self.report
        report.longest_pause = watch.longest(watch.of_all)
        report.longest_less_outage = max(map(self._less_outages, watch.of_all), default=0.0)
        report.longest_of_a_stack = max(map(self._less_outages, watch.of_stacks), default=0.0)
        report.longest_of_the_dead = max(map(self._less_outages, watch.of_the_dead), default=0.0)
        at_restart = [
            pause
            for pause in watch.of_all
            if any(pause.overlaps(at, at + AFTER_RESTART_SECONDS) for at in self._restarts)
        ]
        report.longest_at_restart = watch.longest(at_restart)
        for of_what, pauses in (("all", watch.of_all), ("what the dead held", watch.of_the_dead)):
            longest = max(pauses, key=self._less_outages, default=None)
            if longest is None or self._less_outages(longest) <= self._plan.pause_seconds:
                continue
            text = f"wrong: a pause of {of_what}, {self._less_outages(longest):.1f} s, and before"
            report.findings.append(f"{text} its end {', '.join(self._about(longest))}")
        if self._plan.calm and report.longest_at_restart > RESTART_PAUSE_SECONDS:
            text = f"wrong: a pause of {report.longest_at_restart:.1f} s at a plain restart"
            report.findings.append(text)

    def _about(self, pause: Pause) -> list[str]:
        """Tell what was done shortly before a pause and during it, seconds before its end."""
        return [
            f"{name} {pause.end - at:.0f} s"
            for at, name in self._done
            if pause.begin - CALM_SECONDS < at < pause.end
        ]

    def _less_outages(self, pause: Pause) -> float:
        """Return the seconds of a pause in which there was a database, or one of its nodes."""
        if len(self._servers) > 1:
            return pause.seconds
        away = [min(pause.end, b) - max(pause.begin, a) for a, b in self._outages]
        return pause.seconds - sum(max(0.0, each) for each in away)

    def _judge(self, doors: Doors, customers: Customers, before: Cloud) -> None:
        report = self.report
        cloud = Cloud.seen(doors)
        records = {each.name: Record.read(doors, each.name) for each in customers.all}
        report.findings += judge_objects(cloud, before, filter(None, records.values())).all()
        for each in customers.all:
            report.asked += each.answered
            report.unanswered += each.unanswered
            report.reached += each.reached
            report.findings += each.findings + _differences(each, records[each.name], cloud)
        report.findings += customers.troubles(self._is_excused)

    def _is_excused(self, moment: float) -> bool:
        """Tell whether a request of that moment may have met a database that was away."""
        return any(a - AFTER_OUTAGE_SECONDS < moment < b + 1.0 for a, b in self._outages)

    def _empty(self, doors: Doors, customers: Customers, before: Cloud) -> None:
        """Delete what is left; then the cloud holds what it held before, and tables nothing."""
        for each in customers.all:
            each.leave(doors)
        self._settle(doors)
        left = [f"{s.name} is {s.status}" for s in doors.stacks()]
        self.report.findings += [f"wrong: after its deletion stack {text}" for text in left]
        self.report.findings += judge_objects(Cloud.seen(doors), before, ()).all()
        self.report.findings += _rows_left(self._urls[0])

    def _end(self, found: Fleet) -> None:
        for engine in found.engines:
            if code := engine.stop():
                self.report.findings.append(f"wrong: an engine ended with {code}")
        if "Traceback" in found.site.log:
            self.report.findings.append("wrong: there is a traceback in the log")


if TYPE_CHECKING:
    from collections.abc import Callable

    _Disturbance = Callable[[Fleet], None]


def _differences(customer: Customer, record: Record | None, cloud: Cloud) -> list[str]:
    if record is None:
        return [] if None in customer.may_be else [f"lost: stack {customer.name}"]
    goals = [goal for goal in customer.may_be if goal is not None]
    if not goals:
        return [f"wrong: stack {customer.name} is {record.status}; its deletion was accepted"]
    found = [differences(record, customer.story, goal, cloud) for goal in goals]
    return [f"wrong: {text}" for text in min(found, key=len)]


def _rows_left(url: str) -> list[str]:
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        counts = {
            table: connection.scalar(sa.text(f"SELECT count(*) FROM {table}"))  # noqa: S608 - our tables
            for table in WORKING_TABLES
        }
    engine.dispose()
    return [f"wrong: {count} rows are left in {table}" for table, count in counts.items() if count]
