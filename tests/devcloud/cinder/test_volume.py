"""Volumes: made, found, changed, deleted, and refused as Cinder refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from tests.devcloud.cinder.block import NOBODY, Block, fault
from tests.devcloud.client import Client


def test_a_volume_is_creating_then_available_and_deleted_it_is_gone(block: Block) -> None:
    made = block.post("volumes", {"size": 1, "name": "v", "metadata": {"a": "b"}})
    assert (made["status"], made["volume_type"], made["bootable"]) == ("creating", "fake", "false")
    there = block.until("volumes", made["id"], "available")
    assert (there["metadata"], there["attachments"]) == ({"a": "b"}, [])
    deleted = block.call("DELETE", f"volumes/{made['id']}")
    assert (deleted.status, deleted.body) == (202, b"")
    block.gone(f"volumes/{made['id']}")
    told = f"Volume {made['id']} could not be found."
    assert block.refused("DELETE", f"volumes/{made['id']}") == (404, told)


def test_a_volume_being_deleted_is_shown_and_not_deleted_again(
    block: Block, hold: Callable[[str], None]
) -> None:
    volume = block.volume()
    hold("delete")
    path = f"volumes/{volume['id']}"
    assert block.call("DELETE", path).status == 202
    assert block.show("volumes", volume["id"])["status"] == "deleting"
    status, told = block.refused("DELETE", path)
    assert status == 400
    assert told.startswith("Invalid volume: Volume status must be available or error")


def test_a_volume_that_is_creating_is_neither_deleted_nor_extended(
    block: Block, hold: Callable[[str], None]
) -> None:
    hold("create")
    id = block.post("volumes", {"size": 1})["id"]
    assert block.refused("DELETE", f"volumes/{id}")[0] == 400
    status, told = fault(block.act(id, "os-extend", {"new_size": 2}))
    assert (status, "currently creating" in told) == (400, True)


def test_a_volume_may_be_asked_to_fail(block: Block) -> None:
    id = block.post("volumes", {"size": 1, "metadata": {"devcloud:error": "x"}})["id"]
    block.until("volumes", id, "error")
    assert block.call("DELETE", f"volumes/{id}").status == 202


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({}, 400, "Invalid volume size provided"),
    ({"size": 0}, 400, "less than the minimum of 1"),
    ({"size": "one"}, 400, "is not of type 'integer'"),
    ({"size": True}, 400, "is not of type 'integer'"),
    ({"size": 1, "name": 7}, 400, "is not of type 'string'"),
    ({"size": 1, "metadata": {"a": 1}}, 400, "is not of type 'string'"),
    ({"size": 1, "metadata": []}, 400, "is not of type 'object'"),
    ({"size": 1, "volume_type": "none"}, 404, "Volume type with name none could not be found."),
    ({"size": 1, "volume_type": NOBODY}, 404, f"Volume type {NOBODY} could not be found."),
    ({"size": 1, "availability_zone": "x"}, 400, "Availability zone 'x' is invalid."),
    ({"size": 1, "imageRef": NOBODY}, 400, "Invalid image identifier"),
    ({"size": 1, "snapshot_id": NOBODY}, 404, f"Snapshot {NOBODY} could not be found."),
    ({"size": 1, "source_volid": NOBODY}, 404, f"Volume {NOBODY} could not be found."),
    ({"size": 1, "backup_id": NOBODY}, 404, f"Backup {NOBODY} could not be found."),
    ({"snapshot_id": NOBODY, "source_volid": NOBODY}, 400, "May specify only one of"),
]


@pytest.mark.parametrize(("body", "status", "told"), REFUSED)
def test_a_volume_that_cannot_be_is_refused(
    block: Block, body: dict[str, Any], status: int, told: str
) -> None:
    found = block.refusal("volumes", **body)
    assert (found[0], told in found[1]) == (status, True), found
    assert block.listed("volumes") == []


def test_what_a_volume_does_not_have_is_refused_from_3_53_on(block: Block) -> None:
    body = {"volume": {"size": 1, "nonsense": 1}}
    assert block.call("POST", "volumes", body, "3.53").status == 400
    assert block.call("POST", "volumes", body, "3.52").status == 202
    older = {"volume": {"size": 1, "backup_id": NOBODY}}
    assert block.call("POST", "volumes", older, "3.0").status == 404


def test_a_volume_is_made_of_an_image_a_volume_and_a_snapshot(block: Block) -> None:
    (image,) = block.client.get("/image/v2/images?name=ubuntu-24.04").body["images"]
    root = block.volume(imageRef=image["id"], size=2)
    assert root["bootable"] == "true"
    assert root["volume_image_metadata"]["image_id"] == image["id"]
    copy = block.make("volumes", source_volid=root["id"])
    assert (copy["size"], copy["bootable"], copy["source_volid"]) == (2, "true", root["id"])
    snapshot = block.make("snapshots", volume_id=root["id"])
    of_snapshot = block.make("volumes", snapshot_id=snapshot["id"], size=3)
    assert (of_snapshot["size"], of_snapshot["bootable"]) == (3, "true")
    status, told = block.refusal("volumes", snapshot_id=snapshot["id"], size=1)
    assert (status, "cannot be smaller than the snapshot size 2GB" in told) == (400, True)


def test_a_volume_is_changed_by_name_and_metadata(block: Block) -> None:
    id = block.volume(name="a", metadata={"k": "v"})["id"]
    changed = block.call("PUT", f"volumes/{id}", {"volume": {"name": "b", "description": "d"}})
    assert (changed.status, changed.body["volume"]["name"]) == (200, "b")
    path = f"volumes/{id}/metadata"
    assert block.call("POST", path, {"metadata": {"x": "y"}}).body == {
        "metadata": {"k": "v", "x": "y"}
    }
    assert block.call("PUT", path, {"metadata": {"z": "1"}}).body == {"metadata": {"z": "1"}}
    assert block.call("PUT", f"{path}/z", {"meta": {"z": "2"}}).body == {"meta": {"z": "2"}}
    assert block.refused("PUT", f"{path}/z", {"meta": {"y": "2"}})[0] == 400
    assert block.call("GET", f"{path}/z").body == {"meta": {"z": "2"}}
    assert block.call("DELETE", f"{path}/z").status == 200
    assert block.refused("DELETE", f"{path}/z")[0] == 404
    assert block.show("volumes", id)["metadata"] == {}
    assert block.refused("PUT", f"volumes/{id}", {"volume": {"size": 3}})[0] == 400


def test_a_volume_is_found_by_its_metadata(block: Block) -> None:
    for name, metadata in (("a", {"m": "1", "n": "1"}), ("b", {"m": "1"}), ("c", {"m": "2"})):
        block.volume(name=name, metadata=metadata)

    def found(**wanted: str) -> list[Any]:
        by_json = block.names(f"metadata={quote(json.dumps(wanted))}")
        assert block.names(f"metadata={quote(str(wanted))}") == by_json
        return by_json

    assert found(m="1") == ["b", "a"]
    assert found(m="1", n="1") == ["a"]
    assert found(m="1", n="2") == []
    assert found(m="3") == []
    assert block.refused("GET", "volumes?metadata=m")[0] == 400


def test_lists_are_filtered_ordered_and_paged(block: Block, other: Block, chief: Block) -> None:
    for name in ("a", "b", "c"):
        block.volume(name=name)
    other.volume(name="a")
    assert block.names("") == ["c", "b", "a"]
    assert block.names("sort=name:asc") == ["a", "b", "c"]
    assert block.names("sort_key=name&sort_dir=desc") == ["c", "b", "a"]
    assert block.names("name=a") == ["a"]
    assert block.names("name~=A", "3.34") == ["a"]
    assert block.names("status=error") == []
    assert block.names("all_tenants=1") == ["c", "b", "a"]
    page = block.call("GET", "volumes?limit=2&sort=name:asc").body
    assert [each["name"] for each in page["volumes"]] == ["a", "b"]
    (link,) = page["volumes_links"]
    rest = block.client.get(link["href"].removeprefix(block.client.url)).body
    assert [each["name"] for each in rest["volumes"]] == ["c"]
    assert "volumes_links" not in rest
    assert block.refused("GET", "volumes?limit=x")[0] == 400
    assert block.refused("GET", f"volumes?marker={NOBODY}")[0] == 404
    assert block.refused("GET", "volumes?host=x")[0] == 400
    assert block.names("host=x", "3.30") == ["c", "b", "a"]
    query = f"all_tenants=1&project_id={other.project_id}"
    assert chief.names(query) == ["a"]
    assert chief.names("name=c") == []


def test_volumes_are_counted_and_summed(block: Block) -> None:
    block.volume(size=2, metadata={"a": "x"})
    block.volume(size=3, metadata={"a": "y"})
    summary = block.listed("volumes/summary")
    assert summary == {"total_count": 2, "total_size": 5, "metadata": {"a": ["x", "y"]}}
    answer = block.call("GET", "volumes/detail?limit=1&with_count=true").body
    assert (answer["count"], len(answer["volumes"])) == (2, 1)


def test_another_projects_volume_is_not_there(block: Block, other: Block, chief: Block) -> None:
    id = block.volume()["id"]
    for method, path in (("GET", f"volumes/{id}"), ("DELETE", f"volumes/{id}")):
        assert other.refused(method, path) == (404, f"Volume {id} could not be found.")
    assert other.refusal("volumes", source_volid=id)[0] == 404
    assert other.refusal("snapshots", volume_id=id)[0] == 404
    shown = chief.show("volumes", id)
    assert shown["os-vol-tenant-attr:tenant_id"] == block.project_id
    assert shown["os-vol-host-attr:host"] == "devcloud@volumes#volumes"


def test_a_project_in_the_path_must_be_the_callers(block: Block, other: Block) -> None:
    foreign = Block(block.client, other.project_id)
    assert foreign.refused("GET", "volumes") == (400, "Malformed request url")
    bare = block.client.get("/volume/v3/volumes")
    assert (bare.status, bare.body) == (200, {"volumes": []})


def test_a_volume_grows_and_never_shrinks(block: Block) -> None:
    id = block.volume(size=2)["id"]
    for size in (1, 2):
        status, told = fault(block.act(id, "os-extend", {"new_size": size}))
        assert (status, "must be greater than current size" in told) == (400, True)
    assert block.done(id, "os-extend", {"new_size": 3})["id"] == id
    assert block.until("volumes", id, "available")["size"] == 3


def test_flags_are_set_and_the_readonly_one_is_seen_in_the_metadata(block: Block) -> None:
    id = block.volume(metadata={"a": "b"})["id"]
    seen = block.done(id, "os-update_readonly_flag", {"readonly": True})
    assert seen["metadata"] == {"a": "b", "readonly": "True"}
    assert block.done(id, "os-set_bootable", {"bootable": "true"}, 200)["bootable"] == "true"
    block.done(id, "os-update_readonly_flag", {"readonly": False})
    assert block.listed(f"volumes/{id}/metadata") == {"a": "b"}
    seen = block.done(id, "os-set_bootable", {"bootable": False}, 200)
    assert (seen["bootable"], seen["metadata"]["readonly"]) == ("false", "False")


def test_actions_that_are_no_actions_are_refused(block: Block) -> None:
    id = block.volume()["id"]
    assert fault(block.act(id, "os-fly"))[0] == 400
    assert fault(block.act(id, "os-extend", [1]))[0] == 400
    assert fault(block.act(id, "os-extend", {}))[0] == 400
    assert fault(block.act(id, "os-update_readonly_flag", {"readonly": "maybe"}))[0] == 400
    assert fault(block.act(id, "os-reset_status", {"status": "error"}))[0] == 403
    assert fault(block.act(id, "os-force_delete"))[0] == 403


def test_an_administrator_sets_a_status_and_deletes_in_any(block: Block, chief: Block) -> None:
    id = block.volume()["id"]
    assert chief.act(id, "os-reset_status", {"status": "in-use"}).status == 202
    assert block.refused("DELETE", f"volumes/{id}")[0] == 400
    assert chief.act(id, "os-reset_status", {"status": "asleep"}).status == 400
    assert chief.act(id, "os-force_delete").status == 202
    block.gone(f"volumes/{id}")


def test_a_volume_is_copied_into_an_image(block: Block) -> None:
    id = block.volume(size=2)["id"]
    answer = block.act(id, "os-volume_upload_image", {"image_name": "copy"})
    assert answer.status == 202
    told = answer.body["os-volume_upload_image"]
    assert (told["status"], told["visibility"]) == ("uploading", "private")
    block.until("volumes", id, "available")
    image = block.client.get(f"/image/v2/images/{told['image_id']}").body
    assert (image["name"], image["status"]) == ("copy", "active")
    assert block.volume(imageRef=image["id"])["bootable"] == "true"


def test_microversions_are_answered_and_bounded(block: Block, anybody: Client) -> None:
    answer = block.call("GET", "volumes", version="latest")
    assert answer.headers["OpenStack-API-Version"] == "volume 3.71"
    assert block.client.get("/volume/v3/volumes").headers["OpenStack-API-Version"] == "volume 3.0"
    assert block.refused("GET", "volumes", version="3.72")[0] == 406
    assert block.refused("GET", "volumes", version="three")[0] == 400
    assert block.refused("GET", "attachments", version="3.26")[0] == 404
    id = block.volume()["id"]
    old = block.call("GET", f"volumes/{id}", version="3.0").body["volume"]
    assert not {"group_id", "shared_targets", "volume_type_id", "consumes_quota"} & set(old)
    assert anybody.get("/volume").status == 300
    (version,) = block.client.get("/volume/v3/").body["versions"]
    assert (version["min_version"], version["version"]) == ("3.0", "3.71")
    assert anybody.get("/volume/v3/volumes").status == 401


def test_the_service_shows_itself(block: Block, chief: Block) -> None:
    zone = {"zoneName": "nova", "zoneState": {"available": True}}
    assert block.listed("os-availability-zone") == [zone]
    assert "qos-specs" in {each["alias"] for each in block.listed("extensions")}
    assert {each["resource"] for each in block.listed("resource_filters")} >= {"volume", "snapshot"}
    services = chief.listed("os-services")
    assert {each["binary"] for each in services} >= {"cinder-volume", "cinder-scheduler"}
    assert block.refused("GET", "os-services")[0] == 403
    (pool,) = chief.listed("scheduler-stats/get_pools?detail=true")
    assert pool["capabilities"]["free_capacity_gb"] == "infinite"
