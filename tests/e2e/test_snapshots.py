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
VOLUME: dict[str, Any] = {"type": "OS::Cinder::Volume", "properties": {"size": 1}}
SERVER: dict[str, Any] = {
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


def everything() -> Json:
    """Return a template with a resource of each type that a member may make."""
    return template(
        net={"type": "OS::Neutron::Net"},
        sub={
            "type": "OS::Neutron::Subnet",
            "properties": {"network": {"get_resource": "net"}, "cidr": "10.77.0.0/24"},
        },
        router={
            "type": "OS::Neutron::Router",
            "properties": {"external_gateway_info": {"network": "public"}},
        },
        leg={
            "type": "OS::Neutron::RouterInterface",
            "properties": {
                "router": {"get_resource": "router"},
                "subnet": {"get_resource": "sub"},
            },
        },
        group={"type": "OS::Neutron::SecurityGroup"},
        rule={
            "type": "OS::Neutron::SecurityGroupRule",
            "properties": {"security_group": {"get_resource": "group"}, "protocol": "icmp"},
        },
        port={
            "type": "OS::Neutron::Port",
            "properties": {"network": {"get_resource": "net"}},
            "depends_on": "sub",
        },
        ip={"type": "OS::Neutron::FloatingIP", "properties": {"floating_network": "public"}},
        led={
            "type": "OS::Neutron::FloatingIPAssociation",
            "properties": {
                "floatingip_id": {"get_resource": "ip"},
                "port_id": {"get_resource": "port"},
            },
            "depends_on": "leg",
        },
        key={
            "type": "OS::Nova::KeyPair",
            "properties": {"name": "adopted", "save_private_key": True},
        },
        together={"type": "OS::Nova::ServerGroup"},
        srv={
            "type": "OS::Nova::Server",
            "properties": {
                **SERVER["properties"],
                "key_name": {"get_resource": "key"},
                "networks": [
                    {"port": {"get_resource": "port"}},
                    {"subnet": {"get_resource": "sub"}},
                ],
            },
        },
        vol=VOLUME,
        on={
            "type": "OS::Cinder::VolumeAttachment",
            "properties": {
                "instance_uuid": {"get_resource": "srv"},
                "volume_id": {"get_resource": "vol"},
            },
        },
    )


_UNCHECKED = ("ip", "led")
"""Types without a check: what they show was recorded before others changed it."""


def shown(stack: Stack) -> dict[str, tuple[str, Any]]:
    """Return each resource's id and attributes, but for what changes by itself."""
    found = {
        each["resource_name"]: stack.resource(each["resource_name"]) for each in stack.resources()
    }
    for each in found.values():
        each["attributes"].pop("console_urls", None)
        if each["resource_name"] in _UNCHECKED:
            each["attributes"] = each["attributes"].get("floating_ip_address")
    return {name: (x["physical_resource_id"], x["attributes"]) for name, x in found.items()}


def test_an_adopted_stack_is_like_the_one_that_was_abandoned(
    tenant: Tenant, rest: Rest, name: str
) -> None:
    before = tenant.objects()
    stack = rest.create(name, everything())
    stack.wait("CREATE_COMPLETE")
    checked(stack)
    was, made = shown(stack), tenant.objects()
    document = rest.call("DELETE", f"{stack.path}/abandon").json
    assert tenant.objects() == made
    adopts = rest.create(name, None, adopt_stack_data=json.dumps(document))
    adopts.wait("ADOPT_COMPLETE")
    assert shown(adopts) == was
    seen = len(adopts.events())
    adopts.updated(everything())
    assert (len(adopts.events()), tenant.objects()) == (seen + 2, made)
    adopts.deleted()
    assert tenant.objects() == before


def checked(stack: Stack) -> None:
    """Have all attributes be those of now: some were recorded before others changed them."""
    assert stack.rest.call("POST", f"{stack.path}/actions", {"check": None}).status == 200
    stack.wait("CHECK_COMPLETE")


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


def test_members_are_adopted_from_no_more_than_their_ids(rest: Rest, name: str) -> None:
    text: Json = {"resource_id": "froggy", "resource_data": {"value": "goopie"}}
    inner = template(r={"type": "OS::Heat::RandomString"})
    inner["outputs"] = {"s": {"value": {"get_attr": ["r", "value"]}}}
    whole = template(n={"type": "the.yaml"})
    whole["outputs"] = {"v": {"value": {"get_attr": ["n", "s"]}}}
    resources = {"n": {"type": "the.yaml", "resources": {"r": text}}}
    document = {"resources": resources, "environment": {"parameters": {}}, "template": whole}
    files = {"the.yaml": json.dumps(inner)}
    adopts = rest.create(name, None, adopt_stack_data=json.dumps(document), files=files)
    adopts.wait("ADOPT_COMPLETE")
    assert adopts.outputs() == {"v": "goopie"}
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
