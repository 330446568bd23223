"""What a stack has: events, resources, its template."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from stoker.usecases.stacks import EventQuery, Goal, ResourceQuery
from tests.api.fake import A_RESOURCE, AN_EVENT, EVENT, ID, STACK

if TYPE_CHECKING:
    from tests.api.cfn.conftest import Caller
    from tests.api.fake import FakeStacks


def test_events_come_a_page_at_a_time_newest_first(call: Caller, stacks: FakeStacks) -> None:
    stacks.event_list = tuple(replace(AN_EVENT, id=f"{n}") for n in range(101))
    found = call("DescribeStackEvents", StackName="cap").result
    assert (len(found["StackEvents"]), found["NextToken"]) == (100, "99")
    event = found["StackEvents"][0]
    assert (event["LogicalResourceId"], event["ResourceStatus"]) == ("rs", "CHECK_COMPLETE")
    assert event["ResourceProperties"] == "{}"
    stacks.event_list = (AN_EVENT,)
    found = call("DescribeStackEvents", StackName="cap", NextToken=EVENT).result
    assert "NextToken" not in found
    assert stacks.asked[-1][3] == EventQuery(limit=101, marker=EVENT)


def test_resources_come_a_page_at_a_time(call: Caller, stacks: FakeStacks) -> None:
    stacks.resource_list = tuple(A_RESOURCE._replace(name=f"r{n}") for n in range(150))
    first = call("ListStackResources", StackName="cap").result
    assert (len(first["StackResourceSummaries"]), first["NextToken"]) == (100, "100")
    rest = call("ListStackResources", StackName="cap", NextToken="100").result
    assert [each["LogicalResourceId"] for each in rest["StackResourceSummaries"]][:1] == ["r100"]
    assert len(rest["StackResourceSummaries"]) == 50
    wrong = call("ListStackResources", StackName="cap", NextToken="x")
    assert wrong.error[1] == "ValidationError"


def test_a_resource_is_described_with_its_metadata(call: Caller) -> None:
    said = call("DescribeStackResource", StackName="cap", LogicalResourceId="rs").result
    detail = said["StackResourceDetail"]
    assert json.loads(detail["Metadata"]) == {"a": "b"}
    assert detail["PhysicalResourceId"] == "cap-rs-yhrleih3pisl"
    assert detail["StackName"] == "cap"
    assert detail["LastUpdatedTimestamp"] == "2026-11-29T12:39:24Z"


def test_resources_are_found_by_the_object_too_but_not_by_both(
    call: Caller, stacks: FakeStacks
) -> None:
    said = call("DescribeStackResources", PhysicalResourceId="x", LogicalResourceId="rs").result
    assert said["StackResources"][0]["ResourceType"] == "OS::Heat::RandomString"
    holder, listed = stacks.asked
    assert (holder[0], holder[2]) == ("holder", "x")
    assert listed[2:] == (STACK, ResourceQuery(filters={"name": ("rs",)}))
    both = call("DescribeStackResources", PhysicalResourceId="x", StackName="cap")
    assert both.error[1] == "InvalidParameterCombination"
    assert call("DescribeStackResources").error[1] == "MissingParameter"


def test_a_template_comes_back_as_json(call: Caller) -> None:
    body = call("GetTemplate", StackName=ID).result["TemplateBody"]
    assert isinstance(json.loads(body), dict)


def test_a_summary_tells_what_a_template_takes_and_makes(call: Caller, stacks: FakeStacks) -> None:
    body = json.dumps(
        {
            "HeatTemplateFormatVersion": "2012-12-12",
            "Resources": {"a": {"Type": "OS::Heat::Value"}, "b": {"Type": "OS::Heat::Value"}},
        }
    )
    found = call("GetTemplateSummary", TemplateBody=body).result
    assert found["ResourceTypes"] == ["OS::Heat::Value"]
    assert stacks.asked[-1][2] == Goal(body)
    call("GetTemplateSummary", StackName="cap")
    of_stack = stacks.asked[-1][2]
    assert of_stack.environment == {"parameters": {"note": "hi"}}


def test_a_validation_describes_parameters(call: Caller, stacks: FakeStacks) -> None:
    stacks.described = {
        "Description": "d",
        "Parameters": {
            "n": {"Type": "Number", "Default": 3, "NoEcho": "true", "Description": "how many"}
        },
        "Environment": {},
    }
    found = call("ValidateTemplate", TemplateBody="x: 1").result
    assert found["Parameters"] == [
        {"ParameterKey": "n", "DefaultValue": "3", "NoEcho": "true", "Description": "how many"}
    ]
    assert call("EstimateTemplateCost").result["Url"].startswith("http")
