"""Checking, suspending and resuming: with python-openstackclient, as a person types it, and
what follows in the API.

One stack lives through the client's tests, which run in their order.
"""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.openstack_program import OpenStackProgram

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openstack.connection import Connection

    from tests.e2e.rest import Rest, Stack

FOLDER = Path(__file__).parent / "templates" / "actions"
TEXTS = {each: (FOLDER / each).read_text() for each in ("stack.yaml", "child.yaml")}
NAME = "client-actions"
GIVEN = ("-t", "stack.yaml")


@pytest.fixture(scope="module")
def program(clouds_yaml: Path) -> Iterator[OpenStackProgram]:
    with closing(OpenStackProgram(clouds_yaml, FOLDER)) as found:
        yield found


@pytest.fixture(scope="module")
def stack(rest: Rest) -> Iterator[str]:
    made = rest.create(NAME, TEXTS["stack.yaml"], files={"child.yaml": TEXTS["child.yaml"]})
    made.wait("CREATE_COMPLETE")
    yield NAME
    made.deleted()


def resources(program: OpenStackProgram, key: str) -> dict[str, Any]:
    listed = program.json("stack", "resource", "list", "-n", "5", NAME)
    return {f"{each['stack_name']}.{each['resource_name']}": each[key] for each in listed}


def one(program: OpenStackProgram, name: str) -> Any:
    return resources(program, "physical_resource_id")[f"{NAME}.{name}"]


def status(program: OpenStackProgram, server: str) -> Any:
    return program.json("server", "show", server)["status"]


def test_check_looks_at_everything_below_and_waits(program: OpenStackProgram, stack: str) -> None:
    ran = program.ok("stack", "check", "--wait", stack)
    assert f"[{stack}]: CHECK_COMPLETE  Stack CHECK completed successfully" in ran.out
    assert set(resources(program, "resource_status").values()) == {"CHECK_COMPLETE"}


def test_suspend_puts_servers_to_rest_and_waits(program: OpenStackProgram, stack: str) -> None:
    server = one(program, "server")
    ran = program.ok("stack", "suspend", "--wait", stack)
    assert f"[{stack}.server]: SUSPEND_COMPLETE  state changed" in ran.out
    assert f"[{stack}]: SUSPEND_COMPLETE  Stack SUSPEND completed successfully" in ran.out
    assert set(resources(program, "resource_status").values()) == {"SUSPEND_COMPLETE"}
    assert status(program, server) == "SUSPENDED"
    order = re.findall(r"\.(net|server)\]: SUSPEND_COMPLETE", ran.out)
    assert order == ["server", "net"]


def test_a_suspended_stack_is_not_updated(program: OpenStackProgram, stack: str) -> None:
    ran = program.run("stack", "update", *GIVEN, stack)
    assert ran.code == 1
    assert "Updating a stack when it is suspended is not supported." in ran.err
    ran = program.run("stack", "check", "--wait", stack)
    assert ran.code == 1
    assert "Checking a stack when it is suspended is not supported." in ran.err


def test_resume_wakes_them_and_waits(program: OpenStackProgram, stack: str) -> None:
    server = one(program, "server")
    ran = program.ok("stack", "resume", "--wait", stack)
    assert f"[{stack}]: RESUME_COMPLETE  Stack RESUME completed successfully" in ran.out
    assert status(program, server) == "ACTIVE"
    order = re.findall(r"\.(net|server)\]: RESUME_COMPLETE", ran.out)
    assert order == ["net", "server"]


def test_what_a_check_finds_missing_the_next_update_makes_again(
    rest: Rest, conn: Connection, name: str
) -> None:
    given: dict[str, Any] = {"files": {"child.yaml": TEXTS["child.yaml"]}}
    stack = rest.create(name, TEXTS["stack.yaml"], **given)
    stack.wait("CREATE_COMPLETE")
    before = ids(stack)
    port = next(id for path, id in before.items() if path[-1] == "port")
    conn.compute.delete_server(before[name, "server"])
    conn.compute.wait_for_delete(conn.compute.get_server(before[name, "server"]), interval=0.2)
    conn.network.delete_port(port)
    assert act(stack, "check") == (200, None)
    reason = stack.wait("CHECK_FAILED")["stack_status_reason"]
    assert reason.startswith("Resource CHECK failed: CloudNotFound: resources.")
    assert "resources.server: " in reason
    assert re.search(r"resources\.pair\.resources\.\d\.resources\.port: ", reason)
    assert stack.statuses() == {
        "net": "CHECK_COMPLETE",
        "subnet": "CHECK_COMPLETE",
        "server": "CHECK_FAILED",
        "pair": "CHECK_FAILED",
    }
    stack.updated(TEXTS["stack.yaml"], **given)
    after = ids(stack)
    changed = [path for path in before if before[path] != after.get(path)]
    assert sorted(path[-1] for path in changed) == ["port", "server"]
    assert act(stack, "check") == (200, None)
    stack.wait("CHECK_COMPLETE")
    stack.deleted()


def test_a_create_under_way_is_not_given_up_for_an_action(rest: Rest, name: str) -> None:
    slow = "{type: OS::Heat::TestResource, properties: {wait_secs: 1}}"
    template = f"heat_template_version: 2018-08-31\nresources: {{slow: {slow}}}\n"
    stack = rest.create(name, template)
    for action in ("check", "suspend", "resume"):
        status, error = act(stack, action)
        assert (status, error["type"]) == (409, "ActionInProgress")
        assert error["message"] == f"Stack {name} already has an action (CREATE) in progress."
    stack.wait("CREATE_COMPLETE")
    stack.deleted()


def test_what_is_marked_unhealthy_the_next_update_replaces(
    program: OpenStackProgram, rest: Rest, name: str
) -> None:
    given: dict[str, Any] = {"files": {"child.yaml": TEXTS["child.yaml"]}}
    stack = rest.create(name, TEXTS["stack.yaml"], **given)
    stack.wait("CREATE_COMPLETE")
    before = ids(stack)
    mark = ("stack", "resource", "mark", "unhealthy")
    program.ok(*mark, name, "server", "it smells")
    program.ok(*mark, name, before[name, "net"])
    program.ok(*mark, "--reset", name, "net", "not after all")
    found = {each["resource_name"]: each for each in stack.resources()}
    assert (found["server"]["resource_status"], found["server"]["resource_status_reason"]) == (
        "CHECK_FAILED",
        "it smells",
    )
    assert found["net"]["resource_status"] == "CHECK_COMPLETE"
    stack.updated(TEXTS["stack.yaml"], **given)
    after = ids(stack)
    assert [path[-1] for path in before if before[path] != after[path]] == ["server"]
    stack.deleted()


def ids(stack: Stack) -> dict[tuple[str, str], str]:
    """Return the physical ids by stack and name."""
    return {
        (link.rsplit("/", 2)[1], each["resource_name"]): each["physical_resource_id"]
        for each in stack.resources(5)
        for link in (link["href"] for link in each["links"] if link["rel"] == "stack")
    }


def act(stack: Stack, action: str) -> tuple[int, Any]:
    """Return the status of the answer, and the error, if it is one."""
    answer = stack.rest.call("POST", f"{stack.path}/actions", {action: None})
    return answer.status, answer.json and answer.json["error"]
