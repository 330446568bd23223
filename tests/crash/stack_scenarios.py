"""Scenarios of whole stacks: what is done to them as they are, and failures that are undone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from stoker.usecases.stacks import Action, Goal
from tests.crash.scenario import FLAVORS, IMAGE, Ask, Scenario, goal
from tests.crash.world import World

if TYPE_CHECKING:
    from stoker.usecases.stacks import StackRef

Goals = dict[str, Goal | Action | Ask]
ACTIONS: Goals = {each.value: each for each in Action}
_NET = {"type": "OS::Neutron::Net"}
_SLEEPER: dict[str, Any] = {
    "type": "OS::Nova::Server",
    "properties": {
        "image": IMAGE,
        "flavor": FLAVORS[0],
        "networks": [{"allocate_network": "none"}],
    },
}


def _acted_on() -> Scenario:
    wanted = goal({"net": {"type": "OS::Neutron::Net"}, "it": {**_SLEEPER, "depends_on": "net"}})
    goals = {"create": wanted, **ACTIONS}
    return Scenario("actions", "OS::Nova::Server", goals, ("net", "it"))


def _acted_on_below() -> Scenario:
    inner = {"heat_template_version": "2021-04-16", "resources": {"server": _SLEEPER}}
    properties = {"template": json.dumps(inner)}
    wanted = goal({"it": {"type": "OS::Heat::Stack", "properties": properties}})
    goals = {"create": wanted, **ACTIONS}
    return Scenario("actions, nested", "OS::Heat::Stack", goals, ("it", "server"))


ACTED = (_acted_on(), _acted_on_below())

# an object that goes to an error state, is removed, and is made again


def _broken() -> Scenario:
    properties: dict[str, Any] = {**_SLEEPER["properties"], "metadata": {"devcloud:error": "ill"}}
    wanted = goal({"it": {**_SLEEPER, "properties": properties}})
    return Scenario("in error", "OS::Nova::Server", {"create": wanted}, ("it",), ends="FAILED")


# data that outlive their volume


def _kept() -> Scenario:
    volume = {"type": "OS::Cinder::Volume", "properties": {"size": 1}}
    wanted = goal({"it": {**volume, "deletion_policy": "Snapshot"}})
    return Scenario("kept in a backup", "OS::Cinder::Volume", {"create": wanted}, ("it",))


BROKEN = (_broken(), _kept())

# snapshots, and stacks that are handed over


def _pair() -> Goal:
    volume = {"type": "OS::Cinder::Volume", "properties": {"size": 1}}
    return goal({"vol": volume, "it": {**_SLEEPER, "depends_on": "vol"}})


def _snapshots() -> Scenario:
    goals: Goals = {
        "create": _pair(),
        "snapshot": World.snapshot,
        "restore": World.restore,
        "forget": World.forget,
    }
    return Scenario("snapshots", "none", goals, ("vol", "it"))


def _handed_over() -> Scenario:
    inner = {"heat_template_version": "2021-04-16", "resources": {"net": _NET}}
    below = {"type": "OS::Heat::Stack", "properties": {"template": json.dumps(inner)}}
    wanted = goal({"below": below, "it": {**_SLEEPER, "depends_on": "below"}})
    goals: Goals = {"create": wanted, "adopt": World.readopt}
    return Scenario("abandon and adopt", "none", goals, ("net", "below", "it"))


KEPT = (_snapshots(), _handed_over())

# updates that look at what there is, after others have taken away and changed what there was


def _watched_over() -> Scenario:
    """Of three networks, one of them in a child stack, others take two away and close the third."""

    def net(*, of: str = "") -> dict[str, Any]:
        return {**_NET, "properties": {"admin_state_up": True, "tags": [of or "own"]}}

    inner = {"heat_template_version": "2021-04-16", "resources": {"inner": net(of="inner")}}
    below = {"type": "OS::Heat::Stack", "properties": {"template": json.dumps(inner)}}
    subnet = {
        "type": "OS::Neutron::Subnet",
        "properties": {"network": {"get_resource": "gone"}, "cidr": "10.1.0.0/24"},
    }
    wanted = goal({"gone": net(of="gone"), "it": net(), "below": below, "on": subnet})

    def converge(world: World, ref: StackRef) -> None:
        world.site.meddle("network.network", taken=("gone", "inner"), admin_state_up=False)
        world.update(ref, wanted, observe=True)

    goals: Goals = {"create": wanted, "converge": converge}
    return Scenario("converge", "none", goals, ("gone", "it", "below", "inner", "on"))


CONVERGED = (_watched_over(),)

# failures that are rolled back

_FAILS = {"type": "OS::Heat::TestResource", "properties": {"fail": True}}


def _undone_create() -> Scenario:
    wanted = goal({"it": {"type": "OS::Neutron::Net"}, "bad": {**_FAILS, "depends_on": "it"}})
    return Scenario("rollback to nothing", "none", {"create": wanted}, ("it", "bad"), undoes=True)


def _undone_update() -> Scenario:
    def net(*, up: bool, more: dict[str, Any]) -> Goal:
        inner = {"net": {"type": "OS::Neutron::Net", "properties": {"admin_state_up": up}}}
        template = {"heat_template_version": "2021-04-16", "resources": inner}
        below = {"type": "OS::Heat::Stack", "properties": {"template": json.dumps(template)}}
        return goal({"it": below, **more})

    goals = {
        "create": net(up=True, more={"key": {"type": "OS::Neutron::Net"}}),
        "update": net(up=False, more={"bad": {**_FAILS, "depends_on": "it"}}),
    }
    subjects = ("it", "net", "bad", "key")
    return Scenario("rollback to a goal", "none", goals, subjects, undoes=True)


UNDONE = (_undone_create(), _undone_update())
