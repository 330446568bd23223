"""Ports: addresses given, taken and freed; MACs; security groups; many at once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from stoker.devcloud.cloud import Options
from stoker.devcloud.server import Server
from tests.devcloud.client import Client
from tests.devcloud.neutron.tenant import Tenant

NOBODY = "00000000-0000-0000-0000-00000000dead"


def addresses(port: dict[str, list[dict[str, str]]]) -> list[str]:
    return [each["ip_address"] for each in port["fixed_ips"]]


def test_addresses_come_in_order_and_a_freed_one_comes_last(tenant: Tenant) -> None:
    network, _ = tenant.network("10.0.0.0/29")
    ports = [tenant.make("ports", network_id=network["id"]) for _ in range(3)]
    assert [addresses(port) for port in ports] == [["10.0.0.2"], ["10.0.0.3"], ["10.0.0.4"]]
    tenant.remove(f"ports/{ports[0]['id']}")
    more = [addresses(tenant.make("ports", network_id=network["id"]))[0] for _ in range(3)]
    assert more == ["10.0.0.5", "10.0.0.6", "10.0.0.2"]
    full = tenant.refusal("ports", network_id=network["id"])
    assert full == (409, "IpAddressGenerationFailure")


def test_a_port_goes_to_the_first_subnet_with_room_and_to_both_families(tenant: Tenant) -> None:
    network, _ = tenant.network("10.0.0.0/30")
    for cidr, version in (("10.0.1.0/30", 4), ("fd00::/64", 6)):
        tenant.make("subnets", network_id=network["id"], cidr=cidr, ip_version=version)
    ports = [addresses(tenant.make("ports", network_id=network["id"])) for _ in range(2)]
    assert ports == [["10.0.0.2", "fd00::2"], ["10.0.1.2", "fd00::3"]]


def test_a_self_configured_address_follows_from_the_mac(tenant: Tenant) -> None:
    modes = {"ipv6_ra_mode": "slaac", "ipv6_address_mode": "slaac"}
    network, _ = tenant.network("2001:db8::/64", **modes)
    port = tenant.make("ports", network_id=network["id"], mac_address="fa:16:3e:01:02:03")
    assert addresses(port) == ["2001:db8::f816:3eff:fe01:203"]


def test_an_address_in_use_or_out_of_place_is_refused(tenant: Tenant) -> None:
    network, subnet = tenant.network("10.0.0.0/24")
    _, elsewhere = tenant.network("10.5.0.0/24")
    tenant.make("ports", network_id=network["id"], fixed_ips=[{"ip_address": "10.0.0.9"}])
    wishes = {
        (("ip_address", "10.0.0.9"),): (409, "IpAddressAlreadyAllocated"),
        (("ip_address", "99.1.1.1"),): (400, "InvalidIpForNetwork"),
        (("subnet_id", NOBODY),): (404, "SubnetNotFound"),
        (("subnet_id", elsewhere["id"]),): (400, "InvalidInput"),
        (("subnet_id", subnet["id"]), ("ip_address", "10.1.0.9")): (400, "InvalidIpForSubnet"),
        (("subnet_id", subnet["id"]), ("ip_address", "10.0.0.255")): (400, "InvalidIpForSubnet"),
    }
    found = {
        wish: tenant.refusal("ports", network_id=network["id"], fixed_ips=[dict(wish)])
        for wish in wishes
    }
    assert found == wishes


@pytest.mark.parametrize(
    "body",
    [5, [], [5], {}, {"port": 5}, {"port": {"fixed_ips": 5}}, {"ports": [5]}, {"ports": [None]}],
)
def test_a_malformed_body_is_a_bad_request(tenant: Tenant, body: Any) -> None:
    assert tenant.refused("POST", "ports", body)[0] == 400


def test_one_port_cannot_have_an_address_twice(tenant: Tenant) -> None:
    network, _ = tenant.network()
    twice = [{"ip_address": "10.0.0.9"}, {"ip_address": "10.0.0.9"}]
    refusal = tenant.refusal("ports", network_id=network["id"], fixed_ips=twice)
    assert refusal == (400, "HTTPBadRequest")


def test_an_update_keeps_moves_and_drops_addresses(tenant: Tenant) -> None:
    network, subnet = tenant.network()
    port = tenant.make("ports", network_id=network["id"])
    same = tenant.change("ports", port["id"], fixed_ips=[{"subnet_id": subnet["id"]}])
    assert addresses(same) == addresses(port)
    moved = tenant.change("ports", port["id"], fixed_ips=[{"ip_address": "10.0.0.77"}])
    assert addresses(moved) == ["10.0.0.77"]
    assert tenant.change("ports", port["id"], fixed_ips=[])["fixed_ips"] == []
    again = tenant.make("ports", network_id=network["id"], fixed_ips=moved["fixed_ips"])
    assert addresses(again) == ["10.0.0.77"]


def test_a_mac_is_unique_on_its_network(tenant: Tenant) -> None:
    network, _ = tenant.network()
    mac = "fa:16:3e:aa:bb:cc"
    tenant.make("ports", network_id=network["id"], mac_address=mac)
    refusal = tenant.refusal("ports", network_id=network["id"], mac_address=mac)
    assert refusal == (409, "MacAddressInUse")
    elsewhere, _ = tenant.network("10.7.0.0/24")
    tenant.make("ports", network_id=elsewhere["id"], mac_address=mac)


def test_a_port_has_the_default_group_unless_told_otherwise(tenant: Tenant) -> None:
    network, _ = tenant.network()
    (default,) = tenant.list("security-groups")
    group = tenant.make("security-groups", name="g")
    wishes: dict[str, dict[str, Any]] = {
        "default": {},
        "named": {"security_groups": [group["id"]]},
        "none": {"security_groups": []},
        "unsecured": {"port_security_enabled": False},
    }
    ports = {
        name: tenant.make("ports", network_id=network["id"], **wish)["security_groups"]
        for name, wish in wishes.items()
    }
    assert ports == {
        "default": [default["id"]],
        "named": [group["id"]],
        "none": [],
        "unsecured": [],
    }
    unknown = tenant.refusal("ports", network_id=network["id"], security_groups=[NOBODY])
    assert unknown == (404, "SecurityGroupNotFound")


def test_a_port_on_an_unknown_network_is_refused(tenant: Tenant) -> None:
    assert tenant.refusal("ports", network_id=NOBODY) == (404, "NetworkNotFound")


def test_address_pairs_take_the_mac_of_the_port(tenant: Tenant) -> None:
    network, _ = tenant.network()
    pairs = [{"ip_address": "10.0.0.200"}]
    port = tenant.make("ports", network_id=network["id"], allowed_address_pairs=pairs)
    assert port["allowed_address_pairs"] == [
        {"ip_address": "10.0.0.200", "mac_address": port["mac_address"]}
    ]
    body = {"allowed_address_pairs": pairs, "port_security_enabled": False}
    refusal = tenant.refusal("ports", network_id=network["id"], **body)
    assert refusal == (409, "AddressPairAndPortSecurityRequired")


def test_a_bound_port_is_active_and_only_administrators_bind(tenant: Tenant, chief: Tenant) -> None:
    network, _ = tenant.network()
    port = tenant.make("ports", network_id=network["id"], device_owner="compute:x")
    assert port["status"] == "DOWN"
    body = {"port": {"binding:host_id": "h"}}
    assert tenant.refused("PUT", f"ports/{port['id']}", body)[0] == 403
    bound = chief.change("ports", port["id"], **body["port"])
    assert (bound["status"], bound["binding:vif_type"]) == ("ACTIVE", "ovs")
    assert "binding:host_id" not in tenant.show("ports", port["id"])


def test_a_port_that_a_server_has_is_not_its_users_to_delete(tenant: Tenant, chief: Tenant) -> None:
    network, _ = tenant.network()
    port, other = (tenant.make("ports", network_id=network["id"]) for _ in range(2))
    for each in (port, other):
        tenant.change("ports", each["id"], device_id="s", device_owner="compute:nova")
    answer = tenant.call("DELETE", f"ports/{port['id']}")
    assert answer.status == 403
    assert answer.body["NeutronError"]["message"] == "rule:delete_port is disallowed by policy"
    tenant.change("ports", port["id"], device_id="", device_owner="")
    assert tenant.remove(f"ports/{port['id']}") == 204
    assert chief.remove(f"ports/{other['id']}") == 204


def test_only_nova_says_what_is_behind_a_port(tenant: Tenant, chief: Tenant) -> None:
    network, _ = tenant.network()
    body = {"network_id": network["id"], "binding:profile": {"a": "b"}}
    for each in (tenant, chief):
        assert each.refusal("ports", **body) == (403, "PolicyNotAuthorized")


@pytest.mark.parametrize("query", ["ip_address=10.0.0.3", "ip_address_substr=0.3"])
def test_ports_are_found_by_address_and_device(tenant: Tenant, query: str) -> None:
    network, subnet = tenant.network()
    tenant.make("ports", network_id=network["id"])
    port = tenant.make("ports", network_id=network["id"], device_id="d", name="p")
    here = f"network_id={network['id']}"
    assert [p["id"] for p in tenant.list("ports", f"{here}&fixed_ips={query}")] == [port["id"]]
    assert len(tenant.list("ports", f"fixed_ips=subnet_id={subnet['id']}")) == 2
    assert [p["id"] for p in tenant.list("ports", f"{here}&device_id=d")] == [port["id"]]


def test_eight_clients_at_once_get_addresses_of_their_own(tenant: Tenant, cloud: Server) -> None:
    network, _ = tenant.network("10.16.0.0/16")

    def work(_: int) -> list[str]:
        client = Client(cloud.url, tenant.client.token)
        mine = Tenant(client, tenant.project_id)
        found = [addresses(mine.make("ports", network_id=network["id"]))[0] for _ in range(50)]
        client.close()
        return found

    begun = time.perf_counter()
    with ThreadPoolExecutor(8) as pool:
        found = [address for part in pool.map(work, range(8)) for address in part]
    print(f"400 ports by 8 clients: {time.perf_counter() - begun:.2f} s")  # noqa: T201
    assert len(set(found)) == 400
    assert len(tenant.list("ports", f"network_id={network['id']}")) == 400


def test_everything_is_there_after_a_restart(tmp_path: object) -> None:
    options = Options(port=0, state=f"{tmp_path}/state.sqlite")
    with Server(options) as server:
        first = Tenant(Client(server.url).user("demo"), "")
        network, _ = first.network()
        port = first.make("ports", network_id=network["id"])
        first.client.close()
    with Server(options) as server:
        again = Tenant(Client(server.url).user("demo"), "")
        assert again.show("ports", port["id"]) == port
        assert len(again.list("networks", "name=public")) == 1
        following = again.make("ports", network_id=network["id"])
        assert (addresses(port), addresses(following)) == (["10.0.0.2"], ["10.0.0.3"])
        again.client.close()
