"""Change sets: what is asked of the use cases, and how they are shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from stoker.errors import Conflict
from stoker.usecases.change_sets import Execution, Spent
from stoker.usecases.stacks import CreateStack, UpdateStack
from tests.api.cfn.conftest import CHANGE_SET
from tests.api.fake import ID, PROJECT, STACK

if TYPE_CHECKING:
    from tests.api.cfn.conftest import Caller, FakeChangeSets

ARN = f"arn:openstack:heat::{PROJECT}:changeSet/first/{CHANGE_SET.id}"
STACK_ARN = f"arn:openstack:heat::{PROJECT}:stacks/cap/{ID}"


def test_a_change_set_is_for_an_update_unless_it_says_otherwise(
    call: Caller, change_sets: FakeChangeSets
) -> None:
    more = {"ChangeSetName": "first", "TemplateBody": "x: 1", "Description": "d"}
    made = call("CreateChangeSet", StackName="cap", **more).result
    assert made == {"Id": ARN, "StackId": STACK_ARN}
    call("CreateChangeSet", StackName="new", ChangeSetType="CREATE", **more)
    update, create = (each[2] for each in change_sets.asked)
    assert isinstance(update.what, UpdateStack)
    assert (update.stack, update.description) == (STACK, "d")
    assert isinstance(create.what, CreateStack)
    assert create.stack is None


@pytest.mark.parametrize(
    "wrong", [{"ChangeSetName": "1st"}, {"ChangeSetType": "IMPORT"}, {"ChangeSetName": "a_b"}]
)
def test_a_change_set_that_cannot_be_is_refused(call: Caller, wrong: dict[str, str]) -> None:
    base = {"StackName": "cap", "ChangeSetName": "first", "TemplateBody": "x: 1"}
    assert call("CreateChangeSet", **{**base, **wrong}).error[1] == "ValidationError"


def test_each_fate_has_aws_s_words(call: Caller) -> None:
    found = call("DescribeChangeSet", ChangeSetName=ARN).result
    words = {
        each["LogicalResourceId"]: (each["Action"], each.get("Replacement"))
        for each in (change["ResourceChange"] for change in found["Changes"])
    }
    assert words == {
        "added": ("Add", None),
        "updated": ("Modify", "False"),
        "replaced": ("Modify", "True"),
        "deleted": ("Remove", None),
        "open": ("Modify", "Conditional"),
    }
    assert (found["Status"], found["ExecutionStatus"]) == ("CREATE_COMPLETE", "AVAILABLE")
    assert found["Parameters"] == [{"ParameterKey": "note", "ParameterValue": "hi"}]
    assert found["Tags"] == [{"Key": "env", "Value": "prod"}]


def test_one_that_changes_nothing_has_failed(call: Caller, change_sets: FakeChangeSets) -> None:
    change_sets.kept = replace(CHANGE_SET, execution=Execution.UNAVAILABLE, reason="nothing")
    listed = call("ListChangeSets", StackName=STACK_ARN).result["Summaries"][0]
    assert (listed["Status"], listed["ExecutionStatus"], listed["StatusReason"]) == (
        "FAILED", "UNAVAILABLE", "nothing",
    )  # fmt: skip
    assert change_sets.asked[-1][2] == ID


def test_it_is_named_by_its_arn_or_with_its_stack(
    call: Caller, change_sets: FakeChangeSets
) -> None:
    call("ExecuteChangeSet", ChangeSetName=ARN)
    call("DeleteChangeSet", ChangeSetName="first", StackName="cap")
    assert [(each[0], *each[2:]) for each in change_sets.asked] == [
        ("carry_out", CHANGE_SET.id, None),
        ("drop", "first", "cap"),
    ]
    assert call("DescribeChangeSet", ChangeSetName="first").error[1] == "MissingParameter"
    for name in ("other", "arn:aws:x"):
        said = call("DescribeChangeSet", ChangeSetName=name, StackName="cap")
        assert said.error == (404, "ChangeSetNotFound", f"ChangeSet [{name}] does not exist")


@pytest.mark.parametrize("error", [Spent("it was"), Conflict("the stack has moved")])
def test_one_that_cannot_be_executed_now_says_so(
    call: Caller, change_sets: FakeChangeSets, error: Exception
) -> None:
    change_sets.error = error
    said = call("ExecuteChangeSet", ChangeSetName=ARN)
    assert said.error == (400, "InvalidChangeSetStatus", str(error))
    change_sets.error = Conflict("ChangeSet first already exists.")
    base = {"StackName": "cap", "ChangeSetName": "first", "TemplateBody": "x: 1"}
    assert call("CreateChangeSet", **base).error[1] == "AlreadyExistsException"
