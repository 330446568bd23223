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
