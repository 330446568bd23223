"""Trunks, QoS, RBAC, port forwardings: what they hold and what holds them."""

from __future__ import annotations

from typing import Any

from tests.devcloud.neutron.tenant import Tenant


def made(tenant: Tenant, path: str, key: str, **body: Any) -> Any:
    answer = tenant.call("POST", path, {key: body})
    assert answer.status == 201, answer.body
    return answer.body[key]


def test_a_trunk_holds_its_ports(tenant: Tenant) -> None:
    network, _ = tenant.network()
    parent, child = (tenant.make("ports", network_id=network["id"]) for _ in range(2))
    sub = {"port_id": child["id"], "segmentation_type": "vlan", "segmentation_id": 101}
    trunk = made(tenant, "trunks", "trunk", port_id=parent["id"], sub_ports=[sub])
    assert trunk["sub_ports"] == [sub]
    for port, type in ((parent, "PortInUseAsTrunkParent"), (child, "PortInUseAsSubPort")):
        assert tenant.refused("DELETE", f"ports/{port['id']}") == (409, type)
    again = tenant.refused("POST", "trunks", {"trunk": {"port_id": parent["id"]}})
    assert again == (409, "ParentPortInUse")
    path = f"trunks/{trunk['id']}"
    assert tenant.call("PUT", path, {"trunk": {"admin_state_up": False}}).status == 200
    assert tenant.refused("DELETE", path) == (409, "TrunkDisabled")
    assert tenant.call("PUT", path, {"trunk": {"admin_state_up": True}}).status == 200
    less = tenant.call("PUT", f"{path}/remove_subports", {"sub_ports": [sub]})
    assert less.body["sub_ports"] == []
    assert tenant.remove(path) == 204
    assert tenant.remove(f"ports/{child['id']}") == 204


def test_a_qos_policy_in_use_stays(tenant: Tenant, chief: Tenant) -> None:
    policy = made(chief, "qos/policies", "policy", name="q", shared=True)
    rules = f"qos/policies/{policy['id']}/bandwidth_limit_rules"
    rule = made(chief, rules, "bandwidth_limit_rule", max_kbps=100)
    assert set(rule) == {"id", "max_kbps", "max_burst_kbps", "direction"}
    shown = tenant.call("GET", f"qos/policies/{policy['id']}").body["policy"]
    assert [each["type"] for each in shown["rules"]] == ["bandwidth_limit"]
    network, _ = tenant.network()
    port = tenant.make("ports", network_id=network["id"], qos_policy_id=policy["id"])
    path = f"qos/policies/{policy['id']}"
    assert chief.refused("DELETE", path) == (409, "QosPolicyInUse")
    tenant.change("ports", port["id"], qos_policy_id=None)
    assert chief.remove(path) == 204
    assert chief.refused("GET", f"{rules}/{rule['id']}") == (404, "QosRuleNotFound")


def test_a_network_is_seen_by_whom_it_is_granted(tenant: Tenant, other: Tenant) -> None:
    network, _ = tenant.network()
    body = {"object_type": "network", "object_id": network["id"], "action": "access_as_shared"}
    grant = {**body, "target_tenant": other.project_id}
    policy = made(tenant, "rbac-policies", "rbac_policy", **grant)
    again = tenant.refused("POST", "rbac-policies", {"rbac_policy": grant})
    assert again == (409, "DuplicateRbacPolicy")
    assert [n["id"] for n in other.list("networks", f"id={network['id']}")] == [network["id"]]
    port = other.make("ports", network_id=network["id"])
    path = f"rbac-policies/{policy['id']}"
    assert tenant.refused("DELETE", path) == (409, "RbacPolicyInUse")
    assert other.remove(f"ports/{port['id']}") == 204
    assert tenant.remove(path) == 204
    assert other.list("networks", f"id={network['id']}") == []


def test_a_port_forwarding_is_one_of_its_floating_ip(tenant: Tenant) -> None:
    network, _ = tenant.network()
    port = tenant.make("ports", network_id=network["id"])
    (public,) = tenant.list("networks", "name=public")
    one, two = (tenant.make("floatingips", floating_network_id=public["id"]) for _ in range(2))
    body = {
        "internal_port_id": port["id"],
        "internal_ip_address": port["fixed_ips"][0]["ip_address"],
        "internal_port": 22,
        "external_port": 2222,
        "protocol": "tcp",
    }
    path = f"floatingips/{one['id']}/port_forwardings"
    forwarding = made(tenant, path, "port_forwarding", **body)
    assert forwarding["external_port_range"] == "2222:2222"
    assert tenant.refused("POST", path, {"port_forwarding": body}) == (400, "BadRequest")
    elsewhere = f"floatingips/{two['id']}/port_forwardings/{forwarding['id']}"
    assert tenant.refused("GET", elsewhere) == (404, "PortForwardingNotFound")
    assert tenant.show("floatingips", one["id"])["port_forwardings"][0]["external_port"] == 2222
    assert tenant.remove(f"{path}/{forwarding['id']}") == 204
