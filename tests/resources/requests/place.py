"""A project in the served cloud, and what the recorded templates take for granted in it.

Rule: each thing is made when it is first asked for, and stays; a stack that is gone has left
nothing, so that one project serves many cases one after the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from stoker.cli.account import account
from stoker.clouds.connect import Clouds
from stoker.clouds.credential import Password
from stoker.clouds.one_cloud import OneCloud
from tests.app.serving import Serving
from tests.e2e.rest import Json, Rest
from tests.e2e.tenant import ROLES, controls

_PASSWORD = "of a test"
_SECONDS, _LOOK = 20.0, 0.05
_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPP8JmTFsnxKFlRQ0sFLGzoPvv6eWsKYZqzkOZW2B2Vf a@b"


@dataclass
class Place:
    """``name`` is the project's and its user's; an administrator's has the role too."""

    serving: Serving
    clouds: Clouds
    name: str
    is_admin: bool = False
    ids: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    seen: int = 0

    def __post_init__(self) -> None:
        admin = account(self.serving.state / "clouds.yaml", "admin")
        self.url = admin.auth_url.split("/identity")[0]
        self.admin = self._cloud("admin", admin.password)
        project = self.admin.identity.post("/projects", {"project": {"name": self.name}})
        self.ids["project"] = self.project = str(project["project"]["id"])
        self._add_user()
        self.mine = self._cloud(self.name, _PASSWORD)
        self.mine.network.list("security_group")  # Neutron makes a project's own one then
        self.rest = Rest(self._written(), self.name)
        for name in ("image", "flavor"):  # templates name these too
            self.id(name)

    def _add_user(self) -> None:
        identity = self.admin.identity
        body = {"name": self.name, "password": _PASSWORD, "default_project_id": self.project}
        user = identity.post("/users", {"user": body})["user"]["id"]
        for role in (*ROLES, *(["admin"] if self.is_admin else [])):
            role_id = identity.find("role", role)
            identity.put(f"/projects/{self.project}/users/{user}/roles/{role_id}", {})

    def _written(self) -> Path:
        """Write a file with this user's account."""
        path = self.serving.state / "clouds.yaml"
        given = yaml.safe_load(path.read_text())["clouds"]["demo"]
        mine = {"username": self.name, "project_name": self.name, "password": _PASSWORD}
        path = self.serving.state.parent / f"{self.name}.yaml"
        entry = {**given, "auth": {**given["auth"], **mine}}
        path.write_text(yaml.safe_dump({"clouds": {self.name: entry}}))
        return path

    def _cloud(self, user: str, password: str) -> OneCloud:
        domains = {"user_domain_id": "default", "project_domain_id": "default"}
        where = f"{self.url}/identity/v3"
        return self.clouds.cloud(Password(where, user, password, project_name=user, **domains))

    def id(self, name: str) -> str:
        """Return what stands for a parameter of a recorded template, made if need be."""
        if name not in self.ids:
            self.ids[name] = MAKERS[name](self)
        return self.ids[name]

    def names(self) -> dict[str, str]:
        """Return what the things are called in recordings, by their ids."""
        named: dict[str, str] = {}
        for name, id in self.ids.items():
            named.setdefault(id, f"<{name}>")
        return named

    def log(self) -> list[Json]:
        """Return what this project asked for since it was looked at last."""
        found = controls(self.url, f"log?since={self.seen}")
        self.seen = found["seq"]
        return [each for each in found["requests"] if each["project"] == self.project]

    def learn(self) -> None:
        """Note the kinds of the objects that there are now, by their ids."""
        found = controls(self.url, "objects")["objects"]
        self.kinds |= {each["id"]: each["kind"].split(".")[1] for each in found}

    def settled(self, path: str, key: str, wanted: str, rest: Any) -> Json:
        """Return an object once it is in a status."""
        until = time.monotonic() + _SECONDS
        while (shown := rest.get(path)[key])["status"] != wanted:
            assert time.monotonic() < until, shown
            time.sleep(_LOOK)
        return dict(shown)


def _network(name: str, subnet: str, cidr: str) -> Callable[[Place], str]:
    def made(place: Place) -> str:
        id = str(place.mine.network.create("network", {"name": name})["id"])
        body = {"network_id": id, "cidr": cidr, "ip_version": 4, "name": subnet}
        place.ids[subnet] = str(place.mine.network.create("subnet", body)["id"])
        return id

    return made


def _subnet(net: str, subnet: str) -> Callable[[Place], str]:
    def made(place: Place) -> str:
        place.id(net)
        return place.ids[subnet]

    return made


def _port(net: str) -> Callable[[Place], str]:
    return lambda p: str(p.mine.network.create("port", {"network_id": p.id(net)})["id"])


def _named_net(place: Place) -> str:
    name = f"named-net-of-{place.name}"
    net = place.mine.network.create("network", {"name": name})["id"]
    subnet = {"network_id": net, "cidr": "10.99.0.0/24", "ip_version": 4}
    place.ids["subnet_name"] = f"named-subnet-of-{place.name}"
    made = place.mine.network.create("subnet", {**subnet, "name": place.ids["subnet_name"]})
    place.ids |= {"named_net": net, "named_subnet": made["id"]}
    return name


def _named_subnet(place: Place) -> str:
    place.id("net_name")
    return place.ids["subnet_name"]


def _named_group(place: Place) -> str:
    name = f"named-group-of-{place.name}"
    place.ids["named_sg"] = place.mine.network.create("security_group", {"name": name})["id"]
    return name


def _group(name: str) -> Callable[[Place], str]:
    return lambda place: str(place.mine.network.create("security_group", {"name": name})["id"])


