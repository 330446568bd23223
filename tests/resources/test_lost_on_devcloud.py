"""Whatever answer is lost, the cloud has in the end what it would have, and nothing besides.

As in ``test_lost_answers``, for types whose services are too much for a toy: the embedded
cloud plays them, and refuses what the real ones refuse.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from stoker.clouds.connect import Clouds
from stoker.clouds.credential import Password
from stoker.clouds.one_cloud import OneCloud
from stoker.devcloud.cloud import Options
from stoker.devcloud.server import Server
from tests.resources.troubled import Losing, Troubled, census

Given = Mapping[str, Any]
IMAGE, FLAVOR = "cirros-0.6.2-x86_64-disk", "m1.tiny"
LATENCY = 0.005


@dataclass(frozen=True)
class Scene:
    """What is there before: the ids of a network with a router, a server, volumes …"""

    url: str
    clouds: Clouds
    ids: Mapping[str, str]

    def cloud(self, user: str, guard: Losing | None = None) -> OneCloud:
        credential = Password(
            f"{self.url}/identity",
            user,
            "secret",
            project_name=user,
            user_domain_id="default",
            project_domain_id="default",
        )
        return self.clouds.cloud(credential, guard)


@dataclass(frozen=True)
class Story:
    """``first`` is created, ``then`` updated to; ``trace`` is what no list of objects shows."""

    type_name: str
    first: Given
    then: Given | None = None
    user: str = "demo"
    trace: Callable[[Scene], Any] = lambda _scene: None


def _set(scene: dict[str, str], cloud: OneCloud) -> None:
    network = cloud.network
    external = network.find("network", "public")
    for number in ("1", "2"):
        net = network.create("network", {"name": f"net{number}"})["id"]
        subnet = {"network_id": net, "cidr": f"10.8{number}.0.0/24", "ip_version": 4}
        scene[f"net{number}"] = net
        scene[f"subnet{number}"] = network.create("subnet", subnet)["id"]
        scene[f"port{number}"] = network.create("port", {"network_id": scene["net1"]})["id"]
        gateway = {"external_gateway_info": {"network_id": external}}
        scene[f"router{number}"] = network.create("router", gateway)["id"]
        floating = {"floating_network_id": external}
        scene[f"fip{number}"] = network.create("floatingip", floating)["id"]
        volume = {"volume": {"size": 1, "name": f"volume{number}"}}
        scene[f"volume{number}"] = cloud.volume.post("/volumes", volume)["volume"]["id"]
        scene[f"server{number}"] = _server(cloud, net)
    interface = {"subnet_id": scene["subnet1"]}
    network.put(f"/routers/{scene['router1']}/add_router_interface", interface)
    scene["group"] = network.create("security_group", {"name": "group"})["id"]
    scene["other"] = network.create("security_group", {"name": "other"})["id"]


def _server(cloud: OneCloud, net: str) -> str:
    body = {
        "name": "s",
        "imageRef": cloud.image.find("image", IMAGE),
        "flavorRef": cloud.compute.find("flavor", FLAVOR),
        "networks": [{"uuid": net}],
    }
    id = str(cloud.compute.post("/servers", {"server": body})["server"]["id"])
    for _ in range(500):
        if cloud.compute.get(f"/servers/{id}")["server"]["status"] == "ACTIVE":
            return id
        time.sleep(LATENCY)
    raise AssertionError("the server does not come up")


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    clouds = Clouds()
    with Server(Options(latency=LATENCY)) as server:
        ids: dict[str, str] = {"url": server.url}
        made = Scene(server.url, clouds, ids)
        _set(ids, made.cloud("demo"))
        admin = made.cloud("admin")
        for name in ("type1", "type2"):
            body = {"volume_type": {"name": name}}
            ids[name] = admin.volume.post("/types", body)["volume_type"]["id"]
        ids["demo"] = admin.identity.find("project", "demo")
        yield made
    clouds.close()


def _floating(scene: Scene) -> Any:
    network = scene.cloud("demo").network
    return [network.show("floatingip", scene.ids[f"fip{n}"])["port_id"] for n in (1, 2)]


def _volumes(scene: Scene) -> Any:
    volume = scene.cloud("demo").volume
    shown = [volume.get(f"/volumes/{scene.ids[f'volume{n}']}")["volume"] for n in (1, 2)]
    return [(v["status"], [a["server_id"] for a in v["attachments"]]) for v in shown]


def _encryption(scene: Scene) -> Any:
    shown = scene.cloud("admin").volume.get(f"/types/{scene.ids['type1']}/encryption")
    return shown.get("provider"), shown.get("key_size")


def _router_ports(scene: Scene) -> Any:
    rows = scene.cloud("demo").network.list("port", device_id=scene.ids["router2"])
    return sorted(row["device_owner"] for row in rows)


FIP, LED = "OS::Neutron::FloatingIP", "OS::Neutron::FloatingIPAssociation"
INTERFACE, RULE = "OS::Neutron::RouterInterface", "OS::Neutron::SecurityGroupRule"
VOLUME, ON = "OS::Cinder::Volume", "OS::Cinder::VolumeAttachment"
TYPE, ENCRYPTED = "OS::Cinder::VolumeType", "OS::Cinder::EncryptedVolumeType"
SIZE = {"ram": 64, "vcpus": 1}
BARE = {"disk_format": "raw", "container_format": "bare", "location": "$url"}

STORIES: Mapping[str, Story] = {
    "a router": Story("OS::Neutron::Router", {}, {"name": "r", "admin_state_up": False}),
    "a router with a name and a gateway": Story(
        "OS::Neutron::Router",
        {"name": "r", "tags": ["a"], "external_gateway_info": {"network": "public"}},
        {"name": "r2", "tags": [], "value_specs": {"description": "d"}},
    ),
    "an interface": Story(
        INTERFACE, {"router": "$router2", "subnet": "$subnet2"}, trace=_router_ports
    ),
    "a floating IP": Story(
        FIP, {"floating_network": "public"}, {"floating_network": "public", "port_id": "$port1"}
    ),
    "a floating IP that is described": Story(
        FIP,
        {
            "floating_network": "public",
            "port_id": "$port1",
            "value_specs": {"description": "mine"},
        },
        {"floating_network": "public", "value_specs": {"description": "mine"}},
    ),
    "an association, led elsewhere": Story(
        LED,
        {"floatingip_id": "$fip1", "port_id": "$port1"},
        {"floatingip_id": "$fip1", "port_id": "$port2"},
        trace=_floating,
    ),
    "an association, of another floating IP": Story(
        LED,
        {"floatingip_id": "$fip1", "port_id": "$port1"},
        {"floatingip_id": "$fip2", "port_id": "$port1"},
        trace=_floating,
    ),
    "a rule": Story(RULE, {"security_group": "$group", "port_range_min": 1, "port_range_max": 9}),
    "a rule by group": Story(
        RULE,
        {
            "security_group": "$group",
            "direction": "egress",
            "protocol": "udp",
            "remote_group": "other",
            "description": "d",
        },
    ),
    "a server group": Story("OS::Nova::ServerGroup", {"policies": ["soft-affinity"]}),
    "a server group with a name": Story(
        "OS::Nova::ServerGroup", {"name": "mine", "rules": {"max_server_per_host": 2}}
    ),
    "a flavor": Story("OS::Nova::Flavor", SIZE, {**SIZE, "extra_specs": {"a": "b"}}, "admin"),
    "a flavor of few": Story(
        "OS::Nova::Flavor",
        {
            **SIZE,
            "name": "few",
            "flavorid": "few",
            "is_public": False,
            "extra_specs": {"a:b": "c", "d": 1},
        },
        {
            **SIZE,
            "name": "few",
            "flavorid": "few",
            "is_public": False,
            "tenants": ["demo"],
            "extra_specs": {"d": 2},
        },
        "admin",
    ),
    "a volume": Story(
        VOLUME,
        {"size": 1, "metadata": {"a": "b", "c": "d"}, "read_only": True},
        {
            "size": 2,
            "name": "v",
            "description": "d",
            "metadata": {"a": "x"},
            "volume_type": "type2",
        },
    ),
    "a volume of an image": Story(VOLUME, {"size": 20, "image": IMAGE, "name": "boot"}),
    "a copy of a volume": Story(VOLUME, {"source_volid": "volume1"}),
    "an attachment, of another volume": Story(
        ON,
        {"instance_uuid": "$server1", "volume_id": "volume1"},
        {"instance_uuid": "$server1", "volume_id": "volume2", "mountpoint": "/dev/vdx"},
        trace=_volumes,
    ),
    "an attachment, to another server": Story(
        ON,
        {"instance_uuid": "$server1", "volume_id": "volume1"},
        {"instance_uuid": "$server2", "volume_id": "volume1"},
        trace=_volumes,
    ),
    "a volume type": Story(
        TYPE,
        {"name": "fast", "metadata": {"x:y": "z", "a": "b"}},
        {"name": "faster", "metadata": {"a": "c"}, "description": "d"},
        "admin",
    ),
    "a volume type of few": Story(
        TYPE,
        {"name": "fast", "is_public": False, "projects": ["demo"]},
        {"name": "fast", "is_public": False, "projects": ["admin"]},
        "admin",
    ),
    "encryption": Story(
        ENCRYPTED,
        {"volume_type": "type1", "provider": "luks", "key_size": 256},
        {"volume_type": "type1", "provider": "luks", "key_size": 512},
        "admin",
        _encryption,
    ),
    "an image": Story(
        "OS::Glance::WebImage",
        {**BARE, "name": "i", "tags": ["t"], "extra_properties": {"a": "b", "c": "d"}},
        {**BARE, "name": "i", "tags": ["u"], "extra_properties": {"a": 1}, "os_distro": "debian"},
    ),
}


def _filled(value: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _filled(each, ids) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, ids) for each in value]
    is_name = isinstance(value, str) and value.startswith("$")
    return ids[value[1:]] if is_name else value


def told(scene: Scene, story: Story, lose: int | None) -> tuple[list[str], list[Any]]:
    """Live a story; return the calls, and what there was after each verb."""
    guard = Losing(lose)
    life = Troubled(scene.cloud(story.user, guard), guard, story.type_name)
    seen: list[Any] = []
    life.create(_filled(story.first, scene.ids))
    seen.append((census(scene.url), story.trace(scene)))
    if story.then is not None:
        life.update(_filled(story.then, scene.ids))
        seen.append((census(scene.url), story.trace(scene)))
    assert life.attributes
    life.delete()
    seen.append((census(scene.url), story.trace(scene)))
    return guard.calls, seen


@pytest.mark.parametrize("name", STORIES)
def test_a_lost_answer_changes_nothing_in_the_end(name: str, scene: Scene) -> None:
    story = STORIES[name]
    before = (census(scene.url), story.trace(scene))
    calls, expected = told(scene, story, None)
    assert expected[-1] == before, "something is left"
    assert expected[0] != before, "nothing was made"
    for lose in range(len(calls)):
        _, seen = told(scene, story, lose)
        assert seen == expected, f"the answer to {calls[lose]} was lost"
