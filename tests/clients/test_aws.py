"""AWS's own command line drives stacks of both template formats, from create to delete."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.clients.asking import asked

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.app.serving import Serving

    Aws = Callable[..., Any]

HOT: Final = """
heat_template_version: 2018-08-31
parameters:
  length: {type: number, default: 8}
resources:
  word:
    type: OS::Heat::RandomString
    properties: {length: {get_param: length}}
outputs:
  word: {value: {get_attr: [word, value]}}
"""
CFN: Final = """
AWSTemplateFormatVersion: '2010-09-09'
Parameters:
  length: {Type: Number, Default: 8}
Resources:
  word:
    Type: OS::Heat::RandomString
    Properties: {length: {Ref: length}}
Outputs:
  word: {Value: {'Fn::GetAtt': [word, value]}}
"""
SECONDS: Final = 120


@pytest.fixture(scope="session")
def aws(place: Path, serving: Serving, tmp_path_factory: pytest.TempPathFactory) -> Aws:
    """Return what runs ``aws cloudformation``, with keys of the user ``demo``, and reads it."""
    keys = asked(place, serving.state / "clouds.yaml", "ec2", "credentials", "create")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path_factory.mktemp("aws")),  # without anybody's settings
        "AWS_ACCESS_KEY_ID": keys["access"],
        "AWS_SECRET_ACCESS_KEY": keys["secret"],
        "AWS_DEFAULT_REGION": "RegionOne",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{serving.ports['cfn']}/v1",
        "AWS_MAX_ATTEMPTS": "1",
    }

    def run(*words: str, fails: bool = False) -> Any:
        command = [str(place / "bin" / "aws"), "--output", "json", "cloudformation", *words]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
        )
        assert (done.returncode != 0) is fails, done.stdout + done.stderr
        return done.stderr if fails else json.loads(done.stdout or "null")

    return run


@pytest.mark.parametrize("template", [HOT, CFN], ids=["hot", "cfn"])
def test_a_stack_from_create_to_delete(aws: Aws, template: str, tmp_path: Path) -> None:
    file = tmp_path / "word.template"
    file.write_text(template)
    mine = ("--stack-name", f"word-{len(template)}")
    given = (*mine, "--template-body", f"file://{file}")
    (parameter,) = aws("validate-template", *given[2:])["Parameters"]
    assert parameter["ParameterKey"] == "length"
    id = aws("create-stack", *given)["StackId"]
    aws("wait", "stack-create-complete", *mine)
    assert len(output(aws, mine)) == 8

    longer = ("--parameters", "ParameterKey=length,ParameterValue=12")
    aws("update-stack", *given, *longer)
    aws("wait", "stack-update-complete", *mine)
    assert len(output(aws, mine)) == 12

    assert [each["StackId"] for each in aws("list-stacks")["StackSummaries"]].count(id) == 1
    (word,) = aws("list-stack-resources", *mine)["StackResourceSummaries"]
    assert (word["LogicalResourceId"], word["ResourceStatus"]) == ("word", "CREATE_COMPLETE")
    events = aws("describe-stack-events", *mine)["StackEvents"]
    assert {"CREATE_COMPLETE", "UPDATE_COMPLETE"} <= {each["ResourceStatus"] for each in events}

    aws("delete-stack", *mine)
    aws("wait", "stack-delete-complete", "--stack-name", id)


def test_a_change_set_is_described_before_it_is_executed(aws: Aws, tmp_path: Path) -> None:
    file = tmp_path / "word.yaml"
    file.write_text(HOT)
    mine = ("--stack-name", "changed", "--change-set-name", "first")
    aws(
        "create-change-set", *mine,
        "--change-set-type", "CREATE", "--template-body", f"file://{file}",
    )  # fmt: skip
    (change,) = aws("describe-change-set", *mine)["Changes"]
    assert change["ResourceChange"]["Action"] == "Add"
    aws("execute-change-set", *mine)
    aws("wait", "stack-create-complete", "--stack-name", "changed")
    aws("delete-stack", "--stack-name", "changed")


def test_what_is_wrong_is_told_with_its_code_and_place(aws: Aws) -> None:
    said = aws("describe-stacks", "--stack-name", "nobody", fails=True)
    assert "(ValidationError)" in said
    assert "nobody" in said
    wrong = "heat_template_version: 2018-08-31\nresources: {a: {type: OS::No::Such}}"
    said = aws("validate-template", "--template-body", wrong, fails=True)
    assert "(ValidationError)" in said
    assert "OS::No::Such" in said


def output(aws: Aws, mine: tuple[str, str]) -> str:
    (stack,) = aws("describe-stacks", *mine)["Stacks"]
    (shown,) = stack["Outputs"]
    return str(shown["OutputValue"])
