from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stoker.api.policy import Policy
from stoker.api.v1 import RULES, application
from stoker.errors import Conflict, LimitExceeded, NotFound
from stoker.usecases.software import ConfigQuery, NewConfig
from tests.api.fake import A_CONFIG, PROJECT, Client

if TYPE_CHECKING:
    from pathlib import Path

    from tests.api.fake import FakeCatalog, FakeSoftware, FakeStacks

URL = f"/v1/{PROJECT}/software_configs"
ONE = f"{URL}/{A_CONFIG.id}"
LISTED = {
    "id": A_CONFIG.id,
    "name": "cfg1",
    "group": "script",
    "creation_time": "2026-11-29T12:39:24Z",
}
ASKED: dict[str, Any] = {
    "name": "cfg1",
    "group": "script",
    "config": "#!/bin/sh\necho hi\n",
    "inputs": [{"name": "foo", "type": "String", "default": "d"}],
    "outputs": [{"name": "result"}],
    "options": {"o": 1},
}
WHOLE = {
    **LISTED,
    **ASKED,
    "outputs": [{"name": "result", "type": "String", "error_output": False}],
}


def test_a_config_is_kept_with_what_it_does_not_say(call: Client, software: FakeSoftware) -> None:
    answer = call("POST", URL, ASKED)
    assert (answer.status, answer.json) == (200, {"software_config": WHOLE})
    assert software.asked[0][2] == A_CONFIG.content


def test_a_config_of_nothing_is_one(call: Client, software: FakeSoftware) -> None:
    answer = call("POST", URL, {})
    empty: dict[str, Any] = {"config": None, "inputs": [], "outputs": [], "options": {}}
    expected = {**LISTED, "name": None, "group": None, **empty}
    assert (answer.status, answer.json) == (200, {"software_config": expected})
    assert software.asked[0][2] == NewConfig()


def test_configs_are_listed_without_what_they_hold(call: Client, software: FakeSoftware) -> None:
    assert call("GET", f"{URL}?limit=2&marker=m").json == {"software_configs": [LISTED]}
    assert software.asked[0][2] == ConfigQuery(limit=2, marker="m")


def test_one_is_shown_and_deleted(call: Client, software: FakeSoftware) -> None:
    assert call("GET", ONE).json == {"software_config": WHOLE}
    answer = call("DELETE", ONE)
    assert (answer.status, answer.data) == (204, b"")
    assert [asked[0] for asked in software.asked] == ["config", "delete_config"]


def test_all_projects_are_listed_for_whom_the_policy_names(
    call: Client,
    stacks: FakeStacks,
    catalog: FakeCatalog,
    software: FakeSoftware,
    tmp_path: Path,
) -> None:
    assert call("GET", f"{URL}?global_tenant=true").status == 403
    assert software.asked == []
    file = tmp_path / "policy.yaml"
    file.write_text('"software_configs:global_index": "role:auditor"\n')
    app = application(stacks, catalog, software, Policy(RULES, policy_file=str(file)))
    answer = Client(app, roles="auditor,reader")("GET", f"{URL}?global_tenant=true")
    assert answer.json == {"software_configs": [{**LISTED, "project": PROJECT}]}
    caller, query = software.asked[0][1:]
    assert (caller.is_admin, query.all_projects) == (True, True)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"inputs": {}}, "inputs: must be a list of maps, not a map"),
        ({"inputs": ["foo"]}, "inputs[0]: must be a map, not a string"),
        ({"inputs": [{}]}, "inputs[0]: needs a name"),
        ({"outputs": [{"name": 1}]}, "outputs[0]: needs a name"),
        ({"inputs": [{"name": "a", "type": "Text"}]}, "inputs[0].type: must be one of String"),
        ({"inputs": [{"name": "a", "type": []}]}, "inputs[0].type: must be one of String"),
        ({"inputs": [{"name": "a", "size": 1}]}, "inputs[0].size: is not one of name"),
        ({"outputs": [{"name": "a", "default": 1}]}, "outputs[0].default: is not one of name"),
        ({"outputs": [{"name": "a", "error_output": 1}]}, "outputs[0].error_output: must be true"),
        ({"inputs": [{"name": "a", "description": 1}]}, "inputs[0].description: must be a string"),
        ({"name": 1}, "name: must be a string"),
        ({"name": "a" * 256}, "name: must have 255 characters at most, not 256"),
        ({"group": "a\0"}, "group: holds a NUL character"),
        ({"options": []}, "options: must be a map"),
    ],
    ids=str,
)
def test_what_is_wrong_with_a_config_is_told_with_its_place(
    call: Client, software: FakeSoftware, body: dict[str, Any], words: str
) -> None:
    answer = call("POST", URL, body)
    assert answer.status == 400
    assert words in answer.error["message"]
    assert software.asked == []


@pytest.mark.parametrize(
    ("error", "status", "type", "text"),
    [
        (
            NotFound("Software config", "x"),
            404,
            "NotFound",
            "Software config with id x not found",
        ),
        (Conflict("it is used"), 409, "InvalidRestrictedAction", "it is used"),
        (LimitExceeded("1"), 400, "RequestLimitExceeded", "Request limit exceeded: 1"),
    ],
    ids=["unknown", "used", "many"],
)
def test_refusals_have_heats_names(
    call: Client, software: FakeSoftware, error: Exception, status: int, type: str, text: str
) -> None:
    software.error = error
    answer = call("DELETE", ONE)
    assert (answer.status, answer.error["type"], answer.error["message"]) == (status, type, text)
