"""What every action has in common: who may, the shapes of answers, and of refusals."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.api.cfn import application
from stoker.api.cfn.application import ACTIONS
from stoker.api.settings import Settings
from stoker.errors import (
    Bug,
    CloudError,
    Conflict,
    Forbidden,
    Invalid,
    LimitExceeded,
    NotFound,
    Problem,
    Unavailable,
    Unsupported,
)
from tests.api.cfn.conftest import Caller
from tests.api.fake import Client

if TYPE_CHECKING:
    from stoker.api.policy import Policy
    from tests.api.cfn.conftest import FakeChangeSets
    from tests.api.fake import FakeStacks

HEATS = {
    "ListStacks", "CreateStack", "UpdateStack", "CancelUpdateStack", "DescribeStacks",
    "DescribeStackEvents", "DescribeStackResource", "DescribeStackResources",
    "ListStackResources", "GetTemplate", "ValidateTemplate", "DeleteStack", "EstimateTemplateCost",
}  # fmt: skip


def test_every_action_of_heats_is_there_under_its_policy() -> None:
    assert ACTIONS.keys() >= HEATS
    assert {each.rule.name for each in ACTIONS.values()} == {
        f"cloudformation:{name}" for name in ACTIONS
    }


def test_an_answer_is_xml_with_the_request_s_id(call: Caller) -> None:
    said = call("DeleteStack", StackName="cap")
    assert said.status == 200
    assert said.answer.headers["content-type"] == "application/xml"
    assert [each.tag for each in said.root] == ["DeleteStackResult", "ResponseMetadata"]
    assert said.root[1][0].text == said.answer.headers["x-openstack-request-id"]


@pytest.mark.parametrize(("reads", "password"), [(True, "a-word"), (False, "")])
def test_a_password_beside_the_signature_is_the_callers_where_it_is_needed(
    stacks: FakeStacks, change_sets: FakeChangeSets, policy: Policy, *, reads: bool, password: str
) -> None:
    settings = Settings(reads_passwords=reads)
    call = Caller(Client(application(stacks, change_sets, policy, settings)))
    sent = {"HTTP_X_AUTH_USER": "demo", "HTTP_X_AUTH_KEY": "a-word"}
    said = call.send({"Action": "DeleteStack", "StackName": "cap"}, **sent)
    assert said.status == 200
    (caller,) = [asked[1] for asked in stacks.asked if asked[0] == "delete"]
    assert caller.password == password


def test_an_answer_is_json_where_that_is_asked_for(call: Caller) -> None:
    body = {"Action": "GetTemplate", "StackName": "cap"}
    by_word = call.send({**body, "ContentType": "JSON"}).answer
    by_header = call.send(body, HTTP_ACCEPT="application/json").answer
    for answer in (by_word, by_header):
        assert answer.headers["content-type"] == "application/json"
        result = answer.json["GetTemplateResponse"]["GetTemplateResult"]
        assert isinstance(result["TemplateBody"], dict)
    refused = call.send({"Action": "No", "ContentType": "JSON"}).answer
    assert refused.json["ErrorResponse"]["Error"]["Code"] == "InvalidAction"


def test_an_action_may_be_asked_for_by_get(client: Client) -> None:
    assert client("GET", "/v1/?Action=DescribeStacks").status == 200


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({}, (400, "MissingAction")),
        ({"Action": "NoSuch"}, (400, "InvalidAction")),
        ({"Action": "DeleteStack"}, (400, "MissingParameter")),
        ({"Action": "DescribeStacks", "StackName": "gone"}, (400, "ValidationError")),
        ({"Action": "DescribeStacks", "StackName": "a\0b"}, (404, "MalformedQueryString")),
    ],
)
def test_what_is_wrong_with_a_request_has_a_code(
    call: Caller, params: dict[str, str], error: tuple[int, str]
) -> None:
    assert call.send(params).error[:2] == error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (NotFound("Stack", "x"), (400, "ValidationError", "Stack with id x does not exist")),
        (Invalid([Problem("a"), Problem("b")]), (400, "ValidationError", "a\nb")),
        (Unsupported("not so"), (400, "ValidationError", "not so")),
        (Conflict("busy"), (400, "ValidationError", "busy")),
        (LimitExceeded("too many"), (400, "LimitExceededException", "too many")),
        (Forbidden("no"), (403, "AccessDenied", "no")),
        (Unavailable("later"), (503, "ServiceUnavailable", "later")),
        (CloudError("no", service="x", status=400), (400, "ValidationError", "no")),
        (CloudError("gone", service="x", status=None), (503, "ServiceUnavailable", "gone")),
        (CloudError("slow", service="x", status=429), (503, "ServiceUnavailable", "slow")),
        (Bug("a secret"), (500, "InternalFailure", "The service has failed.")),
        (KeyError("a secret"), (500, "InternalFailure", "The service has failed.")),
    ],
)
def test_each_error_has_the_code_that_clients_know(
    call: Caller, stacks: FakeStacks, error: BaseException, told: tuple[int, str, str]
) -> None:
    stacks.error = error
    assert call("DeleteStack", StackName="cap").error == told


def test_a_reader_may_look_and_not_change(call: Caller, stacks: FakeStacks) -> None:
    reader = Caller(replace(call.client, roles="reader,heat_stack_user"))
    guest = Caller(replace(call.client, roles="heat_stack_user"))
    asked = {"StackName": "cap", "LogicalResourceId": "rs"}
    assert guest("DescribeStackResource", **asked).status == 200
    for action in sorted(HEATS - {"DescribeStackResource"}):
        assert guest(action, **asked).error[:2] == (403, "AccessDenied"), action
    assert reader("DeleteStack", StackName="cap").error[:2] == (403, "AccessDenied")
    assert not [each for each in stacks.asked if each[0] == "delete"]


def test_without_a_confirmed_identity_nothing_is_told(call: Caller) -> None:
    said = call.send({"Action": "ListStacks"}, HTTP_X_IDENTITY_STATUS="Invalid")
    assert said.error[:2] == (403, "MissingAuthenticationToken")


@pytest.mark.parametrize("path", ["/v1/stacks", "/v1.0x", "/nothing"])
def test_other_paths_lead_nowhere(client: Client, path: str) -> None:
    assert client("GET", path).status == 404


def test_versions_and_health_need_no_action(client: Client) -> None:
    versions: Any = client("GET", "/")
    assert (versions.status, versions.json["versions"][0]["id"]) == (300, "v1.0")
    assert client("GET", "/healthcheck").status == 200


def test_a_body_that_is_too_large_is_refused(call: Caller) -> None:
    said = call("CreateStack", TemplateBody="x" * 1024 * 1024)
    assert said.error[:2] == (400, "LimitExceededException")
