from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from stoker.usecases.stacks import EventQuery
from tests.api.fake import AN_EVENT, EVENT, ID, PROJECT, STACK

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeStacks

URL = f"/v1/{PROJECT}/stacks/cap/{ID}"
BASE = f"http://127.0.0.1:8004{URL}"
LISTED = {
    "id": EVENT,
    "links": [
        {"href": f"{BASE}/resources/rs/events/{EVENT}", "rel": "self"},
        {"href": f"{BASE}/resources/rs", "rel": "resource"},
        {"href": BASE, "rel": "stack"},
    ],
    "event_time": "2026-11-29T12:39:24Z",
    "logical_resource_id": "rs",
    "resource_name": "rs",
    "physical_resource_id": "cap-rs-yhrleih3pisl",
    "resource_status": "CHECK_COMPLETE",
    "resource_status_reason": "fine",
}
SHOWN = {
    **LISTED,
    "resource_type": "OS::Heat::RandomString",
    "resource_properties": {"length": 12},
}


@pytest.mark.parametrize("url", [f"{URL}/events", f"{URL}/resources/rs/events"])
def test_a_list_has_heats_keys_in_heats_order(call: Client, url: str) -> None:
    answer = call("GET", url)
    assert answer.json == {"events": [LISTED]}
    assert list(answer.json["events"][0]) == list(LISTED)


def test_events_of_a_tree_link_to_its_root(call: Client, stacks: FakeStacks) -> None:
    stacks.event_list = (replace(AN_EVENT, root=STACK),)
    links = call("GET", f"{URL}/events?nested_depth=1").json["events"][0]["links"]
    assert links[3] == {"href": BASE, "rel": "root_stack"}


def test_a_query_is_read(call: Client, stacks: FakeStacks) -> None:
    call(
        "GET",
        f"{URL}/events?limit=2&marker=m&sort_dir=asc&sort_keys=event_time&sort_keys=x"
        "&nested_depth=9&resource_status=FAILED&resource_action=CREATE&resource_name=a"
        "&resource_name=b&resource_type=T",
    )
    assert stacks.asked[-1][3] == EventQuery(
        nested_depth=5,
        limit=2,
        marker="m",
        sort_keys=("created_at",),
        sort_dir="asc",
        filters={
            "resource_status": ("FAILED",),
            "resource_action": ("CREATE",),
            "resource_name": ("a", "b"),
            "resource_type": ("T",),
        },
    )


@pytest.mark.parametrize("query", ["limit=x", "limit=-2", "nested_depth=x", "sort_dir=x"])
def test_a_wrong_query_is_refused(call: Client, query: str) -> None:
    assert call("GET", f"{URL}/events?{query}").status == 400


def test_a_resource_without_events_is_a_404_but_the_end_of_them_is_not(call: Client) -> None:
    answer = call("GET", f"{URL}/resources/zz/events")
    assert (answer.status, answer.error["type"]) == (404, "HTTPNotFound")
    assert answer.error["message"] == "No events found for resource zz"
    answer = call("GET", f"{URL}/resources/zz/events?marker={EVENT}")
    assert (answer.status, answer.json) == (200, {"events": []})


def test_one_event_is_shown_with_the_properties(call: Client) -> None:
    assert call("GET", f"{URL}/resources/rs/events/{EVENT}").json == {"event": SHOWN}


def test_an_unknown_event_is_a_404(call: Client) -> None:
    answer = call("GET", f"{URL}/resources/rs/events/222970da")
    assert (answer.status, answer.error["type"]) == (404, "HTTPNotFound")
    assert answer.error["message"] == "No event 222970da found"
