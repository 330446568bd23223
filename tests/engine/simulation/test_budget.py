"""How close a stack of servers comes to what its cloud allows: in virtual time, and with the real
types and clients.
"""

from __future__ import annotations

import random
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from stoker.clouds import budget
from stoker.clouds.budget import Limits
from stoker.engine.alarms import Alarms
from stoker.engine.settings import Settings
from stoker.engine.usecases.stacks import StackUseCases
from stoker.resources.index import Index
from stoker.store.database import Database
from stoker.usecases.caller import Caller
from stoker.usecases.stacks import CreateStack, Goal
from tests.engine.simulation import site
from tests.engine.simulation.borrowed import errors, moved
from tests.engine.simulation.crew import Crew
from tests.engine.simulation.office import ANN, Keys, Office
from tests.engine.simulation.records import NOTHING
from tests.engine.simulation.stage import Process, Stage
from tests.kill.rest import COMPUTE, NETWORK
from tests.kill.story import CIRROS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import sqlalchemy as sa

    from stoker.store.work import Result

SERVERS = 500
AT_ONCE = 32
CALL_SECONDS = 0.05
BOOT_SECONDS = 2.0
COMMIT_SECONDS = 0.003
LOOKS_AT_A_SERVER = 2
"""At itself, and at its ports."""
THREADS = 96
"""As many as two services are asked at once, and half as many again."""
MOST = 1.25
"""Times the critical path."""
_LOOK_SECONDS = 0.02
CALLER = Caller("u1", "ann", "p1", "demo", frozenset({"member"}))


class Near(Database):
    """A database each of whose transactions takes whoever acts a moment."""

    may_fail = False

    def __init__(self, database: Database, stage: Stage) -> None:
        self.sealer, self.engine, self.dialect = database.sealer, database.engine, database.dialect
        self.stage, self._clock = stage, lambda: stage.now

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        with super().write() as connection:
            yield connection
        self.stage.sleep(COMMIT_SECONDS)


class Unwatched:
    """Sees nothing: the crew asks it whether a look is worth while."""

    records = NOTHING

    def __init__(self) -> None:
        self.crews: list[Crew] = []

    def is_due(self) -> bool:
        return True

    def is_rollback_due(self) -> bool:
        return False


class Slots:
    """``budget.Slots`` of the virtual world."""

    def __init__(self, stage: Stage, number: int) -> None:
        self._stage, self._left = stage, number
        self._waiting: list[Any] = []

    def acquire(self, timeout: float) -> bool:
        me, until = self._stage.acting, self._stage.now + timeout
        if self._left:
            self._left -= 1
            return True
        self._waiting.append(me)
        while me in self._waiting:
            if self._stage.now >= until:
                self._waiting.remove(me)
                return False
            self._stage.wait(until)
        return True

    def release(self) -> None:
        if self._waiting:
            self._stage.wake(self._waiting.pop(0))
        else:
            self._left += 1


class Prompt(Crew):
    """Looks for rows that wait as soon as they are due, as production's engine does."""

    def __init__(self, *parts: Any) -> None:
        self.alarms = Alarms()
        super().__init__(*parts)

    def patience(self) -> float:
        return self.alarms.patience(self._stage.now, super().patience())

    def noted(self, results: list[Result]) -> None:
        for each in results:
            if each.seconds is not None:
                self.alarms.set(self._stage.now + each.seconds)


def template(network: str, subnet: str) -> dict[str, Any]:
    resources: dict[str, Any] = {}
    for i in range(SERVERS):
        resources[f"port{i}"] = {
            "type": "OS::Neutron::Port",
            "properties": {"network": network, "fixed_ips": [{"subnet": subnet}]},
        }
        resources[f"server{i}"] = {
            "type": "OS::Nova::Server",
            "properties": {
                "image": CIRROS,
                "flavor": "m1.tiny",
                "networks": [{"port": {"get_resource": f"port{i}"}}],
            },
        }
    return {"heat_template_version": "2021-04-16", "resources": resources}


class World:
    """One engine, one account, and the cloud; ``seconds`` is what the stack took."""

    def __init__(self, database: Database, stage: Stage) -> None:
        self._stage = stage
        self.office = Office(stage, CALL_SECONDS, Limits(at_once=AT_ONCE))
        settings, near = Settings(threads=THREADS), Near(database, stage)
        keys: Any = Keys(self.office.clouds)
        watch: Any = Unwatched()
        door: Any = near
        chance = random.Random(1)  # noqa: S311 - no secret
        crew = Prompt(Process("engine"), door, Index(), keys, settings, watch, chance)
        self._stacks = StackUseCases(near, Index(), keys, settings, crew.wake)
        self.status, self.seconds = "", 0.0
        stage.start(Process("customer"), "customer", self._live)

    def _live(self) -> None:
        network, subnet = self._prepared()
        goal = Goal(template(network, subnet))
        ref = self._stacks.create(CALLER, CreateStack("s", goal))
        began = self._stage.now
        self.office.calls.clear()
        self.office.most.clear()
        while (shown := self._stacks.show(CALLER, ref)).status == "IN_PROGRESS":
            self._stage.sleep(_LOOK_SECONDS)
        self.seconds, self.status = self._stage.now - began, f"{shown.action}_{shown.status}"

    def _prepared(self) -> tuple[str, str]:
        """Return a network and its subnet, in a project that may have any number of things."""
        with self.office.cloud.state.transaction():
            self.office.cloud.latency.put({"compute": {"boot": BOOT_SECONDS}})
        cloud = self.office.clouds.cloud(ANN)
        project = cloud.identity.whose().project_id
        cloud.network.put(f"/quotas/{project}", {"quota": NETWORK})
        cloud.compute.put(f"/os-quota-sets/{project}", {"quota_set": COMPUTE})
        network = cloud.network.create("network", {"name": "n"})["id"]
        body = {"network_id": network, "cidr": "10.0.0.0/16", "ip_version": 4}
        return network, cloud.network.create("subnet", body)["id"]


def test_a_stack_of_servers_takes_little_more_than_its_critical_path(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = Stage()
    monkeypatch.setattr(budget, "Slots", partial(Slots, stage))
    with site.sqlite() as database, errors() as told, moved(stage, 1):
        world = World(database, stage)
        try:
            stage.run(lambda: world.status != "")
        finally:
            stage.end()
    office = world.office
    assert (world.status, told) == ("CREATE_COMPLETE", [])
    assert office.most["networking"] <= AT_ONCE
    assert office.most["compute"] <= AT_ONCE
    ports = SERVERS * CALL_SECONDS / AT_ONCE
    critical = ports + CALL_SECONDS + BOOT_SECONDS + LOOKS_AT_A_SERVER * CALL_SECONDS
    assert world.seconds < MOST * critical, office.calls
