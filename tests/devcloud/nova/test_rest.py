"""Microversions, flavors, key pairs, server groups, aggregates."""

from __future__ import annotations

from typing import Any

import pytest

from stoker.devcloud.nova.microversion import Microversion, Unreadable, Unsupported, requested
from tests.devcloud.client import Client
from tests.devcloud.nova.compute import Compute

LATEST = {"OpenStack_API_Version": "compute 2.96"}


@pytest.mark.parametrize(
    ("generic", "legacy", "version"),
    [
        (None, None, (2, 1)),
        ("compute 2.47", None, (2, 47)),
        ("volume 3.1, compute 2.9", "2.3", (2, 9)),
        ("volume 3.1", "2.3", (2, 3)),
        ("compute latest", None, (2, 96)),
    ],
)
def test_a_microversion_is_read_from_either_header(
    generic: str | None, legacy: str | None, version: tuple[int, int]
) -> None:
    assert requested(generic, legacy) == Microversion(*version)


def test_what_is_no_microversion_or_beyond_is_told_apart() -> None:
    with pytest.raises(Unreadable):
        requested("compute two", None)
    with pytest.raises(Unsupported):
        requested("compute 2.999", None)


@pytest.mark.parametrize("version", ["2.1", "2.26", "2.96"])
def test_every_answer_names_its_microversion(compute: Compute, version: str) -> None:
    answer = compute.call("GET", "servers/detail", version=version)
    assert answer.headers["OpenStack-API-Version"] == f"compute {version}"
    assert answer.headers["X-OpenStack-Nova-API-Version"] == version


def test_a_microversion_beyond_is_not_acceptable(compute: Compute) -> None:
    assert compute.call("GET", "servers", version="2.999").status == 406


def test_fields_come_with_their_microversion(compute: Compute) -> None:
    id = compute.boot()["id"]
    came = {"locked": 9, "description": 19, "tags": 26, "locked_reason": 73, "server_groups": 71}
    for name, minor in came.items():
        assert name not in compute.show(id, f"2.{minor - 1}")
        assert name in compute.show(id, f"2.{minor}")
    assert compute.show(id, "2.46")["flavor"]["id"] == "1"
    assert "id" not in compute.show(id, "2.47")["flavor"]


def test_flavors_are_found_by_id_alone_and_made_by_administrators(
    demo: Client, admin: Client
) -> None:
    names = {f["name"] for f in demo.get("/compute/v2.1/flavors").body["flavors"]}
    assert {"m1.nano", "m1.tiny", "m1.small", "m1.medium", "m1.large", "m1.xlarge"} <= names
    missing = demo.get("/compute/v2.1/flavors/m1.tiny")
    assert missing.body["itemNotFound"]["message"] == "Flavor m1.tiny could not be found."
    body = {"flavor": {"name": "big", "ram": 1, "vcpus": 1, "disk": 0}}
    assert demo.call("POST", "/compute/v2.1/flavors", body).status == 403
    body["flavor"]["os-flavor-access:is_public"] = False
    id = admin.call("POST", "/compute/v2.1/flavors", body).body["flavor"]["id"]
    assert admin.call("POST", "/compute/v2.1/flavors", body).status == 409
    path = f"/compute/v2.1/flavors/{id}"
    assert demo.get(path).status == 404
    specs = {"extra_specs": {"a:b": "c"}}
    assert admin.call("POST", f"{path}/os-extra_specs", specs).body == specs
    access = {"addTenantAccess": {"tenant": demo.me()["project"]["id"]}}
    assert admin.call("POST", f"{path}/action", access).status == 200
    assert demo.get(path, **LATEST).body["flavor"]["extra_specs"] == {"a:b": "c"}
    assert admin.call("DELETE", path).status == 202
    assert demo.get(path).status == 404


