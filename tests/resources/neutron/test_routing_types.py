from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from stoker.lang.expression import Call
from stoker.lang.unknown import UNKNOWN
from stoker.sdk.resource import Wanted
from tests.resources.recorded import Recorded, Template
from tests.resources.stepping import Life, kind_of, standing
from tests.resources.toy_cloud import ToyCloud

ROUTER, INTERFACE = "OS::Neutron::Router", "OS::Neutron::RouterInterface"
FIP, LED = "OS::Neutron::FloatingIP", "OS::Neutron::FloatingIPAssociation"
RULE, GATEWAY = "OS::Neutron::SecurityGroupRule", "OS::Neutron::RouterGateway"
NET, SUBNET, PORT = "OS::Neutron::Net", "OS::Neutron::Subnet", "OS::Neutron::Port"
IN = {"security_group": "sg-x"}


def problems(type_name: str, given: Mapping[str, Any]) -> list[str]:
    kind = kind_of(type_name)
    return [str(each) for each in kind.validate(kind.Props.parse(given))]


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({}, {"admin_state_up": True}),
        (
            {"external_gateway_info": {"network": "public-x"}},
            {"admin_state_up": True, "external_gateway_info": {"network_id": "public-x"}},
        ),
        (
            {
                "external_gateway_info": {
                    "network": "public-x",
                    "enable_snat": False,
                    "external_fixed_ips": [{"subnet": "sub-x"}, {"ip_address": "172.24.4.9"}],
                },
                "distributed": False,
                "ha": False,
                "tenant_id": "p",
                "availability_zone_hints": ["z"],
                "value_specs": {"description": "d"},
            },
            {
                "admin_state_up": True,
                "external_gateway_info": {
                    "network_id": "public-x",
                    "enable_snat": False,
                    "external_fixed_ips": [{"subnet_id": "sub-x"}, {"ip_address": "172.24.4.9"}],
                },
                "distributed": False,
                "ha": False,
                "tenant_id": "p",
                "availability_zone_hints": ["z"],
                "description": "d",
            },
        ),
    ],
)
def test_a_router_is_made_as_heat_makes_it(
    given: Mapping[str, Any], sent: Mapping[str, Any]
) -> None:
    kind: Any = kind_of(ROUTER)
    assert kind.body(standing(ROUTER, given), ToyCloud()) == sent


@pytest.mark.parametrize(
    ("old", "new", "sent"),
    [
        ({}, {"name": "rx", "admin_state_up": False}, {"name": "rx", "admin_state_up": False}),
        (
            {},
            {"external_gateway_info": {"network": "public-x"}},
            {"external_gateway_info": {"network_id": "public-x"}},
        ),
        (
            {"external_gateway_info": {"network": "public-x"}},
            {},
            {"external_gateway_info": None},
        ),
        ({"tags": ["a"]}, {}, {}),
    ],
)
def test_a_router_is_changed_as_heat_changes_it(
    old: Mapping[str, Any], new: Mapping[str, Any], sent: Mapping[str, Any]
) -> None:
    kind: Any = kind_of(ROUTER)
    before, wanted = kind.Props.parse(old), kind.Props.parse(new)
    at = standing(ROUTER, new, id="r", old=before, changed=wanted.changed(before))
    assert kind.changes(at, ToyCloud()) == sent


@pytest.mark.parametrize(
    ("type_name", "given", "text"),
    [
        (ROUTER, {"ha": True, "distributed": True}, "exclude each other"),
        (ROUTER, {"distributed": True, "l3_agent_ids": ["a"]}, "every host"),
        (ROUTER, {"l3_agent_ids": ["a", "b"]}, "only a router with ha"),
        (ROUTER, {"value_specs": {"ha": True}}, "use the property"),
        (INTERFACE, {"router": "r"}, "one of the two"),
        (INTERFACE, {"router": "r", "subnet": "s", "port": "p"}, "one of the two"),
        (FIP, {"floating_network": "n", "fixed_ip_address": "10.0.0.1"}, "give port_id too"),
        (FIP, {"floating_network": "n", "value_specs": {"port_id": "p"}}, "use the property"),
        (RULE, {**IN, "remote_group": "g", "remote_ip_prefix": "10.0.0.0/8"}, "exclude"),
        (RULE, {**IN, "port_range_min": 5}, "give both"),
        (RULE, {**IN, "port_range_min": 5, "port_range_max": 4}, "is larger"),
    ],
)
def test_what_cannot_be_is_told(type_name: str, given: Mapping[str, Any], text: str) -> None:
    (found,) = problems(type_name, given)
    assert text in found


