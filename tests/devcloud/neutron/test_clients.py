"""openstacksdk, unchanged, against routers, floating IPs and security group rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from openstack.exceptions import BadRequestException, ConflictException, NotFoundException

Connect = Callable[..., Any]
# It warns of methods of its own whenever it reads a thing, or finds something by name.
pytestmark = [
    pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK50Warning"),
    pytest.mark.filterwarnings("ignore::openstack.warnings.RemovedInSDK60Warning"),
]


def plugged(c: Any, name: str, cidr: str) -> tuple[Any, Any]:
    """Make a network with a subnet and a router that is plugged into it."""
    network = c.create_network(name=name)
    subnet = c.create_subnet(network_id=network.id, ip_version=4, cidr=cidr)
    router = c.create_router(name=name)
    answer = c.add_interface_to_router(router, subnet_id=subnet.id)
    assert answer["subnet_id"] == subnet.id
    return router, subnet


def test_a_router_in_use_holds_its_subnet_and_stays(connect: Connect) -> None:
    c = connect("demo").network
    router, subnet = plugged(c, "sdk-plugged", "10.40.0.0/24")
    with pytest.raises(ConflictException, match="has ports still attached"):
        c.delete_router(router)
    with pytest.raises(ConflictException, match="have an IP allocation from this subnet"):
        c.delete_subnet(subnet)
    with pytest.raises(BadRequestException, match="already has a port on subnet"):
        c.add_interface_to_router(router, subnet_id=subnet.id)
    c.remove_interface_from_router(router, subnet_id=subnet.id)
    with pytest.raises(NotFoundException, match="has no interface on subnet"):
        c.remove_interface_from_router(router, subnet_id=subnet.id)
    port = c.create_port(network_id=subnet.network_id)
    c.add_interface_to_router(router, port_id=port.id)
    assert c.get_port(port.id).device_owner == "network:router_interface"
    with pytest.raises(ConflictException, match="already has an attached device"):
        c.add_interface_to_router(c.create_router(name="sdk-second"), port_id=port.id)
    c.remove_interface_from_router(router, port_id=port.id)
    assert c.find_port(port.id) is None
    c.delete_router(router)
    c.delete_network(subnet.network_id)


def test_a_floating_ip_leads_to_one_port_that_a_router_reaches(connect: Connect) -> None:
    c = connect("demo").network
    public = c.find_network("public")
    router, subnet = plugged(c, "sdk-floating", "10.41.0.0/24")
    port = c.create_port(network_id=subnet.network_id)
    floating = c.create_ip(floating_network_id=public.id)
    with pytest.raises(NotFoundException, match="is not reachable from subnet"):
        c.update_ip(floating, port_id=port.id)
    c.update_router(router, external_gateway_info={"network_id": public.id})
    led = c.update_ip(floating, port_id=port.id)
    assert (led.status, led.router_id) == ("ACTIVE", router.id)
    assert led.fixed_ip_address == port.fixed_ips[0]["ip_address"]
    with pytest.raises(ConflictException, match=r"Cannot associate floating IP 172\.24\.4\.\d+ "):
        c.create_ip(floating_network_id=public.id, port_id=port.id)
    with pytest.raises(ConflictException, match="required by one or more floating IPs"):
        c.remove_interface_from_router(router, subnet_id=subnet.id)
    with pytest.raises(ConflictException, match="required by one or more floating IPs"):
        c.update_router(router, external_gateway_info=None)
    assert c.update_ip(floating, port_id=None).fixed_ip_address is None
    c.delete_ip(floating)
    with pytest.raises(NotFoundException):
        c.get_ip(floating.id)
    with pytest.raises(BadRequestException, match="not a valid external network"):
        c.create_ip(floating_network_id=subnet.network_id)


def test_rules_of_a_security_group_come_and_go_one_by_one(connect: Connect) -> None:
    c = connect("demo").network
    group = c.create_security_group(name="sdk-rules")
    ssh = {"direction": "ingress", "protocol": "tcp", "port_range_min": 22, "port_range_max": 22}
    rule = c.create_security_group_rule(security_group_id=group.id, **ssh)
    with pytest.raises(ConflictException, match=f"Rule id is {rule.id}"):
        c.create_security_group_rule(security_group_id=group.id, **ssh)
    wrong = {**ssh, "port_range_min": 90, "port_range_max": 80}
    with pytest.raises(BadRequestException, match="port_range_min must be <= port_range_max"):
        c.create_security_group_rule(security_group_id=group.id, **wrong)
    (found,) = c.security_group_rules(security_group_id=group.id, direction="ingress")
    assert (found.id, c.get_security_group_rule(rule.id).port_range_min) == (rule.id, 22)
    c.delete_security_group_rule(rule)
    with pytest.raises(NotFoundException):
        c.get_security_group_rule(rule.id)
    with pytest.raises(NotFoundException):
        c.delete_security_group_rule(rule.id, ignore_missing=False)
    c.delete_security_group(group)
