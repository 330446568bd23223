"""Networks and subnets: what is worked out, what is refused, who sees what."""

from __future__ import annotations

import pytest

from tests.devcloud.neutron.tenant import Tenant

NOBODY = "00000000-0000-0000-0000-00000000dead"


def test_a_network_has_the_defaults_of_the_real_service(tenant: Tenant) -> None:
    network = tenant.make("networks", name="n")
    assert network["status"] == "ACTIVE"
    assert network["mtu"] == 1450
    assert network["port_security_enabled"] is True
    assert network["shared"] is False
    assert network["tenant_id"] == network["project_id"] == tenant.project_id
    assert "provider:network_type" not in network


def test_only_an_administrator_sees_and_sets_provider_attributes(
    tenant: Tenant, chief: Tenant
) -> None:
    assert tenant.refusal("networks", shared=True) == (403, "PolicyNotAuthorized")
    body = {"provider:network_type": "flat", "provider:physical_network": "p"}
    network = chief.make("networks", name="flat", **body)
    assert network["provider:network_type"] == "flat"
    assert network["mtu"] == 1500
    assert chief.remove(f"networks/{network['id']}") == 204


def test_an_mtu_must_carry_the_subnets_that_there_are(tenant: Tenant) -> None:
    network = tenant.make("networks", mtu=10)
    conflict = (409, "NetworkMTUSubnetConflict")
    v4 = {"network_id": network["id"], "ip_version": 4, "cidr": "10.0.0.0/24"}
    v6 = {"network_id": network["id"], "ip_version": 6, "cidr": "fd00::/64"}
    assert tenant.refusal("subnets", **v4) == conflict
    assert tenant.change("networks", network["id"], mtu=1000)["mtu"] == 1000
    tenant.make("subnets", **v4)
    assert tenant.refusal("subnets", **v6) == conflict
    smaller = {"network": {"mtu": 20}}
    assert tenant.refused("PUT", f"networks/{network['id']}", smaller) == conflict


def test_there_are_no_agents_and_only_administrators_may_ask(tenant: Tenant, chief: Tenant) -> None:
    network, router = tenant.make("networks"), tenant.make("routers")
    lists = (f"networks/{network['id']}/dhcp-agents", f"routers/{router['id']}/l3-agents")
    for path in lists:
        assert tenant.refused("GET", path) == (403, "PolicyNotAuthorized")
        assert chief.call("GET", path).body == {"agents": []}
    for path, body in (("dhcp-networks", network), ("l3-routers", router)):
        whole = f"agents/none/{path}"
        assert chief.refused("POST", whole, {"id": body["id"]}) == (404, "AgentNotFound")
        assert chief.refused("DELETE", f"{whole}/{body['id']}") == (404, "AgentNotFound")
        assert tenant.refused("POST", whole, {"id": body["id"]})[0] == 403


def test_unknown_and_read_only_attributes_are_refused(tenant: Tenant) -> None:
    network = tenant.make("networks", name="n")
    assert tenant.refusal("networks", color="red") == (400, "HTTPBadRequest")
    answer = tenant.call("PUT", f"networks/{network['id']}", {"network": {"tenant_id": "x"}})
    assert answer.status == 400
    assert "Cannot update read-only attribute" in answer.body["NeutronError"]["message"]


def test_a_network_of_another_project_is_not_there(tenant: Tenant, other: Tenant) -> None:
    network, subnet = tenant.network()
    port = tenant.make("ports", network_id=network["id"])
    for path in (
        f"networks/{network['id']}",
        f"subnets/{subnet['id']}",
        f"ports/{port['id']}",
    ):
        assert other.refused("GET", path)[0] == 404
        assert other.refused("DELETE", path)[0] == 404
    assert other.list("networks", f"id={network['id']}") == []
    assert other.list("ports", f"network_id={network['id']}") == []


def test_shared_and_external_networks_are_seen_but_not_changed(tenant: Tenant) -> None:
    (shared,) = tenant.list("networks", "name=shared")
    (public,) = tenant.list("networks", "router:external=True")
    assert (shared["shared"], public["router:external"]) == (True, True)
    for id in (shared["id"], public["id"]):
        assert tenant.refused("DELETE", f"networks/{id}")[0] == 403
    body = {"network_id": shared["id"], "cidr": "10.9.0.0/24", "ip_version": 4}
    assert tenant.refusal("subnets", **body)[0] == 403


