"""Security groups and their rules."""

from __future__ import annotations

import pytest

from tests.devcloud.neutron.tenant import Tenant


def test_a_project_that_looks_for_it_by_name_has_its_own_group(tenant: Tenant) -> None:
    assert [each["name"] for each in tenant.list("security-groups", "name=default")] == ["default"]


def test_a_new_group_lets_everything_out_and_nothing_in(tenant: Tenant) -> None:
    group = tenant.make("security-groups", name="g")
    rules = {(rule["direction"], rule["ethertype"]) for rule in group["security_group_rules"]}
    assert rules == {("egress", "IPv4"), ("egress", "IPv6")}


def test_every_project_has_one_default_group(tenant: Tenant) -> None:
    (default,) = tenant.list("security-groups")
    assert default["name"] == "default"
    inward = [r for r in default["security_group_rules"] if r["direction"] == "ingress"]
    assert {rule["remote_group_id"] for rule in inward} == {default["id"]}
    assert tenant.refusal("security-groups", name="default")[0] == 409
    refusal = tenant.refused("DELETE", f"security-groups/{default['id']}")
    assert refusal == (409, "SecurityGroupCannotRemoveDefault")


def test_a_group_on_a_port_is_in_use(tenant: Tenant) -> None:
    network, _ = tenant.network()
    group = tenant.make("security-groups", name="g")
    port = tenant.make("ports", network_id=network["id"], security_groups=[group["id"]])
    path = f"security-groups/{group['id']}"
    assert tenant.refused("DELETE", path) == (409, "SecurityGroupInUse")
    tenant.change("ports", port["id"], security_groups=[])
    assert tenant.remove(path) == 204
    assert tenant.refused("GET", path) == (404, "SecurityGroupNotFound")


def test_rules_of_a_group_go_with_it(tenant: Tenant) -> None:
    group, friend = (tenant.make("security-groups", name=name) for name in "gf")
    body = {"security_group_id": friend["id"], "direction": "ingress"}
    rule = tenant.make("security-group-rules", **body, remote_group_id=group["id"])
    assert tenant.remove(f"security-groups/{group['id']}") == 204
    path = f"security-group-rules/{rule['id']}"
    assert tenant.refused("GET", path) == (404, "SecurityGroupRuleNotFound")


def test_the_same_rule_twice_is_refused(tenant: Tenant) -> None:
    group = tenant.make("security-groups", name="g")
    body = {"security_group_id": group["id"], "direction": "ingress", "protocol": "tcp"}
    ports = {"port_range_min": "80", "port_range_max": 80, "remote_ip_prefix": "10.0.0.1/8"}
    rule = tenant.make("security-group-rules", **body, **ports)
    assert (rule["port_range_min"], rule["remote_ip_prefix"]) == (80, "10.0.0.0/8")
    refusal = tenant.refusal("security-group-rules", **body, **ports)
    assert refusal == (409, "SecurityGroupRuleExists")
    assert tenant.remove(f"security-group-rules/{rule['id']}") == 204
    tenant.make("security-group-rules", **body, **ports)


@pytest.mark.parametrize(
    ("body", "type"),
    [
        (
            {"protocol": "tcp", "port_range_min": 9, "port_range_max": 8},
            "SecurityGroupInvalidPortRange",
        ),
        (
            {"port_range_min": 8, "port_range_max": 8},
            "SecurityGroupProtocolRequiredWithPorts",
        ),
        ({"protocol": "icmp", "port_range_max": 8}, "SecurityGroupMissingIcmpType"),
        ({"protocol": "icmp", "port_range_min": 300}, "SecurityGroupInvalidIcmpValue"),
        ({"protocol": "nonsense"}, "SecurityGroupRuleInvalidProtocol"),
        ({"remote_ip_prefix": "fd00::/64"}, "SecurityGroupRuleParameterConflict"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(
    tenant: Tenant, body: dict[str, object], type: str
) -> None:
    group = tenant.make("security-groups", name="g")
    given = {"security_group_id": group["id"], "direction": "ingress", **body}
    assert tenant.refusal("security-group-rules", **given) == (400, type)