@pytest.mark.parametrize(
    ("type_name", "given"),
    [
        (ROUTER, {"ha": True, "l3_agent_ids": ["a", "b"]}),
        (ROUTER, {"l3_agent_id": "a"}),
        (ROUTER, {"ha": UNKNOWN, "distributed": UNKNOWN, "l3_agent_ids": ["a", "b"]}),
        (ROUTER, {"l3_agent_ids": UNKNOWN, "external_gateway_info": UNKNOWN}),
        (INTERFACE, {"router_id": UNKNOWN, "subnet_id": UNKNOWN}),
        (INTERFACE, {"router": UNKNOWN, "port": UNKNOWN}),
        (FIP, {"floating_network": UNKNOWN, "port_id": UNKNOWN, "floating_ip_address": UNKNOWN}),
        (FIP, {"floating_network": UNKNOWN, "value_specs": UNKNOWN}),
        (LED, {"floatingip_id": UNKNOWN, "port_id": UNKNOWN}),
        (RULE, {"security_group": UNKNOWN, "protocol": UNKNOWN, "port_range_min": 4}),
        (RULE, {**IN, "protocol": "icmp", "port_range_min": 8}),
    ],
)
def test_what_is_right_or_not_known_yet_is_let_pass(
    type_name: str, given: Mapping[str, Any]
) -> None:
    assert problems(type_name, given) == []
    kind = kind_of(type_name)
    kind.exclusive(kind.Props.parse(given))
    kind.lookups(kind.Props.parse(given))


@pytest.mark.parametrize(
    ("type_name", "old", "new", "forced"),
    [
        (ROUTER, {}, {"name": "n", "tags": ["t"], "value_specs": {"description": "d"}}, set()),
        (ROUTER, {}, {"availability_zone_hints": ["z"]}, {"availability_zone_hints"}),
        (ROUTER, {}, {"ha": True}, {"ha"}),
        (INTERFACE, {"router": "r", "subnet": "s"}, {"router": "q", "subnet": "s"}, {"router"}),
        (
            FIP,
            {"floating_network": "n"},
            {"floating_network": "n", "floating_subnet": "s", "port_id": "p"},
            {"floating_subnet"},
        ),
        (
            LED,
            {"floatingip_id": "f", "port_id": "p"},
            {"floatingip_id": "g", "port_id": "q", "fixed_ip_address": "10.0.0.1"},
            set(),
        ),
        (RULE, IN, {**IN, "description": "d"}, {"description"}),
    ],
)
def test_what_cannot_change_in_place_is_named(
    type_name: str, old: Mapping[str, Any], new: Mapping[str, Any], forced: set[str]
) -> None:
    kind = kind_of(type_name)
    before, after = kind.Props.parse(old), kind.Props.parse(new)
    assert kind.replaces(before, after, after.changed(before)) == forced


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((INTERFACE, {"router": "r", "subnet": "s"}), (INTERFACE, {"router": "q", "subnet": "s"})),
        ((INTERFACE, {"router": "r", "port": "p"}), (INTERFACE, {"router": "q", "port": "p"})),
        (
            (FIP, {"floating_network": "n", "port_id": "p"}),
            (LED, {"floatingip_id": "f", "port_id": "p"}),
        ),
        (
            (LED, {"floatingip_id": "f", "port_id": "p"}),
            (LED, {"floatingip_id": "f", "port_id": "q"}),
        ),
        (
            (FIP, {"floating_network": "n", "floating_ip_address": "172.24.4.9"}),
            (FIP, {"floating_network": "m", "floating_ip_address": "172.24.4.9"}),
        ),
        ((RULE, {**IN, "protocol": "6"}), (RULE, {**IN, "protocol": "tcp", "description": "d"})),
    ],
)
def test_what_only_one_can_hold_makes_the_old_go_first(
    one: tuple[str, Mapping[str, Any]], other: tuple[str, Mapping[str, Any]]
) -> None:
    held = [kind_of(t).exclusive(kind_of(t).Props.parse(given)) for t, given in (one, other)]
    assert held[0] & held[1]


def test_what_differs_can_be_held_side_by_side() -> None:
    def held(type_name: str, given: Mapping[str, Any]) -> frozenset[object]:
        kind = kind_of(type_name)
        return kind.exclusive(kind.Props.parse(given))

    assert not held(RULE, IN) & held(RULE, {**IN, "protocol": "udp"})
    assert not held(INTERFACE, {"router": "r", "subnet": "s"}) & held(
        INTERFACE, {"router": "r", "subnet": "t"}
    )
    assert held(FIP, {"floating_network": "n"}) == frozenset()


def ref(name: str) -> Call:
    return Call("get_resource", name, "2021-04-16", None)


def attribute(*path: str) -> Call:
    return Call("get_attr", list(path), "2021-04-16", None)


