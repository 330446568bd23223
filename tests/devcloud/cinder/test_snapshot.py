"""Snapshots and backups, and what they hold."""

from __future__ import annotations

from collections.abc import Callable

from tests.devcloud.cinder.block import Block, fault


def test_a_snapshot_holds_its_volume(block: Block) -> None:
    volume = block.volume(size=2)
    snapshot = block.make("snapshots", volume_id=volume["id"], name="s", metadata={"a": "b"})
    assert (snapshot["size"], snapshot["metadata"]) == (2, {"a": "b"})
    extended = "os-extended-snapshot-attributes"
    assert snapshot[f"{extended}:progress"] == "100%"
    assert snapshot[f"{extended}:project_id"] == block.project_id
    status, told = block.refused("DELETE", f"volumes/{volume['id']}")
    assert (status, "have snapshots" in told) == (400, True)
    assert block.call("DELETE", f"snapshots/{snapshot['id']}").status == 202
    block.gone(f"snapshots/{snapshot['id']}")
    assert block.call("DELETE", f"volumes/{volume['id']}").status == 202


def test_a_cascade_takes_the_snapshots_along(block: Block, hold: Callable[[str], None]) -> None:
    volume = block.volume()
    snapshot = block.make("snapshots", volume_id=volume["id"])
    assert block.call("DELETE", f"volumes/{volume['id']}?cascade=true").status == 202
    block.gone(f"volumes/{volume['id']}")
    assert block.refused("GET", f"snapshots/{snapshot['id']}")[0] == 404
    second = block.volume()
    hold("snapshot")
    block.post("snapshots", {"volume_id": second["id"]})
    assert block.refused("DELETE", f"volumes/{second['id']}?cascade=true")[0] == 400


def test_a_snapshot_of_a_volume_in_use_is_forced_before_366(block: Block) -> None:
    id = block.volume()["id"]
    block.done(id, "os-attach", {"instance_uuid": id, "mountpoint": "/dev/vdb"})
    body = {"snapshot": {"volume_id": id}}
    status, told = block.refused("POST", "snapshots", body, "3.65")
    assert (status, "must be available, but current status is: in-use" in told) == (400, True)
    forced = {"volume_id": id, "force": True}
    assert block.post("snapshots", forced, "3.65")["status"] == "creating"
    assert block.post("snapshots", {"volume_id": id})["status"] == "creating"
    assert block.refusal("snapshots", volume_id=id, force=False)[0] == 400
    assert block.call("DELETE", f"volumes/{id}?cascade=true").status == 400


def test_snapshots_are_changed_and_listed(block: Block, other: Block) -> None:
    volume = block.volume()
    id = block.make("snapshots", volume_id=volume["id"], name="a", metadata={"k": "v"})["id"]
    path = f"snapshots/{id}"
    assert block.call("PUT", path, {"snapshot": {"name": "b"}}).body["snapshot"]["name"] == "b"
    assert block.refused("PUT", path, {"snapshot": {}})[0] == 400
    assert block.call("POST", f"{path}/metadata", {"metadata": {"x": "y"}}).status == 200
    assert block.listed(f"{path}/metadata") == {"k": "v", "x": "y"}
    for query in (f"volume_id={volume['id']}", "name=b", "status=available", "metadata={'k':'v'}"):
        assert [each["id"] for each in block.listed(f"snapshots/detail?{query}")] == [id], query
    assert block.listed("snapshots?metadata={'k':'w'}") == []
    assert other.listed("snapshots") == []
    assert other.refused("GET", path)[0] == 404


def test_an_administrator_corrects_a_snapshot(block: Block, chief: Block) -> None:
    volume = block.volume()
    id = block.make("snapshots", volume_id=volume["id"])["id"]
    path, body = f"snapshots/{id}/action", {"os-reset_status": {"status": "creating"}}
    assert block.refused("POST", path, body)[0] == 403
    assert chief.call("POST", path, body).status == 202
    assert block.refused("DELETE", f"snapshots/{id}")[0] == 400
    assert block.refusal("volumes", snapshot_id=id)[0] == 400
    assert chief.call("POST", path, {"os-force_delete": {}}).status == 202
    block.gone(f"snapshots/{id}")


def test_a_volume_goes_back_to_its_newest_snapshot_alone(block: Block) -> None:
    id = block.volume()["id"]
    first, second = (block.make("snapshots", volume_id=id)["id"] for _ in range(2))
    assert fault(block.act(id, "revert", {"snapshot_id": first}))[0] == 400
    assert block.act(id, "revert", {"snapshot_id": second}).status == 202
    block.until("volumes", id, "available")


def test_a_backup_is_made_and_restored(block: Block) -> None:
    volume = block.volume(size=2)
    block.done(volume["id"], "os-set_bootable", {"bootable": True}, 200)
    backup = block.make("backups", volume_id=volume["id"], name="b", metadata={"a": "b"})
    assert (backup["size"], backup["is_incremental"], backup["metadata"]) == (2, False, {"a": "b"})
    block.until("volumes", volume["id"], "available")
    assert block.call("DELETE", f"volumes/{volume['id']}").status == 202
    path = f"backups/{backup['id']}/restore"
    fresh = block.call("POST", path, {"restore": {"name": "again"}})
    assert fresh.status == 202
    restored = block.until("volumes", fresh.body["restore"]["volume_id"], "available")
    assert (restored["name"], restored["size"], restored["bootable"]) == ("again", 2, "true")
    block.until("backups", backup["id"], "available")
    small = block.volume()
    status, told = block.refused("POST", path, {"restore": {"volume_id": small["id"]}})
    assert (status, "too small" in told) == (400, True)
    target = {"restore": {"volume_id": restored["id"]}}
    assert block.call("POST", path, target).status == 202
    block.until("volumes", restored["id"], "available")
    of_backup = block.make("volumes", backup_id=backup["id"])
    assert (of_backup["size"], of_backup["bootable"]) == (2, "true")


def test_a_backup_in_use_must_be_forced_and_a_parent_stays(block: Block) -> None:
    id = block.volume()["id"]
    assert block.refusal("backups", volume_id=id, incremental=True)[0] == 400
    block.done(id, "os-attach", {"instance_uuid": id, "mountpoint": "/dev/vdb"})
    status, told = block.refusal("backups", volume_id=id)
    assert (status, "must use the force flag" in told) == (400, True)
    first = block.make("backups", volume_id=id, force=True)
    assert block.until("volumes", id, "in-use")["attachments"] != []
    second = block.make("backups", volume_id=id, force=True, incremental=True)
    assert (second["is_incremental"], second["has_dependent_backups"]) == (True, False)
    assert block.show("backups", first["id"])["has_dependent_backups"] is True
    status, told = block.refused("DELETE", f"backups/{first['id']}")
    assert (status, "Incremental backups exist" in told) == (400, True)
    for each in (second, first):
        assert block.call("DELETE", f"backups/{each['id']}").status == 202
        block.gone(f"backups/{each['id']}")


def test_backups_are_listed_and_are_their_projects_own(block: Block, other: Block) -> None:
    volume = block.volume()
    backup = block.make("backups", volume_id=volume["id"], name="b")
    changed = block.call("PUT", f"backups/{backup['id']}", {"backup": {"name": "c"}})
    assert changed.body["backup"]["name"] == "c"
    for query in ("name=c", "status=available", f"volume_id={volume['id']}"):
        assert [each["name"] for each in block.listed(f"backups/detail?{query}")] == ["c"]
    assert other.listed("backups") == []
    assert other.refused("GET", f"backups/{backup['id']}")[0] == 404
