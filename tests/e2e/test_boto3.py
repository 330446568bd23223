"""AWS's own client for Python drives the CloudFormation API, with keys of Keystone's."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import urllib.error
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any

import boto3  # type: ignore[import-untyped]  # it has no types
import pytest
from botocore.config import Config  # type: ignore[import-untyped]  # it has no types
from botocore.exceptions import ClientError, WaiterError  # type: ignore[import-untyped]  # it has no types

from tests.app.serving import eventually

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.app.serving import Serving
    from tests.e2e.tenant import Tenant

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
    return keys_of(conn)


def keys_of(conn: Any) -> dict[str, str]:
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


def fetched(url: str) -> bytes:
    with urllib.request.urlopen(url) as answer:  # noqa: S310 - our own
        return bytes(answer.read())


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


SHORT = """
AWSTemplateFormatVersion: '2010-09-09'
Parameters:
  Length: {Type: Number, Default: '6'}
Conditions:
  Short: !Equals [!Sub '${Length}', '6']
Resources:
  Word:
    Type: OS::Heat::RandomString
    Properties: {length: !Ref Length}
  Note:
    Type: OS::Heat::Value
    Properties:
      value: !Sub
        - ${Word.value} of ${AWS::StackName} is ${Size}; ${!Word} is its name
        - Size: !If [Short, short, long]
Outputs:
  Word: {Value: !GetAtt Word.value}
  Note: {Value: !GetAtt [Note, value]}
