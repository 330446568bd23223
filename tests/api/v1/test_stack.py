from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from stoker.usecases.stacks import Goal, OutputView, UpdateStack
from tests.api.fake import A_STACK, ID, PROJECT, STACK, TEMPLATE, TIME

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeStacks

URL = f"/v1/{PROJECT}/stacks/cap/{ID}"
SHOWN = {
    "stack_name": "cap",
    "id": ID,
    "links": [{"href": f"http://127.0.0.1:8004{URL}", "rel": "self"}],
    "creation_time": "2026-11-29T12:39:24Z",
    "updated_time": None,
    "deletion_time": None,
    "notification_topics": [],
    "parameters": {"OS::stack_id": ID, "note": "hi", "secret": "******"},
    "description": "capture",
    "template_description": "capture",
    "capabilities": [],
    "disable_rollback": True,
    "timeout_mins": 30,
    "stack_owner": "demo",
    "parent": None,
    "stack_user_project_id": "c6ce1841705e4b539c3f0ce4c4ea3438",
    "tags": ["t1", "t2"],
    "stack_status": "CREATE_COMPLETE",
    "stack_status_reason": "Stack CREATE completed successfully",
    "outputs": [{"output_key": "v", "description": "the value", "output_value": "mOJ8Ygj2n3dH"}],
}
ACCEPTED = {
    "message": "The request is accepted for processing.<br /><br />\n\n\n",
    "code": "202 Accepted",
    "title": "Accepted",
}


def test_show_has_heats_keys_in_heats_order(call: Client, stacks: FakeStacks) -> None:
    answer = call("GET", URL)
    assert answer.json == {"stack": SHOWN}
    assert list(answer.json["stack"]) == list(SHOWN)
    assert stacks.asked[-1][2:] == (STACK, True)


def test_outputs_can_be_left_out(call: Client) -> None:
    answer = call("GET", f"{URL}?resolve_outputs=False")
    assert "outputs" not in answer.json["stack"]
    assert call("GET", f"{URL}?resolve_outputs=x").status == 400


def test_what_is_not_given_has_heats_words(call: Client, stacks: FakeStacks) -> None:
    stacks.stack = replace(
        A_STACK,
        description="",
        tags=(),
        updated_at=TIME + timedelta(days=1),
        outputs=(OutputView("o", "", None, "it broke"),),
    )
    stack = call("GET", URL).json["stack"]
    assert stack["description"] == stack["template_description"] == "No description"
    assert (stack["tags"], stack["updated_time"]) == ([], "2026-11-30T12:39:24Z")
    assert stack["outputs"] == [
        {
            "output_key": "o",
            "description": "No description given",
            "output_value": None,
            "output_error": "it broke",
        }
    ]


@pytest.mark.parametrize("value", [2**70, "\ud800", {1: 2}, float("inf")])
def test_any_value_of_an_output_can_be_shown(call: Client, stacks: FakeStacks, value: Any) -> None:
    stacks.stack = replace(A_STACK, outputs=(OutputView("o", "", value),))
    answer = call("GET", URL)
    assert answer.status == 200
    shown = answer.json["stack"]["outputs"][0]["output_value"]
    assert shown == {"{1: 2}": {"1": 2}, "inf": None}.get(str(value), value)


def test_put_replaces_and_answers_202(call: Client, stacks: FakeStacks) -> None:
    body = {"template": TEMPLATE, "parameters": {"a": "b"}, "disable_rollback": False}
    answer = call("PUT", URL, body)
    assert (answer.status, answer.json) == (202, ACCEPTED)
    assert stacks.asked[-1][2:] == (
        STACK,
        UpdateStack(
            goal=Goal(template=TEMPLATE, parameters={"a": "b"}),
            existing=False,
            disable_rollback=False,
        ),
    )


def test_patch_keeps_what_is_not_given(call: Client, stacks: FakeStacks) -> None:
    body = {"existing": True, "clear_parameters": ["a"], "tags": "", "timeout_mins": 5}
    assert call("PATCH", URL, body).status == 202
    assert stacks.asked[-1][3] == UpdateStack(
        goal=Goal(template=None),
        existing=True,
        clear_parameters=("a",),
        timeout_mins=5,
        tags=(),
    )


def test_put_needs_a_template(call: Client) -> None:
    answer = call("PUT", URL, {"parameters": {}})
    assert (answer.status, answer.error["message"]) == (400, "No template specified")


@pytest.mark.parametrize("wanted", [True, False])
def test_an_update_can_look_at_what_there_is(
    call: Client, stacks: FakeStacks, *, wanted: bool
) -> None:
    assert call("PATCH", URL, {"converge": wanted}).status == 202
    assert stacks.asked[-1][3].observe is wanted


def test_delete_answers_204_with_nothing(call: Client, stacks: FakeStacks) -> None:
    answer = call("DELETE", URL)
    assert (answer.status, answer.data, "content-type" in answer.headers) == (204, b"", False)
    assert stacks.asked[-1][2] == STACK


@pytest.mark.parametrize("verb", ["GET", "PUT", "PATCH", "DELETE"])
def test_an_unknown_stack_is_a_404(call: Client, verb: str) -> None:
    url = f"/v1/{PROJECT}/stacks/nosuch/f85a0e97-9a1d-4fdf-98c7-191601463664"
    answer = call(verb, url, {"template": "x"})
    assert (answer.status, answer.error["type"]) == (404, "EntityNotFound")
    assert answer.error["message"] == "The Stack (nosuch) could not be found."


@pytest.mark.parametrize(
    ("part", "body"),
    [
        ("template", TEMPLATE),
        ("environment", {"parameters": {"note": "hi"}}),
        ("files", {"a.txt": "hello file"}),
    ],
)
def test_what_a_stack_was_made_from_can_be_read(call: Client, part: str, body: Any) -> None:
    answer = call("GET", f"{URL}/{part}")
    assert (answer.status, answer.json) == (200, body)
