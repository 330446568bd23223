"""Volumes in use: through Cinder's own API, and by Nova's servers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devcloud.cinder.block import NOBODY, Block, fault
from tests.devcloud.nova.compute import Compute, settled


@pytest.fixture
def disks(machines: Compute) -> Block:
    """Return the volumes of the project that boots servers."""
    return Block(machines.tenant.client, machines.tenant.project_id)


def test_an_attachment_reserves_connects_and_completes(block: Block) -> None:
    id = block.volume()["id"]
    body = {"volume_uuid": id, "instance_uuid": NOBODY}
    made = block.post("attachments", body)
    path = f"attachments/{made['id']}"
    assert (made["status"], block.show("volumes", id)["status"]) == ("reserved", "reserved")
    assert block.refusal("attachments", **body)[0] == 400
    assert block.refused("DELETE", f"volumes/{id}")[0] == 400
    connector = {"connector": {"host": "h", "mountpoint": "/dev/vdb", "mode": "ro"}}
    connected = block.call("PUT", path, {"attachment": connector}).body["attachment"]
    assert (connected["status"], connected["attach_mode"]) == ("attaching", "ro")
    assert connected["connection_info"]["attachment_id"] == made["id"]
    assert block.show("volumes", id)["status"] == "attaching"
    assert block.call("POST", f"{path}/action", {"os-complete": {}}).status == 204
    volume = block.show("volumes", id)
    (shown,) = volume["attachments"]
    assert (volume["status"], shown["attachment_id"]) == ("in-use", made["id"])
    assert (shown["server_id"], shown["device"], shown["id"]) == (NOBODY, "/dev/vdb", id)
    assert block.refused("POST", f"{path}/action", {"os-complete": {}})[0] == 400
    assert [each["id"] for each in block.listed(f"attachments?volume_id={id}")] == [made["id"]]
    assert [e["id"] for e in block.listed(f"attachments/detail?instance_id={NOBODY}")] != []
    assert block.call("DELETE", path).body == {"attachments": []}
    assert block.refused("GET", path)[0] == 404
    assert block.show("volumes", id)["status"] == "available"


def test_a_shared_volume_is_in_use_until_the_last_attachment_goes(
    block: Block, chief: Block
) -> None:
    specs = {"name": "shared-type", "extra_specs": {"multiattach": "<is> True"}}
    type = chief.post("types", specs)
    id = block.volume(volume_type=type["id"])["id"]
    body = {"volume_uuid": id, "connector": {"host": "h"}}
    ids = []
    for _ in range(2):
        ids.append(block.post("attachments", body)["id"])
        done = block.call("POST", f"attachments/{ids[-1]}/action", {"os-complete": {}})
        assert done.status == 204
    first, second = ids
    (left,) = block.call("DELETE", f"attachments/{first}").body["attachments"]
    assert (left["id"], block.show("volumes", id)["status"]) == (second, "in-use")
    assert block.call("DELETE", f"attachments/{second}").status == 200
    assert block.show("volumes", id)["status"] == "available"


def test_attachments_are_their_projects_own(block: Block, other: Block) -> None:
    id = block.volume()["id"]
    made = block.post("attachments", {"volume_uuid": id})
    assert other.refused("DELETE", f"attachments/{made['id']}")[0] == 404
    assert other.refusal("attachments", volume_uuid=id)[0] == 404
    assert other.listed("attachments") == []


def test_a_volume_is_attached_and_detached_by_actions(block: Block) -> None:
    id = block.volume()["id"]
    assert block.done(id, "os-reserve")["status"] == "attaching"
    assert fault(block.act(id, "os-reserve"))[0] == 400
    assert block.done(id, "os-unreserve")["status"] == "available"
    attach = {"instance_uuid": NOBODY, "mountpoint": "/dev/vdb", "mode": "rw"}
    volume = block.done(id, "os-attach", attach)
    assert (volume["status"], volume["attachments"][0]["device"]) == ("in-use", "/dev/vdb")
    assert fault(block.act(id, "os-attach", attach))[0] == 400
    assert block.done(id, "os-begin_detaching")["status"] == "detaching"
    assert block.done(id, "os-roll_detaching")["status"] == "in-use"
    wrong = block.act(id, "os-detach", {"attachment_id": NOBODY})
    assert fault(wrong)[0] == 404
    assert block.done(id, "os-detach", {})["status"] == "available"
    assert fault(block.act(id, "os-detach", {}))[0] == 400
    told = block.act(id, "os-initialize_connection", {"connector": {"host": "h"}})
    assert told.body["connection_info"]["data"]["volume_id"] == id
    assert block.act(id, "os-terminate_connection", {"connector": {}}).status == 202


def attached(machines: Compute, server: str, volume: str, **more: Any) -> Any:
    body = {"volumeAttachment": {"volumeId": volume, **more}}
    return machines.call("POST", f"servers/{server}/os-volume_attachments", body)


def test_a_server_takes_a_volume_in_use_and_gives_it_back(machines: Compute, disks: Block) -> None:
    server, id = machines.boot()["id"], disks.volume()["id"]
    answer = attached(machines, server, id)
    assert (answer.status, answer.body["volumeAttachment"]["device"]) == (200, "/dev/vdb")
    volume = disks.show("volumes", id)
    (shown,) = volume["attachments"]
    assert (volume["status"], shown["server_id"], shown["host_name"]) == ("in-use", server, None)
    assert shown["attachment_id"] == answer.body["volumeAttachment"]["attachment_id"]
    again = fault(attached(machines, server, id))
    assert again == (
        400,
        f"Invalid volume: volume {id} is already attached to instances: {server}",
    )
    assert disks.refused("DELETE", f"volumes/{id}")[0] == 400
    told = f"Detach volume from instance {server} using the Compute API"
    assert disks.refused("DELETE", f"attachments/{shown['attachment_id']}") == (409, told)
    path = f"servers/{server}/os-volume_attachments/{id}"
    assert machines.call("DELETE", path).status == 202
    assert disks.until("volumes", id, "available")["attachments"] == []
    assert machines.call("GET", path).status == 404
    assert machines.call("DELETE", path).status == 404
    assert disks.call("DELETE", f"volumes/{id}").status == 202


def test_a_volume_in_use_grows_from_342_on(machines: Compute, disks: Block) -> None:
    server, id = machines.boot()["id"], disks.volume()["id"]
    assert attached(machines, server, id).status == 200
    assert fault(disks.act(id, "os-extend", {"new_size": 2}, "3.41"))[0] == 400
    assert disks.act(id, "os-extend", {"new_size": 2}).status == 202
    assert disks.until("volumes", id, "in-use")["size"] == 2


def test_a_volume_that_is_not_ready_is_not_attached(machines: Compute, disks: Block) -> None:
    server = machines.boot()["id"]
    id = disks.post("volumes", {"size": 1, "metadata": {"devcloud:error": "x"}})["id"]
    disks.until("volumes", id, "error")
    status, told = fault(attached(machines, server, id))
    assert (status, "Currently in 'error'" in told) == (400, True)


def test_a_deleted_server_gives_its_volumes_back_or_takes_them_along(
    machines: Compute, disks: Block
) -> None:
    server = machines.boot()["id"]
    kept, taken = disks.volume()["id"], disks.volume()["id"]
    assert attached(machines, server, kept).status == 200
    assert attached(machines, server, taken, delete_on_termination=True).status == 200
    assert machines.call("DELETE", f"servers/{server}").status == 204
    machines.gone(server)
    assert disks.until("volumes", kept, "available")["attachments"] == []
    disks.gone(f"volumes/{taken}")


def test_a_server_deleted_while_its_volume_grows_leaves_it_available(
    machines: Compute, disks: Block
) -> None:
    server, id = machines.boot()["id"], disks.volume()["id"]
    assert attached(machines, server, id).status == 200
    latency = {"volume": {"extend": 0.5}}
    client = machines.tenant.client
    assert client.call("PUT", "/devcloud/latency", latency).status == 200
    assert disks.act(id, "os-extend", {"new_size": 2}).status == 202
    assert client.call("PUT", "/devcloud/latency", {"volume": {"extend": 0.05}}).status == 200
    assert machines.call("DELETE", f"servers/{server}").status == 204
    machines.gone(server)
    assert disks.until("volumes", id, "available")["size"] == 2


def device(**changes: Any) -> dict[str, Any]:
    return {"boot_index": 0, "destination_type": "volume", **changes}


def test_a_server_boots_from_a_volume_that_exists(machines: Compute, disks: Block) -> None:
    root = disks.volume(imageRef=machines.image)["id"]
    wish = device(uuid=root, source_type="volume", delete_on_termination=True)
    server = machines.boot(imageRef="", block_device_mapping_v2=[wish])
    assert disks.show("volumes", root)["attachments"][0]["device"] == "/dev/vda"
    assert machines.call("DELETE", f"servers/{server['id']}").status == 204
    disks.gone(f"volumes/{root}")


def test_what_cannot_be_booted_from_is_refused(machines: Compute, disks: Block) -> None:
    blank = disks.volume()["id"]
    for wish, told in (
        (device(uuid=blank, source_type="volume"), "is not bootable"),
        (device(uuid=NOBODY, source_type="volume"), f"failed to get volume {NOBODY}"),
        (device(uuid=NOBODY, source_type="snapshot"), f"failed to get snapshot {NOBODY}"),
        (device(uuid=machines.image, source_type="image", volume_size="x"), "not of type"),
    ):
        refusal = machines.refusal(imageRef="", block_device_mapping_v2=[wish])
        assert (refusal[0], told in refusal[1]) == (400, True), refusal
    assert disks.show("volumes", blank)["status"] == "available"


def test_a_server_boots_from_volumes_made_of_an_image_and_a_snapshot(
    machines: Compute, disks: Block
) -> None:
    origin = disks.volume(imageRef=machines.image, size=2)
    snapshot = disks.make("snapshots", volume_id=origin["id"])["id"]
    of_image = device(uuid=machines.image, source_type="image", volume_size=3)
    blank = {"source_type": "blank", "destination_type": "volume", "volume_size": 1}
    server = machines.boot(imageRef="", block_device_mapping_v2=[of_image, blank])
    sizes = {}
    for each in server["os-extended-volumes:volumes_attached"]:
        volume = disks.show("volumes", each["id"])
        sizes[volume["attachments"][0]["device"]] = (volume["size"], volume["bootable"])
    assert sizes == {"/dev/vda": (3, "true"), "/dev/vdb": (1, "false")}
    of_snapshot = device(uuid=snapshot, source_type="snapshot")
    server = machines.boot(imageRef="", block_device_mapping_v2=[of_snapshot])
    (root,) = server["os-extended-volumes:volumes_attached"]
    volume = disks.show("volumes", root["id"])
    assert (volume["size"], volume["snapshot_id"], volume["bootable"]) == (2, snapshot, "true")


def test_a_boot_volume_over_the_quota_leaves_a_server_in_error(
    machines: Compute, disks: Block, chief: Block
) -> None:
    quota = {"quota_set": {"volumes": 0}}
    assert chief.call("PUT", f"os-quota-sets/{disks.project_id}", quota).status == 200
    wish = device(uuid=machines.image, source_type="image", volume_size=1)
    id = machines.create(imageRef="", block_device_mapping_v2=[wish])["id"]
    server = settled(lambda: machines.show(id), lambda seen: seen["status"] == "ERROR")
    assert "VolumeLimitExceeded" in server["fault"]["message"]
    assert disks.listed("volumes") == []