"""


def test_short_forms_and_sub_are_cloudformations(aws: Any, name: str) -> None:
    found = aws.validate_template(TemplateBody=SHORT)["Parameters"]
    assert [each["ParameterKey"] for each in found] == ["Length"]
    aws.create_stack(StackName=name, TemplateBody=SHORT)
    stack = ended(aws, name)
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    told = {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}
    assert told["Note"] == f"{told['Word']} of {name} is short; ${{Word}} is its name"
    again = aws.get_template(StackName=name)["TemplateBody"]
    assert again["Resources"]["Word"]["Properties"] == {"length": {"Ref": "Length"}}
    aws.update_stack(StackName=name, TemplateBody=SHORT, Parameters=given(Length="7"))
    stack = ended(aws, name)
    told = {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}
    assert told["Note"] == f"{told['Word']} of {name} is long; ${{Word}} is its name"
    with pytest.raises(ClientError, match="Fn::Sub"):
        aws.validate_template(TemplateBody=SHORT.replace("!Sub '${Length}'", "!Sub '${}'"))
    aws.delete_stack(StackName=name)


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


def test_an_update_keeps_what_it_is_told_to_and_is_waited_for(aws: Any, name: str) -> None:
    aws.create_stack(
        StackName=name,
        TemplateBody=CFN,
        Parameters=given(Length="7", Secret="psst"),
        Tags=[{"Key": "env", "Value": "prod"}],
    )
    aws.get_waiter("stack_create_complete").wait(StackName=name, WaiterConfig={"Delay": 1})
    more = [*given(Length="8"), {"ParameterKey": "Secret", "UsePreviousValue": True}]
    aws.update_stack(StackName=name, UsePreviousTemplate=True, Parameters=more)
    aws.get_waiter("stack_update_complete").wait(StackName=name, WaiterConfig={"Delay": 1})
    stack = shown(aws, name)
    assert stack["Parameters"] == given(Length="8", Secret="******")
    assert stack["Tags"] == [{"Key": "env", "Value": "prod"}]
    resources = aws.list_stack_resources(StackName=name)["StackResourceSummaries"]
    assert {each["LogicalResourceId"] for each in resources} == {"Word", "Note"}
    id = next(
        each["PhysicalResourceId"] for each in resources if each["ResourceType"].endswith("g")
    )
    found = aws.describe_stack_resources(PhysicalResourceId=id)["StackResources"]
    assert {each["StackName"] for each in found} == {name}
    body = aws.get_template(StackName=name)["TemplateBody"]
    assert body["Resources"].keys() == {"Word", "Note"}
    aws.update_stack(StackName=name, TemplateBody=CFN)
    ended(aws, name)
    assert shown(aws, name)["Parameters"] == given(Length="6", Secret="******")
    aws.delete_stack(StackName=name)
    aws.get_waiter("stack_delete_complete").wait(StackName=name, WaiterConfig={"Delay": 1})


def test_a_stack_policy_keeps_a_resource_from_being_replaced(aws: Any, name: str) -> None:
    aws.create_stack(StackName=name, TemplateBody=CFN, DisableRollback=True)
    ended(aws, name)
    assert "StackPolicyBody" not in aws.get_stack_policy(StackName=name)
    allow = {"Effect": "Allow", "Action": "Update:*", "Principal": "*", "Resource": "*"}
    deny = {
        "Effect": "Deny",
        "Action": ["Update:Replace"],
        "Principal": "*",
        "Resource": "LogicalResourceId/Word",
    }
    policy = json.dumps({"Statement": [allow, deny]})
    aws.set_stack_policy(StackName=name, StackPolicyBody=policy)
    assert ended(aws, name)["StackStatus"] == "UPDATE_COMPLETE"
    kept = aws.get_stack_policy(StackName=name)["StackPolicyBody"]
    assert json.loads(kept) == json.loads(policy)
    longer = {"UsePreviousTemplate": True, "Parameters": given(Length="9")}
    aws.update_stack(StackName=name, **longer)
    assert ended(aws, name)["StackStatus"] == "UPDATE_FAILED"
    aws.set_stack_policy(StackName=name, StackPolicyBody=json.dumps({"Statement": [allow]}))
    ended(aws, name)
    assert "StackPolicyBody" not in aws.get_stack_policy(StackName=name)
    aws.update_stack(StackName=name, **longer)
    assert ended(aws, name)["StackStatus"] == "UPDATE_COMPLETE"
    aws.delete_stack(StackName=name)


def test_a_template_is_validated_with_all_its_problems(aws: Any) -> None:
    bad = CFN.replace("OS::Heat::Value", "No::Such").replace("{length: ", "{nope: ")
    with pytest.raises(ClientError) as caught:
        aws.validate_template(TemplateBody=bad)
    assert code(caught) == "ValidationError"
    assert "No::Such" in str(caught.value)
    assert "nope" in str(caught.value)
    found = aws.get_template_summary(TemplateBody=CFN)
    assert found["ResourceTypes"] == ["OS::Heat::RandomString", "OS::Heat::Value"]
    keys = {each["ParameterKey"]: each["NoEcho"] for each in found["Parameters"]}
    assert keys == {"Length": False, "Secret": True}


def test_signatures_of_version_2_and_signed_addresses_are_good(
    served: Serving, aws: Any, keys: dict[str, str], name: str
) -> None:
    old = client(served, keys, signature_version="v2")
    old.create_stack(StackName=name, TemplateBody=HOT)
    assert ended(old, name)["StackStatus"] == "CREATE_COMPLETE"
    signed = aws.generate_presigned_url("describe_stacks", {"StackName": name}, HttpMethod="GET")
    assert name.encode() in fetched(signed)
    with pytest.raises(urllib.error.HTTPError) as caught:
        fetched(signed.replace(f"StackName={name}", "StackName=other"))
    assert (caught.value.code, b"SignatureDoesNotMatch" in caught.value.read()) == (403, True)
    old.delete_stack(StackName=name)


def test_whose_keys_are_no_good_is_told_so(served: Serving, keys: dict[str, str]) -> None:
    wrong = {
        "InvalidClientTokenId": {**keys, "aws_access_key_id": "0" * 32},
        "SignatureDoesNotMatch": {**keys, "aws_secret_access_key": "0" * 32},
    }
    for told, each in wrong.items():
        with pytest.raises(ClientError) as caught:
            client(served, each).describe_stacks()
        assert code(caught) == told


def test_another_project_s_stacks_are_not_there(
    served: Serving, aws: Any, tenants: Callable[[str], Tenant], name: str
) -> None:
    id = aws.create_stack(StackName=name, TemplateBody=HOT)["StackId"]
    ended(aws, name)
    aws.create_change_set(
        StackName=name, ChangeSetName="mine", UsePreviousTemplate=True, Parameters=[
            {"ParameterKey": "length", "ParameterValue": "9"}
        ],
    )  # fmt: skip
    mine = aws.describe_change_set(StackName=name, ChangeSetName="mine")["ChangeSetId"]
    other = client(served, keys_of(tenants("cfn-other").conn))
    assert other.describe_stacks()["Stacks"] == []
    for named in (name, id):
        for ask in (other.delete_stack, other.describe_stacks, other.describe_stack_events):
            with pytest.raises(ClientError, match="does not exist"):
                ask(StackName=named)
    with pytest.raises(ClientError) as caught:
        other.execute_change_set(ChangeSetName=mine)
    assert code(caught) == "ChangeSetNotFound"
    assert shown(aws, name)["StackStatus"] == "CREATE_COMPLETE"
    aws.delete_stack(StackName=name)


WAIT = """
heat_template_version: 2018-08-31
resources:
  handle: {type: OS::Heat::WaitConditionHandle}
  wait:
    type: OS::Heat::WaitCondition
    properties: {handle: {get_resource: handle}, count: 2, timeout: 60}
