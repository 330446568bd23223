from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from stoker.errors import NotFound
from stoker.usecases.stacks import EventQuery
from tests.api.fake import AN_EVENT, EVENT, ID, PROJECT, STACK, TIME

if TYPE_CHECKING:
    from datetime import datetime

    from stoker.usecases.stacks import EventView
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


STREAM = {"HTTP_ACCEPT": "text/event-stream"}


def test_whoever_asks_for_a_stream_gets_the_same_events_as_messages(
    call: Client, stacks: FakeStacks
) -> None:
    answer = call("GET", f"{URL}/events?nested_depth=1&marker=m", **STREAM)
    assert (answer.status, answer.headers["content-type"]) == (200, "text/event-stream")
    assert "content-length" not in answer.headers
    again, id_line, data_line, *_ = answer.data.decode().replace("\n\n", "\n").split("\n")
    assert (again, id_line) == ("retry: 1000", f"id: {EVENT}")
    assert json.loads(data_line.removeprefix("data: ")) == LISTED
    asked = stacks.asked[-1][3]
    assert (asked.nested_depth, asked.marker, asked.sort_dir) == (1, "m", "asc")


def test_a_stream_is_taken_up_where_it_broke_off(call: Client, stacks: FakeStacks) -> None:
    call("GET", f"{URL}/events?marker=m", **STREAM, HTTP_LAST_EVENT_ID="n")
    assert stacks.asked[-1][3].marker == "n"


@pytest.mark.parametrize(
    ("deleted_at", "events", "status"),
    [(TIME, (), 204), (TIME, (AN_EVENT,), 200), (None, (), 200)],
)
def test_there_is_no_more_of_a_stack_that_has_gone(
    call: Client,
    stacks: FakeStacks,
    deleted_at: datetime | None,
    events: tuple[EventView, ...],
    status: int,
) -> None:
    stacks.stack = replace(stacks.stack, deleted_at=deleted_at)
    stacks.event_list = events
    answer = call("GET", f"{URL}/events", **STREAM, HTTP_LAST_EVENT_ID="n")
    assert answer.status == status


def test_a_stream_of_an_unknown_stack_is_refused_like_a_list(
    call: Client, stacks: FakeStacks
) -> None:
    stacks.error = NotFound("Stack", "cap")
    assert call("GET", f"{URL}/events", **STREAM).status == 404
