from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from stoker.errors import CloudError
from stoker.lang.expression import Call
from stoker.lang.unknown import UNKNOWN
from stoker.resources.index import Index
from stoker.resources.neutron.security_rule import there
from stoker.sdk.fault import Fault, fault
from tests.resources.recorded import Recorded, Template
from tests.resources.stepping import Life, kind_of, standing
from tests.resources.toy_cloud import ToyCloud

NET, SUBNET, PORT = "OS::Neutron::Net", "OS::Neutron::Subnet", "OS::Neutron::Port"
GROUP = "OS::Neutron::SecurityGroup"
CIDR = {"network": "net-x", "cidr": "10.0.0.0/24"}


def body(type_name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a create sends."""
    kind: Any = kind_of(type_name)
    sent: dict[str, Any] = kind.body(standing(type_name, given), ToyCloud())
    return sent


def changes(type_name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an update sends."""
    kind: Any = kind_of(type_name)
    before = kind.Props.parse(old)
    wanted = kind.Props.parse(new)
    at = standing(type_name, new, id="port-x", old=before, changed=wanted.changed(before))
    cloud = ToyCloud()
    there = {"id": "port-x", "tenant_id": "p", "binding:profile": {"live": 1}}
    cloud.network.rows["port"] = {"port-x": there}
    sent: dict[str, Any] = kind.changes(at, cloud)
    return sent


def problems(type_name: str, given: Mapping[str, Any]) -> list[str]:
    kind = kind_of(type_name)
    return [str(each) for each in kind.validate(kind.Props.parse(given))]


@pytest.mark.parametrize(
    ("type_name", "given", "sent"),
    [
        (NET, {}, {"admin_state_up": True, "shared": False}),
        (
            NET,
            {"value_specs": {"mtu": 1400}, "dns_domain": "a.org.", "port_security_enabled": False},
            {
                "admin_state_up": True,
                "shared": False,
                "port_security_enabled": False,
                "dns_domain": "a.org.",
                "mtu": 1400,
            },
        ),
        (
            NET,
            {"qos_policy": "q-x", "shared": True},
            {"admin_state_up": True, "shared": True, "qos_policy_id": "q-x"},
        ),
        (
            SUBNET,
            CIDR,
            {
                "cidr": "10.0.0.0/24",
                "ip_version": 4,
                "dns_nameservers": [],
                "enable_dhcp": True,
                "network_id": "net-x",
            },
        ),
        (
            SUBNET,
            {
                "network_id": "net-x",
                "subnetpool": "pool-x",
                "prefixlen": 27,
                "gateway_ip": "10.0.0.1",
                "allocation_pools": [{"start": "10.0.0.9", "end": "10.0.0.99"}],
                "host_routes": [{"destination": "10.7.0.0/24", "nexthop": "10.0.0.2"}],
            },
            {
                "prefixlen": 27,
                "ip_version": 4,
                "dns_nameservers": [],
                "enable_dhcp": True,
                "network_id": "net-x",
                "subnetpool_id": "pool-x",
                "gateway_ip": "10.0.0.1",
                "allocation_pools": [{"start": "10.0.0.9", "end": "10.0.0.99"}],
                "host_routes": [{"destination": "10.7.0.0/24", "nexthop": "10.0.0.2"}],
            },
        ),
        (
            PORT,
            {"network": "net-x"},
            {
                "device_id": "",
                "device_owner": "",
                "admin_state_up": True,
                "binding:vnic_type": "normal",
                "network_id": "net-x",
            },
        ),
        (
            PORT,
            {
                "network": "net-x",
                "fixed_ips": [
                    {"subnet_id": "sub-x", "ip_address": "10.0.0.7"},
                    {"ip_address": "10.0.0.8"},
                ],
                "security_groups": ["sg-x"],
                "allowed_address_pairs": [{"ip_address": "10.0.0.9"}],
                "mac_address": "fa:16:3e:00:00:01",
                "value_specs": {"description": "d"},
            },
            {
                "device_id": "",
                "device_owner": "",
                "admin_state_up": True,
                "binding:vnic_type": "normal",
                "network_id": "net-x",
                "fixed_ips": [
                    {"subnet_id": "sub-x", "ip_address": "10.0.0.7"},
                    {"ip_address": "10.0.0.8"},
                ],
                "security_groups": ["sg-x"],
                "allowed_address_pairs": [{"ip_address": "10.0.0.9"}],
                "mac_address": "fa:16:3e:00:00:01",
                "description": "d",
            },
        ),
        (GROUP, {"description": "d", "stateful": False}, {"description": "d", "stateful": False}),
    ],
)
def test_a_create_sends_what_heat_sends(
    type_name: str, given: Mapping[str, Any], sent: Mapping[str, Any]
) -> None:
    assert body(type_name, given) == sent


@pytest.mark.parametrize("value", [None, "", "~", "null"])
def test_a_gateway_can_be_said_to_be_none(value: Any) -> None:
    assert body(SUBNET, {**CIDR, "gateway_ip": value})["gateway_ip"] is None


def test_an_automatic_gateway_is_left_to_neutron() -> None:
    assert "gateway_ip" not in body(SUBNET, {**CIDR, "gateway_ip": "auto"})


def test_a_port_may_be_given_no_address_and_no_group() -> None:
    sent = body(PORT, {"network": "net-x", "no_fixed_ips": True, "security_groups": []})
    assert (sent["fixed_ips"], sent["security_groups"]) == ([], [])


NET_X = {"network": "net-x"}


@pytest.mark.parametrize(
    ("type_name", "old", "new", "sent"),
    [
        (NET, {}, {"name": "n", "admin_state_up": False}, {"name": "n", "admin_state_up": False}),
        (NET, {"name": "n"}, {}, {"name": "stack-res-abc"}),
        (NET, {"qos_policy": "q-x"}, {}, {"qos_policy_id": None}),
        (NET, {"tags": ["a"]}, {"tags": ["b"]}, {}),
        (NET, {"value_specs": {"mtu": 1}}, {"value_specs": {"mtu": 2}}, {"mtu": 2}),
        (SUBNET, {**CIDR, "gateway_ip": "10.0.0.1"}, CIDR, {"gateway_ip": None}),
        (SUBNET, CIDR, {**CIDR, "gateway_ip": "10.0.0.1"}, {"gateway_ip": "10.0.0.1"}),
        (SUBNET, CIDR, {**CIDR, "gateway_ip": None}, {"gateway_ip": None}),
        (SUBNET, CIDR, {**CIDR, "gateway_ip": "auto"}, {}),
        (
            SUBNET,
            {
                **CIDR,
                "allocation_pools": [{"start": "10.0.0.2", "end": "10.0.0.3"}],
                "host_routes": [],
            },
            CIDR,
            {"allocation_pools": [], "host_routes": []},
        ),
        (
            PORT,
            {**NET_X, "security_groups": ["sg-x"]},
            NET_X,
            {"security_groups": ["security_group-1"]},
        ),
        (PORT, NET_X, {**NET_X, "security_groups": ["sg-x"]}, {"security_groups": ["sg-x"]}),
        (PORT, NET_X, {**NET_X, "no_fixed_ips": True}, {"fixed_ips": []}),
        (PORT, {**NET_X, "fixed_ips": [{"ip_address": "10.0.0.1"}]}, NET_X, {}),
        (
            PORT,
            {**NET_X, "allowed_address_pairs": [{"ip_address": "10.0.0.1"}]},
            NET_X,
            {"allowed_address_pairs": []},
        ),
        (
            PORT,
            NET_X,
            {**NET_X, "value_specs": {"binding:profile": {"a": 2}}},
            {"binding:profile": {"live": 1, "a": 2}},
        ),
        (GROUP, {"description": "d", "stateful": False}, {}, {"description": "", "stateful": True}),
    ],
)
def test_an_update_sends_what_changed(
    type_name: str, old: Mapping[str, Any], new: Mapping[str, Any], sent: Mapping[str, Any]
) -> None:
    assert changes(type_name, old, new) == sent


@pytest.mark.parametrize(
    ("type_name", "given", "text"),
    [
        (NET, {"value_specs": {"shared": True}}, "value_specs.shared"),
        (NET, {"value_specs": {"dns_domain": "a."}}, "use the property"),
        (SUBNET, {"network": "n"}, "give cidr, or a subnetpool"),
        (SUBNET, {**CIDR, "subnetpool": "p"}, "exclude each other"),
        (SUBNET, {**CIDR, "prefixlen": 9}, "prefixlen"),
        (SUBNET, {**CIDR, "ipv6_ra_mode": "slaac"}, "needs ip_version 6"),
        (SUBNET, {**CIDR, "gateway_ip": "x"}, "is not an IP address"),
        (
            PORT,
            {**NET_X, "no_fixed_ips": True, "fixed_ips": [{"subnet": "s"}]},
            "exclude each other",
        ),
        (GROUP, {"name": "default"}, "choose another"),
        (GROUP, {"rules": [{"remote_group_id": "g"}]}, "rules[0].remote_group_id"),
        (
            GROUP,
            {"rules": [{"remote_mode": "remote_group_id", "remote_ip_prefix": "0.0.0.0/0"}]},
            "rules[0].remote_ip_prefix",
        ),
    ],
)
def test_what_cannot_be_is_told(type_name: str, given: Mapping[str, Any], text: str) -> None:
    (found,) = problems(type_name, given)
    assert text in found


@pytest.mark.parametrize(
    ("type_name", "given"),
    [
        (NET, {"value_specs": UNKNOWN}),
        (
            SUBNET,
            {"network": UNKNOWN, "cidr": UNKNOWN, "gateway_ip": UNKNOWN, "ip_version": UNKNOWN},
        ),
        (PORT, {"network": UNKNOWN, "fixed_ips": UNKNOWN, "no_fixed_ips": UNKNOWN}),
        (PORT, {"network": UNKNOWN, "fixed_ips": [UNKNOWN, {"subnet": UNKNOWN}]}),
        (GROUP, {"name": UNKNOWN, "rules": UNKNOWN}),
        (GROUP, {"rules": [UNKNOWN, {"remote_mode": UNKNOWN}, {"protocol": UNKNOWN}]}),
    ],
)
def test_what_is_not_known_yet_is_not_judged(type_name: str, given: Mapping[str, Any]) -> None:
    assert problems(type_name, given) == []
    kind = kind_of(type_name)
    kind.exclusive(kind.Props.parse(given))
    assert list(kind.lookups(kind.Props.parse(given))) == []


@pytest.mark.parametrize(
    ("type_name", "old", "new", "forced"),
    [
        (NET, {}, {"availability_zone_hints": ["a"], "name": "n"}, {"availability_zone_hints"}),
        (SUBNET, CIDR, {**CIDR, "cidr": "10.1.0.0/24"}, {"cidr"}),
        (SUBNET, CIDR, {**CIDR, "segment": "s"}, set()),
        (SUBNET, {**CIDR, "segment": "s"}, {**CIDR, "segment": "t"}, {"segment"}),
        (PORT, NET_X, {"network": "other"}, {"network"}),
        (
            PORT,
            NET_X,
            {**NET_X, "name": "n", "replacement_policy": "REPLACE_ALWAYS"},
            {"name", "replacement_policy"},
        ),
        (GROUP, {}, {"rules": [{}], "name": "n"}, set()),
    ],
)
def test_what_cannot_change_in_place_is_named(
    type_name: str, old: Mapping[str, Any], new: Mapping[str, Any], forced: set[str]
) -> None:
    kind = kind_of(type_name)
    before, after = kind.Props.parse(old), kind.Props.parse(new)
    assert kind.replaces(before, after, after.changed(before)) == forced


def test_a_port_holds_its_own_addresses() -> None:
    kind = kind_of(PORT)
    ips = [{"ip_address": "10.0.0.7"}, {"subnet": "s"}]
    one = kind.Props.parse({**NET_X, "fixed_ips": ips, "mac_address": "fa:16:3e:00:00:01"})
    assert kind.exclusive(one) == {
        ("address", "net-x", "10.0.0.7"),
        ("address", "net-x", "fa:16:3e:00:00:01"),
    }
    assert (
        kind.exclusive(kind.Props.parse({**NET_X, "fixed_ips": [{"subnet": "s"}]})) == frozenset()
    )


def ref(name: str) -> Call:
    return Call("get_resource", name, "2021-04-16", None)


TEMPLATE = Template(
    net=(NET, {"name": "the net"}),
    other=(NET, {}),
    mine=(SUBNET, {"network": ref("net"), "cidr": "10.0.0.0/24"}),
    old=(SUBNET, {"network_id": ref("net")}),
    named=(SUBNET, {"network": "the net"}),
    far=(SUBNET, {"network": ref("other")}),
    outside=(SUBNET, {"network": "outside"}),
    web=(GROUP, {"name": "web"}),
    unnamed=(GROUP, {}),
)


@pytest.mark.parametrize(
    ("network", "expected"),
    [
        (ref("net"), ["mine", "old", "named"]),
        ("the net", ["mine", "old", "named"]),
        (ref("other"), ["far"]),
        ("outside", ["outside"]),
        ("nowhere", []),
        (Call("get_attr", ["x", "y"], "2021-04-16", None), []),
        (None, []),
    ],
)
def test_a_port_comes_after_the_subnets_of_its_network(network: Any, expected: list[str]) -> None:
    from stoker.sdk.resource import Wanted

    for key in ("network", "network_id"):
        port = Wanted("port", PORT, {key: network})
        assert list(kind_of(PORT).after(port, TEMPLATE)) == expected


def test_a_group_comes_after_one_that_it_names() -> None:
    from stoker.sdk.resource import Wanted

    rules = [{"remote_group_id": "web"}, {"remote_group_id": ref("unnamed")}, ref("x")]
    db = Wanted("db", GROUP, {"rules": rules})
    assert list(kind_of(GROUP).after(db, TEMPLATE)) == ["web"]
    assert list(kind_of(GROUP).after(Wanted("db", GROUP, ref("x")), TEMPLATE)) == []


def test_a_network_needs_one_call() -> None:
    cloud = ToyCloud()
    Life(NET, cloud).create({})
    assert cloud.changes == [("POST", "network")]
    assert cloud.reads == 0


def test_an_object_is_made_under_its_mark_where_the_user_chose_the_name() -> None:
    cloud = ToyCloud()
    other = cloud.network.create("network", {"name": "mine"})["id"]
    life = Life(NET, cloud)
    kind, at = kind_of(NET), standing(NET, {"name": "mine"})
    assert kind.find(at, cloud) is None, "what only has the user's name is not ours"  # type: ignore[arg-type]
    life.create({"name": "mine"})
    assert life.id != other
    assert life.attributes["name"] == "mine"


def test_attributes_are_what_the_service_shows() -> None:
    view = Recorded(id="i", attributes={"mtu": 1450, "status": "ACTIVE"})
    assert kind_of(NET).attribute(view, "mtu", ()) == 1450
    assert kind_of(NET).attribute(view, "show", ()) == view.attributes
    assert kind_of(NET).attribute(view, "segments", ()) is None


def test_a_port_shows_its_network_and_subnets_whole() -> None:
    life = Life(PORT, ToyCloud())
    life.create({**NET_X, "fixed_ips": [{"subnet": "sub-x"}]})
    assert life.attributes["network"]["id"] == "net-x"
    assert [each["cidr"] for each in life.attributes["subnets"]] == ["10.0.0.0/24"]


def test_a_network_that_fails_is_broken() -> None:
    cloud = ToyCloud()
    kind, at = kind_of(NET), standing(NET, {}, id="n")
    cloud.network.rows["network"] = {"n": {"id": "n", "name": "stack-res-abc", "status": "ERROR"}}
    with pytest.raises(CloudError, match="went to status ERROR") as caught:
        kind.create(at, cloud)  # type: ignore[arg-type]
    assert fault(caught.value) is Fault.BROKEN


def allowed(cloud: ToyCloud, group_id: str | None) -> set[tuple[Any, ...]]:
    rules = cloud.network.show("security_group", group_id or "")["security_group_rules"]
    keys = ("direction", "ethertype", "protocol", "remote_group_id")
    return {tuple(rule.get(key) for key in keys) for rule in rules}


EGRESS = {("egress", "IPv4", None, None), ("egress", "IPv6", None, None)}


def test_a_group_keeps_its_egress_rules_unless_it_has_some() -> None:
    cloud = ToyCloud()
    life = Life(GROUP, cloud)
    life.create({"rules": [{"protocol": "tcp"}, {"remote_mode": "remote_group_id"}]})
    assert allowed(cloud, life.id) == {
        ("ingress", "IPv4", "tcp", None),
        ("ingress", "IPv4", None, life.id),
        *EGRESS,
    }
    life.update({"rules": [{"direction": "egress", "protocol": "udp"}]})
    assert allowed(cloud, life.id) == {("egress", "IPv4", "udp", None)}
    life.update({})
    assert allowed(cloud, life.id) == EGRESS


def test_rules_that_let_the_same_pass_are_one() -> None:
    cloud = ToyCloud()
    life = Life(GROUP, cloud)
    life.create(
        {"rules": [{"protocol": "6"}, {"protocol": "tcp"}, {"remote_ip_prefix": "10.0.0.5/8"}]}
    )
    before = list(cloud.changes)
    life.update({"rules": [{"protocol": "tcp"}, {"remote_ip_prefix": "10.0.0.0/8"}]})
    assert cloud.changes == before, "nothing differs in what passes"


def test_agents_are_added_before_others_are_taken_away() -> None:
    cloud = ToyCloud()
    life = Life(NET, cloud)
    life.create({"dhcp_agent_ids": ["a", "b"]})
    life.update({"dhcp_agent_ids": ["b", "c"]})
    assert {agent for agent, nets in cloud.network.agents.items() if nets} == {"b", "c"}
    assert [method for method, _ in cloud.changes] == ["POST", "POST", "POST", "POST", "DELETE"]


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ({"protocol": "tcp", "port_range_min": 1, "port_range_max": 65535}, {"protocol": "tcp"}),
        ({"protocol": "6"}, {"protocol": "tcp"}),
        ({"remote_ip_prefix": "0.0.0.0/0"}, {}),
        ({"remote_ip_prefix": "10.0.0.7/24"}, {"remote_ip_prefix": "10.0.0.0/24"}),
        ({"ethertype": "IPv6", "remote_ip_prefix": "::/0"}, {"ethertype": "IPv6"}),
        ({"ethertype": "IPv6", "protocol": "icmp"}, {"ethertype": "IPv6", "protocol": "58"}),
        (
            {"ethertype": "IPv6", "protocol": "icmpv6"},
            {"ethertype": "IPv6", "protocol": "ipv6-icmp"},
        ),
    ],
)
def test_a_rule_is_known_again_in_the_words_that_neutron_keeps_it_in(
    wanted: dict[str, Any], shown: dict[str, Any]
) -> None:
    plain = {"direction": "ingress", "ethertype": "IPv4"}
    assert there({**plain, **wanted}) == there({**plain, **shown})
    assert there({**plain, "protocol": "udp"}) != there({**plain, **shown})


