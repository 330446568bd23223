"""Software deployments as a project sees them: signalled by hand, and read back."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tests.e2e.rest import LOOK_SECONDS, SECONDS, Stack

if TYPE_CHECKING:
    from tests.e2e.rest import Rest

SERVERS = {"one": "server-1", "two": "server-2"}


def template(greeting: str) -> dict[str, Any]:
    config = {"group": "script", "config": "echo $greeting", "inputs": [{"name": "greeting"}]}
    group = {
        "config": {"get_resource": "script"},
        "input_values": {"greeting": greeting},
        "servers": SERVERS,
    }
    return {
        "heat_template_version": "2021-04-16",
        "resources": {
            "script": {"type": "OS::Heat::SoftwareConfig", "properties": config},
            "all": {"type": "OS::Heat::SoftwareDeploymentGroup", "properties": group},
        },
        "outputs": {"said": {"value": {"get_attr": ["all", "deploy_stdouts"]}}},
    }


def members(stack: Stack, action: str) -> Stack:
    """Return the stack of the deployments once each waits for its server."""
    until = time.monotonic() + SECONDS
    while (below := _waiting(stack, action)) is None:
        assert time.monotonic() < until, stack.told()
        time.sleep(LOOK_SECONDS)
    return below


def _waiting(stack: Stack, action: str) -> Stack | None:
    links = stack.resource("all")["links"] if "all" in stack.statuses() else []
    nested = [each["href"] for each in links if each["rel"] == "nested"]
    if not nested:
        return None
    name, id = nested[0].rsplit("/", 2)[1:]
    below = Stack(stack.rest, name, id)
    ids = below.physical_ids()
    if ids.keys() != SERVERS.keys() or not all(ids.values()):
        return None
    found = [
        stack.rest.get(f"/software_deployments/{each}")["software_deployment"]
        for each in ids.values()
    ]
    states = {(each["action"], each["status"]) for each in found}
    return below if states == {(action, "IN_PROGRESS")} else None


def signal(below: Stack, said: str, code: int = 0) -> None:
    for name in SERVERS:
        body = {"deploy_stdout": f"{said} {name}", "deploy_status_code": code}
        answer = below.rest.call("POST", f"{below.path}/resources/{name}/signal", body)
        assert answer.status == 200, answer


def test_a_group_waits_for_all_its_servers_and_shows_what_they_said(rest: Rest, name: str) -> None:
    stack = rest.create(name, template("hello"))
    below = members(stack, "CREATE")
    for server in SERVERS.values():
        [config] = rest.get(f"/software_deployments/metadata/{server}")["metadata"]
        values = {each["name"]: each["value"] for each in config["inputs"]}
        assert (values["greeting"], values["deploy_server_id"]) == ("hello", server)
    signal(below, "done by")
    stack.wait("CREATE_COMPLETE")
    assert stack.outputs() == {"said": {"one": "done by one", "two": "done by two"}}
    assert stack.update(template("again")).status == 202
    signal(members(stack, "UPDATE"), "again by")
    stack.wait("UPDATE_COMPLETE")
    assert stack.outputs() == {"said": {"one": "again by one", "two": "again by two"}}
    stack.deleted()
    for server in SERVERS.values():
        assert rest.get(f"/software_deployments/metadata/{server}")["metadata"] == []


def test_one_server_that_fails_fails_the_stack_with_what_it_said(rest: Rest, name: str) -> None:
    stack = rest.create(name, template("hello"))
    signal(members(stack, "CREATE"), "broken on", 3)
    reason = stack.wait("CREATE_FAILED")["stack_status_reason"]
    assert "deployment exited with non-zero status code: 3" in reason
    stack.deleted()
