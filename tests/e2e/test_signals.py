"""Signals with python-openstackclient, as a person types them, and refusals in the API."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.e2e.openstack_program import OpenStackProgram

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.rest import Rest

HANDLE = {"type": "OS::Heat::WaitConditionHandle"}
CONDITION = {
    "type": "OS::Heat::WaitCondition",
    "properties": {"handle": {"get_resource": "h"}, "timeout": 60, "count": 2},
}


def template(**more: object) -> dict[str, object]:
    resources = {"h": HANDLE, **more}
    return {"heat_template_version": "2018-08-31", "resources": resources}


@pytest.fixture(scope="module")
def program(
    clouds_yaml: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OpenStackProgram]:
    with closing(OpenStackProgram(clouds_yaml, tmp_path_factory.mktemp("signals"))) as found:
        yield found


def test_a_wait_is_ended_from_the_command_line(
    program: OpenStackProgram, rest: Rest, name: str
) -> None:
    stack = rest.create(name, template(c=CONDITION))
    stack.wait_resource("c", "CREATE_IN_PROGRESS")
    signal = ("stack", "resource", "signal", name, "h")
    program.ok(*signal, "--data", json.dumps({"id": "one", "data": {"a": 1}, "reason": "well"}))
    program.ok(*signal)
    stack.wait("CREATE_COMPLETE")
    shown = json.loads(program.ok("stack", "resource", "metadata", name, "h").out)
    assert shown == {
        "one": {"status": "SUCCESS", "reason": "well", "data": {"a": 1}},
        "2": {"status": "SUCCESS", "reason": "Signal 2 received", "data": None},
    }
    listed = program.json("stack", "event", "list", name)
    told = [
        each["resource_status_reason"] for each in listed if "SIGNAL" in each["resource_status"]
    ]
    assert sorted(told) == [
        "Signal: status:SUCCESS reason:Signal 2 received",
        "Signal: status:SUCCESS reason:well",
    ]
    assert rest.call("POST", f"{stack.path}/actions", {"suspend": None}).status == 200
    stack.wait("SUSPEND_COMPLETE")
    refused = program.run(*signal)
    assert refused.code == 1
    assert "Signal resource during SUSPEND is not supported." in refused.err
    stack.deleted()


@pytest.mark.parametrize("attribute", ["token", "endpoint", "curl_cli", "signal"])
def test_what_needs_a_user_of_the_stacks_own_is_refused_with_its_reason(
    rest: Rest, attribute: str
) -> None:
    value = {"get_attr": ["h", attribute]}
    wanted = template(v={"type": "OS::Heat::Value", "properties": {"value": value}})
    answer = rest.call("POST", "/stacks", {"stack_name": "refused", "template": wanted})
    assert answer.status == 400
    assert f"h has no {attribute}: it needs a user of the stack's own" in answer.message


def test_a_signal_of_the_wrong_form_is_refused(rest: Rest, name: str) -> None:
    stack = rest.create(name, template())
    stack.wait("CREATE_COMPLETE")
    path = f"{stack.path}/resources/h/signal"
    wrong = rest.call("POST", path, {"status": "PERHAPS"})
    assert (wrong.status, wrong.message) == (
        400,
        "status is SUCCESS or FAILURE, not 'PERHAPS'",
    )
    missing = rest.call("POST", f"{stack.path}/resources/x/signal", {})
    assert (missing.status, missing.fault) == (404, "ResourceNotFound")
    assert stack.resource("h")["attributes"] == dict.fromkeys(
        ("token", "endpoint", "curl_cli", "signal")
    )
    stack.deleted()
