"""Routers and floating IPs: the order in which they come and go."""

from __future__ import annotations

from typing import Any

from tests.devcloud.neutron.tenant import Tenant


def public(tenant: Tenant) -> str:
    (network,) = tenant.list("networks", "name=public")
    return str(network["id"])


def plugged(tenant: Tenant) -> tuple[Any, Any, Any]:
    """Give a router with gateway and interface, the inner network and its subnet."""
    network, subnet = tenant.network()
    gateway = {"network_id": public(tenant)}
    router = tenant.make("routers", name="r", external_gateway_info=gateway)
    path = f"routers/{router['id']}/add_router_interface"
    assert tenant.call("PUT", path, {"subnet_id": subnet["id"]}).status == 200
    return router, network, subnet


def test_a_gateway_takes_an_address_of_the_external_network(tenant: Tenant) -> None:
    network, _ = tenant.network()
    refusal = tenant.refusal("routers", external_gateway_info={"network_id": network["id"]})
    assert refusal == (400, "BadRequest")
    router, *_ = plugged(tenant)
    info = router["external_gateway_info"]
    assert info["network_id"] == public(tenant)
    assert info["external_fixed_ips"][0]["ip_address"].startswith("172.24.4.")


def test_an_interface_has_the_gateway_address_and_keeps_router_and_subnet(tenant: Tenant) -> None:
    router, network, subnet = plugged(tenant)
    (port,) = tenant.list("ports", f"device_id={router['id']}&network_id={network['id']}")
    assert port["fixed_ips"] == [{"subnet_id": subnet["id"], "ip_address": "10.0.0.1"}]
    assert port["device_owner"] == "network:router_interface"
    assert tenant.refused("DELETE", f"ports/{port['id']}") == (409, "ServicePortInUse")
    assert tenant.refused("DELETE", f"routers/{router['id']}") == (409, "RouterInUse")
    assert tenant.refused("DELETE", f"subnets/{subnet['id']}") == (409, "SubnetInUse")
    path = f"routers/{router['id']}/remove_router_interface"
    assert tenant.call("PUT", path, {"subnet_id": subnet["id"]}).status == 200
    again = tenant.refused("PUT", path, {"subnet_id": subnet["id"]})
    assert again == (404, "RouterInterfaceNotFoundForSubnet")
    assert tenant.remove(f"routers/{router['id']}") == 204
    assert tenant.remove(f"networks/{network['id']}") == 204


def test_a_subnet_is_plugged_in_once_and_only_apart_from_others(tenant: Tenant) -> None:
    router, _, subnet = plugged(tenant)
    _, twin = tenant.network("10.0.0.0/16")
    path = f"routers/{router['id']}/add_router_interface"
    for id in (subnet["id"], twin["id"]):
        assert tenant.refused("PUT", path, {"subnet_id": id}) == (400, "BadRequest")


def test_a_floating_ip_needs_a_way_to_its_port(tenant: Tenant) -> None:
    network, _ = tenant.network("10.8.0.0/24")
    port = tenant.make("ports", network_id=network["id"])
    body = {"floating_network_id": public(tenant), "port_id": port["id"]}
    refusal = tenant.refusal("floatingips", **body)
    assert refusal == (404, "ExternalGatewayForFloatingIPNotFound")
    refusal = tenant.refusal("floatingips", floating_network_id=network["id"])
    assert refusal == (400, "BadRequest")


def test_a_floating_ip_is_led_to_a_port_and_holds_the_router(tenant: Tenant) -> None:
    router, network, subnet = plugged(tenant)
    port = tenant.make("ports", network_id=network["id"])
    floating = tenant.make("floatingips", floating_network_id=public(tenant))
    assert (floating["status"], floating["port_id"]) == ("DOWN", None)
    led = tenant.change("floatingips", floating["id"], port_id=port["id"])
    assert led["fixed_ip_address"] == port["fixed_ips"][0]["ip_address"]
    assert (led["router_id"], led["status"]) == (router["id"], "ACTIVE")
    path = f"routers/{router['id']}/remove_router_interface"
    refusal = tenant.refused("PUT", path, {"subnet_id": subnet["id"]})
    assert refusal == (409, "RouterInterfaceInUseByFloatingIP")
    body: Any = {"router": {"external_gateway_info": {"network_id": None}}}
    refusal = tenant.refused("PUT", f"routers/{router['id']}", body)
    assert refusal == (409, "RouterExternalGatewayInUseByFloatingIp")
    second = tenant.make("floatingips", floating_network_id=public(tenant))
    body = {"floatingip": {"port_id": port["id"]}}
    refusal = tenant.refused("PUT", f"floatingips/{second['id']}", body)
    assert refusal == (409, "FloatingIPPortAlreadyAssociated")
    assert tenant.remove(f"ports/{port['id']}") == 204
    assert tenant.show("floatingips", floating["id"])["port_id"] is None


def test_routes_lead_where_the_router_is(tenant: Tenant) -> None:
    router, *_ = plugged(tenant)
    path = f"routers/{router['id']}"
    route = {"destination": "10.200.0.0/24", "nexthop": "10.0.0.50"}
    stray = {"destination": "10.200.0.0/24", "nexthop": "10.99.0.50"}
    added = tenant.call("PUT", f"{path}/add_extraroutes", {"router": {"routes": [route]}})
    assert added.body["router"]["routes"] == [route]
    refusal = tenant.refused("PUT", path, {"router": {"routes": [stray]}})
    assert refusal == (400, "InvalidRoutes")
    less = tenant.call("PUT", f"{path}/remove_extraroutes", {"router": {"routes": [route]}})
    assert less.body["router"]["routes"] == []
