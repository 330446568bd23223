"""Software deployments against Heat's API in memory, which can lose an answer."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from stoker.errors import CloudError, CloudNotFound, NotFound
from stoker.lang.unknown import UNKNOWN
from stoker.resources.heat.software_deployment import DeploymentFailed, SoftwareDeployment
from stoker.sdk.resource import At, Child, ChildGone, ChildState, Done, Next, StackInfo, Wait
from tests.resources.recorded import Inner, Recorded
from tests.resources.stepping import kind_of
from tests.resources.stepping import standing as standing_at

KIND = SoftwareDeployment()
GIVEN: dict[str, Any] = {"config": "base", "server": "s1", "input_values": {"foo": "a", "more": 1}}
BASE = {
    "id": "base",
    "name": "b",
    "group": "script",
    "config": "#!/bin/sh",
    "inputs": [{"name": "foo", "type": "String"}, {"name": "bar", "default": "d"}],
    "outputs": [{"name": "oops", "error_output": True}],
}


@dataclass
class Heat:
    """The part of Heat's API that deployments use. ``lose``: which change gets no answer."""

    lose: int | None = None
    servers: set[str] = field(default_factory=set)
    configs: dict[str, dict[str, Any]] = field(default_factory=lambda: {"base": BASE})
    deployments: dict[str, dict[str, Any]] = field(default_factory=dict)
    changes: int = 0
    numbers: Any = field(default_factory=lambda: itertools.count(1))

    @property
    def compute(self) -> Heat:
        return self

    def find(self, kind: str, name: str) -> str:
        if name not in self.servers:
            raise NotFound(kind, name)
        return name

    def orchestration(self, region: str | None) -> Heat:
        assert region is None
        return self

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        if path == "/software_configs":
            return {"software_configs": [*self.configs.values()]}
        if path == "/software_deployments":
            rows = [x for x in self.deployments.values() if x["server_id"] == query["server_id"]]
            return {"software_deployments": rows}
        return {"software_config": self.configs[path.rpartition("/")[2]]}

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        kind = path.strip("/").removesuffix("s")
        made = {"id": f"{kind}-{next(self.numbers)}", **body}
        self._table(path)[made["id"]] = made
        self._changed()
        return {kind: made}

    def put(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        id = path.rpartition("/")[2]
        if id not in self._table(path):
            raise CloudNotFound("gone", service="orchestration", status=404)
        self._table(path)[id].update(body)
        self._changed()
        return {}

    def remove(self, path: str) -> None:
        id = path.rpartition("/")[2]
        if id not in self._table(path):
            raise CloudNotFound("gone", service="orchestration", status=404)
        assert all(x["config_id"] != id for x in self.deployments.values()), "it is in use"
        del self._table(path)[id]
        self._changed()

    def _table(self, path: str) -> dict[str, dict[str, Any]]:
        return self.configs if path.startswith("/software_configs") else self.deployments

    def _changed(self) -> None:
        self.changes += 1
        if self.lose == self.changes:
            raise CloudError("no answer", service="orchestration")


@dataclass
class Life:
    """A deployment's row, led through its verbs as an engine does."""

    heat: Any
    given: dict[str, Any] = field(default_factory=lambda: dict(GIVEN))
    state: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    stored: Mapping[str, Any] = field(default_factory=dict)

    def signal(self, **details: Any) -> None:
        self.state = KIND.on_signal(self.state, details).state

    def run(self, verb: str, *signals: dict[str, Any]) -> None:
        waiting, at = list(signals), self._at()
        for _ in range(30):
            before = self.heat.changes
            step = self._step(verb, at)
            assert self.heat.changes <= before + 1, "more than one change in a step"
            if isinstance(step, Done):
                self.id, self.stored = step.id or at.id, step.data or self.stored
                return
            if isinstance(step, Wait):
                self.signal(**waiting.pop(0))
            at = replace(at, id=step.id or at.id, data=at.data if step.data is None else step.data)
            at = replace(at, told=lambda _=None: self.state)
        raise AssertionError(f"{verb} does not end")

    def _step(self, verb: str, at: At[Any]) -> Any:
        try:
            return getattr(KIND, verb)(at, self.heat)
        except CloudError as e:
            if e.status is not None:
                raise
            found = KIND.find(at, self.heat) if verb == "create" and at.id is None else None
            return found or Next(data=at.data)

    def _at(self) -> At[Any]:
        props, info = KIND.Props.parse(self.given), StackInfo("stack-id", "stack", "project")
        return At(
            props, "stack-res-abc", "m", "res", info, bytes,
            id=self.id, stored=self.stored, told=lambda _=None: self.state,
        )  # fmt: skip


def test_it_deploys_a_config_of_its_own_and_ends_with_the_signal() -> None:
    life = Life(Heat())
    life.run("create", {"deploy_status_code": 0, "deploy_stdout": "hello"})
    [deployment] = life.heat.deployments.values()
    assert deployment["id"] == life.id
    assert (deployment["status"], deployment["action"]) == ("COMPLETE", "CREATE")
    assert deployment["input_values"] == {"foo": "a", "more": 1}
    assert deployment["output_values"] == {"deploy_status_code": 0, "deploy_stdout": "hello"}
    config = life.heat.configs[deployment["config_id"]]
    assert (config["name"], config["group"], config["config"]) == (
        "stack-res-abc",
        "script",
        "#!/bin/sh",
    )
    assert {each["name"]: each["value"] for each in config["inputs"]} == {
        "foo": "a",
        "bar": "d",
        "more": 1,
        "deploy_server_id": "s1",
        "deploy_action": "CREATE",
        "deploy_stack_id": "stack/stack-id",
        "deploy_resource_name": "res",
        "deploy_signal_transport": "CFN_SIGNAL",
    }
    view = Recorded(id=life.id, state=life.state)
    assert KIND.attribute(view, "deploy_stdout", ()) == "hello"
    assert KIND.attribute(view, "show", ()) == {"deploy_status_code": 0, "deploy_stdout": "hello"}


@pytest.mark.parametrize(
    ("details", "text"),
    [
        ({"deploy_status_code": 2}, "deployment exited with non-zero status code: 2"),
        ({"deploy_status_code": "0", "oops": "on fire"}, "oops: on fire"),
    ],
)
def test_a_signal_that_tells_of_a_failure_fails_it(details: dict[str, Any], text: str) -> None:
    life = Life(Heat())
    with pytest.raises(DeploymentFailed, match=text):
        life.run("create", details)
    [deployment] = life.heat.deployments.values()
    assert (deployment["status"], deployment["status_reason"]) == ("FAILED", text)


def test_an_update_waits_for_a_signal_of_its_own_and_gives_up_the_old_config() -> None:
    life = Life(Heat())
    life.run("create", {})
    old = life.stored["config"]
    life.signal(deploy_stdout="late")
    life.given = {**GIVEN, "input_values": {"foo": "b"}}
    life.run("update", {"deploy_stdout": "new"})
    [deployment] = life.heat.deployments.values()
    assert deployment["config_id"] == life.stored["config"] != old
    assert deployment["input_values"] == {"foo": "b"}
    assert deployment["output_values"] == {"deploy_stdout": "new"}
    assert life.heat.configs.keys() == {"base", life.stored["config"]}


@pytest.mark.parametrize("lose", range(1, 12))
def test_whichever_answer_is_lost_nothing_is_left_behind(lose: int) -> None:
    life = Life(Heat(lose=lose))
    life.run("create", {})
    life.given = {**GIVEN, "input_values": {"foo": "b"}}
    life.run("update", {})
    assert (len(life.heat.deployments), len(life.heat.configs)) == (1, 2)
    life.run("delete")
    assert life.heat.deployments == {}
    assert life.heat.configs.keys() == {"base"}


ANEW = {**BASE, "inputs": [{"name": "foo", "replace_on_change": True}, {"name": "bar"}]}


@pytest.mark.parametrize("lose", [None, *range(7, 15)])
def test_an_input_can_ask_for_a_deployment_anew(lose: int | None) -> None:
    life = Life(Heat(lose=lose, configs={"base": ANEW}))
    life.run("create", {})
    first, life.given = life.id, {**GIVEN, "input_values": {"foo": "a", "bar": "other"}}
    life.run("update", {})
    assert life.id == first
    life.given = {**GIVEN, "input_values": {"foo": "b", "bar": "other"}}
    life.run("update", {})
    [deployment] = life.heat.deployments.values()
    assert deployment["id"] == life.id != first
    assert (deployment["action"], deployment["status"]) == ("CREATE", "COMPLETE")
    config = life.heat.configs[deployment["config_id"]]
    values = {each["name"]: each["value"] for each in config["inputs"]}
    assert (values["foo"], values["deploy_action"]) == ("b", "CREATE")
    assert life.heat.configs.keys() == {"base", deployment["config_id"]}
    life.run("delete")
    assert (life.heat.deployments, life.heat.configs.keys()) == ({}, {"base"})


def test_a_deployment_that_somebody_has_removed_is_made_again() -> None:
    life = Life(Heat())
    life.run("create", {})
    life.heat.deployments.clear()
    life.given = {**GIVEN, "input_values": {"foo": "b"}}
    life.run("update", {})
    [deployment] = life.heat.deployments.values()
    assert (deployment["id"], deployment["action"]) == (life.id, "UPDATE")


def test_what_it_is_not_carried_out_for_changes_nothing() -> None:
    life = Life(Heat(), {**GIVEN, "actions": ["UPDATE"]})
    life.run("create")
    life.run("suspend")
    assert life.heat.changes == 0
    life.run("update", {})
    assert [each["action"] for each in life.heat.deployments.values()] == ["UPDATE"]


def test_without_a_signal_it_is_complete_at_once() -> None:
    life = Life(Heat(), {"server": "s1", "signal_transport": "NO_SIGNAL"})
    life.run("create")
    [deployment] = life.heat.deployments.values()
    assert deployment["status"] == "COMPLETE"
    assert life.heat.configs[deployment["config_id"]]["group"] == "Heat::Ungrouped"


def test_its_deletion_is_carried_out_as_long_as_there_is_a_server() -> None:
    for servers in ({"s1"}, set[str]()):
        life = Life(Heat(servers=servers), {**GIVEN, "actions": ["CREATE", "DELETE"]})
        life.run("create", {})
        life.run("delete", *({} for _ in servers))
        assert life.heat.deployments == {}
        assert life.heat.configs.keys() == {"base"}


def test_ways_to_signal_that_need_a_user_of_their_own_are_refused() -> None:
    for name in ("OS::Heat::SoftwareDeployment", "OS::Heat::SoftwareDeploymentGroup"):
        kind, server = kind_of(name), {"server": "s", "servers": {"a": "s"}}
        for transport, wrong in (("CFN_SIGNAL", 0), ("NO_SIGNAL", 0), ("HEAT_SIGNAL", 1)):
            known = {key: each for key, each in server.items() if key in kind.Props.properties()}
            props = kind.Props.parse({**known, "signal_transport": transport})
            assert len(list(kind.validate(props))) == wrong


GROUP = "OS::Heat::SoftwareDeploymentGroup"
NO_CLOUD: Any = None


def test_a_group_is_a_stack_of_deployments_by_name() -> None:
    given = {"config": "c", "servers": {"a": "s1", "b": "s2"}, "input_values": {"x": 1}}
    kind, at = kind_of(GROUP), standing_at(GROUP, given)
    child = kind.create(at, NO_CLOUD)
    assert isinstance(child, Child)
    assert isinstance(child.template, Mapping)
    members = child.template["resources"]
    assert {name: each["properties"]["server"] for name, each in members.items()} == {
        "a": "s1",
        "b": "s2",
    }
    assert members["a"] == {
        "type": "OS::Heat::SoftwareDeployment",
        "properties": {
            "config": "c",
            "server": "s1",
            "input_values": {"x": 1},
            "actions": ["CREATE", "UPDATE"],
            "signal_transport": "CFN_SIGNAL",
        },
    }
    assert kind.update(replace(at, child=ChildState("c", {})), NO_CLOUD) == Done()
    assert kind.delete(replace(at, id="c"), NO_CLOUD) == ChildGone()
    assert kind.child(standing_at(GROUP, {"servers": UNKNOWN})) is None


def test_a_group_gives_the_outputs_of_its_members_by_name() -> None:
    view = Recorded(id="c", members={"a": Inner("x"), "b": Inner("y")})
    found = kind_of(GROUP).attribute(view, "deploy_stdouts", ())
    assert found.keys() == {"a", "b"}