@pytest.mark.parametrize("type_name", ["SecurityGroup", "SecurityGroupRule"])
def test_protocols_and_families_may_be_written_in_any_case(type_name: str) -> None:
    kind = Index().get(f"OS::Neutron::{type_name}")
    assert kind is not None
    rule = {"protocol": "ICMPv6", "ethertype": "ipv6"}
    in_group = type_name == "SecurityGroup"
    read = kind.Props.parse({"rules": [rule]} if in_group else {"security_group": "g", **rule})
    made: Any = read.rules[0] if in_group else read
    assert (made.protocol, made.ethertype) == ("icmpv6", "IPv6")
    wrong = {"protocol": "TCPP", "direction": "INGRESS"}
    found = kind.Props.check({"rules": [wrong]} if in_group else {"security_group": "g", **wrong})
    assert {each.at[-1] for each in found} == {"direction", "protocol"}


@pytest.mark.parametrize(
    ("old", "new", "sent"),
    [
        pytest.param({"a": 1}, {"a": 2}, {"a": 2, "live": 1}, id="changed"),
        pytest.param({"a": 1, "b": 1}, {"b": 1}, {"b": 1, "live": 1}, id="left out"),
        pytest.param({"a": 1}, {"live": None}, {}, id="null"),
        pytest.param({"live": 0}, {"live": 2}, {"live": 2}, id="changed by both"),
    ],
)
def test_a_changed_binding_profile_keeps_what_others_wrote(old: Any, new: Any, sent: Any) -> None:
    profiles = ({"network": "n", "value_specs": {"binding:profile": each}} for each in (old, new))
    assert changes(PORT, *profiles) == {"binding:profile": sent}
