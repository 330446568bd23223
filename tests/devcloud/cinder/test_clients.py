"""openstacksdk and the openstack command against volumes, both unchanged; and a restart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import openstack.exceptions
import pytest

from stoker.devcloud.cloud import Options
from stoker.devcloud.server import Server
from tests.devcloud.cinder.block import Block
from tests.devcloud.client import Client
from tests.devcloud.nova.test_clients import command, documents

Connect = Callable[..., Any]
BOOT = "server create --image ubuntu-24.04 --flavor m1.tiny --network block-net --wait"


# It warns of methods of its own whenever it reads a thing, or finds something by name.
@pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK50Warning")
@pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK60Warning")
def test_openstacksdk_takes_a_volume_through_its_life(connect: Connect) -> None:
    c = connect("demo").block_storage
    made = c.create_volume(size=1, name="sdk-volume", metadata={"stoker": "mark"})
    volume = c.wait_for_status(made, "available", failures=["error"], interval=0.05, wait=10)
    (found,) = c.volumes(properties=str({"stoker": "mark"}))
    assert (found.id, found.metadata) == (volume.id, {"stoker": "mark"})
    c.extend_volume(volume, 2)
    growing = c.get_volume(volume.id)
    volume = c.wait_for_status(growing, "available", failures=["error"], interval=0.05, wait=10)
    assert c.get_volume(volume.id).size == 2
    snapshot = c.create_snapshot(volume_id=volume.id, name="sdk-snapshot")
    snapshot = c.wait_for_status(snapshot, "available", failures=["error"], interval=0.05, wait=10)
    with pytest.raises(openstack.exceptions.BadRequestException, match="have snapshots"):
        c.delete_volume(volume)
    backup = c.create_backup(volume_id=volume.id, name="sdk-backup")
    c.wait_for_status(backup, "available", failures=["error"], interval=0.05, wait=10)
    c.delete_snapshot(snapshot)
    c.wait_for_delete(snapshot, interval=0.05, wait=10)
    c.delete_volume(volume)
    c.wait_for_delete(volume, interval=0.05, wait=10)
    with pytest.raises(openstack.exceptions.NotFoundException):
        c.get_volume(volume.id)
    c.delete_backup(backup)
    c.wait_for_delete(backup, interval=0.05, wait=10)


@pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK50Warning")
@pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK60Warning")
def test_openstacksdk_manages_types_and_quotas(connect: Connect) -> None:
    c = connect("admin").block_storage
    type = c.create_type(name="sdk-type", extra_specs={"a": "b"})
    assert c.find_type("sdk-type").id == type.id
    c.update_type_extra_specs(type, c="d")
    assert c.get_type(type).extra_specs == {"a": "b", "c": "d"}
    encryption = c.create_type_encryption(type, provider="luks", control_location="front-end")
    assert encryption.volume_type_id == type.id
    project = connect("demo").current_project_id
    assert c.update_quota_set(project, snapshots=7).snapshots == 7
    assert c.get_quota_set(project, usage=True).usage["snapshots"] >= 0
    c.revert_quota_set(project)
    assert c.get_quota_set(project).snapshots == c.get_quota_set_defaults(project).snapshots
    c.delete_type(type)


TYPES = ("volumev3", "block-storage")
COMMANDS = (
    "network create block-net -f json",
    "subnet create --network block-net --subnet-range 10.2.0.0/24 block-subnet -f json",
    f"{BOOT} block-server -f json",
    "volume create --size 1 --property k=v cli-volume -f json",
    "server list -f json",
    "server add volume block-server cli-volume -f json",
    "volume show cli-volume -f json",
    "volume delete cli-volume",
    "server delete --wait block-server",
    "volume list --property k=v -f json",
    "volume snapshot create --volume cli-volume cli-snapshot -f json",
)


def test_the_openstack_command_attaches_a_volume() -> None:
    with Server(Options(port=0, latency=0)) as cloud:  # the command's --wait sleeps for seconds
        done = command(cloud, COMMANDS)
    *_, made, _, attached, shown, listed, snapshot = documents(done.stdout)
    assert (made["properties"], made["type"]) == ({"k": "v"}, "fake")
    assert attached["Device"] == "/dev/vdb"
    assert shown["status"] == "in-use"
    assert [(each["Name"], each["Status"]) for each in listed] == [("cli-volume", "available")]
    assert snapshot["volume_id"] == made["id"]
    first, second, *rest = done.stderr.splitlines()
    assert "Volume status must be available or error" in first
    assert (second, rest) == ("1 of 1 volumes failed to delete.", [])


def test_volumes_are_there_after_a_restart_and_go_on(tmp_path: Path) -> None:
    options = Options(port=0, state=f"{tmp_path}/state.sqlite", latency=0.3)
    with Server(options) as server:
        first = _block(server)
        id = first.post("volumes", {"size": 1, "metadata": {"a": "b"}})["id"]
        first.client.close()
    with Server(options) as server:
        again = _block(server)
        assert again.until("volumes", id, "available")["metadata"] == {"a": "b"}
        assert again.call("DELETE", f"volumes/{id}").status == 202
        again.client.close()
    with Server(options) as server:
        last = _block(server)
        last.gone(f"volumes/{id}")
        last.client.close()


def test_a_state_from_before_there_were_volumes_gets_them(tmp_path: Path) -> None:
    options = Options(port=0, state=f"{tmp_path}/state.sqlite")
    with Server(options) as server, server.cloud.state.transaction():
        state = server.cloud.state
        for service in state.list("identity.service", where={"type": list(TYPES)}):
            state.delete("identity.service", service["id"])
        for type in state.list("volume.type"):
            state.delete("volume.type", type["id"])
        seeded = state.setting("seeded")
        state.put_setting("seeded", [n for n in seeded if not n.endswith(".cinder")])
    with Server(options) as server:
        block = _block(server)
        catalog = block.client.me()["catalog"]
        own = f"{server.url}/volume/v3/{block.project_id}"
        found = {s["type"]: s["endpoints"][0]["url"] for s in catalog if s["type"] in TYPES}
        assert found == dict.fromkeys(TYPES, own)
        assert block.volume()["volume_type"] == "fake"
        block.client.close()


def _block(server: Server) -> Block:
    client = Client(server.url).user("demo")
    return Block(client, client.me()["project"]["id"])
