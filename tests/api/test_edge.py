from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from stoker.api.remedies import BY_STATUS
from stoker.errors import Bug
from tests.api.fake import ID, PROJECT

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeStacks

STACK = f"/v1/{PROJECT}/stacks/cap/{ID}"
THEIRS = "req-11111111-2222-3333-4444-555555555555"


@pytest.mark.parametrize(
    ("verb", "url"),
    [
        ("GET", "/"),
        ("GET", STACK),
        ("GET", "/v1/nowhere"),
        ("DELETE", STACK),
        ("GET", "/healthcheck"),
    ],
)
def test_each_answer_carries_a_request_id_of_its_own(call: Client, verb: str, url: str) -> None:
    ids = {call(verb, url).headers["x-openstack-request-id"] for _ in range(2)}
    assert len(ids) == 2
    assert all(id.startswith("req-") for id in ids)


def test_a_clients_own_request_id_reaches_the_use_case_but_not_the_answer(
    call: Client, stacks: FakeStacks
) -> None:
    answer = call("GET", STACK, HTTP_X_OPENSTACK_REQUEST_ID=THEIRS)
    assert stacks.asked[0][1].request_id == THEIRS
    assert answer.headers["x-openstack-request-id"] != THEIRS


def test_without_a_wellformed_id_of_the_clients_ours_reaches_the_use_case(
    call: Client, stacks: FakeStacks
) -> None:
    answer = call("GET", STACK, HTTP_X_OPENSTACK_REQUEST_ID="req-\nforged")
    assert stacks.asked[0][1].request_id == answer.headers["x-openstack-request-id"]


@pytest.mark.parametrize(
    "error", [Bug("row 7 of secrets"), KeyError("secrets"), OSError("secrets")]
)
def test_what_nobody_raised_on_purpose_is_a_500_without_text_and_is_logged_with_the_request_id(
    call: Client, stacks: FakeStacks, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    stacks.error = error
    with caplog.at_level(logging.ERROR, logger="stoker.api.edge"):
        answer = call("GET", STACK)
    assert answer.status == 500
    assert answer.json == {
        "code": 500,
        "title": "Internal Server Error",
        "explanation": "The server has either erred or is incapable of performing the requested"
        " operation.",
        "error": {"type": "InternalError", "traceback": None},
        "remedy": BY_STATUS[500],
    }
    assert answer.headers["x-openstack-request-id"] in caplog.text
    assert "secrets" in caplog.text


def test_no_answer_is_given_to_who_has_shown_no_token(call: Client, stacks: FakeStacks) -> None:
    for status in ("", "Invalid"):
        answer = replace(call, environ={"HTTP_X_IDENTITY_STATUS": status})("GET", STACK)
        assert (answer.status, answer.error["type"]) == (401, "HTTPUnauthorized")
    assert stacks.asked == []


def test_the_callers_token_is_not_in_its_text(call: Client, stacks: FakeStacks) -> None:
    call("GET", STACK)
    caller = stacks.asked[0][1]
    assert caller.token == "secret-token"
    assert "secret-token" not in repr(caller)
