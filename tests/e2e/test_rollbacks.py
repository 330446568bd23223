"""Failures that are undone, and updates that are taken back, with the clients."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.openstack_program import OpenStackProgram

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.rest import Rest

FOLDER = Path(__file__).parent / "templates" / "rollback"
PATIENT = 40.0
TEMPLATE = (FOLDER / "stack.yaml").read_text()


@pytest.fixture
def program(clouds_yaml: Path) -> Iterator[OpenStackProgram]:
    with closing(OpenStackProgram(clouds_yaml, FOLDER)) as found:
        yield found


def test_a_create_that_fails_leaves_an_empty_stack(rest: Rest, name: str) -> None:
    stack = rest.create(name, TEMPLATE, parameters={"fail": True}, disable_rollback=False)
    reason = stack.rolled_back(PATIENT)["stack_status_reason"]
    assert reason.startswith("Stack ROLLBACK completed successfully. It follows: ")
    assert "resources.late: Test Resource failed late" in reason
    assert stack.resources() == []
    assert rest.get(f"{stack.path}/template") == {"heat_template_version": "2018-08-31"}
    stack.deleted()


def test_an_update_that_fails_goes_back_to_what_was(rest: Rest, name: str) -> None:
    stack = rest.create(name, TEMPLATE, disable_rollback=False, tags="a,b", timeout_mins=7)
    stack.wait("CREATE_COMPLETE")
    ids, outputs = stack.physical_ids(), stack.outputs()
    given = {"label": "other", "fail": True}
    assert stack.update(TEMPLATE, parameters=given, tags="c").status == 202
    shown = stack.rolled_back(PATIENT)
    assert (stack.physical_ids(), stack.outputs()) == (ids, outputs)
    assert (shown["tags"], shown["timeout_mins"]) == (["a", "b"], 7)
    assert shown["parameters"]["fail"] == "False"
    told = [each for each in stack.told() if each.startswith(name)]
    assert [each.split()[1] for each in told] == [
        "CREATE_IN_PROGRESS", "CREATE_COMPLETE",
        "UPDATE_IN_PROGRESS", "UPDATE_FAILED",
        "ROLLBACK_IN_PROGRESS", "ROLLBACK_COMPLETE",
    ]  # fmt: skip
    stack.updated(TEMPLATE, parameters={"label": "other"})
    stack.deleted()


def test_cancel_takes_an_update_back_and_waits(
    program: OpenStackProgram, rest: Rest, name: str
) -> None:
    stack = rest.create(name, TEMPLATE)
    stack.wait("CREATE_COMPLETE")
    ids, outputs = stack.physical_ids(), stack.outputs()
    given = {"label": "other", "secs": 60, "say": "b"}
    assert stack.update(TEMPLATE, parameters=given).status == 202
    stack.wait_resource("late", "UPDATE_IN_PROGRESS")
    ran = program.ok("stack", "cancel", "--wait", name)
    assert f"[{name}]: ROLLBACK_COMPLETE  Stack ROLLBACK completed successfully" in ran.out
    assert (stack.physical_ids(), stack.outputs()) == (ids, outputs)
    ran = program.run("stack", "cancel", name)
    assert ran.code == 1
    assert "not in cancelable state" in ran.err
    stack.deleted()
