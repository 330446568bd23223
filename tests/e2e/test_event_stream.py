"""The events of a stack as they happen: server-sent events, as a browser would read them."""

from __future__ import annotations

import http.client
import json
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.e2e.rest import SECONDS, Stack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.rest import Rest

TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "resources": {"slow": {"type": "OS::Heat::TestResource", "properties": {"wait_secs": 2}}},
}


@contextmanager
def opened(stack: Stack, last_id: str = "") -> Iterator[http.client.HTTPResponse]:
    """Give the answer to a request for the stream."""
    url = urlsplit(f"{stack.rest.url}{stack.path}/events")
    headers = {"X-Auth-Token": stack.rest.token, "Accept": "text/event-stream"}
    headers |= {"Last-Event-ID": last_id} if last_id else {}
    with closing(http.client.HTTPConnection(url.netloc, timeout=SECONDS)) as connection:
        connection.request("GET", url.path, headers=headers)
        yield connection.getresponse()


def messages(answer: http.client.HTTPResponse) -> Iterator[tuple[str, Any]]:
    """Give each message as it comes: its id, and its data."""
    fields: dict[str, str] = {}
    for line in answer:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name:
            fields[name] = value
        elif "data" in fields:
            yield fields["id"], json.loads(fields["data"])
            fields = {}


def until_rest(answer: http.client.HTTPResponse, stack: Stack) -> list[tuple[str, Any]]:
    """Return the messages up to the end of an operation of the stack."""
    found = []
    for id, data in messages(answer):
        found.append((id, data))
        is_stacks = data["physical_resource_id"] == stack.id
        if is_stacks and not data["resource_status"].endswith("IN_PROGRESS"):
            return found
    raise AssertionError(f"the stream has ended with {found}")


def test_events_come_while_they_happen_and_a_stream_is_taken_up_again(
    rest: Rest, name: str
) -> None:
    stack = rest.create(name, TEMPLATE)
    with opened(stack) as answer:
        assert answer.headers["Content-Type"] == "text/event-stream"
        first = next(messages(answer))
        # The resource needs two seconds yet, so that the end is told when it comes.
        assert stack.show()["stack_status"] == "CREATE_IN_PROGRESS"
        told = [first, *until_rest(answer, stack)]
    assert [data for _, data in told] == stack.events()
    with opened(stack, told[1][0]) as answer:
        assert until_rest(answer, stack) == told[2:]
    stack.deleted()
    with opened(stack, told[-1][0]) as answer:
        last, data = until_rest(answer, stack)[-1]
        assert data["resource_status"] == "DELETE_COMPLETE"
    with opened(stack, last) as answer:
        assert answer.status == http.client.NO_CONTENT
