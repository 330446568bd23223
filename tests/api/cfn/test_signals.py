"""Signals: as an action, and by the addresses that guests are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.errors import Unsupported
from tests.api.fake import ID, PROJECT, STACK

if TYPE_CHECKING:
    from tests.api.cfn.conftest import Caller
    from tests.api.fake import Client, FakeStacks

ARN = f"arn%3Aopenstack%3Aheat%3A%3A{PROJECT}%3Astacks/cap/{ID}/resources/w%2520h"


def test_the_action_tells_a_resource(call: Caller, stacks: FakeStacks) -> None:
    asked = {"StackName": "cap", "LogicalResourceId": "wh", "UniqueId": "1"}
    assert call("SignalResource", Status="SUCCESS", **asked).status == 200
    assert stacks.asked[-1][2:] == (STACK, "wh", {"id": "1", "status": "SUCCESS"})
    assert call("SignalResource", Status="GOOD", **asked).error[1] == "ValidationError"


def test_an_address_tells_a_wait_condition_and_hears_what_it_knows(
    client: Client, stacks: FakeStacks
) -> None:
    body = {"Status": "SUCCESS", "UniqueId": "1", "Data": "d", "Reason": "r"}
    said = client("PUT", f"/v1/waitcondition/{ARN}", body, CONTENT_TYPE="")
    assert (said.status, said.data) == (200, b"<resource>w h</resource>")
    assert stacks.asked[0][2:] == (STACK, "w h", body)
    said = client("PUT", f"/v1/waitcondition/{ARN}?ContentType=JSON", body)
    assert said.json == {"resource": "w h", "metadata": {"a": "b"}}


def test_an_address_tells_any_resource(client: Client, stacks: FakeStacks) -> None:
    said = client("POST", f"/v1/signal/{ARN}", {"a": 1})
    assert (said.status, said.json) == (200, {})
    assert client("POST", f"/v1/signal/{ARN}").status == 200
    curl = {"CONTENT_TYPE": "application/x-www-form-urlencoded"}
    assert client("POST", f"/v1/signal/{ARN}", {"b": "c=d"}, **curl).status == 200
    assert [each[4] for each in stacks.asked] == [{"a": 1}, {}, {"b": "c=d"}]


def test_what_cannot_be_told_is_refused(client: Client, stacks: FakeStacks) -> None:
    for body in (b"no json", b"[]"):
        assert client("POST", f"/v1/signal/{ARN}", body).status == 400
    stacks.error = Unsupported("it listens to nothing")
    said = client("POST", f"/v1/signal/{ARN}", {})
    assert (said.status, b"it listens to nothing" in said.data) == (400, True)


@pytest.mark.parametrize(
    ("verb", "path"),
    [
        ("POST", f"/v1/waitcondition/{ARN}"),
        ("PUT", f"/v1/signal/{ARN}"),
        ("POST", f"/v1/signal/arn:openstack:heat::{PROJECT}:stacks/cap/{ID}"),
        ("POST", "/v1/signal/x"),
    ],
)
def test_other_addresses_lead_nowhere(client: Client, verb: str, path: str) -> None:
    assert client(verb, path, {}).status == 404
