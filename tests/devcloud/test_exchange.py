"""What a client got wrong in form is refused before any handler looks at it."""

from __future__ import annotations

import pytest

from tests.devcloud.client import Client


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b'{"role": 1}', b'{"other": {}}'])
def test_a_body_that_is_not_the_object_expected_is_a_400(admin: Client, body: bytes) -> None:
    answer = admin.call("POST", "/identity/v3/roles", body)
    assert answer.status == 400
    assert answer.body["error"]["code"] == 400


def test_unknown_paths_and_methods_are_refused_in_the_services_words(
    anybody: Client, demo: Client
) -> None:
    assert anybody.get("/identity/v3/none").body["error"]["code"] == 404
    assert b"<title>404 Not Found</title>" in demo.get("/image/v2/none").body
    answer = anybody.call("DELETE", "/identity/v3/roles")
    assert (answer.status, answer.body["error"]["title"]) == (405, "Method Not Allowed")


def test_every_answer_names_its_request(anybody: Client) -> None:
    first, second = anybody.get("/"), anybody.get("/")
    ids = {answer.headers["x-openstack-request-id"] for answer in (first, second)}
    assert len(ids) == 2
    assert all(id.startswith("req-") for id in ids)


def test_head_has_gets_headers_and_no_body(demo: Client) -> None:
    got, head = (demo.call(method, "/image/v2/schemas/image") for method in ("GET", "HEAD"))
    assert head.status == 200
    assert head.headers["Content-Length"] == got.headers["Content-Length"]
