"""A project in the embedded cloud that has everything the types relate to."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from stoker.clouds.connect import Clouds
from stoker.clouds.credential import Password
from stoker.clouds.one_cloud import OneCloud
from stoker.devcloud.cloud import Options
from stoker.devcloud.server import Server
from stoker.sdk.cloud import Guard

IMAGE, FLAVOR = "cirros-0.6.2-x86_64-disk", "m1.tiny"
LATENCY = 0.005


@dataclass(frozen=True)
class Scene:
    """What is there before: the ids of a network with a router, a server, volumes …"""

    url: str
    clouds: Clouds
    ids: Mapping[str, str]

    def filled(self, value: Any) -> Any:
        """Return ``value`` with each ``$name`` in it replaced by the id of that name."""
        if isinstance(value, Mapping):
            return {key: self.filled(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.filled(each) for each in value]
        is_name = isinstance(value, str) and value.startswith("$")
        return self.ids[value[1:]] if is_name else value

    def cloud(self, user: str, guard: Guard | None = None) -> OneCloud:
        credential = Password(
            f"{self.url}/identity",
            user,
            "secret",
            project_name=user,
            user_domain_id="default",
            project_domain_id="default",
        )
        return self.clouds.cloud(credential, guard)


@contextmanager
def opened() -> Iterator[Scene]:
    """Run a cloud with the scene set in it."""
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
