from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.errors import Conflict, Unsupported
from stoker.usecases.stacks import Action
from tests.api.fake import ID, PROJECT, STACK

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeStacks

ACTIONS = f"/v1/{PROJECT}/stacks/cap/{ID}/actions"


@pytest.mark.parametrize("value", [None, "", {}])
def test_a_cancel_is_answered_with_null(call: Client, stacks: FakeStacks, value: Any) -> None:
    answer = call("POST", ACTIONS, {"cancel_without_rollback": value})
    assert (answer.status, answer.data) == (200, b"null")
    assert [(asked[0], asked[2]) for asked in stacks.asked] == [("cancel", STACK)]


def test_a_cancel_of_nothing_is_not_supported(call: Client, stacks: FakeStacks) -> None:
    text = "Cancelling update when stack is CHECK_COMPLETE is not supported."
    stacks.error = Unsupported(text)
    answer = call("POST", ACTIONS, {"cancel_without_rollback": None})
    assert (answer.status, answer.error["type"]) == (400, "NotSupported")
    assert answer.error["message"] == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({}, "No action specified"),
        ({"suspend": None, "resume": None}, "Multiple actions specified"),
        ({"dance": None}, "Invalid action dance specified"),
    ],
)
def test_a_body_names_exactly_one_action(
    call: Client, stacks: FakeStacks, body: dict[str, Any], text: str
) -> None:
    answer = call("POST", ACTIONS, body)
    assert (answer.status, answer.error["type"]) == (400, "HTTPBadRequest")
    assert (answer.error["message"], stacks.asked) == (text, [])


@pytest.mark.parametrize("action", Action)
def test_an_action_is_answered_with_null(call: Client, stacks: FakeStacks, action: Action) -> None:
    answer = call("POST", ACTIONS, {action.value: None})
    assert (answer.status, answer.data) == (200, b"null")
    assert [(asked[0], *asked[2:]) for asked in stacks.asked] == [("act", STACK, action)]


def test_a_stack_that_is_busy_is_a_conflict(call: Client, stacks: FakeStacks) -> None:
    stacks.error = Conflict("Stack cap already has an action (UPDATE) in progress.")
    answer = call("POST", ACTIONS, {"check": None})
    assert (answer.status, answer.error["type"]) == (409, "ActionInProgress")


def test_an_update_is_taken_back(call: Client, stacks: FakeStacks) -> None:
    answer = call("POST", ACTIONS, {"cancel_update": None})
    assert (answer.status, answer.data) == (200, b"null")
    assert [(asked[0], asked[2]) for asked in stacks.asked] == [("undo", STACK)]


def test_each_action_has_a_policy_of_its_own(call: Client, stacks: FakeStacks) -> None:
    stranger = replace(call, roles="heat_stack_user")
    answer = stranger("POST", ACTIONS, {"cancel_without_rollback": None})
    assert (answer.status, stacks.asked) == (403, [])
