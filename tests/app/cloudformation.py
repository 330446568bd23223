"""AWS's client for Python at an installation, and a stack's life as it drives it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import boto3  # type: ignore[import-untyped]  # it has no types
import openstack
import pytest
from botocore.config import Config  # type: ignore[import-untyped]  # it has no types
from botocore.exceptions import ClientError  # type: ignore[import-untyped]  # it has no types

from tests.app.serving import eventually

if TYPE_CHECKING:
    from tests.app.operating import Site

TEMPLATE = json.dumps(
    {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Resources": {"word": {"Type": "OS::Heat::RandomString"}},
    }
)


def client(site: Site) -> Any:
    """Return boto3's client with keys of the user ``demo``."""
    loader = openstack.config.OpenStackConfig(config_files=[str(site.clouds_yaml)])
    conn = openstack.connection.Connection(config=loader.get_one("demo"))
    url = f"/users/{conn.current_user_id}/credentials/OS-EC2"
    answer = conn.identity.post(url, json={"tenant_id": conn.current_project_id})
    keys = answer.json()["credential"]
    conn.close()
    return boto3.client(
        "cloudformation",
        region_name="RegionOne",
        endpoint_url=f"http://127.0.0.1:{site.cfn_port}/v1",
        config=Config(retries={"total_max_attempts": 1}),
        aws_access_key_id=keys["access"],
        aws_secret_access_key=keys["secret"],
    )


def check_life(aws: Any) -> None:
    """Make a stack by a change set, wait for it and delete it."""

    def status() -> str:
        return str(aws.describe_stacks(StackName=id)["Stacks"][0]["StackStatus"])

    aws.create_change_set(
        StackName="web", ChangeSetName="first", ChangeSetType="CREATE", TemplateBody=TEMPLATE
    )
    found = aws.describe_change_set(StackName="web", ChangeSetName="first")
    id = found["StackId"]
    assert [each["ResourceChange"]["Action"] for each in found["Changes"]] == ["Add"]
    aws.execute_change_set(StackName="web", ChangeSetName="first")
    eventually(lambda: status() == "CREATE_COMPLETE")
    with pytest.raises(ClientError) as caught:
        aws.execute_change_set(StackName="web", ChangeSetName="first")
    assert caught.value.response["Error"]["Code"] == "InvalidChangeSetStatus"
    aws.delete_stack(StackName="web")
    eventually(lambda: status() == "DELETE_COMPLETE")
