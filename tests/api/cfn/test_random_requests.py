"""Whatever is sent, the answer is one of the API's own, and never a failure of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stoker.api.cfn.application import ACTIONS
from tests.api.fake import ID, PROJECT

if TYPE_CHECKING:
    from tests.api.cfn.conftest import Caller

ARN = f"arn:openstack:heat::{PROJECT}:stacks/cap/{ID}"
NAMES = st.sampled_from(
    [
        "StackName", "ChangeSetName", "ChangeSetType", "TemplateBody", "TemplateURL", "NextToken",
        "LogicalResourceId", "PhysicalResourceId", "TimeoutInMinutes", "DisableRollback",
        "OnFailure", "StackPolicyBody", "UsePreviousTemplate", "ClientRequestToken", "Status",
        "UniqueId", "StackStatusFilter.member.1", "Tags.member.1.Key", "Tags.member.99.Value",
        "Parameters.member.1.ParameterKey", "Parameters.member.1.ParameterValue",
        "Parameters.member.1.UsePreviousValue", "Parameters.member.x", "ContentType",
    ]
)  # fmt: skip
VALUES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["cap", "first", "rs", ARN, ID, "true", "5", "{}", "JSON", "SUCCESS", "-1"]),
    st.sampled_from(
        ['{"Statement": [1]}', "AWSTemplateFormatVersion: '2010-09-09'", "a: [", "http:"]
    ),
)


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(sorted(ACTIONS)), st.dictionaries(NAMES, VALUES, max_size=8))
def test_no_request_makes_the_program_fail(
    call: Caller, action: str, params: dict[str, str]
) -> None:
    said = call.send({**params, "Action": action})
    assert said.status < 500, said.answer.data
    if said.answer.headers["content-type"] == "application/xml":
        assert said.root.tag in (f"{action}Response", "ErrorResponse")
