"""Stack policies become restrictions of an environment, or are refused whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from stoker.usecases.stacks import Goal, UpdateStack

if TYPE_CHECKING:
    from tests.api.cfn.conftest import Caller
    from tests.api.fake import FakeStacks

ALLOW = {"Effect": "Allow", "Action": "Update:*", "Principal": "*", "Resource": "*"}


def deny(action: Any, resource: Any, **more: Any) -> dict[str, Any]:
    return {"Effect": "Deny", "Action": action, "Principal": "*", "Resource": resource, **more}


def policy(*statements: Any) -> str:
    return json.dumps({"Statement": list(statements)})


def restricted(**words: list[str]) -> dict[str, Any]:
    own = {name: {"restricted_actions": each} for name, each in words.items()}
    return {"resource_registry": {"resources": own}}


def test_a_policy_is_set_in_place_of_the_one_before(call: Caller, stacks: FakeStacks) -> None:
    stacks.stored_environment = restricted(old=["update"], db=["update"])
    body = policy(
        ALLOW,
        deny(["Update:Modify", "Update:Replace"], "LogicalResourceId/db"),
        deny("Update:Replace", ["LogicalResourceId/disk*", "LogicalResourceId/db"], Sid="s"),
    )
    assert call("SetStackPolicy", StackName="cap", StackPolicyBody=body).status == 200
    _, _, _, what = stacks.asked[-1]
    wanted = restricted(old=[], db=["replace", "update"], **{"disk*": ["replace"]})
    assert what == UpdateStack(Goal(None, environment=wanted), existing=True)


def test_a_policy_comes_back(call: Caller, stacks: FakeStacks) -> None:
    stacks.stored_environment = {
        "resource_registry": {
            "resources": {
                "db": {"restricted_actions": ["replace", "update"], "hooks": "pre-create"},
                "*": {"restricted_actions": "replace"},
                "free": {"restricted_actions": []},
                "other": {"hooks": "pre-update"},
            }
        }
    }
    body = json.loads(call("GetStackPolicy", StackName="cap").result["StackPolicyBody"])
    assert body["Statement"] == [
        ALLOW,
        deny(["Update:Modify", "Update:Replace"], "LogicalResourceId/db"),
        deny(["Update:Replace"], "*"),
    ]
    stacks.stored_environment = {"resource_registry": {"resources": {}}}
    assert call("GetStackPolicy", StackName="cap").result is None


def test_a_new_stack_may_bring_its_policy(call: Caller, stacks: FakeStacks) -> None:
    body = policy(ALLOW, deny("Update:Modify", "LogicalResourceId/db"))
    call("CreateStack", StackName="new", TemplateBody="x: 1", StackPolicyBody=body)
    assert stacks.asked[-1][2].goal.environment == restricted(db=["update"])
    more = {"StackName": "cap", "TemplateBody": "x: 1", "StackPolicyBody": body}
    assert "StackPolicyBody" in call("UpdateStack", **more).error[2]


@pytest.mark.parametrize(
    "body",
    [
        "no json",
        "[]",
        '{"Statement": []}',
        policy(deny("Update:Modify", "LogicalResourceId/db")),
        policy(ALLOW, deny("Update:*", "LogicalResourceId/db")),
        policy(ALLOW, deny("Update:Delete", "LogicalResourceId/db")),
        policy(ALLOW, deny([], "LogicalResourceId/db")),
        policy(ALLOW, deny({}, "LogicalResourceId/db")),
        policy(ALLOW, deny([["Update:Modify"]], "LogicalResourceId/db")),
        policy(ALLOW, deny("Update:Modify", "db")),
        policy(ALLOW, deny("Update:Modify", "LogicalResourceId/")),
        policy(ALLOW, deny("Update:Modify", [])),
        policy(ALLOW, deny("Update:Modify", "*", Condition={"StringEquals": {}})),
        policy(ALLOW, {**ALLOW, "Resource": "LogicalResourceId/db"}),
        policy(ALLOW, "deny"),
    ],
)
def test_a_policy_that_cannot_be_carried_is_refused_whole(
    call: Caller, stacks: FakeStacks, body: str
) -> None:
    said = call("SetStackPolicy", StackName="cap", StackPolicyBody=body)
    assert said.error[:2] == (400, "ValidationError")
    assert not [each for each in stacks.asked if each[0] == "update"]


def test_a_policy_is_needed(call: Caller) -> None:
    assert call("SetStackPolicy", StackName="cap").error[1] == "MissingParameter"
