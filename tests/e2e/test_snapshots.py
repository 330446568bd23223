"""Snapshots and exports of a served installation: what becomes of the objects in the cloud."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.rest import Json, Rest, Stack
    from tests.e2e.tenant import Tenant

SECONDS = 30.0
VOLUME = {"type": "OS::Cinder::Volume", "properties": {"size": 1}}
SERVER = {
    "type": "OS::Nova::Server",
    "properties": {
        "image": "cirros-0.6.2-x86_64-disk",
        "flavor": "m1.tiny",
        "networks": [{"allocate_network": "none"}],
    },
}


@pytest.fixture(scope="module")
def tenant(tenants: Callable[[str], Tenant]) -> Tenant:
    return tenants("snapshots")


@pytest.fixture
def rest(tenant: Tenant) -> Rest:
    return tenant.rest


def template(**resources: Any) -> Json:
    return {"heat_template_version": "2021-04-16", "resources": resources}


def snapshot(stack: Stack) -> str:
    """Take a snapshot and return its id."""
    answer = stack.rest.call("POST", f"{stack.path}/snapshots", {"name": "one"})
    assert (answer.status, answer.json["status"]) == (200, "IN_PROGRESS"), answer
    stack.wait("SNAPSHOT_COMPLETE")
    return str(answer.json["id"])


def restored(stack: Stack, snapshot_id: str) -> None:
    answer = stack.rest.call("POST", f"{stack.path}/snapshots/{snapshot_id}/restore")
    assert answer.status == 202, answer
    stack.wait("RESTORE_COMPLETE")


def forgotten(stack: Stack, snapshot_id: str) -> None:
    assert stack.rest.call("DELETE", f"{stack.path}/snapshots/{snapshot_id}").status == 204
    until = time.monotonic() + SECONDS
    while stack.rest.get(f"{stack.path}/snapshots")["snapshots"]:
        assert time.monotonic() < until, "the snapshot does not go"
        time.sleep(0.05)


def test_a_server_and_a_volume_come_back_as_they_were_copied(
    tenant: Tenant, rest: Rest, name: str
) -> None:
    before = tenant.objects()
    nested = {"type": "below.yaml"}
    files = {"below.yaml": json.dumps(template(inner=VOLUME))}
    stack = rest.create(name, template(vol=VOLUME, srv=SERVER, n=nested), files=files)
    stack.wait("CREATE_COMPLETE")
    ids, made = stack.physical_ids(), tenant.objects()
    kept = snapshot(stack)
    copies = tenant.objects() - made
    assert sorted(kind for kind, _ in copies) == ["image.image", "volume.backup", "volume.backup"]
    data = rest.get(f"{stack.path}/snapshots/{kept}")["snapshot"]["data"]["resources"]
    image = data["srv"]["resource_data"]["snapshot_image_id"]
    assert ("image.image", image) in copies
    assert ("volume.backup", data["vol"]["resource_data"]["backup_id"]) in copies
    for _ in range(2):  # what looks restored already is so again
        restored(stack, kept)
        assert stack.physical_ids() == ids
        assert tenant.conn.compute.get_server(ids["srv"]).image.id == image
    forgotten(stack, kept)
    assert tenant.objects() == made
    stack.deleted()
    assert tenant.objects() == before


# exports


def test_65_the_data_of_an_abandoned_stack_is_enough(
    tenant: Tenant, rest: Rest, name: str, shared: Path
) -> None:
    bugs = shared / "bugs"
    source = (bugs / "65-abandon-adopt-round-trip.yaml").read_text()
    files = {"65-child.yaml": (bugs / "65-child.yaml").read_text()}
    stack = rest.create(name, source, files=files, tags="x,y")
    stack.wait("CREATE_COMPLETE")
    output, inner = stack.outputs(), stack.resources(1)
    answer = rest.call("DELETE", f"{stack.path}/abandon")
    assert answer.status == 200
    assert stack.show()["stack_status"] == "DELETE_COMPLETE"
    assert rest.get("/stacks?show_nested=true")["stacks"] == []
    adopts = rest.create(name, None, adopt_stack_data=answer.text)
    found = adopts.wait("ADOPT_COMPLETE")
    assert (adopts.outputs(), found["tags"]) == (output, ["x", "y"])
    ids = {each["resource_name"]: each["physical_resource_id"] for each in inner}
    now = {each["resource_name"]: each["physical_resource_id"] for each in adopts.resources(1)}
    assert now["r"] == ids["r"]
    adopts.deleted()


def test_objects_stay_whose_stack_is_abandoned_and_go_with_the_one_that_adopts_them(
    tenant: Tenant, rest: Rest, name: str
) -> None:
    before = tenant.objects()
    stack = rest.create(name, template(vol=VOLUME, srv={**SERVER, "depends_on": "vol"}))
    stack.wait("CREATE_COMPLETE")
    ids, made = stack.physical_ids(), tenant.objects()
    document = rest.call("DELETE", f"{stack.path}/abandon").json
    assert tenant.objects() == made
    adopts = rest.create(name, None, adopt_stack_data=json.dumps(document))
    adopts.wait("ADOPT_COMPLETE")
    assert adopts.physical_ids() == ids
    assert adopts.resource("vol")["attributes"]["size"] == 1
    seen = len(adopts.events())
    adopts.updated(template(vol=VOLUME, srv={**SERVER, "depends_on": "vol"}))
    assert (len(adopts.events()), tenant.objects()) == (seen + 2, made)
    adopts.deleted()
    assert tenant.objects() == before


def test_a_file_of_a_real_heat_can_be_adopted(rest: Rest, name: str, shared: Path) -> None:
    captured = (shared / "facts" / "http" / "202-export-200.txt").read_text()
    document = json.loads(captured.rpartition("\n\n")[2])
    adopts = rest.create(name, None, adopt_stack_data=json.dumps(document))
    adopts.wait("ADOPT_COMPLETE")
    assert adopts.outputs() == {"v": document["resources"]["rs"]["resource_data"]["value"]}
    ids = {each["resource_name"]: each["physical_resource_id"] for each in adopts.resources(1)}
    inner = document["resources"]["g"]["resources"]["0"]["resource_id"]
    assert (ids["rs"], ids["0"]) == (document["resources"]["rs"]["resource_id"], inner)
    ours = rest.get(f"{adopts.path}/export")
    assert (list(ours), list(ours["resources"]["g"])) == (
        list(document), list(document["resources"]["g"]),
    )  # fmt: skip
    assert ours["resources"]["rs"] == {**document["resources"]["rs"], "action": "ADOPT"}
    assert ours["environment"] == document["environment"]
    adopts.deleted()


def test_64_a_snapshot_shows_no_hidden_value_and_an_export_is_whole(
    rest: Rest, name: str, shared: Path
) -> None:
    (bug,) = (shared / "bugs").glob("64-*")
    secret = "T0PS3CR3T"
    stack = rest.create(name, bug.read_text(), parameters={"pw": secret})
    stack.wait("CREATE_COMPLETE")
    taken = rest.call("POST", f"{stack.path}/snapshots", {}).text
    stack.wait("SNAPSHOT_COMPLETE")
    shown = rest.call("GET", f"{stack.path}/snapshots").text
    assert (secret in taken, secret in shown) == (False, False)
    assert "******" in shown
    assert secret in rest.call("GET", f"{stack.path}/export").text
    stack.deleted()
