from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from stoker.api.remedies import BY_STATUS
from stoker.api.settings import Settings
from stoker.api.v1 import application
from stoker.api.versions import public
from tests.api.fake import ID, PROJECT, Client

if TYPE_CHECKING:
    from stoker.api.policy import Policy
    from tests.api.fake import FakeCatalog, FakeSoftware, FakeStacks

DOCUMENT = {
    "versions": [
        {
            "id": "v1.0",
            "status": "CURRENT",
            "links": [{"rel": "self", "href": "http://127.0.0.1:8004/v1/"}],
        }
    ]
}
PAGE = {
    "message": "The resource could not be found.<br /><br />\n\n\n",
    "code": "404 Not Found",
    "title": "Not Found",
    "remedy": BY_STATUS[404],
}


@pytest.mark.parametrize("path", ["", "/", "/versions", "/v2/p/stacks", "/v1.1/p", "/v3"])
def test_the_versions_document_needs_no_token(call: Client, path: str) -> None:
    stranger = replace(call, environ={"HTTP_X_IDENTITY_STATUS": ""})
    answer = stranger("GET", path)
    assert (answer.status, answer.json) == (300, DOCUMENT)
    assert public({"PATH_INFO": path})


@pytest.mark.parametrize(
    "path",
    [
        "/v1",
        "/v1/",
        "/v1/p/nosuch",
        "/v1.0/p/x/y/z",
        f"/v1/{PROJECT}/stacks/",
        f"/v1/{PROJECT}/stacks//{ID}",
    ],
)
def test_an_unknown_path_is_a_404_and_needs_a_token(call: Client, path: str) -> None:
    answer = call("GET", path)
    assert (answer.status, answer.json) == (404, PAGE)
    assert not public({"PATH_INFO": path})


def test_version_1_is_known_by_three_names(call: Client) -> None:
    path = f"/{PROJECT}/stacks/cap/{ID}"
    accept = {"HTTP_ACCEPT": "application/vnd.openstack.orchestration-v1.0"}
    answers = [call("GET", f"/v1{path}"), call("GET", f"/v1.0{path}"), call("GET", path, **accept)]
    assert [answer.status for answer in answers] == [200, 200, 200]
    assert len({answer.data for answer in answers}) == 1


def test_a_path_without_a_version_is_a_404(call: Client) -> None:
    assert call("GET", f"/{PROJECT}/stacks").status == 404


def test_a_path_that_is_negotiated_is_not_public() -> None:
    assert not public({"PATH_INFO": f"/{PROJECT}/stacks"})


@pytest.mark.parametrize("path", ["/v1/%ff/stacks", "/v1/p/stacks/a%00b"])
def test_an_unreadable_path_is_a_400(call: Client, path: str) -> None:
    answer = call("GET", path)
    assert (answer.status, answer.error["type"]) == (400, "HTTPBadRequest")


def test_the_health_check_tells_what_is_wrong(
    stacks: FakeStacks, catalog: FakeCatalog, software: FakeSoftware, policy: Policy
) -> None:
    reasons: list[str] = []
    app = application(stacks, catalog, software, policy, Settings(), health=lambda: reasons)
    stranger = Client(app, environ={"HTTP_X_IDENTITY_STATUS": ""})
    assert (stranger("GET", "/healthcheck").status, stranger("GET", "/healthcheck").data) == (
        200,
        b"OK",
    )
    reasons.append("no database")
    answer = stranger("GET", "/healthcheck", HTTP_ACCEPT="application/json")
    assert (answer.status, answer.json) == (503, {"detailed": False, "reasons": reasons})
    assert stranger("GET", "/healthcheck").data == b"no database"
