"""Which function answers which request."""

from __future__ import annotations

import pytest

from stoker.devcloud.exchange import Request
from stoker.devcloud.refusal import Refusal
from stoker.devcloud.router import find, route


@route("GET", "/routing/things/{thing_id}")
def show_thing(_request: Request) -> None: ...


@route("GET", "/routing/things/detail")
def list_things(_request: Request) -> None: ...


@route("POST", "/routing/things/{thing_id}/parts/{part_id}", status=201, public=True)
def add_part(_request: Request) -> None: ...


def test_placeholders_are_given_by_name() -> None:
    found, values = find("POST", "/routing/things/7/parts/a")
    assert (found.operation, found.status, found.public) == ("add_part", 201, True)
    assert values == {"thing_id": "7", "part_id": "a"}


def test_a_literal_wins_over_a_placeholder() -> None:
    assert find("GET", "/routing/things/detail")[0].operation == "list_things"
    assert find("GET", "/routing/things/details")[0].operation == "show_thing"


def test_slashes_at_the_end_do_not_count() -> None:
    assert find("GET", "/routing/things/7/")[1] == {"thing_id": "7"}


def test_head_is_answered_by_get() -> None:
    assert find("HEAD", "/routing/things/7")[0].operation == "show_thing"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/routing", 404), ("GET", "/nowhere", 404), ("DELETE", "/routing/things/7", 405)],
)
def test_unknown_paths_and_methods_are_refused(method: str, path: str, status: int) -> None:
    with pytest.raises(Refusal) as caught:
        find(method, path)
    assert caught.value.status == status


def test_one_call_has_one_handler() -> None:
    with pytest.raises(ValueError, match="two handlers"):
        route("GET", "/routing/things/{id}")(list_things)
