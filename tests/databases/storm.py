"""A random program: customers who change their stacks while engines die and connections break.

Each customer has a stack and asks for one thing after the other, refused or not, not always
waiting for what was asked before. When the storm is over everything must come to rest, every
stack must be deletable, and nothing may be left.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from stoker.errors import Unavailable, UserError
from stoker.store import tables as t
from stoker.usecases.stacks import Action, Goal, StackRef
from tests.crash import ledger
from tests.crash.scenario import goal
from tests.crash.world import SCALED, World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.crash.site import Site
    from tests.crash.world import Process

CUSTOMERS = 3
REQUESTS = 6
ENGINES = 3
SETTINGS = replace(SCALED, client_timeout=30.0)
"""Slow is not lost: what is disturbed here is the database and whoever works on it."""
PATIENCE = 90.0
ABANDONED_SECONDS = 15.0
"""Instead of an hour: credentials of requests that were not answered by the database."""

_INNER = """
heat_template_version: 2021-04-16
parameters:
  up: {type: boolean}
resources:
  net: {type: OS::Neutron::Net, properties: {admin_state_up: {get_param: up}}}
  text: {type: OS::Heat::RandomString, depends_on: net}
outputs:
  net: {value: {get_resource: net}}
"""


def wanted(chance: random.Random) -> Goal:
    """Return a goal: networks of which some need others, nested stacks, sometimes a failure."""
    up = chance.random() < 0.5
    net = {"type": "OS::Neutron::Net", "properties": {"admin_state_up": up}}
    pool: dict[str, dict[str, Any]] = {
        "a": net,
        "b": {**net, "depends_on": "a"},
        "c": {"type": "OS::Heat::RandomString", "properties": {"length": chance.randint(4, 6)}},
        "provider": {"type": "My::Inner", "properties": {"up": up}},
        "stack": {
            "type": "OS::Heat::Stack",
            "properties": {"template": _INNER, "parameters": {"up": up}},
        },
        "group": {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": chance.randint(1, 3), "resource_def": net},
        },
        "slow": {
            "type": "OS::Heat::TestResource",
            "properties": {"value": str(up), "wait_secs": 0.2},
        },
    }
    names = {"a", *chance.sample(sorted(pool), chance.randint(2, 5))}
    resources = {name: pool[name] for name in sorted(names)}
    if chance.random() < 0.25:
        failing = {"type": "OS::Heat::TestResource", "properties": {"fail": True}}
        resources["bad"] = {**failing, "depends_on": "a"}
    return goal(
        resources,
        environment={"resource_registry": {"My::Inner": "inner.yaml"}},
        files={"inner.yaml": _INNER},
    )


class Storm:
    """One program on one database and one cloud; ``cut`` breaks a connection to the database."""

    def __init__(self, site: Site, url: str, seed: int, cut: Callable[[], None] | None) -> None:
        self._world = World(site, url, SETTINGS)
        self._before = site.things()
        self._seed, self._cut = seed, cut
        self._over = Event()
        self.wrongs: list[str] = []

    def run(self) -> list[str]:
        """Run it, and return all that is wrong."""
        with errors() as told:
            try:
                for _ in range(ENGINES):
                    self._world.start()
                self._blow()
                self._rest()
                self._delete_all()
                self._look()
            except AssertionError as e:
                self.wrongs += [str(e), *ledger.restless(self._world)]
            finally:
                self._world.end()
        self.wrongs += [text for p in self._world.processes for text in p.watch.wrongs]
        return self.wrongs + told

    def _blow(self) -> None:
        with ThreadPoolExecutor(CUSTOMERS + 1) as pool:
            disturbing = pool.submit(self._disturb)
            customers = [pool.submit(self._live, i) for i in range(CUSTOMERS)]
            try:
                for each in customers:
                    each.result()
            finally:
                self._over.set()
            disturbing.result()

    # customers

    def _live(self, number: int) -> None:
        chance = random.Random(f"{self._seed} {number}")  # noqa: S311 - a program, no secret
        name = f"s{number}"
        for _ in range(REQUESTS):
            with suppress(UserError, Unavailable):  # refused, as things are
                self._ask(chance, name)
            if chance.random() < 0.4:
                self._until(lambda: not self._is_running(name), f"the end of {name}'s operation")
            else:
                time.sleep(chance.uniform(0.0, 0.4))

    def _ask(self, chance: random.Random, name: str) -> None:
        world = self._world
        ref = self._ref(name)
        if ref is None:
            world.create(name, wanted(chance), undoes=chance.random() < 0.5)
            return
        asked: list[Callable[[], None]] = [
            lambda: world.update(ref, wanted(chance)),
            lambda: world.act(ref, chance.choice([*Action])),
            lambda: world.cancel(ref),
            lambda: world.undo(ref),
            lambda: world.delete(ref),
        ]
        chance.choices(asked, (5, 3, 1, 1, 1))[0]()

    def _ref(self, name: str) -> StackRef | None:
        row = self._row(name)
        return None if row is None else StackRef(row.id, row.name, row.project_id)

    def _row(self, name: str) -> Any:
        c = t.stack.c
        query = sa.select(t.stack).where(c.name == name, c.deleted_at.is_(None))
        with self._world.database.read() as connection:
            return connection.execute(query).one_or_none()

    def _is_running(self, name: str) -> bool:
        try:
            row = self._row(name)
        except Unavailable:
            return True
        return row is not None and (row.status == "IN_PROGRESS" or row.rollback_due is not None)

    # disturbances

    def _disturb(self) -> None:
        chance = random.Random(f"{self._seed} disturbance")  # noqa: S311 - a program, no secret
        paused: list[Process] = []
        while not self._over.wait(chance.uniform(0.1, 1.0)):
            alive = self._world.processes[-ENGINES:]
            what = chance.random()
            if what < 0.35:
                chance.choice(alive).watch.kill()
                self._world.start()
            elif what < 0.55:
                paused.append(chance.choice(alive))
                paused[-1].watch.pause()
            elif paused:
                paused.pop().watch.resume()
            elif self._cut is not None:
                self._cut()
        for process in paused:
            process.watch.resume()

    # afterwards

    def _rest(self) -> None:
        self._world.start()  # whoever is left may have been killed
        world = self._world
        self._until(lambda: not ledger.restless(world), "rest")
        self.wrongs += ledger.lost(world)

    def _delete_all(self) -> None:
        names = [f"s{i}" for i in range(CUSTOMERS)]
        for name in names:
            ref = self._ref(name)
            if ref is not None:
                self._world.delete(ref)
        for name in names:
            self._until(lambda name=name: not self._is_running(name), f"{name}'s deletion")  # type: ignore[misc]

    def _look(self) -> None:
        world = self._world
        world.until(lambda: not ledger.left_over(world), "nothing", 60.0, fails=False)
        self.wrongs += ledger.left_over(world) + ledger.leaked(world, self._before)
        self.wrongs += ledger.touched(world, self._before) + ledger.restless(world)
        failed = [row for row in world.rows(t.stack) if row.deleted_at is None]
        self.wrongs += [f"{row.name} {row.action} {row.status_reason}" for row in failed]

    def _until(self, condition: Callable[[], bool], what: str) -> None:
        self._world.until(condition, what, PATIENCE)


@contextmanager
def errors() -> Iterator[list[str]]:
    """Give the errors that the program logs meanwhile."""
    found: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(f"logged: {record.getMessage()}")

    handler, logger = Kept(logging.ERROR), logging.getLogger("stoker")
    logger.addHandler(handler)
    try:
        yield found
    finally:
        logger.removeHandler(handler)
