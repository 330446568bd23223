"""Stacks: what is asked of the use cases, and how they are shown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.api import fetch
from stoker.usecases.stacks import CreateStack, EventQuery, Goal, OutputView, StackQuery
from tests.api.fake import A_STACK, AN_EVENT, ID, PROJECT, STACK

if TYPE_CHECKING:
    from tests.api.cfn.conftest import Caller
    from tests.api.fake import FakeStacks

ARN = f"arn:openstack:heat::{PROJECT}:stacks/cap/{ID}"
BODY = "AWSTemplateFormatVersion: '2010-09-09'"


def asked(stacks: FakeStacks, verb: str) -> Any:
    return next(each for each in stacks.asked if each[0] == verb)


def test_a_create_asks_for_what_the_parameters_say(call: Caller, stacks: FakeStacks) -> None:
    said = call.send(
        {
            "Action": "CreateStack",
            "StackName": "new",
            "TemplateBody": BODY,
            "Parameters.member.2.ParameterKey": "b",
            "Parameters.member.2.ParameterValue": "",
            "Parameters.member.1.ParameterKey": "a",
            "Parameters.member.1.ParameterValue": "1,2",
            "Tags.member.1.Key": "env",
            "Tags.member.1.Value": "prod",
            "Tags.member.2.Key": "bare",
            "TimeoutInMinutes": "7",
            "Capabilities.member.1": "CAPABILITY_IAM",
            "ClientRequestToken": "again",
        }
    )
    assert said.result == {"StackId": ARN.replace("/cap/", "/new/")}
    _, caller, what = asked(stacks, "create")
    assert caller.request_id == "again"
    assert what == CreateStack(
        "new", Goal(BODY, {"a": "1,2", "b": ""}), timeout_mins=7, tags=("env=prod", "bare")
    )


@pytest.mark.parametrize(
    ("params", "disabled"),
    [
        ({}, True),
        ({"DisableRollback": "false"}, False),
        ({"OnFailure": "DO_NOTHING"}, True),
        ({"OnFailure": "ROLLBACK"}, False),
        ({"OnFailure": "DELETE"}, False),
    ],
)
def test_what_follows_a_failure_is_said_in_two_ways(
    call: Caller, stacks: FakeStacks, params: dict[str, str], disabled: object
) -> None:
    call("CreateStack", StackName="new", TemplateBody=BODY, **params)
    assert asked(stacks, "create")[2].disable_rollback is disabled


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"TemplateBody": ""}, "MissingParameter"),
        ({"StackName": "cap"}, "AlreadyExistsException"),
        ({"OnFailure": "DELETE", "DisableRollback": "true"}, "InvalidParameterCombination"),
        ({"OnFailure": "CRY"}, "ValidationError"),
        ({"TimeoutInMinutes": "soon"}, "ValidationError"),
        ({"RoleARN": "arn:x"}, "ValidationError"),
        ({"NotificationARNs.member.1": "arn:x"}, "ValidationError"),
        ({"Tags.member.1.Key": "a,b"}, "ValidationError"),
        ({"Parameters.member.1.ParameterValue": "x"}, "ValidationError"),
        (
            {
                "Parameters.member.1.ParameterKey": "x",
                "Parameters.member.1.UsePreviousValue": "true",
            },
            "ValidationError",
        ),
        ({"TemplateBody": "x" * 2001}, "LimitExceededException"),
        ({"TemplateBody": "", "TemplateURL": "file:///etc/passwd"}, "ValidationError"),
    ],
)
def test_a_create_that_cannot_be_is_refused(
    call: Caller, params: dict[str, str], code: str
) -> None:
    base = {"Action": "CreateStack", "StackName": "new", "TemplateBody": BODY}
    assert call.send({**base, **params}).error[1] == code


def test_a_template_that_is_fetched_is_known_by_its_address(
    call: Caller, stacks: FakeStacks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "fetch_bytes", lambda _url, _limits: BODY.encode())
    url = "https://there.example/a.template"
    call("CreateStack", StackName="new", TemplateURL=f"{url}?key=secret")
    assert asked(stacks, "create")[2].goal == Goal(BODY, file=url)


def test_an_update_keeps_what_it_is_told_to_and_what_is_not_its_own(
    call: Caller, stacks: FakeStacks
) -> None:
    said = call.send(
        {
            "Action": "UpdateStack",
            "StackName": ARN,
            "UsePreviousTemplate": "true",
            "Parameters.member.1.ParameterKey": "note",
            "Parameters.member.1.ParameterValue": "new",
            "Parameters.member.2.ParameterKey": "secret",
            "Parameters.member.2.UsePreviousValue": "true",
        }
    )
    assert said.result == {"StackId": ARN}
    _, _, stack, what = asked(stacks, "update")
    assert stack == STACK
    assert (what.goal, what.existing, what.tags) == (Goal(None, {"note": "new"}), True, None)
    assert "secret" not in what.clear_parameters
    assert "note" in what.clear_parameters


def test_an_update_needs_a_template_or_the_word_that_it_stays(call: Caller) -> None:
    assert call("UpdateStack", StackName="cap").error[1] == "MissingParameter"


def test_a_stack_is_described_in_aws_s_words(call: Caller, stacks: FakeStacks) -> None:
    outputs = (OutputView("l", "", [1]), OutputView("n", "", None, "not yet"))
    stacks.stack = replace(A_STACK, tags=("env=prod",), outputs=outputs)
    found = call("DescribeStacks", StackName="cap").result["Stacks"][0]
    assert found["StackId"] == ARN
    assert found["StackStatus"] == "CREATE_COMPLETE"
    assert found["CreationTime"] == "2026-11-29T12:39:24Z"
    assert found["DisableRollback"] == "true"
    assert found["Parameters"] == [
        {"ParameterKey": "note", "ParameterValue": "hi"},
        {"ParameterKey": "secret", "ParameterValue": "******"},
    ]
    assert found["Outputs"] == [
        {"OutputKey": "l", "OutputValue": "[1]"},
        {"OutputKey": "n", "OutputValue": "not yet"},
    ]
    assert found["Tags"] == [{"Key": "env", "Value": "prod"}]
    assert "LastUpdatedTime" not in found


@pytest.mark.parametrize(
    ("before", "status"), [("CREATE", "ROLLBACK_COMPLETE"), ("UPDATE", "UPDATE_ROLLBACK_COMPLETE")]
)
def test_the_way_back_from_an_update_is_called_as_waiters_know_it(
    call: Caller, stacks: FakeStacks, before: str, status: str
) -> None:
    stacks.stack = replace(A_STACK, action="ROLLBACK")
    stacks.event_list = tuple(replace(AN_EVENT, action=each) for each in ("ROLLBACK", before))
    assert call("DescribeStacks").result["Stacks"][0]["StackStatus"] == status
    query = EventQuery(
        limit=10, filters={"resource_name": ("cap",), "resource_type": ("OS::Heat::Stack",)}
    )
    assert asked(stacks, "events")[3] == query


def test_stacks_are_listed_a_page_at_a_time(call: Caller, stacks: FakeStacks) -> None:
    found = call("ListStacks", NextToken="the-last").result
    assert found["StackSummaries"][0]["StackName"] == "cap"
    assert asked(stacks, "list")[2] == StackQuery(limit=101, marker="the-last")


def test_a_list_has_only_the_statuses_that_are_asked_for(call: Caller, stacks: FakeStacks) -> None:
    for status, there in (("CREATE_COMPLETE", True), ("DELETE_COMPLETE", False)):
        found = call.send({"Action": "ListStacks", "StackStatusFilter.member.1": status}).result
        assert bool(found["StackSummaries"]) is there
    assert [each[2].show_deleted for each in stacks.asked] == [False, True]


def test_a_cancel_goes_back_and_a_delete_deletes(call: Caller, stacks: FakeStacks) -> None:
    call("CancelUpdateStack", StackName="cap")
    call("DeleteStack", StackName=ARN)
    assert [each[0] for each in stacks.asked] == ["locate", "undo", "delete"]