def test_a_network_with_ports_is_in_use_and_without_takes_its_subnets_along(
    tenant: Tenant,
) -> None:
    network, subnet = tenant.network()
    port = tenant.make("ports", network_id=network["id"])
    answer = tenant.call("DELETE", f"networks/{network['id']}")
    assert answer.status == 409
    assert answer.body["NeutronError"]["type"] == "NetworkInUse"
    assert port["id"] in answer.body["NeutronError"]["message"]
    assert tenant.remove(f"ports/{port['id']}") == 204
    assert tenant.remove(f"networks/{network['id']}") == 204
    assert tenant.refused("GET", f"subnets/{subnet['id']}") == (404, "SubnetNotFound")


def test_a_subnet_with_addresses_in_use_stays(tenant: Tenant) -> None:
    network, subnet = tenant.network()
    port = tenant.make("ports", network_id=network["id"])
    assert tenant.refused("DELETE", f"subnets/{subnet['id']}") == (409, "SubnetInUse")
    tenant.change("ports", port["id"], fixed_ips=[])
    assert tenant.remove(f"subnets/{subnet['id']}") == 204


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({"cidr": "10.0.0.0/33"}, (400, "HTTPBadRequest")),
        ({"cidr": "10.0.0.1"}, (400, "HTTPBadRequest")),
        ({"cidr": "10.0.0.128/25"}, (400, "InvalidInput")),
        ({"cidr": "fd00::/64"}, (400, "InvalidInput")),
        ({"cidr": "10.1.0.0/24", "gateway_ip": "10.1.0.255"}, (400, "InvalidInput")),
        ({"cidr": "10.1.0.0/24", "ipv6_ra_mode": "slaac"}, (400, "InvalidInput")),
        ({"cidr": "10.1.0.0/24", "dns_nameservers": ["fd00::1"]}, (400, "InvalidInput")),
        (
            {"cidr": "10.1.0.0/24", "allocation_pools": [{"start": "10.1.0.9", "end": "10.1.0.2"}]},
            (400, "InvalidAllocationPool"),
        ),
        (
            {"cidr": "10.1.0.0/24", "allocation_pools": [{"start": "10.1.0.9", "end": "10.1.1.2"}]},
            (400, "OutOfBoundsAllocationPool"),
        ),
        (
            {"cidr": "10.1.0.0/24", "allocation_pools": [{"start": "10.1.0.1", "end": "10.1.0.9"}]},
            (409, "GatewayConflictWithAllocationPools"),
        ),
        ({}, (400, "BadRequest")),
    ],
)
def test_a_subnet_that_does_not_fit_is_refused(
    tenant: Tenant, body: dict[str, object], refusal: tuple[int, str]
) -> None:
    network, _ = tenant.network("10.0.0.0/24")
    given = {"network_id": network["id"], "ip_version": 4, **body}
    assert tenant.refusal("subnets", **given) == refusal


def test_a_subnet_on_an_unknown_network_is_refused(tenant: Tenant) -> None:
    body = {"network_id": NOBODY, "cidr": "10.0.0.0/24", "ip_version": 4}
    assert tenant.refusal("subnets", **body) == (404, "NetworkNotFound")


def test_a_subnet_without_gateway_gives_all_addresses_away(tenant: Tenant) -> None:
    _, subnet = tenant.network("10.0.0.0/29", gateway_ip=None)
    assert subnet["gateway_ip"] is None
    assert subnet["allocation_pools"] == [{"start": "10.0.0.1", "end": "10.0.0.6"}]


def test_a_subnet_is_cut_out_of_a_pool(tenant: Tenant) -> None:
    pool = tenant.make("subnetpools", name="p", prefixes=["10.140.0.0/16"], default_prefixlen=26)
    network = tenant.make("networks", name="n")
    body = {"network_id": network["id"], "ip_version": 4, "subnetpool_id": pool["id"]}
    cidrs = [tenant.make("subnets", **body)["cidr"] for _ in range(2)]
    assert cidrs == ["10.140.0.0/26", "10.140.0.64/26"]
    plain = {"network_id": network["id"], "ip_version": 4, "cidr": "10.0.0.0/24"}
    assert tenant.refusal("subnets", **plain) == (400, "NetworkSubnetPoolAffinityError")
    assert tenant.refused("DELETE", f"subnetpools/{pool['id']}") == (409, "SubnetPoolDeleteError")


