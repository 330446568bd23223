"""kill -9 in each phase of a stack on real services: nothing is leaked, nothing lost.

``STOKER_KILL_SEED`` repeats one life. The long form runs with ``STOKER_LONG=1``.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random, SystemRandom
from typing import Any

import pytest

from tests.app.serving import Serving
from tests.cloud.conftest import Site, started
from tests.cloud.project import Thing
from tests.e2e import three_tier
from tests.e2e.rest import Rest, Stack

LIVES = 10 if os.environ.get("STOKER_LONG") == "1" else 1
WITHIN_SECONDS = 6.0
"""About as long as the example's create takes on idle services."""
END_SECONDS = 300.0
_KINDS = {
    "OS::Nova::Server": "server",
    "OS::Cinder::Volume": "volume",
    "OS::Neutron::Net": "network",
    "OS::Neutron::Subnet": "subnet",
    "OS::Neutron::Port": "port",
    "OS::Neutron::Router": "router",
    "OS::Neutron::FloatingIP": "floating ip",
    "OS::Neutron::SecurityGroup": "security group",
}
_UPDATE = {"volume_size": 2, "flavor": "m1.tiny"}
_SERVER = "    type: OS::Nova::Server\n    properties:\n"
_OTHER_SERVER = f"{_SERVER}      config_drive: true\n"
"""No server can be given one later: it takes another server, with the same port and volume."""


@dataclass
class Life:
    """One stack, whose service is killed once in each phase."""

    site: Site
    random: Random
    before: set[Thing]

    def lived(self) -> None:
        """Create, update, replace parts and delete, each with a kill in it."""
        template = three_tier.TEMPLATE.read_text(encoding="utf-8")
        stack = self.site.rest.create("killed", template)
        stack = self.through(stack, "CREATE_COMPLETE")
        assert stack.update(method="PATCH", parameters=_UPDATE).status == 202
        stack = self.through(stack, "UPDATE_COMPLETE")
        first = stack.physical_ids()["web_server"]
        other = template.replace(_SERVER, _OTHER_SERVER)
        assert stack.update(other, method="PATCH").status == 202
        stack = self.through(stack, "UPDATE_COMPLETE")
        assert stack.physical_ids()["web_server"] != first
        assert stack.delete().status == 204
        self.through(stack, "DELETE_COMPLETE")
        left = self.site.project.settled(self.before) ^ self.before
        assert not left, f"before or after alone: {sorted(left)}"

    def through(self, stack: Stack, status: str) -> Stack:
        """Kill it in the middle, start it again, wait for the end, and judge."""
        instant = self.random.uniform(0.0, WITHIN_SECONDS)
        time.sleep(instant)
        self.site.serving.kill_all()
        self.site = _again(self.site)
        stack = Stack(self.site.rest, stack.name, stack.id)
        begun = time.monotonic()
        stack.wait(status, END_SECONDS, 0.5)
        took = time.monotonic() - begun
        told = f"killed after {instant:.2f} s, {status} {took:.1f} s after the restart"
        sys.stdout.write(f"{told}\n")
        if not status.startswith("DELETE"):
            self.judge(stack)
        return stack

    def judge(self, stack: Stack) -> None:
        """Compare what exists with what is recorded."""
        rows = stack.resources()
        wrong = [r for r in rows if not r["resource_status"].endswith("_COMPLETE")]
        assert not wrong, stack.told()
        recorded = {
            (_KINDS[row["resource_type"]], row["physical_resource_id"])
            for row in rows
            if row["resource_type"] in _KINDS
        }
        wanted = self.before | recorded | self.hanging({id for _, id in recorded})
        there = self.site.project.settled(wanted)
        assert not there - wanted, f"leaked: {sorted(there - wanted)}"
        assert not wanted - there, f"lost: {sorted(wanted - there)}"

    def hanging(self, ids: set[str]) -> set[Thing]:
        """Return what goes with the recorded objects: a group's rules, a router's ports."""
        network: Any = self.site.project.conn.network
        project = self.site.project.id
        rules = network.security_group_rules(project_id=project)
        ports = network.ports(project_id=project)
        return {("security group rule", r.id) for r in rules if r.security_group_id in ids} | {
            ("port", p.id) for p in ports if p.device_owner == _INTERFACE and p.device_id in ids
        }


_INTERFACE = "network:router_interface"


def _again(site: Site) -> Site:
    serving: Serving = started(site.serving.state, site.project, site.account_file)
    rest = Rest(serving.state / "clouds.yaml", site.project.name)
    return replace(site, serving=serving, rest=rest)


@pytest.mark.parametrize("number", range(1, LIVES + 1))
def test_a_kill_in_each_phase_leaks_nothing_and_loses_nothing(
    alone: Callable[[str], Site], number: int
) -> None:
    seed = int(os.environ.get("STOKER_KILL_SEED") or SystemRandom().randrange(10**6))
    sys.stdout.write(f"life {number}: STOKER_KILL_SEED={seed}\n")
    site = alone("kill")
    life = Life(site, Random(seed), site.project.objects())  # noqa: S311 - reproducible on purpose
    try:
        life.lived()
    finally:
        life.site.serving.close()
