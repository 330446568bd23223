"""What the matrix is made of: for each type, goals that create, change, replace and delete.

``named``: by the user; then ``foreign`` makes objects of just these names first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stoker.usecases.stacks import Action, Goal
from tests.crash.nested_scenarios import NESTED
from tests.crash.scenario import FLAVORS, IMAGE, Scenario, goal, one, single
from tests.crash.site import Site
from tests.crash.stack_scenarios import ACTED, BROKEN, CONVERGED, KEPT, UNDONE

MINE = "mine"
"""The name that the user chose, and others before him."""


# resources that make nothing in the cloud

HEAT = (
    single("OS::Heat::RandomString", create={"length": 8}, replace={"length": 9}),
    single("OS::Heat::Value", create={"value": "a"}, update={"value": "b"}),
    single("OS::Heat::None", create={"a": 1}, update={"a": 2}),
    single(
        "OS::Heat::TestResource",
        create={"value": "a", "wait_secs": 0.05},
        update={"value": "b", "wait_secs": 0.05},
        replace={"value": "c", "wait_secs": 0.05, "update_replace_value": "x"},
    ),
)


# Neutron


def _named(properties: dict[str, Any], *, named: bool) -> dict[str, Any]:
    return {"name": MINE, **properties} if named else properties


def _net(*, named: bool) -> Scenario:
    goals = one(
        "OS::Neutron::Net",
        create=_named({}, named=named),
        update=_named({"admin_state_up": False, "tags": ["a"]}, named=named),
    )
    return _with_names("Neutron::Net", goals, ("it",), named=named)


def _with_names(
    name: str, goals: Mapping[str, Goal | Action], subjects: tuple[str, ...], *, named: bool
) -> Scenario:
    suffix = ", named" if named else ""
    foreign = _neutron_strangers if named else None
    return Scenario(name + suffix, f"OS::{name}", goals, subjects, foreign)


def _on_net(type_: str, named: bool, **changes: dict[str, Any]) -> dict[str, Goal]:  # noqa: FBT001
    return {
        operation: goal(
            {
                "net": {"type": "OS::Neutron::Net"},
                "sub": {
                    "type": "OS::Neutron::Subnet",
                    "properties": {"network": {"get_resource": "net"}, "cidr": "10.1.0.0/24"},
                },
                "it": {
                    "type": type_,
                    "depends_on": "sub",
                    "properties": _named(
                        {"network": {"get_resource": "net"}, **properties}, named=named
                    ),
                },
            }
        )
        for operation, properties in changes.items()
    }


def _subnet(*, named: bool) -> Scenario:
    goals = _on_net(
        "OS::Neutron::Subnet",
        named,
        create={"cidr": "10.2.0.0/24"},
        update={"cidr": "10.2.0.0/24", "dns_nameservers": ["10.9.9.9"]},
        replace={"cidr": "10.3.0.0/24"},
    )
    return _with_names("Neutron::Subnet", goals, ("it",), named=named)


def _port(*, named: bool) -> Scenario:
    goals = _on_net(
        "OS::Neutron::Port",
        named,
        create={},
        update={"admin_state_up": False, "tags": ["a"]},
        replace={"mac_address": "fa:16:3e:00:00:01"},
    )
    return _with_names("Neutron::Port", goals, ("it",), named=named)


def _group_of_rules(*, named: bool) -> Scenario:
    def rules(*ports: int) -> list[dict[str, Any]]:
        one = {"protocol": "tcp", "remote_ip_prefix": "10.0.0.0/8"}
        return [{**one, "port_range_min": port, "port_range_max": port} for port in ports]

    goals = one(
        "OS::Neutron::SecurityGroup",
        create=_named({"rules": rules(22)}, named=named),
        update=_named({"rules": rules(80), "description": "for the web"}, named=named),
    )
    return _with_names("Neutron::SecurityGroup", goals, ("it",), named=named)


def _neutron_strangers(site: Site) -> str:
    """Make them on a network of their own; return its id."""
    network = site.user.network
    net = network.create("network", {"name": MINE})["id"]
    network.create(
        "subnet", {"name": MINE, "network_id": net, "cidr": "10.7.0.0/24", "ip_version": 4}
    )
    network.create("port", {"name": MINE, "network_id": net})
    network.create("security_group", {"name": MINE})
    return str(net)


NEUTRON = tuple(
    make(named=named) for make in (_net, _subnet, _port, _group_of_rules) for named in (False, True)
)

# Nova

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ann@example"


def _server(*, named: bool) -> Scenario:
    plain = {"image": IMAGE, "flavor": FLAVORS[0]}
    nics = [
        {"network": {"get_resource": "net"}},
        {"network": {"get_resource": "net"}, "port_extra_properties": {"admin_state_up": True}},
    ]
    changes: dict[str, dict[str, Any]] = {
        "create": plain,
        "update": {**plain, "flavor": FLAVORS[1], "metadata": {"a": "b"}},
        "replace": {**plain, "config_drive": True},
    }
    goals = {
        operation: goal(
            {
                "net": {"type": "OS::Neutron::Net"},
                "sub": {
                    "type": "OS::Neutron::Subnet",
                    "properties": {"network": {"get_resource": "net"}, "cidr": "10.1.0.0/24"},
                },
                "it": {
                    "type": "OS::Nova::Server",
                    "properties": _named({"networks": nics, **properties}, named=named),
                },
            }
        )
        for operation, properties in changes.items()
    }
    name = "Nova::Server" + (", named" if named else "")
    foreign = _server_stranger if named else None
    return Scenario(name, "OS::Nova::Server", goals, ("it",), foreign)


def _server_stranger(site: Site) -> None:
    net, cloud = _neutron_strangers(site), site.user
    body = {
        "name": MINE,
        "imageRef": cloud.image.find("image", IMAGE),
        "flavorRef": cloud.compute.find("flavor", FLAVORS[0]),
        "networks": [{"uuid": net}],
    }
    made = cloud.compute.post("/servers", {"server": body})["server"]
    while cloud.compute.get(f"/servers/{made['id']}")["server"]["status"] != "ACTIVE":
        continue  # each look lets the development cloud go on


def _key_pairs() -> tuple[Scenario, ...]:
    type_ = "OS::Nova::KeyPair"
    made = one(
        type_,
        create={"name": MINE, "save_private_key": True},
        replace={"name": MINE, "public_key": KEY},
        rename={"name": "other", "public_key": KEY},
    )
    taken = one(type_, create={"name": MINE, "public_key": KEY})
    return (
        Scenario("Nova::KeyPair", type_, made, ("it",), _other_key),
        Scenario("Nova::KeyPair, taken", type_, taken, ("it",), _same_key, "FAILED"),
    )


def _other_key(site: Site) -> None:
    site.user.compute.post("/os-keypairs", {"keypair": {"name": "mine too", "public_key": KEY}})


def _same_key(site: Site) -> None:
    site.user.compute.post("/os-keypairs", {"keypair": {"name": MINE, "public_key": KEY}})


NOVA = (_server(named=False), _server(named=True), *_key_pairs())


# routers, floating IPs, single rules; server groups; volumes

_PUBLIC = "public"
_LAN: dict[str, Any] = {
    "net": {"type": "OS::Neutron::Net"},
    "sub": {
        "type": "OS::Neutron::Subnet",
        "properties": {"network": {"get_resource": "net"}, "cidr": "10.1.0.0/24"},
    },
}
_WAY: dict[str, Any] = {
    **_LAN,
    "router": {
        "type": "OS::Neutron::Router",
        "properties": {"external_gateway_info": {"network": _PUBLIC}},
    },
    "way": {
        "type": "OS::Neutron::RouterInterface",
        "properties": {"router": {"get_resource": "router"}, "subnet": {"get_resource": "sub"}},
    },
    **{
        name: {
            "type": "OS::Neutron::Port",
            "properties": {
                "network": {"get_resource": "net"},
                "fixed_ips": [{"subnet": {"get_resource": "sub"}, "ip_address": address}],
            },
        }
        for name, address in (("one", "10.1.0.11"), ("two", "10.1.0.12"))
    },
}


def _within(around: dict[str, Any], name: str, type_: str, **changes: dict[str, Any]) -> Scenario:
    goals = {
        operation: goal({**around, "it": {"type": type_, "properties": properties}})
        for operation, properties in changes.items()
    }
    return Scenario(name, type_, goals, ("it",))


def _router(*, named: bool) -> Scenario:
    goals = one(
        "OS::Neutron::Router",
        create=_named({}, named=named),
        update=_named({"admin_state_up": False, "tags": ["a"]}, named=named),
        gateway=_named({"external_gateway_info": {"network": _PUBLIC}}, named=named),
    )
    foreign = _router_stranger if named else None
    name = "Neutron::Router" + (", named" if named else "")
    return Scenario(name, "OS::Neutron::Router", goals, ("it",), foreign)


def _router_stranger(site: Site) -> None:
    site.user.network.create("router", {"name": MINE})


def _interface() -> Scenario:
    routers = {f"r{n}": {"type": "OS::Neutron::Router"} for n in (1, 2)}
    to = [{"router": {"get_resource": r}, "subnet": {"get_resource": "sub"}} for r in routers]
    type_ = "OS::Neutron::RouterInterface"
    return _within(
        {**_LAN, **routers}, "Neutron::RouterInterface", type_, create=to[0], replace=to[1]
    )


def _floating(*, described: bool) -> Scenario:
    plain: dict[str, Any] = {"floating_network": _PUBLIC}
    if described:
        plain["value_specs"] = {"description": MINE}
    return _within(
        _WAY,
        "Neutron::FloatingIP" + (", described" if described else ""),
        "OS::Neutron::FloatingIP",
        create=plain,
        update={**plain, "port_id": {"get_resource": "one"}},
        replace={**plain, "value_specs": {"description": "other"}},
    )


def _association() -> Scenario:
    addresses = {
        f"a{n}": {
            "type": "OS::Neutron::FloatingIP",
            "depends_on": "way",
            "properties": {"floating_network": _PUBLIC},
        }
        for n in (1, 2)
    }

    def led(address: str, port: str) -> dict[str, Any]:
        return {"floatingip_id": {"get_resource": address}, "port_id": {"get_resource": port}}

    return _within(
        {**_WAY, **addresses},
        "Neutron::FloatingIPAssociation",
        "OS::Neutron::FloatingIPAssociation",
        create=led("a1", "one"),
        update=led("a1", "two"),
        move=led("a2", "one"),
    )


def _rule() -> Scenario:
    group = {"group": {"type": "OS::Neutron::SecurityGroup"}}
    mine: dict[str, Any] = {"security_group": {"get_resource": "group"}, "protocol": "icmp"}
    return _within(
        group,
        "Neutron::SecurityGroupRule",
        "OS::Neutron::SecurityGroupRule",
        create=mine,
        replace={**mine, "description": "the same, described"},
    )


def _server_group(*, named: bool) -> Scenario:
    goals = one(
        "OS::Nova::ServerGroup",
        create=_named({}, named=named),
        replace=_named({"policies": ["affinity"]}, named=named),
    )
    foreign = _group_stranger if named else None
    name = "Nova::ServerGroup" + (", named" if named else "")
    return Scenario(name, "OS::Nova::ServerGroup", goals, ("it",), foreign)


def _group_stranger(site: Site) -> None:
    body = {"name": MINE, "policy": "anti-affinity"}
    site.user.compute.post("/os-server-groups", {"server_group": body})


def _volume(*, named: bool) -> Scenario:
    goals = one(
        "OS::Cinder::Volume",
        create=_named({"size": 1, "read_only": True}, named=named),
        update=_named({"size": 2, "metadata": {"a": "b"}}, named=named),
        replace=_named({"size": 2, "availability_zone": "nova"}, named=named),
    )
    foreign = _volume_stranger if named else None
    name = "Cinder::Volume" + (", named" if named else "")
    return Scenario(name, "OS::Cinder::Volume", goals, ("it",), foreign)


def _volume_stranger(site: Site) -> None:
    site.user.volume.post("/volumes", {"volume": {"name": MINE, "size": 1}})


def _attachment() -> Scenario:
    server = {
        "type": "OS::Nova::Server",
        "properties": {
            "image": IMAGE,
            "flavor": FLAVORS[0],
            "networks": [{"allocate_network": "none"}],
        },
    }
    volume = {"type": "OS::Cinder::Volume", "properties": {"size": 1}}

    def on(name: str) -> dict[str, Any]:
        return {"instance_uuid": {"get_resource": "server"}, "volume_id": {"get_resource": name}}

    return _within(
        {"server": server, "v1": volume, "v2": volume},
        "Cinder::VolumeAttachment",
        "OS::Cinder::VolumeAttachment",
        create=on("v1"),
        update=on("v2"),
    )


MORE = (
    *(make(named=named) for make in (_router, _server_group, _volume) for named in (False, True)),
    *(_floating(described=described) for described in (False, True)),
    _interface(),
    _association(),
    _rule(),
    _attachment(),
)

ALL = (*HEAT, *NESTED, *NEUTRON, *NOVA, *MORE, *ACTED, *BROKEN, *KEPT, *CONVERGED, *UNDONE)
BY_NAME = {scenario.name: scenario for scenario in ALL}
