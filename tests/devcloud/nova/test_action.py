"""Actions: which state allows which, and where it leads."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devcloud.client import Client
from tests.devcloud.nova.compute import Compute

WALK = [
    ("os-stop", None, "SHUTOFF"),
    ("os-start", None, "ACTIVE"),
    ("pause", None, "PAUSED"),
    ("unpause", None, "ACTIVE"),
    ("suspend", None, "SUSPENDED"),
    ("resume", None, "ACTIVE"),
    ("reboot", {"type": "SOFT"}, "ACTIVE"),
    ("shelve", None, "SHELVED_OFFLOADED"),
    ("unshelve", None, "ACTIVE"),
    ("rescue", {}, "RESCUE"),
    ("unrescue", None, "ACTIVE"),
]


@pytest.mark.usefixtures("unhurried")
def test_a_server_goes_through_its_states(compute: Compute) -> None:
    id = compute.boot()["id"]
    for action, argument, status in WALK:
        answer = compute.act(id, action, argument)
        assert answer.status in (200, 202), (action, answer.body)
        assert compute.show(id)["OS-EXT-STS:task_state"] is not None
        compute.until(id, status)


@pytest.mark.parametrize(
    ("action", "argument"),
    [
        ("os-start", None),
        ("unpause", None),
        ("resume", None),
        ("confirmResize", None),
        ("revertResize", None),
        ("unshelve", None),
    ],
)
def test_an_action_out_of_place_is_a_conflict(compute: Compute, action: str, argument: Any) -> None:
    id = compute.boot()["id"]
    answer = compute.act(id, action, argument)
    assert answer.status == 409
    message = answer.body["conflictingRequest"]["message"]
    word = action.removeprefix("os-")
    assert message == f"Cannot '{word}' instance {id} while it is in vm_state active"


@pytest.mark.usefixtures("unhurried")
def test_a_busy_server_is_left_alone(compute: Compute) -> None:
    id = compute.create()["id"]
    assert compute.act(id, "os-stop").status == 409
    compute.until(id, "ACTIVE")
    assert compute.act(id, "os-stop").status == 202
    again = compute.act(id, "os-stop")
    assert again.body["conflictingRequest"]["message"] == (
        f"Cannot 'stop' instance {id} while it is in task_state powering-off"
    )


@pytest.mark.usefixtures("unhurried")
def test_a_resize_waits_to_be_confirmed_or_reverted(compute: Compute) -> None:
    id = compute.boot()["id"]
    same = compute.act(id, "resize", {"flavorRef": "1"})
    assert same.status == 400
    for then, ram in (("revertResize", 512), ("confirmResize", 2048)):
        assert compute.act(id, "resize", {"flavorRef": "2"}).status == 202
        assert compute.show(id)["status"] == "RESIZE"
        assert compute.until(id, "VERIFY_RESIZE")["flavor"]["ram"] == 2048
        assert compute.act(id, then).status in (202, 204)
        assert compute.until(id, "ACTIVE")["flavor"]["ram"] == ram
    absolute = compute.call("GET", "limits").body["limits"]["absolute"]
    assert absolute["totalRAMUsed"] == 2048


def test_a_rebuild_keeps_id_and_address(compute: Compute) -> None:
    server = compute.boot()
    id = server["id"]
    answer = compute.act(id, "rebuild", {"imageRef": compute.image, "name": "new"})
    assert (answer.status, answer.body["server"]["status"]) == (202, "REBUILD")
    again = compute.until(id, "ACTIVE")
    assert (again["name"], again["addresses"]) == ("new", server["addresses"])
    two = compute.act(id, "rebuild", {"imageRef": "two"})
    assert two.body["badRequest"]["message"].endswith("'two' is not a 'uuid'")


def test_an_image_is_taken_of_a_server(compute: Compute) -> None:
    id = compute.boot()["id"]
    body = {"name": "snap", "metadata": {"k": "v"}}
    answer = compute.act(id, "createImage", body)
    path = f"/image/v2/images/{answer.body['image_id']}"
    image = compute.tenant.client.get(path).body
    assert (image["status"], image["k"], image["instance_uuid"]) == ("active", "v", id)
    compute.until(id, "ACTIVE")
    old = compute.act(id, "createImage", body, version="2.44")
    assert old.headers["Location"].rpartition("/")[2] != ""


def test_a_locked_server_is_for_administrators(compute: Compute, admin: Client) -> None:
    id = compute.boot()["id"]
    assert compute.act(id, "lock", {"locked_reason": "mine"}).status == 202
    assert compute.show(id)["locked_reason"] == "mine"
    assert compute.act(id, "os-stop").status == 409
    assert compute.call("DELETE", f"servers/{id}").status == 409
    action = f"/compute/v2.1/servers/{id}/action"
    assert admin.call("POST", action, {"os-stop": None}).status == 202
    compute.until(id, "SHUTOFF")
    assert compute.act(id, "unlock").status == 202
    assert compute.act(id, "os-start").status == 202


def test_security_groups_are_put_on_and_taken_off(compute: Compute) -> None:
    compute.tenant.make("security-groups", name="web")
    id = compute.boot()["id"]
    assert compute.act(id, "addSecurityGroup", {"name": "web"}).status == 202
    names = {group["name"] for group in compute.show(id)["security_groups"]}
    assert names == {"default", "web"}
    assert compute.act(id, "removeSecurityGroup", {"name": "web"}).status == 202
    assert compute.act(id, "removeSecurityGroup", {"name": "web"}).status == 404


def test_consoles_are_shown(compute: Compute) -> None:
    id = compute.boot(name="box")["id"]
    output = compute.act(id, "os-getConsoleOutput", {"length": 1}).body["output"]
    assert output == "box login:\n"
    body = {"remote_console": {"protocol": "vnc", "type": "novnc"}}
    answer = compute.call("POST", f"servers/{id}/remote-consoles", body)
    assert answer.body["remote_console"]["type"] == "novnc"
    body = {"remote_console": {"protocol": "vnc", "type": "teletype"}}
    assert compute.call("POST", f"servers/{id}/remote-consoles", body).status == 400
    assert compute.act(id, "noSuchAction").status == 400
