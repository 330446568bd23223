"""AWS's own client for Python drives the CloudFormation API, with keys of Keystone's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3  # type: ignore[import-untyped]  # it has no types
import pytest
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import ClientError  # type: ignore[import-untyped]

from tests.app.serving import eventually

if TYPE_CHECKING:
    from tests.app.serving import Serving

HOT = """
heat_template_version: 2018-08-31
description: a word
parameters:
  length: {type: number, default: 8, description: of the word}
resources:
  word:
    type: OS::Heat::RandomString
    properties: {length: {get_param: length}}
outputs:
  word: {value: {get_attr: [word, value]}, description: it}
  list: {value: [{get_param: length}]}
"""


@pytest.fixture(scope="session")
def keys(conn: Any) -> dict[str, str]:
    """Return a pair of keys of the user ``demo``."""
    url = f"/users/{conn.current_user_id}/credentials/OS-EC2"
    answer = conn.identity.post(url, json={"tenant_id": conn.current_project_id})
    made = answer.json()["credential"]
    return {"aws_access_key_id": made["access"], "aws_secret_access_key": made["secret"]}


def client(served: Serving, keys: dict[str, str], **more: Any) -> Any:
    config = Config(retries={"total_max_attempts": 1}, **more)
    url = f"http://127.0.0.1:{served.ports['cfn']}/v1"
    return boto3.client(
        "cloudformation", region_name="RegionOne", endpoint_url=url, config=config, **keys
    )


@pytest.fixture(scope="session")
def aws(served: Serving, keys: dict[str, str]) -> Any:
    return client(served, keys)


def shown(aws: Any, name: str) -> Any:
    return aws.describe_stacks(StackName=name)["Stacks"][0]


def ended(aws: Any, name: str) -> Any:
    eventually(lambda: not shown(aws, name)["StackStatus"].endswith("IN_PROGRESS"))
    return shown(aws, name)


def test_a_stack_lives_from_create_to_delete(aws: Any, name: str) -> None:
    id = aws.create_stack(StackName=name, TemplateBody=HOT)["StackId"]
    stack = ended(aws, name)
    assert (stack["StackId"], stack["StackStatus"]) == (id, "CREATE_COMPLETE")
    outputs = {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}
    assert len(outputs["word"]) == 8
    events = aws.describe_stack_events(StackName=id)["StackEvents"]
    assert events[0]["ResourceStatus"] == "CREATE_COMPLETE"
    aws.delete_stack(StackName=name)
    eventually(lambda: shown(aws, id)["StackStatus"] == "DELETE_COMPLETE")
    with pytest.raises(ClientError, match="does not exist") as caught:
        shown(aws, name)
    assert caught.value.response["Error"]["Code"] == "ValidationError"


CFN = """
AWSTemplateFormatVersion: '2010-09-09'
Parameters:
  Length: {Type: Number, Default: '6'}
  Secret: {Type: String, NoEcho: 'true', Default: hush}
Resources:
  Word:
    Type: OS::Heat::RandomString
    Properties: {length: {Ref: Length}}
  Note:
    Type: OS::Heat::Value
    Properties: {value: {Ref: Length}}
Outputs:
  Word: {Value: {'Fn::GetAtt': [Word, value]}}
"""


def given(**values: str) -> list[dict[str, str]]:
    return [{"ParameterKey": name, "ParameterValue": value} for name, value in values.items()]


def changes(aws: Any, **named: str) -> set[tuple[str, str, str | None]]:
    found = aws.describe_change_set(**named)["Changes"]
    return {
        (each["Action"], each["LogicalResourceId"], each.get("Replacement"))
        for each in (change["ResourceChange"] for change in found)
    }


def code(caught: Any) -> str:
    return str(caught.value.response["Error"]["Code"])


def test_change_sets_make_and_change_a_stack(aws: Any, name: str) -> None:
    made = aws.create_change_set(
        StackName=name, ChangeSetName="first", ChangeSetType="CREATE", TemplateBody=CFN
    )
    aws.get_waiter("change_set_create_complete").wait(ChangeSetName=made["Id"])
    assert changes(aws, ChangeSetName="first", StackName=name) == {
        ("Add", "Word", None),
        ("Add", "Note", None),
    }
    with pytest.raises(ClientError, match="does not exist"):
        shown(aws, name)
    aws.execute_change_set(ChangeSetName="first", StackName=name)
    stack = ended(aws, name)
    assert (stack["StackId"], stack["StackStatus"]) == (made["StackId"], "CREATE_COMPLETE")
    longer = {"StackName": name, "UsePreviousTemplate": True, "Parameters": given(Length="9")}
    for each in ("longer", "late"):
        aws.create_change_set(ChangeSetName=each, **longer)
    assert changes(aws, ChangeSetName="longer", StackName=name) == {
        ("Modify", "Word", "True"),
        ("Modify", "Note", "False"),
    }
    listed = aws.list_change_sets(StackName=name)["Summaries"]
    assert {each["ChangeSetName"]: each["ExecutionStatus"] for each in listed} == {
        "first": "EXECUTE_COMPLETE",
        "longer": "AVAILABLE",
        "late": "AVAILABLE",
    }
    aws.execute_change_set(ChangeSetName="longer", StackName=name)
    stack = ended(aws, name)
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    assert [len(each["OutputValue"]) for each in stack["Outputs"]] == [9]
    with pytest.raises(ClientError) as caught:  # the stack has moved
        aws.execute_change_set(ChangeSetName="late", StackName=name)
    assert code(caught) == "InvalidChangeSetStatus"
    aws.delete_change_set(ChangeSetName="late", StackName=name)
    with pytest.raises(aws.exceptions.ChangeSetNotFoundException):
        aws.describe_change_set(ChangeSetName="late", StackName=name)
    same = [{"ParameterKey": "Length", "UsePreviousValue": True}]
    aws.create_change_set(ChangeSetName="same", **{**longer, "Parameters": same})
    nothing = aws.describe_change_set(ChangeSetName="same", StackName=name)
    assert (nothing["Status"], nothing["ExecutionStatus"]) == ("FAILED", "UNAVAILABLE")
    assert "didn't contain changes" in nothing["StatusReason"]
    aws.delete_stack(StackName=name)