TEMPLATE = Template(
    outside=(NET, {"name": "public"}),
    outer=(SUBNET, {"network": ref("outside")}),
    net=(NET, {}),
    sub=(SUBNET, {"network": ref("net"), "name": "the sub"}),
    sub2=(SUBNET, {"network": ref("net")}),
    far=(SUBNET, {"network": "far net"}),
    gate=(ROUTER, {"external_gateway_info": {"network": "public"}}),
    old_gate=(GATEWAY, {"router_id": ref("inner"), "network_id": "public"}),
    inner=(ROUTER, {}),
    on_sub=(INTERFACE, {"router": ref("gate"), "subnet": ref("sub")}),
    on_name=(INTERFACE, {"router": ref("gate"), "subnet_id": "the sub"}),
    on_sub2=(INTERFACE, {"router": ref("gate"), "subnet": ref("sub2")}),
    on_port=(INTERFACE, {"router": ref("gate"), "port": ref("door")}),
    on_far=(INTERFACE, {"router": ref("gate"), "subnet": ref("far")}),
    door=(PORT, {"network": ref("net"), "fixed_ips": [{"subnet": ref("sub")}]}),
    at_sub=(PORT, {"network": ref("net"), "fixed_ips": [{"subnet_id": ref("sub")}]}),
    anywhere=(PORT, {"network": ref("net"), "name": "any"}),
    by_ip=(PORT, {"network": "far net", "fixed_ips": [{"ip_address": "10.0.0.1"}]}),
)
ALL = {"on_sub", "on_name", "on_sub2", "on_port", "on_far"}


@pytest.mark.parametrize(
    ("port", "expected"),
    [
        (ref("at_sub"), {"on_sub", "on_name", "on_port"}),
        (ref("anywhere"), {"on_sub", "on_name", "on_sub2", "on_port"}),
        ("any", {"on_sub", "on_name", "on_sub2", "on_port"}),
        (ref("by_ip"), {"on_far"}),
        (attribute("server", "addresses"), ALL),
        ("an-id", ALL),
        (None, set()),
    ],
)
def test_what_leads_to_a_port_comes_after_the_interfaces_on_its_way(
    port: Any, expected: set[str]
) -> None:
    led = Wanted("led", LED, {"floatingip_id": "f", "port_id": port})
    assert set(kind_of(LED).after(led, TEMPLATE)) == expected
    address = Wanted("fip", FIP, {"floating_network": "other", "port_id": port})
    assert set(kind_of(FIP).after(address, TEMPLATE)) == expected


def test_a_floating_ip_comes_after_the_gateways_to_its_network() -> None:
    for given in ({"floating_network": "public"}, {"floating_network_id": ref("outside")}):
        assert set(kind_of(FIP).after(Wanted("f", FIP, given), TEMPLATE)) == {"gate", "old_gate"}


def test_a_router_comes_after_the_subnets_of_its_external_network() -> None:
    router = Wanted("r", ROUTER, {"external_gateway_info": {"network": ref("outside")}})
    assert list(kind_of(ROUTER).after(router, TEMPLATE)) == ["outer"]
    assert list(kind_of(ROUTER).after(Wanted("r", ROUTER, {}), TEMPLATE)) == []
    by_function = Wanted("r", ROUTER, {"external_gateway_info": attribute("a", "b")})
    assert list(kind_of(ROUTER).after(by_function, TEMPLATE)) == []


class Hosts(ToyCloud):
    """A cloud whose routers are hosted by agents."""

    def __init__(self) -> None:
        super().__init__()
        self.hosts: set[str] = set()
        self.network.get = self._hosts_of  # type: ignore[method-assign]
        self.network.post = self._add  # type: ignore[method-assign]
        self.network.remove = self._drop  # type: ignore[method-assign]
        self.seen: list[str] = []

    def _hosts_of(self, path: str, **_query: Any) -> dict[str, Any]:
        return {"agents": [{"id": each} for each in sorted(self.hosts)]}

    def _add(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        self.hosts.add(path.split("/")[2])
        self.seen.append(f"POST {path} {sorted(body)}")
        return {}

    def _drop(self, path: str) -> None:
        self.hosts.discard(path.split("/")[2])
        self.seen.append(f"DELETE {path}")


def test_a_router_leaves_its_old_agent_before_it_is_given_to_another() -> None:
    cloud = Hosts()
    life = Life(ROUTER, cloud)
    settled = {"value_specs": {"status": "ACTIVE"}}  # what the toy shows at once
    life.create({**settled, "l3_agent_id": "a"})
    assert cloud.hosts == {"a"}
    life.update({**settled, "l3_agent_ids": ["b"]})
    assert cloud.hosts == {"b"}
    assert [each.split("/")[0].strip() for each in cloud.seen] == ["POST", "DELETE", "POST"]


def test_a_relation_shows_what_it_is() -> None:
    view = Recorded(id="r:subnet_id=s", attributes={"port_id": "p"})
    for type_name in (INTERFACE, LED, RULE):
        assert kind_of(type_name).attribute(view, "show", ()) == {"port_id": "p"}
        assert kind_of(type_name).reference(view) == "r:subnet_id=s"
    assert kind_of(FIP).attribute(view, "port_id", ()) == "p"
    assert kind_of(FIP).attribute(view, "show", ()) == {"port_id": "p"}
