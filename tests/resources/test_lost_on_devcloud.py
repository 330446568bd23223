"""Whatever answer is lost, the cloud has in the end what it would have, and nothing besides.

As in ``test_lost_answers``, for types whose services are too much for a toy: the embedded
cloud plays them, and refuses what the real ones refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.resources.scene import FLAVOR, IMAGE, Scene
from tests.resources.troubled import Losing, Troubled, census

Given = Mapping[str, Any]


@dataclass(frozen=True)
class Story:
    """``first`` is created, ``then`` updated to; ``trace`` is what no list of objects shows."""

    type_name: str
    first: Given
    then: Given | None = None
    user: str = "demo"
    trace: Callable[[Scene], Any] = lambda _scene: None


def _floating(scene: Scene) -> Any:
    network = scene.cloud("demo").network
    return [network.show("floatingip", scene.ids[f"fip{n}"])["port_id"] for n in (1, 2)]


def _lead_somewhere(scene: Scene) -> Any:
    return [port is not None for port in _floating(scene)]


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
BOOT = {"image": IMAGE, "flavor": FLAVOR}
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
    "a server with files, and addresses that lead to it": Story(
        "OS::Nova::Server",
        {
            **BOOT,
            "personality": {"/etc/motd": "hello"},
            "networks": [{"network": "$net1", "floating_ip": "$fip1"}],
        },
        {
            **BOOT,
            "personality": {"/etc/motd": "hello"},
            "networks": [
                {"subnet": "$subnet1", "floating_ip": "$fip2"},
                {"port": "$port1", "floating_ip": "$fip1"},
            ],
        },
        trace=_lead_somewhere,
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


def told(scene: Scene, story: Story, lose: int | None) -> tuple[list[str], list[Any]]:
    """Live a story; return the calls, and what there was after each verb."""
    guard = Losing(lose)
    life = Troubled(scene.cloud(story.user, guard), guard, story.type_name)
    seen: list[Any] = []
    life.create(scene.filled(story.first))
    seen.append((census(scene.url), story.trace(scene)))
    if story.then is not None:
        life.update(scene.filled(story.then))
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