def test_a_key_pair_is_generated_only_by_old_microversions(demo: Client) -> None:
    path = "/compute/v2.1/os-keypairs"
    body: Any = {"keypair": {"name": "made"}}
    assert demo.call("POST", path, body, **LATEST).status == 400
    old = demo.call("POST", path, body).body["keypair"]
    assert old["private_key"].startswith("-----BEGIN")
    assert "private_key" not in demo.get(f"{path}/made").body["keypair"]
    again = demo.call("POST", path, body)
    assert again.body["conflictingRequest"]["message"] == "Key pair 'made' already exists."
    taken = {"keypair": {"name": "taken", "public_key": old["public_key"], "type": "ssh"}}
    found = demo.call("POST", path, taken, **LATEST)
    assert (found.status, found.body["keypair"]["fingerprint"]) == (201, old["fingerprint"])
    for key in ("not a key", "ssh-rsa AAAA", "ssh-rsa %%%"):
        wrong = {"keypair": {"name": "wrong", "public_key": key}}
        assert demo.call("POST", path, wrong, **LATEST).body["badRequest"]["message"] == (
            "Keypair data is invalid: failed to generate fingerprint"
        )
    for name in ("made", "taken"):
        assert demo.call("DELETE", f"{path}/{name}", **LATEST).status == 204
    gone = demo.call("DELETE", f"{path}/made", **LATEST)
    user = demo.me()["user"]["id"]
    assert gone.body["itemNotFound"]["message"] == f"Keypair made not found for user {user}"


def test_servers_of_a_group_keep_apart(compute: Compute, admin: Client) -> None:
    body = {"server_group": {"name": "g", "policy": "anti-affinity"}}
    group = compute.call("POST", "os-server-groups", body).body["server_group"]
    hints = {"os:scheduler_hints": {"group": group["id"]}}
    ids = []
    for _ in range(3):
        answer = compute.call("POST", "servers", {**compute.wish(), **hints})
        ids.append(answer.body["server"]["id"])
    for id in ids:
        compute.until(id, "ACTIVE")
    name = "OS-EXT-SRV-ATTR:host"
    hosts = {admin.get(f"/compute/v2.1/servers/{id}").body["server"][name] for id in ids}
    assert len(hosts) == 3
    path = f"os-server-groups/{group['id']}"
    assert compute.call("GET", path).body["server_group"]["members"] == ids
    compute.call("DELETE", f"servers/{ids[0]}")
    compute.gone(ids[0])
    assert compute.call("GET", path).body["server_group"]["members"] == ids[1:]
    assert compute.show(ids[1])["server_groups"] == [group["id"]]
    assert compute.call("DELETE", path).status == 204
    assert compute.call("DELETE", path).status == 404


def test_a_group_has_one_policy_from_2_64_on(compute: Compute) -> None:
    old = {"server_group": {"name": "g", "policies": ["affinity"]}}
    assert compute.call("POST", "os-server-groups", old).status == 400
    made = compute.call("POST", "os-server-groups", old, version="2.63").body["server_group"]
    assert made["policies"] == ["affinity"]
    path = f"os-server-groups/{made['id']}"
    assert compute.call("GET", path).body["server_group"]["policy"] == "affinity"


def test_aggregates_hold_hosts(admin: Client, demo: Client) -> None:
    path = "/compute/v2.1/os-aggregates"
    body = {"aggregate": {"name": "agg", "availability_zone": None}}
    assert demo.call("POST", path, body).status == 403
    id = admin.call("POST", path, body).body["aggregate"]["id"]
    action = f"{path}/{id}/action"
    assert admin.call("POST", action, {"add_host": {"host": "mars"}}).status == 404
    added = admin.call("POST", action, {"add_host": {"host": "devcloud-1"}})
    assert added.body["aggregate"]["hosts"] == ["devcloud-1"]
    assert admin.call("DELETE", f"{path}/{id}").status == 400
    assert admin.call("POST", action, {"remove_host": {"host": "devcloud-1"}}).status == 200
    assert admin.call("DELETE", f"{path}/{id}").status == 200
    assert admin.get(f"{path}/{id}").status == 404