def test_lists_are_filtered_selected_sorted_and_paged(tenant: Tenant) -> None:
    made = [tenant.make("networks", name=name)["id"] for name in ("b", "a", "c")]
    mine = f"project_id={tenant.project_id}"
    assert [n["name"] for n in tenant.list("networks", f"{mine}&sort_key=name")] == ["a", "b", "c"]
    found = tenant.list("networks", f"id={made[0]}&id={made[2]}&fields=name")
    assert found == [{"name": "b"}, {"name": "c"}]
    answer = tenant.call("GET", f"networks?{mine}&sort_key=name&limit=2")
    (link,) = answer.body["networks_links"]
    assert link["rel"] == "next"
    rest = tenant.client.get(link["href"].removeprefix(tenant.client.url)).body["networks"]
    assert [n["name"] for n in rest] == ["c"]
    assert tenant.refused("GET", "networks?nonsense=1") == (400, "HTTPBadRequest")


def test_tags_are_set_and_filtered(tenant: Tenant) -> None:
    one, two = (tenant.make("networks", name=name)["id"] for name in ("one", "two"))
    assert tenant.call("PUT", f"networks/{one}/tags/red").status == 201
    assert tenant.call("PUT", f"networks/{one}/tags", {"tags": ["red", "big"]}).status == 200
    assert tenant.call("PUT", f"networks/{two}/tags/red").status == 201
    mine = f"project_id={tenant.project_id}"
    names = {
        query: [n["name"] for n in tenant.list("networks", f"{mine}&{query}")]
        for query in ("tags=red", "tags=red,big", "tags-any=big,x", "not-tags=big", "not-tags=red")
    }
    assert names == {
        "tags=red": ["one", "two"],
        "tags=red,big": ["one"],
        "tags-any=big,x": ["one"],
        "not-tags=big": ["two"],
        "not-tags=red": [],
    }
    assert tenant.remove(f"networks/{one}/tags/red") == 204
    assert tenant.refused("DELETE", f"networks/{one}/tags/red") == (404, "TagNotFound")
    assert tenant.show("networks", one)["tags"] == ["big"]


def test_many_are_created_at_once_or_none(tenant: Tenant) -> None:
    answer = tenant.call("POST", "networks", {"networks": [{"name": "x"}, {"name": "y"}]})
    assert [n["name"] for n in answer.body["networks"]] == ["x", "y"]
    body = {"networks": [{"name": "z"}, {"name": "z", "mtu": "much"}]}
    assert tenant.call("POST", "networks", body).status == 400
    assert tenant.list("networks", f"project_id={tenant.project_id}&name=z") == []


def test_a_quota_is_named_when_it_is_exceeded(tenant: Tenant, chief: Tenant) -> None:
    path = f"quotas/{tenant.project_id}"
    assert chief.call("PUT", path, {"quota": {"network": 1, "port": 0}}).status == 200
    network, _ = tenant.network()
    answer = tenant.call("POST", "networks", {"network": {"name": "n"}})
    assert answer.status == 409
    assert answer.body["NeutronError"]["type"] == "OverQuota"
    assert answer.body["NeutronError"]["message"] == "Quota exceeded for resources: ['network']."
    assert tenant.refusal("ports", network_id=network["id"]) == (409, "OverQuota")
    details = tenant.call("GET", f"{path}/details").body["quota"]["network"]
    assert details == {"limit": 1, "used": 1, "reserved": 0}
    assert tenant.refused("PUT", path, {"quota": {"network": 9}})[0] == 403
    assert chief.remove(path) == 204
    tenant.make("networks", name="n")


def test_a_subnet_goes_without_the_host_bits_of_its_cidr(tenant: Tenant) -> None:
    network = tenant.make("networks")
    subnet = tenant.make("subnets", network_id=network["id"], cidr="10.99.99.0/16", ip_version=4)
    assert subnet["cidr"] == "10.99.0.0/16"
    assert subnet["gateway_ip"] == "10.99.0.1"