def _public(place: Place) -> str:
    return place.mine.network.find("network", "public")


def _public_subnet(place: Place) -> str:
    [subnet] = place.admin.network.list("subnet", network_id=place.id("public"), ip_version=4)
    return str(subnet["id"])


def _router(place: Place) -> str:
    return str(place.mine.network.create("router", {"name": "r"})["id"])


def _routed(place: Place) -> str:
    network = place.mine.network
    gateway = {"external_gateway_info": {"network_id": place.id("public")}}
    router = network.create("router", gateway)["id"]
    body = {"subnet_id": place.id("subnet")}
    network.put(f"/routers/{router}/add_router_interface", body)
    return "fix-rif"


def _floating(place: Place) -> str:
    place.id("rif")
    body = {"floating_network_id": place.id("public")}
    return str(place.mine.network.create("floatingip", body)["id"])


def _server(place: Place) -> str:
    server = {
        "name": "fixture",
        "imageRef": place.id("image"),
        "flavorRef": place.id("flavor"),
        "networks": [{"uuid": place.id("net")}],
    }
    made = place.mine.compute.post("/servers", {"server": server})["server"]["id"]
    place.settled(f"/servers/{made}", "server", "ACTIVE", place.mine.compute)
    return str(made)


def _server_port(place: Place) -> str:
    [port] = place.mine.network.list("port", device_id=place.id("server"))
    place.ids["server_ip"] = port["fixed_ips"][0]["ip_address"]
    return str(port["id"])


def _server_ip(place: Place) -> str:
    place.id("server_port")
    return place.ids["server_ip"]


def _volume(size: int, **more: Any) -> Callable[[Place], str]:
    def made(place: Place) -> str:
        body = {"size": size, "name": "fixture", **more}
        if more.get("imageRef"):
            body["imageRef"] = place.id("image")
        id = place.mine.volume.post("/volumes", {"volume": body})["volume"]["id"]
        place.settled(f"/volumes/{id}", "volume", "available", place.mine.volume)
        return str(id)

    return made


def _snapshot(place: Place) -> str:
    body = {"volume_id": place.id("volume2"), "name": "fixture"}
    id = place.mine.volume.post("/snapshots", {"snapshot": body})["snapshot"]["id"]
    place.settled(f"/snapshots/{id}", "snapshot", "available", place.mine.volume)
    return str(id)


def _vtype(place: Place) -> str:
    body = {"volume_type": {"name": f"type-of-{place.name}"}}
    return str(place.admin.volume.post("/types", body)["volume_type"]["id"])


def _flavor(name: str) -> Callable[[Place], str]:
    return lambda place: place.mine.compute.find("flavor", name)


def _huge_flavor(place: Place) -> str:
    body = {"name": f"huge-{place.name}", "ram": 64_000_000, "vcpus": 900, "disk": 1}
    return str(place.admin.compute.post("/flavors", {"flavor": body})["flavor"]["id"])


def _key(place: Place) -> str:
    body = {"name": "fix-key", "public_key": _KEY}
    return str(place.mine.compute.post("/os-keypairs", {"keypair": body})["keypair"]["name"])


def _qos(name: str) -> Callable[[Place], str]:
    def made(place: Place) -> str:
        body = {"policy": {"name": f"{name}-{place.name}", "shared": True}}
        return str(place.admin.network.post("/qos/policies", body)["policy"]["id"])

    return made


def _pool(place: Place) -> str:
    body = {"name": "pool", "prefixes": ["10.200.0.0/16"], "default_prefixlen": 26}
    return str(place.mine.network.create("subnetpool", body)["id"])


def _project(place: Place) -> str:
    body = {"project": {"name": f"other-of-{place.name}"}}
    return str(place.admin.identity.post("/projects", body)["project"]["id"])


def _person(place: Place) -> str:
    body = {"user": {"name": f"person-of-{place.name}", "password": _PASSWORD}}
    return str(place.admin.identity.post("/users", body)["user"]["id"])


MAKERS: Final[Mapping[str, Callable[[Place], str]]] = {
    "net": _network("net", "subnet", "10.11.0.0/24"),
    "net2": _network("net2", "subnet2", "10.12.0.0/24"),
    "subnet": _subnet("net", "subnet"),
    "subnet2": _subnet("net2", "subnet2"),
    "net_name": _named_net,
    "subnet_name": _named_subnet,
    "sg_name": _named_group,
    "sg": _group("sg"),
    "sg2": _group("sg2"),
    "port": _port("net"),
    "port2": _port("net"),
    "port4": _port("net2"),
    "port_n2": _port("net2"),
    "public": _public,
    "public_subnet": _public_subnet,
    "router2": _router,
    "rif": _routed,
    "fip": _floating,
    "fip2": _floating,
    "project_id": lambda place: place.project,
    "other_project": _project,
    "ks_user": _person,
    "server": _server,
    "server2": _server,
    "server_port": _server_port,
    "server_ip": _server_ip,
    "volume": _volume(1),
    "volume2": _volume(1),
    "volume3": _volume(1),
    "bootvol": _volume(1, imageRef=True),
    "snapshot": _snapshot,
    "vtype": _vtype,
    "image": lambda place: place.mine.image.find("image", "cirros-0.6.2-x86_64-disk"),
    "image2": lambda place: place.mine.image.find("image", "ubuntu-24.04"),
    "flavor": _flavor("m1.tiny"),
    "flavor2": _flavor("m1.small"),
    "hugeflavor": _huge_flavor,
    "keypair": _key,
    "qos": _qos("qos"),
    "qos2": _qos("qos2"),
    "pool": _pool,
    "img_url": lambda _place: "http://127.0.0.1/img.raw",
}