"""


def by_address(served: Serving, keys: dict[str, str], arn: str) -> str:
    """Return an address to signal a resource by, signed as Heat signs those for guests."""
    path = f"/v1/waitcondition/{arn}/resources/handle"
    host = f"127.0.0.1:{served.ports['cfn']}"
    query = urllib.parse.urlencode(
        {
            "AWSAccessKeyId": keys["aws_access_key_id"],
            "SignatureMethod": "HmacSHA256",
            "SignatureVersion": "2",
        }
    )
    text = "\n".join(("PUT", host, path, query)).encode()
    made = hmac.new(keys["aws_secret_access_key"].encode(), text, hashlib.sha256).digest()
    signature = urllib.parse.urlencode({"Signature": base64.b64encode(made).decode()})
    quoted = path.replace(arn, urllib.parse.quote(arn))
    return f"http://{host}{quoted}?{query}&{signature}"


def test_resources_are_signalled_by_the_action_and_by_signed_addresses(
    served: Serving, aws: Any, keys: dict[str, str], name: str
) -> None:
    id = aws.create_stack(StackName=name, TemplateBody=WAIT)["StackId"]

    def status(resource: str) -> str:
        found = aws.describe_stack_resource(StackName=name, LogicalResourceId=resource)
        return str(found["StackResourceDetail"]["ResourceStatus"])

    eventually(lambda: status("wait") == "CREATE_IN_PROGRESS")
    aws.signal_resource(
        StackName=name, LogicalResourceId="handle", UniqueId="one", Status="SUCCESS"
    )
    body = json.dumps({"status": "SUCCESS", "id": "two", "reason": "", "data": "d"}).encode()
    url = by_address(served, keys, id)
    request = urllib.request.Request(url, body, method="PUT")  # noqa: S310 - our own
    with urllib.request.urlopen(request) as answer:  # noqa: S310 - our own
        assert answer.read() == b"<resource>handle</resource>"
    assert ended(aws, name)["StackStatus"] == "CREATE_COMPLETE"
    assert status("wait") == "CREATE_COMPLETE"
    forged = url.replace("resources/handle", "resources/wait")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(urllib.request.Request(forged, body, method="PUT"))  # noqa: S310 - our own
    assert (caught.value.code, b"SignatureDoesNotMatch" in caught.value.read()) == (403, True)
    aws.delete_stack(StackName=name)


TRIED = """
heat_template_version: 2018-08-31
parameters:
  fail: {type: boolean, default: false}
resources:
  it:
    type: OS::Heat::TestResource
    properties: {value: {get_param: fail}, fail: {get_param: fail}}
"""


def test_an_update_that_is_rolled_back_ends_its_waiter_and_so_does_a_create(
    aws: Any, name: str
) -> None:
    quick = {"Delay": 1, "MaxAttempts": 40}
    aws.create_stack(StackName=name, TemplateBody=TRIED, OnFailure="ROLLBACK")
    aws.get_waiter("stack_create_complete").wait(StackName=name, WaiterConfig=quick)
    aws.update_stack(StackName=name, UsePreviousTemplate=True, Parameters=given(fail="true"))
    with pytest.raises(WaiterError):
        aws.get_waiter("stack_update_complete").wait(StackName=name, WaiterConfig=quick)
    eventually(lambda: shown(aws, name)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE")
    listed = aws.list_stacks(StackStatusFilter=["UPDATE_ROLLBACK_COMPLETE"])["StackSummaries"]
    assert name in {each["StackName"] for each in listed}
    aws.delete_stack(StackName=name)
    aws.get_waiter("stack_delete_complete").wait(StackName=name, WaiterConfig=quick)
    aws.create_stack(
        StackName=name, TemplateBody=TRIED, OnFailure="DELETE", Parameters=given(fail="true")
    )
    eventually(lambda: shown(aws, name)["StackStatus"] == "ROLLBACK_COMPLETE")
    aws.delete_stack(StackName=name)
