from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.api.fake import ID, PROJECT

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeStacks

STACKS = f"/v1/{PROJECT}/stacks"
TARGET = f"http://127.0.0.1:8004{STACKS}/cap/{ID}"
ARN = f"arn:openstack:heat::{PROJECT}:stacks/cap/{ID}"


@pytest.mark.parametrize("verb", ["GET", "POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("name", ["cap", ID])
def test_each_verb_on_a_name_or_id_is_redirected(call: Client, verb: str, name: str) -> None:
    answer = call(verb, f"{STACKS}/{name}?a=b%20c&d", b"{not json")
    assert (answer.status, answer.headers["location"]) == (302, f"{TARGET}?a=b%20c&d")
    assert answer.json["code"] == "302 Found"
    assert answer.json["title"] == "Found"
    assert TARGET in answer.json["message"]


@pytest.mark.parametrize(
    ("verb", "part"),
    [
        *(("GET", part) for part in
          ("resources", "events", "template", "actions", "environment", "files")),
        *(("POST", part) for part in ("resources", "events", "template", "actions")),
    ],
)  # fmt: skip
def test_what_is_below_a_stack_is_redirected_too(call: Client, verb: str, part: str) -> None:
    answer = call(verb, f"{STACKS}/cap/{part}?x=1")
    assert (answer.status, answer.headers["location"]) == (302, f"{TARGET}/{part}?x=1")


@pytest.mark.parametrize("verb", ["GET", "POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("below", ["", "/resources", "/resources/a b/events"])
def test_an_arn_is_redirected_without_a_question(
    call: Client, stacks: FakeStacks, verb: str, below: str
) -> None:
    answer = call(verb, f"{STACKS}/{ARN}{below}")
    assert answer.status == 302
    assert answer.headers["location"] == f"{TARGET}{below.replace(' ', '%20')}"
    assert stacks.asked == []


def test_an_escaped_arn_is_one_too(call: Client) -> None:
    answer = call("GET", f"{STACKS}/{ARN.replace(':', '%3A').replace('/', '%2F')}")
    assert (answer.status, answer.headers["location"]) == (302, TARGET)


@pytest.mark.parametrize("name", ["nosuch", "arn:aws:what", "arn:openstack:heat::p:stacks"])
def test_an_unknown_name_is_a_404(call: Client, name: str) -> None:
    answer = call("GET", f"{STACKS}/{name}")
    assert (answer.status, answer.error["type"]) == (404, "EntityNotFound")
    assert answer.error["message"] == f"The Stack ({name}) could not be found."


def test_an_arn_does_not_open_another_projects_path(call: Client) -> None:
    assert call("GET", f"/v1/other/stacks/{ARN}").status == 403


@pytest.mark.parametrize(("verb", "name"), [("GET", "preview"), ("DELETE", "detail")])
def test_stacks_may_be_named_like_the_paths_beside_them(
    call: Client, stacks: FakeStacks, verb: str, name: str
) -> None:
    assert call(verb, f"{STACKS}/{name}").status == 404
    assert stacks.asked[-1][2] == name


def test_a_wrong_verb_on_an_arn_is_a_405(call: Client) -> None:
    answer = call("HEAD", f"{STACKS}/{ARN}/x")
    assert answer.status == 405
    assert call("OPTIONS", f"{STACKS}/{ARN}/x").status == 204
