"""Scenarios of stacks in stacks; a network in each of them shows what leaks."""

from __future__ import annotations

from typing import Any

from stoker.usecases.stacks import Goal
from tests.crash.scenario import Scenario, goal, one, single
from tests.crash.stack_scenarios import ACTIONS

_INNER = """
heat_template_version: 2021-04-16
parameters:
  up: {type: boolean, default: true}
  length: {type: number, default: 8}
resources:
  net: {type: OS::Neutron::Net, properties: {admin_state_up: {get_param: up}}}
  text:
    type: OS::Heat::RandomString
    depends_on: net
    properties: {length: {get_param: length}}
outputs:
  net: {value: {get_resource: net}}
"""
_PARAMETERS: dict[str, dict[str, Any]] = {
    "create": {"up": True},
    "update": {"up": False},
    "replace": {"up": False, "length": 9},
}
_SUBJECTS = ("it", "net", "text")


def _stack() -> Scenario:
    given = {name: {"template": _INNER, "parameters": each} for name, each in _PARAMETERS.items()}
    return Scenario("Heat::Stack", "OS::Heat::Stack", one("OS::Heat::Stack", **given), _SUBJECTS)


def _provider() -> Scenario:
    goals = {
        operation: goal(
            {"it": {"type": "My::Inner", "properties": values}},
            environment={"resource_registry": {"My::Inner": "inner.yaml"}},
            files={"inner.yaml": _INNER},
        )
        for operation, values in _PARAMETERS.items()
    }
    return Scenario("provider template", "inner.yaml", goals, _SUBJECTS)


_GROUP = "OS::Heat::ResourceGroup"


def _nets(count: int, *, up: bool, policy: dict[str, Any] | None = None) -> Goal:
    member = {"type": "OS::Neutron::Net", "properties": {"admin_state_up": up}}
    properties = {"count": count, "resource_def": member}
    return goal({"it": {"type": _GROUP, "properties": properties, "update_policy": policy or {}}})


def _group() -> Scenario:
    goals = {"create": _nets(2, up=True), "update": _nets(3, up=False), "shrink": _nets(1, up=True)}
    return Scenario("Heat::ResourceGroup", _GROUP, goals, ("it", "0", "1", "2"))


def _rolling() -> Scenario:
    """A group that is made and changed in batches, and is larger meanwhile."""
    rolling = {"max_batch_size": 1, "min_in_service": 2, "pause_time": 0.05}
    policy = {"batch_create": {"max_batch_size": 1}, "rolling_update": rolling}
    goals = {
        "create": _nets(2, up=True, policy=policy),
        "update": _nets(2, up=False, policy=policy),
    }
    return Scenario("Heat::ResourceGroup, in batches", _GROUP, goals, ("it", "0", "1", "2"))


def _retemplated() -> Scenario:
    """A group whose members are nested stacks of one file, and in batches of another."""

    def nests(file: str, values: dict[str, Any]) -> Goal:
        properties = {"count": 2, "resource_def": {"type": file, "properties": values}}
        policy = {"rolling_update": {"max_batch_size": 1}}
        resource = {"type": _GROUP, "properties": properties, "update_policy": policy}
        return goal({"it": resource}, files={file: _INNER})

    goals = {
        "create": nests("first.yaml", _PARAMETERS["create"]),
        "update": nests("second.yaml", _PARAMETERS["update"]),
    }
    name = "Heat::ResourceGroup, of other files"
    return Scenario(name, _GROUP, goals, ("it", "0", "1", "net"))


def _elsewhere() -> Scenario:
    """A stack that another Heat makes; at its end one that is under this one takes its place."""
    there = {"context": {"region_name": "RegionOne"}, "template": _INNER}
    type_ = "OS::Heat::Stack"
    made = one(
        type_,
        create={**there, "parameters": _PARAMETERS["create"]},
        update={**there, "parameters": _PARAMETERS["update"]},
        replace={"template": _INNER},
    )
    goals = {"create": made["create"], **ACTIONS, "update": made["update"]}
    goals["replace"] = made["replace"]
    return Scenario("Heat::Stack, elsewhere", type_, goals, ("it",))


def _deployment() -> Scenario:
    plain = {"server": "a-server", "signal_transport": "NO_SIGNAL"}
    return single(
        "OS::Heat::SoftwareDeployment",
        create={**plain, "input_values": {"a": 1}},
        update={**plain, "input_values": {"a": 2}},
        replace={**plain, "server": "another"},
    )


NESTED = (_stack(), _provider(), _group(), _rolling(), _retemplated(), _elsewhere(), _deployment())
