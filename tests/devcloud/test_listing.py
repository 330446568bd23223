"""Lists: filtered, ordered, paged."""

from __future__ import annotations

from typing import Any, cast

import pytest

from stoker.devcloud.cloud import Cloud
from stoker.devcloud.exchange import Request
from stoker.devcloud.listing import filtered, next_query, ordered, paged
from stoker.devcloud.refusal import Refusal

DOCS: list[dict[str, Any]] = [
    {"id": "1", "name": "b", "up": True, "size": 10, "tags": ["x", "y"], "note": None},
    {"id": "2", "name": "a", "up": False, "size": 9, "tags": [], "note": "n"},
    {"id": "3", "name": "a", "up": True, "size": None, "tags": ["y"], "note": "n"},
]


def ids(docs: list[dict[str, Any]]) -> str:
    return "".join(doc["id"] for doc in docs)


def asking(query: str) -> Request:
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/x", "QUERY_STRING": query}
    return Request(cast("Cloud", None), environ)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", "123"),
        ("name=a", "23"),
        ("name=a&name=b", "123"),
        ("up=True", "13"),
        ("up=false&name=a", "2"),
        ("tags=x", "1"),
        ("note=", "1"),
        ("size=9", "2"),
        ("unknown=1", "123"),
    ],
)
def test_documents_are_kept_that_match_every_field(query: str, found: str) -> None:
    fields = ("name", "up", "tags", "note", "size")
    assert ids(filtered(DOCS, asking(query).query, fields)) == found


@pytest.mark.parametrize(
    ("keys", "directions", "found"),
    [
        (["name", "id"], [], "231"),
        (["name", "id"], ["asc", "desc"], "321"),
        (["size"], [], "321"),
        (["size"], ["desc"], "123"),
        ([], [], "123"),
    ],
)
def test_documents_are_ordered_by_several_keys_numbers_as_numbers(
    keys: list[str], directions: list[str], found: str
) -> None:
    assert ids(ordered(DOCS, keys, directions)) == found


@pytest.mark.parametrize(
    ("query", "found", "more"),
    [
        ("", "123", False),
        ("limit=2", "12", True),
        ("limit=2&marker=1", "23", False),
        ("marker=3", "", False),
        ("limit=0", "", False),
    ],
)
def test_a_page_follows_its_marker(query: str, found: str, more: bool) -> None:  # noqa: FBT001
    page, rest = paged(DOCS, asking(query))
    assert (ids(page), rest) == (found, more)


@pytest.mark.parametrize("query", ["marker=4", "limit=many", "limit=-1"])
def test_a_page_that_cannot_be_is_refused(query: str) -> None:
    with pytest.raises(Refusal) as caught:
        paged(DOCS, asking(query))
    assert caught.value.status == 400


def test_the_next_query_changes_the_marker_alone() -> None:
    request = asking("limit=2&marker=1&tag=a&tag=b%20c")
    assert next_query(request, "3") == "limit=2&tag=a&tag=b+c&marker=3"
