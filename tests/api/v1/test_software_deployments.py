from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from stoker.errors import NotFound
from stoker.usecases.software import DeploymentChange, NewDeployment
from tests.api.fake import A_CONFIG, A_DEPLOYMENT, PROJECT

if TYPE_CHECKING:
    from tests.api.fake import Client, FakeSoftware

URL = f"/v1/{PROJECT}/software_deployments"
ONE = f"{URL}/{A_DEPLOYMENT.id}"
SERVER = A_DEPLOYMENT.server_id
SHOWN = {
    "id": A_DEPLOYMENT.id,
    "server_id": SERVER,
    "input_values": {"foo": "bar"},
    "output_values": None,
    "action": "CREATE",
    "status": "IN_PROGRESS",
    "status_reason": None,
    "config_id": A_CONFIG.id,
    "creation_time": "2026-11-29T12:39:24Z",
}
ASKED: dict[str, Any] = {
    "config_id": A_CONFIG.id,
    "server_id": SERVER,
    "input_values": {"foo": "bar"},
    "action": "CREATE",
    "status": "IN_PROGRESS",
    "stack_user_project_id": "p9",
}


def test_a_deployment_is_kept(call: Client, software: FakeSoftware) -> None:
    answer = call("POST", URL, {**ASKED, "id": "of-ones-own"})
    assert (answer.status, answer.json) == (200, {"software_deployment": SHOWN})
    assert software.asked[0][2] == NewDeployment(
        config_id=A_CONFIG.id,
        server_id=SERVER,
        input_values={"foo": "bar"},
        action="CREATE",
        status="IN_PROGRESS",
        stack_user_project_id="p9",
    )


def test_one_without_a_config_is_refused_in_heats_words(
    call: Client, software: FakeSoftware
) -> None:
    call("POST", URL, {"server_id": "x"})
    config_id = software.asked[0][2].config_id
    software.error = NotFound("Software config", config_id)
    answer = call("POST", URL, {"server_id": "x"})
    assert (answer.status, answer.error["type"]) == (404, "NotFound")
    assert answer.error["message"] == "Software config with id None not found"


def test_deployments_are_listed_of_all_servers_or_of_one(
    call: Client, software: FakeSoftware
) -> None:
    assert call("GET", URL).json == {"software_deployments": [SHOWN]}
    assert call("GET", f"{URL}?server_id={SERVER}").json == {"software_deployments": [SHOWN]}
    assert [asked[2] for asked in software.asked] == [None, SERVER]


def test_one_is_shown_and_deleted(call: Client, software: FakeSoftware) -> None:
    assert call("GET", ONE).json == {"software_deployment": SHOWN}
    answer = call("DELETE", ONE)
    assert (answer.status, answer.data) == (204, b"")
    assert [asked[0] for asked in software.asked] == ["deployment", "delete_deployment"]


def test_a_change_names_only_what_is_given_and_has_a_time(
    call: Client, software: FakeSoftware
) -> None:
    answer = call("PUT", ONE, {"status": "COMPLETE", "output_values": {}, "action": None})
    changed = {"status": "COMPLETE", "updated_time": "2026-11-29T12:39:24Z"}
    assert (answer.status, answer.json) == (200, {"software_deployment": {**SHOWN, **changed}})
    assert software.asked[0][3] == DeploymentChange(status="COMPLETE", output_values={})


def test_a_servers_metadata_are_its_configs_whole(call: Client, software: FakeSoftware) -> None:
    (config,) = call("GET", f"{URL}/metadata/{SERVER}").json["metadata"]
    assert (config["id"], config["config"]) == (A_CONFIG.id, "#!/bin/sh\necho hi\n")
    assert software.asked[0][2] == SERVER


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "server_id: is missing"),
        ({"server_id": ""}, "server_id: is missing"),
        ({"server_id": "s" * 65}, "server_id: must have 64 characters at most"),
        ({"config_id": "c" * 37}, "config_id: must have 36 characters at most"),
        ({"stack_user_project_id": "p" * 65}, "stack_user_project_id: must have 64"),
        ({"action": "a" * 33}, "action: must have 32 characters at most"),
        ({"status": 1}, "status: must be a string"),
        ({"status_reason": "\0"}, "status_reason: holds a NUL character"),
        ({"input_values": []}, "input_values: must be a map"),
    ],
    ids=str,
)
def test_what_is_wrong_is_told_with_its_place(
    call: Client, software: FakeSoftware, body: dict[str, Any], words: str
) -> None:
    answer = call("POST", URL, {**(ASKED if body and "server_id" not in body else {}), **body})
    assert answer.status == 400
    assert words in answer.error["message"]
    assert software.asked == []


def test_an_unknown_one_is_told_in_heats_words(call: Client, software: FakeSoftware) -> None:
    software.error = NotFound("Deployment", "x")
    answer = call("GET", f"{URL}/x")
    assert answer.error == {
        "type": "NotFound",
        "traceback": None,
        "message": "Deployment with id x not found",
    }
