"""Servers: made, shown, changed and gone, and what is refused on the way."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.devcloud.client import Client
from tests.devcloud.neutron.tenant import Tenant
from tests.devcloud.nova.compute import Compute, settled

NOBODY = "00000000-0000-0000-0000-00000000dead"


@pytest.mark.usefixtures("unhurried")
def test_a_server_is_built_and_then_runs_with_a_port_of_its_own(compute: Compute) -> None:
    made = compute.create(metadata={"a": "b"}, tags=["t"], description="d")
    assert set(made) == {"id", "links", "OS-DCF:diskConfig", "security_groups", "adminPass"}
    assert compute.show(made["id"])["status"] == "BUILD"
    server = compute.until(made["id"], "ACTIVE")
    (address,) = server["addresses"]["net"]
    (port,) = compute.ports(made["id"])
    assert address["addr"] == port["fixed_ips"][0]["ip_address"] == "10.0.0.2"
    assert (port["status"], port["device_owner"]) == ("ACTIVE", "compute:nova")
    assert (server["metadata"], server["tags"], server["description"]) == ({"a": "b"}, ["t"], "d")
    assert server["flavor"]["original_name"] == "m1.tiny"


@pytest.mark.usefixtures("unhurried")
def test_a_deleted_server_takes_its_own_port_along_and_lets_the_users_go(
    compute: Compute,
) -> None:
    port = compute.tenant.make("ports", network_id=compute.network)
    server = compute.boot(networks=[{"port": port["id"]}, {"uuid": compute.network}])
    assert len(compute.ports(server["id"])) == 2
    path = f"servers/{server['id']}"
    assert compute.call("DELETE", path).status == 204
    assert compute.show(server["id"])["OS-EXT-STS:task_state"] == "deleting"
    assert compute.call("DELETE", path).status == 204
    compute.gone(server["id"])
    assert compute.call("DELETE", path).status == 404
    assert compute.ports(server["id"]) == []
    kept = compute.tenant.show("ports", port["id"])
    assert (kept["status"], kept["device_id"], kept["device_owner"]) == ("DOWN", "", "")


@pytest.mark.parametrize(
    ("changes", "status", "text"),
    [
        ({"imageRef": NOBODY}, 400, f"Image {NOBODY} could not be found."),
        ({"imageRef": "nonsense"}, 400, "Invalid imageRef provided."),
        ({"flavorRef": "m1.tiny"}, 400, "Flavor m1.tiny could not be found."),
        ({"key_name": "nokey"}, 400, "Invalid key_name provided."),
        ({"networks": [{"uuid": NOBODY}]}, 400, f"Network {NOBODY} could not be found."),
        ({"networks": [{"port": NOBODY}]}, 400, f"Port id {NOBODY} could not be found."),
        ({"security_groups": [{"name": "no"}]}, 400, "Security group no not found."),
        (
            {"availability_zone": "mars"},
            400,
            "The requested availability zone is not available",
        ),
        (
            {"availability_zone": "nova:devcloud-1"},
            403,
            "Policy doesn't allow os_compute_api:servers:create:forced_host to be performed.",
        ),
        (
            {"networks": "auto"},
            409,
            "Multiple possible networks found, use a Network ID to be more specific.",
        ),
    ],
)
def test_a_server_that_cannot_be_is_refused_as_nova_does(
    compute: Compute, changes: dict[str, Any], status: int, text: str
) -> None:
    assert compute.refusal(**changes) == (status, text)
    assert compute.call("GET", "servers").body["servers"] == []


def test_user_data_must_be_base64_and_personality_is_gone(compute: Compute) -> None:
    assert compute.refusal(user_data="abc")[0] == 400
    assert compute.refusal(personality=[])[0] == 400
    compute.create(user_data=base64.b64encode(b"#!/bin/sh").decode())


def test_files_are_put_in_up_to_2_56(compute: Compute) -> None:
    def wish(number: int, length: int) -> list[dict[str, str]]:
        contents = base64.b64encode(b"x" * length).decode()
        return [{"path": f"/etc/{n}", "contents": contents} for n in range(number)]

    made = compute.create("2.56", personality=wish(5, 10240))
    compute.until(made["id"], "ACTIVE")
    for files, status in (
        (wish(6, 1), 403),
        (wish(1, 10241), 403),
        ([{"path": "/etc/x"}], 400),
        ([{"path": "/etc/x", "contents": "abc"}], 400),
    ):
        assert compute.refusal("2.56", personality=files)[0] == status
    assert compute.refusal("2.57", personality=wish(1, 1))[0] == 400


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("metadata", 5),
        ("metadata", {"a": 5}),
        ("metadata", {"a": "x" * 256}),
        ("tags", ["a/b"]),
        ("tags", ["x" * 61]),
        ("tags", [str(n) for n in range(51)]),
        ("config_drive", "maybe"),
        ("OS-DCF:diskConfig", "x"),
        ("description", "x" * 256),
        ("min_count", 0),
        ("networks", [{"uuid": NOBODY, "tag": "a/b"}]),
        ("tags", [{}]),
        ("networks", [5]),
        ("networks", [{"uuid": 5}]),
        ("security_groups", [{"name": 5}]),
        ("key_name", []),
        ("block_device_mapping_v2", {"a": 5}),
        ("os:scheduler_hints", [5]),
        ("min_count", "x"),
        ("name", " "),
        ("color", "red"),
    ],
)
def test_a_malformed_body_is_a_bad_request(compute: Compute, name: str, value: Any) -> None:
    assert compute.refusal(**{name: value})[0] == 400


def test_networks_are_required_from_2_37_on(compute: Compute) -> None:
    assert "nics are required after microversion 2.36" in compute.refusal(networks=None)[1]
    none = compute.boot(networks="none")
    assert none["addresses"] == {}
    ambiguous = compute.refusal(version="2.36", networks=None)
    assert ambiguous[0] == 409


def test_a_port_in_use_is_refused(compute: Compute) -> None:
    port = compute.tenant.make("ports", network_id=compute.network)
    compute.create(networks=[{"port": port["id"]}])
    refusal = compute.refusal(networks=[{"port": port["id"]}])
    assert refusal == (409, f"Port {port['id']} is still in use.")


def test_a_network_without_subnet_is_refused(compute: Compute) -> None:
    bare = compute.tenant.make("networks", name="bare")
    assert "requires a subnet" in compute.refusal(networks=[{"uuid": bare["id"]}])[1]


def test_a_server_without_an_address_left_ends_in_error(compute: Compute) -> None:
    network, _ = compute.tenant.network("10.3.0.0/30")
    compute.boot(networks=[{"uuid": network["id"]}])
    failed = compute.until(compute.create(networks=[{"uuid": network["id"]}])["id"], "ERROR")
    assert "No more IP addresses" in failed["fault"]["message"]
    assert compute.call("DELETE", f"servers/{failed['id']}").status == 204
    compute.gone(failed["id"])


def test_a_server_fails_when_it_is_asked_to(compute: Compute) -> None:
    made = compute.create(metadata={"devcloud:error": "the moon is full"})
    server = compute.until(made["id"], "ERROR")
    assert (server["fault"]["code"], server["fault"]["message"]) == (500, "the moon is full")


def test_many_servers_are_made_at_once(compute: Compute) -> None:
    compute.create(min_count=2, max_count=3)
    names = [each["name"] for each in compute.call("GET", "servers").body["servers"]]
    assert names == ["s-3", "s-2", "s-1"]


def test_a_quota_is_told_with_its_numbers(compute: Compute, admin: Client) -> None:
    path = f"/compute/v2.1/os-quota-sets/{compute.tenant.project_id}"
    assert admin.call("PUT", path, {"quota_set": {"instances": 1}}).status == 200
    compute.create()
    assert compute.refusal() == (
        403,
        "Quota exceeded for instances: Requested 1, but already used 1 of 1 instances",
    )
    absolute = compute.call("GET", "limits").body["limits"]["absolute"]
    assert (absolute["maxTotalInstances"], absolute["totalInstancesUsed"]) == (1, 1)
    assert (absolute["totalCoresUsed"], absolute["totalRAMUsed"]) == (1, 512)
    assert admin.call("DELETE", path).status == 202


def test_lists_are_filtered_and_paged(compute: Compute) -> None:
    red = compute.boot(name="web-red", tags=["x"])
    compute.create(name="web-blue")
    compute.create(name="db", metadata={"devcloud:error": "no"})
    found = {
        query: sorted(s["name"] for s in compute.call("GET", f"servers?{query}").body["servers"])
        for query in ("name=^web", "tags=x", "not-tags=x", f"uuid={red['id']}", "ip=10.0.0.2$")
    }
    assert found == {
        "name=^web": ["web-blue", "web-red"],
        "tags=x": ["web-red"],
        "not-tags=x": ["db", "web-blue"],
        f"uuid={red['id']}": ["web-red"],
        "ip=10.0.0.2$": ["web-red"],
    }
    page = compute.call("GET", "servers?limit=2&sort_key=display_name&sort_dir=asc").body
    assert [each["name"] for each in page["servers"]] == ["db", "web-blue"]
    (link,) = page["servers_links"]
    rest = compute.tenant.client.get(link["href"].removeprefix(compute.tenant.client.url)).body
    assert [each["name"] for each in rest["servers"]] == ["web-red"]
    assert compute.call("GET", "servers?name=[").status == 400
    assert compute.call("GET", "servers?all_tenants=1").status == 403


def test_a_server_of_another_project_is_not_there(compute: Compute, demo: Client) -> None:
    server = compute.create()
    assert demo.get(f"/compute/v2.1/servers/{server['id']}").status == 404


def test_metadata_and_tags_change_by_themselves(compute: Compute) -> None:
    id = compute.boot(metadata={"a": "1", "b": "2"})["id"]
    path = f"servers/{id}/metadata"
    more = compute.call("POST", path, {"metadata": {"b": "3", "c": "4"}})
    assert more.body == {"metadata": {"a": "1", "b": "3", "c": "4"}}
    assert compute.call("DELETE", f"{path}/a").status == 204
    assert compute.call("DELETE", f"{path}/a").status == 404
    assert compute.call("PUT", path, {"metadata": {"z": "9"}}).body == {"metadata": {"z": "9"}}
    assert compute.call("PUT", f"servers/{id}/tags/t").status == 201
    assert compute.call("PUT", f"servers/{id}/tags", {"tags": ["a/b"]}).status == 400
    server = compute.show(id)
    assert (server["metadata"], server["tags"]) == ({"z": "9"}, ["t"])


def test_interfaces_come_and_go(compute: Compute) -> None:
    server = compute.boot()
    port = compute.tenant.make("ports", network_id=compute.network)
    path = f"servers/{server['id']}/os-interface"
    body = {"interfaceAttachment": {"port_id": port["id"]}}
    attached = compute.call("POST", path, body)
    assert attached.body["interfaceAttachment"]["port_state"] == "ACTIVE"
    assert compute.call("POST", path, body).status == 409
    assert compute.call("DELETE", f"{path}/{port['id']}").status == 202
    settled(lambda: len(compute.ports(server["id"])), lambda count: count == 1)
    assert compute.tenant.show("ports", port["id"])["device_id"] == ""
    assert compute.call("DELETE", f"{path}/{port['id']}").status == 202  # found out later
    body = {"interfaceAttachment": {"port_id": NOBODY}}
    assert compute.call("POST", path, body).status == 404


def test_a_port_that_is_deleted_leaves_the_server(compute: Compute, admin: Client) -> None:
    server = compute.boot()
    (port,) = compute.ports(server["id"])
    assert Tenant(admin, "").remove(f"ports/{port['id']}") == 204
    assert compute.show(server["id"])["addresses"] == {}


def test_an_unknown_volume_is_not_attached(compute: Compute) -> None:
    server = compute.boot()
    path = f"servers/{server['id']}/os-volume_attachments"
    body = {"volumeAttachment": {"volumeId": NOBODY}}
    assert compute.call("POST", path, body).status == 404
    assert compute.call("GET", path).body == {"volumeAttachments": []}


def test_a_server_boots_from_a_volume_made_of_an_image(compute: Compute) -> None:
    device = {
        "uuid": compute.image,
        "source_type": "image",
        "destination_type": "volume",
        "boot_index": 0,
        "volume_size": 1,
        "delete_on_termination": True,
    }
    server = compute.boot(imageRef="", block_device_mapping_v2=[device])
    (volume,) = server["os-extended-volumes:volumes_attached"]
    assert volume["delete_on_termination"] is True
    path = f"servers/{server['id']}/os-volume_attachments"
    (attachment,) = compute.call("GET", path).body["volumeAttachments"]
    assert (attachment["volumeId"], attachment["device"]) == (volume["id"], "/dev/vda")
    assert server["image"] == ""
    assert compute.refusal(imageRef="")[0] == 400


def test_an_address_must_be_free_and_one_that_no_subnet_has_is_found_in_building(
    compute: Compute,
) -> None:
    port = compute.tenant.make("ports", network_id=compute.network)
    taken = {"uuid": compute.network, "fixed_ip": port["fixed_ips"][0]["ip_address"]}
    status, text = compute.refusal(networks=[taken])
    assert (status, "is already in use" in text) == (400, True)
    made = compute.create(networks=[{"uuid": compute.network, "fixed_ip": "10.99.99.99"}])
    assert "10.99.99.99" in compute.until(made["id"], "ERROR")["fault"]["message"]


def test_a_server_on_an_external_network_fails_in_building(compute: Compute) -> None:
    [public] = compute.tenant.list("networks", "name=public")
    made = compute.create(networks=[{"uuid": public["id"]}])
    assert "external network" in compute.until(made["id"], "ERROR")["fault"]["message"]
    server = compute.boot()
    body = {"interfaceAttachment": {"net_id": public["id"]}}
    assert compute.call("POST", f"servers/{server['id']}/os-interface", body).status == 403


def test_a_security_group_that_is_not_there_is_not_put_on(compute: Compute) -> None:
    server = compute.boot()
    for action in ("addSecurityGroup", "removeSecurityGroup"):
        assert compute.act(server["id"], action, {"name": "none"}).status == 404
    assert compute.refusal(security_groups=[{"name": "none"}])[0] == 400
