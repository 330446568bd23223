from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from stoker.errors import Conflict, Invalid, Problem, Unsupported, UserError
from stoker.usecases.stacks import Mark, ResourceQuery
from tests.api.fake import A_RESOURCE, CHILD, ID, PROJECT, STACK

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeStacks

URL = f"/v1/{PROJECT}/stacks/cap/{ID}/resources"
BASE = f"http://127.0.0.1:8004/v1/{PROJECT}/stacks"
LISTED = {
    "updated_time": "2026-11-29T12:39:24Z",
    "creation_time": "2026-11-29T12:39:24Z",
    "logical_resource_id": "rs",
    "resource_name": "rs",
    "physical_resource_id": "cap-rs-yhrleih3pisl",
    "resource_status": "CREATE_COMPLETE",
    "resource_status_reason": "state changed",
    "resource_type": "OS::Heat::RandomString",
    "links": [
        {"href": f"{BASE}/cap/{ID}/resources/rs", "rel": "self"},
        {"href": f"{BASE}/cap/{ID}", "rel": "stack"},
    ],
    "required_by": ["val"],
}
SHOWN = {**LISTED, "description": "", "attributes": {"value": "mOJ8Ygj2n3dH"}}


def test_a_list_has_heats_keys_in_heats_order(call: Client) -> None:
    answer = call("GET", URL)
    assert answer.json == {"resources": [LISTED]}
    assert list(answer.json["resources"][0]) == list(LISTED)


def test_detail_adds_description_and_attributes(call: Client) -> None:
    assert call("GET", f"{URL}?with_detail=true").json == {"resources": [SHOWN]}


def test_a_resource_of_a_child_names_its_parent_and_one_with_a_child_links_to_it(
    call: Client, stacks: FakeStacks
) -> None:
    stacks.resource_list = (
        A_RESOURCE._replace(name="grp", nested=CHILD, physical_id=None),
        A_RESOURCE._replace(name="0", stack=CHILD, parent_resource="grp"),
    )
    group, member = call("GET", f"{URL}?nested_depth=1").json["resources"]
    assert group["links"][2] == {"href": f"{BASE}/{CHILD.name}/{CHILD.id}", "rel": "nested"}
    assert group["physical_resource_id"] == ""
    assert member["parent_resource"] == "grp"
    assert member["links"][0]["href"] == f"{BASE}/{CHILD.name}/{CHILD.id}/resources/0"


def test_depth_filters_and_detail_are_read(call: Client, stacks: FakeStacks) -> None:
    call("GET", f"{URL}?nested_depth=99&with_detail=True&type=OS::&name=a&name=b&id=c")
    assert stacks.asked[-1][2:] == (
        STACK,
        ResourceQuery(
            nested_depth=5,
            with_detail=True,
            filters={"type": ("OS::",), "name": ("a", "b"), "id": ("c",)},
        ),
    )


@pytest.mark.parametrize(
    "query", ["nested_depth=x", "nested_depth=-1", "with_detail=1", "unheard=1", "resource=x"]
)
def test_a_wrong_query_is_refused(call: Client, query: str) -> None:
    answer = call("GET", f"{URL}?{query}")
    assert (answer.status, answer.error["type"]) == (400, "HTTPBadRequest")
    assert query.split("=", maxsplit=1)[0] in answer.error["message"]


def test_show_gives_the_attributes_asked_for(call: Client, stacks: FakeStacks) -> None:
    answer = call("GET", f"{URL}/rs?with_attr=a&with_attr=b")
    assert answer.json == {"resource": SHOWN}
    assert stacks.asked[-1][3:] == ("rs", ("a", "b"))


def test_an_unknown_resource_is_a_404(call: Client) -> None:
    answer = call("GET", f"{URL}/zzz")
    assert (answer.status, answer.error["type"]) == (404, "ResourceNotFound")
    assert answer.error["message"] == "The Resource (zzz) could not be found in Stack cap."


def test_metadata_is_shown(call: Client) -> None:
    assert call("GET", f"{URL}/rs/metadata").json == {"metadata": {"a": "b"}}


def test_a_list_of_a_thousand_is_written_in_moments(call: Client, stacks: FakeStacks) -> None:
    stacks.resource_list = tuple(A_RESOURCE._replace(name=f"r{n}") for n in range(1000))
    best = min(_seconds(call) for _ in range(5))
    assert best < 0.03


def _seconds(call: Client) -> float:
    start = time.thread_time()
    assert call("GET", URL).status == 200
    return time.thread_time() - start


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (
            {"mark_unhealthy": True, "resource_status_reason": "because"},
            Mark(is_faulty=True, reason="because"),
        ),
        ({"mark_unhealthy": "False"}, Mark(is_faulty=False)),
        ({"mark_unhealthy": True, "resource_status_reason": None}, Mark(is_faulty=True)),
    ],
)
def test_a_mark_is_answered_with_null(
    call: Client, stacks: FakeStacks, body: dict[str, Any], what: Mark
) -> None:
    answer = call("PATCH", f"{URL}/rs", body)
    assert (answer.status, answer.data) == (200, b"null")
    assert [(asked[0], *asked[2:]) for asked in stacks.asked] == [("mark", STACK, "rs", what)]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({}, "Missing mandatory (mark_unhealthy) key from mark unhealthy request"),
        ({"mark_unhealthy": "so so"}, "'mark_unhealthy' must be true or false, not 'so so'."),
        (
            {"mark_unhealthy": True, "resource_status_reason": 3},
            "resource_status_reason: must be a string, not a number",
        ),
        (
            {"mark_unhealthy": True, "why": "so"},
            "Invalid keys in resource mark unhealthy ['why']",
        ),
    ],
)
def test_a_mark_of_other_words_is_refused(
    call: Client, stacks: FakeStacks, body: dict[str, Any], text: str
) -> None:
    answer = call("PATCH", f"{URL}/rs", body)
    assert (answer.status, answer.error["message"], stacks.asked) == (400, text, [])


def test_a_mark_while_the_stack_is_at_work_is_a_conflict(call: Client, stacks: FakeStacks) -> None:
    stacks.error = Conflict("Stack cap already has an action (UPDATE) in progress.")
    answer = call("PATCH", f"{URL}/rs", {"mark_unhealthy": True})
    assert (answer.status, answer.error["type"]) == (409, "ActionInProgress")


@pytest.mark.parametrize("body", [{"unset_hook": "pre-create"}, {}, None])
def test_a_signal_is_answered_with_null(
    call: Client, stacks: FakeStacks, body: dict[str, Any] | None
) -> None:
    answer = call("POST", f"{URL}/rs/signal", body)
    assert (answer.status, answer.data) == (200, b"null")
    told = ("signal", STACK, "rs", body or {})
    assert [(asked[0], *asked[2:]) for asked in stacks.asked] == [told]


@pytest.mark.parametrize(
    ("error", "type"),
    [
        (Unsupported("signal is not supported for resource."), "ResourceActionNotSupported"),
        (Invalid([Problem('Invalid hook type "x" for rs')]), "InvalidBreakPointHook"),
    ],
)
def test_a_signal_that_is_not_heard_is_refused(
    call: Client, stacks: FakeStacks, error: UserError, type: str
) -> None:
    stacks.error = error
    answer = call("POST", f"{URL}/rs/signal", {"x": 1})
    assert (answer.status, answer.error["type"]) == (400, type)
    assert answer.error["message"] == str(error)
