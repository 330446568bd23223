"""What Nova answers: servers and their life, key pairs, server groups, what is attached.

Rule: see :mod:`tests.agreement.step`.
"""

from __future__ import annotations

from typing import Any

from tests.agreement.network_scenarios import NOBODYS, network, neutron, subnet
from tests.agreement.step import SOME, Json, Scenario, Step

PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPP8JmTFsnxKFlRQ0sFLGzoPvv6eWsKYZqzkOZW2B2Vf a@b"
OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEx2wSmk5B5A1eXTxq7lTgGqV8DY9BP6vwqM5hEHQGxX a@b"
NET = [{"uuid": "{n}"}]


def nova(method: str, path: str, status: int, body: Json = None, **more: Any) -> Step:
    """Return a step on the compute service; a word as ``see`` is the fault's name."""
    if isinstance(more.get("see"), str):
        more["see"] = {f"{more['see']}.code": status}
    return Step("compute", method, f"/v2.1/{path}", status, body, **more)


def server(status: int, keep: str = "", see: Any = None, **fields: Json) -> Step:
    """Return the creation of a server, kept by its id as ``keep``."""
    more: dict[str, Any] = {"see": see} if see else {}
    kept = {"keep": {keep: "server.id"}} if keep else {}
    wanted = {"name": "v", "imageRef": "{image}", "flavorRef": "{flavor}", **fields}
    return nova("POST", "servers", status, {"server": wanted}, **more, **kept)


def action(status: int, body: Json, see: Any = None, at: str = "v", **more: Any) -> Step:
    """Return an action on a server."""
    more |= {"see": see} if see else {}
    return nova("POST", f"servers/{{{at}}}/action", status, body, **more)


def becomes(status: str, see: Any = None, at: str = "v") -> Step:
    """Return a look at a server until it has a status."""
    wanted = {"server.status": status, "server.OS-EXT-STS:task_state": None, **(see or {})}
    return nova("GET", f"servers/{{{at}}}", 200, see=wanted, patient=True)


REFUSALS = Scenario(
    "servers that are refused",
    (
        network("n"),
        server(400, networks=NET, see="badRequest"),
        subnet(201, network_id="{n}", cidr="10.81.0.0/24"),
        server(400, networks=NET, imageRef=NOBODYS, see="badRequest"),
        server(400, networks=NET, flavorRef=NOBODYS, see="badRequest"),
        server(400, networks=NET, key_name="no such key", see="badRequest"),
        server(400, networks=[{"uuid": NOBODYS}], see="badRequest"),
        server(400, networks=[{"port": NOBODYS}], see="badRequest"),
        server(400, networks=[{"uuid": "no uuid"}], see="badRequest"),
        server(400, see="badRequest"),
        server(400, networks=NET, security_groups=[{"name": "no such group"}], see="badRequest"),
        server(400, networks=NET, imageRef="", see="badRequest"),
        server(400, networks=NET, name="", see="badRequest"),
        server(400, networks=NET, colour="red", see="badRequest"),
        server(400, networks=NET, availability_zone="no such zone", see="badRequest"),
        server(
            400,
            networks=NET,
            imageRef="",
            block_device_mapping_v2=[
                {
                    "uuid": NOBODYS,
                    "source_type": "volume",
                    "destination_type": "volume",
                    "boot_index": 0,
                }
            ],
            see="badRequest",
        ),
        server(400, networks=NET, user_data="not base64!", see="badRequest"),
        server(400, networks=NET, metadata={"k": "x" * 300}, see="badRequest"),
        nova("POST", "servers", 400, {"server": {"name": "v"}}, see="badRequest"),
        nova("POST", "servers", 400, {}, see="badRequest"),
        nova("GET", f"servers/{NOBODYS}", 404, see="itemNotFound"),
        nova("DELETE", f"servers/{NOBODYS}", 404, see="itemNotFound"),
        nova("PUT", f"servers/{NOBODYS}", 404, {"server": {"name": "x"}}, see="itemNotFound"),
        nova("POST", f"servers/{NOBODYS}/action", 404, {"os-stop": None}, see="itemNotFound"),
        nova("GET", f"flavors/{NOBODYS}", 404, see="itemNotFound"),
        nova("GET", "flavors/m1.nano", 404, see="itemNotFound"),
        nova(
            "POST",
            "flavors",
            403,
            {"flavor": {"name": "f", "ram": 1, "vcpus": 1, "disk": 1}},
            see="forbidden",
        ),
        nova("GET", "os-hypervisors", 403, see="forbidden"),
        nova("GET", "no-such-thing", 404),
        nova("GET", "servers", 406, headers={"OpenStack-API-Version": "compute 2.999"}),
        nova("GET", "servers", 400, headers={"OpenStack-API-Version": "compute two"}),
    ),
)

LIFE = Scenario(
    "the life of a server",
    (
        network("n"),
        subnet(201, network_id="{n}", cidr="10.81.0.0/24", keep="s"),
        server(
            202,
            "v",
            networks=NET,
            metadata={"a": "1"},
            see={
                "server.id": SOME,
                "server.OS-DCF:diskConfig": "MANUAL",
                "server.security_groups.0.name": "default",
                "server.links.#": 2,
            },
        ),
        becomes(
            "ACTIVE",
            {
                "server.OS-EXT-STS:vm_state": "active",
                "server.OS-EXT-STS:power_state": 1,
                "server.addresses.n.#": 1,
                "server.addresses.n.0.version": 4,
                "server.addresses.n.0.OS-EXT-IPS:type": "fixed",
                "server.metadata": {"a": "1"},
                "server.image.id": "{image}",
                "server.flavor.original_name": "m1.nano",
                "server.key_name": None,
                "server.config_drive": "",
                "server.locked": False,
                "server.progress": 0,
            },
        ),
        nova("GET", "servers/{v}", 404, who="stranger", see="itemNotFound"),
        nova("DELETE", "servers/{v}", 404, who="stranger", see="itemNotFound"),
        neutron(
            "GET",
            "ports?device_id={v}",
            200,
            keep={"p": "ports.0.id"},
            see={"ports.0.device_owner": "compute:nova", "ports.0.status": "ACTIVE"},
            patient=True,
        ),
        nova(
            "POST",
            "servers/{v}/metadata",
            200,
            {"metadata": {"b": "2"}},
            see={"metadata": {"a": "1", "b": "2"}},
        ),
        nova("PUT", "servers/{v}/metadata/b", 200, {"meta": {"b": "3"}}, see={"meta": {"b": "3"}}),
        nova("PUT", "servers/{v}/metadata/b", 400, {"meta": {"c": "3"}}, see="badRequest"),
        nova(
            "PUT",
            "servers/{v}/metadata",
            200,
            {"metadata": {"c": "4"}},
            see={"metadata": {"c": "4"}},
        ),
        nova("DELETE", "servers/{v}/metadata/c", 204),
        nova("DELETE", "servers/{v}/metadata/c", 404, see="itemNotFound"),
        nova("PUT", "servers/{v}", 200, {"server": {"name": "w"}}, see={"server.name": "w"}),
        nova("PUT", "servers/{v}", 400, {"server": {"flavorRef": "x"}}, see="badRequest"),
        nova("PUT", "servers/{v}/tags/t", 201),
        nova("PUT", "servers/{v}/tags/t", 204),
        nova("DELETE", "servers/{v}/tags/t", 204),
        nova("DELETE", "servers/{v}/tags/t", 404, see="itemNotFound"),
        action(409, {"os-start": None}, "conflictingRequest"),
        action(202, {"os-stop": None}),
        becomes("SHUTOFF", {"server.OS-EXT-STS:power_state": 4}),
        action(409, {"os-stop": None}, "conflictingRequest"),
        action(409, {"suspend": None}, "conflictingRequest"),
        action(409, {"pause": None}, "conflictingRequest"),
        action(202, {"os-start": None}),
        becomes("ACTIVE"),
        action(202, {"suspend": None}),
        becomes("SUSPENDED", {"server.OS-EXT-STS:vm_state": "suspended"}),
        action(409, {"suspend": None}, "conflictingRequest"),
        action(409, {"os-start": None}, "conflictingRequest"),
        action(202, {"resume": None}),
        becomes("ACTIVE"),
        action(409, {"resume": None}, "conflictingRequest"),
        action(202, {"pause": None}),
        becomes("PAUSED", {"server.OS-EXT-STS:vm_state": "paused"}),
        action(202, {"unpause": None}),
        becomes("ACTIVE"),
        action(202, {"reboot": {"type": "SOFT"}}),
        becomes("ACTIVE"),
        action(400, {"reboot": {"type": "GENTLE"}}, "badRequest"),
        action(400, {"dance": None}, "badRequest"),
        action(403, {"os-resetState": {"state": "error"}}, "forbidden"),
        action(202, {"lock": None}),
        becomes("ACTIVE", {"server.locked": True}),
        action(409, {"os-stop": None}, "conflictingRequest"),
        nova("DELETE", "servers/{v}", 409, see="conflictingRequest"),
        nova("PUT", "servers/{v}", 200, {"server": {"name": "x"}}, see={"server.name": "x"}),
        action(202, {"unlock": None}),
        action(200, {"os-getConsoleOutput": {}}, {"output": SOME}),
        neutron("DELETE", "ports/{p}", 403, see="PolicyNotAuthorized"),
        nova("DELETE", "servers/{v}", 204),
        nova("GET", "servers/{v}", 404, patient=True, see="itemNotFound"),
        nova("DELETE", "servers/{v}", 404, see="itemNotFound"),
    ),
)

CHANGES = Scenario(
    "servers that are resized and rebuilt",
    (
        network("n"),
        subnet(201, network_id="{n}", cidr="10.81.0.0/24"),
        server(202, "v", networks=NET),
        becomes("ACTIVE"),
        action(409, {"confirmResize": None}, "conflictingRequest"),
        action(409, {"revertResize": None}, "conflictingRequest"),
        action(400, {"resize": {"flavorRef": "{flavor}"}}, "badRequest"),
        action(400, {"resize": {"flavorRef": NOBODYS}}, "badRequest"),
        action(202, {"resize": {"flavorRef": "{other_flavor}"}}),
        becomes("VERIFY_RESIZE", {"server.flavor.original_name": "m1.tiny"}),
        action(409, {"resize": {"flavorRef": "{flavor}"}}, "conflictingRequest"),
        action(202, {"revertResize": None}),
        becomes("ACTIVE", {"server.flavor.original_name": "m1.nano"}),
        action(202, {"resize": {"flavorRef": "{other_flavor}"}}),
        becomes("VERIFY_RESIZE"),
        action(204, {"confirmResize": None}),
        becomes("ACTIVE", {"server.flavor.original_name": "m1.tiny"}),
        action(400, {"rebuild": {"imageRef": NOBODYS}}, "badRequest"),
        action(202, {"rebuild": {"imageRef": "{image}", "name": "again"}}),
        becomes("ACTIVE", {"server.name": "again"}),
        action(400, {"rebuild": {}}, "badRequest"),
        action(
            202,
            {"createImage": {"name": "picture"}},
            {"image_id": SOME},
            keep={"picture": "image_id"},
        ),
        Step(
            "image",
            "GET",
            "/v2/images/{picture}",
            200,
            see={"visibility": "private", "image_type": "snapshot"},
            patient=True,
        ),
        becomes("ACTIVE"),
        Step("image", "DELETE", "/v2/images/{picture}", 204),
    ),
)

KEYS_AND_GROUPS = Scenario(
    "key pairs and server groups",
    (
        nova(
            "POST",
            "os-keypairs",
            201,
            {"keypair": {"name": "k", "public_key": PUBLIC_KEY, "type": "ssh"}},
            see={"keypair.name": "k", "keypair.fingerprint": SOME, "keypair.type": "ssh"},
        ),
        nova(
            "POST",
            "os-keypairs",
            409,
            {"keypair": {"name": "k", "public_key": OTHER_KEY}},
            see="conflictingRequest",
        ),
        nova(
            "POST",
            "os-keypairs",
            400,
            {"keypair": {"name": "l", "public_key": "no key"}},
            see="badRequest",
        ),
        nova(
            "POST",
            "os-keypairs",
            400,
            {"keypair": {"name": "a/b", "public_key": PUBLIC_KEY}},
            see="badRequest",
        ),
        nova("POST", "os-keypairs", 400, {"keypair": {"public_key": PUBLIC_KEY}}, see="badRequest"),
        nova("GET", "os-keypairs/k", 200, see={"keypair.name": "k"}),
        nova("GET", "os-keypairs/k", 404, who="stranger", see="itemNotFound"),
        nova("DELETE", "os-keypairs/k", 204),
        nova("DELETE", "os-keypairs/k", 404, see="itemNotFound"),
        nova(
            "POST",
            "os-server-groups",
            200,
            {"server_group": {"name": "g", "policy": "anti-affinity"}},
            keep={"g": "server_group.id"},
            see={
                "server_group.policy": "anti-affinity",
                "server_group.members": [],
                "server_group.rules": {},
            },
        ),
        nova(
            "POST",
            "os-server-groups",
            400,
            {"server_group": {"name": "h", "policy": "friendly"}},
            see="badRequest",
        ),
        nova(
            "POST",
            "os-server-groups",
            400,
            {"server_group": {"name": "h", "policies": ["affinity"]}},
            see="badRequest",
        ),
        nova("POST", "os-server-groups", 400, {"server_group": {"name": "h"}}, see="badRequest"),
        nova(
            "POST",
            "os-server-groups",
            400,
            {
                "server_group": {
                    "name": "h",
                    "policy": "affinity",
                    "rules": {"max_server_per_host": 3},
                }
            },
            see="badRequest",
        ),
        nova(
            "POST",
            "os-server-groups",
            200,
            {"server_group": {"name": "h", "policy": "affinity"}},
            keep={"h": "server_group.id"},
        ),
        network("n"),
        subnet(201, network_id="{n}", cidr="10.81.0.0/24"),
        nova(
            "POST",
            "servers",
            400,
            {
                "server": {
                    "name": "v",
                    "imageRef": "{image}",
                    "flavorRef": "{flavor}",
                    "networks": NET,
                },
                "os:scheduler_hints": {"group": NOBODYS},
            },
            see="badRequest",
        ),
        nova(
            "POST",
            "servers",
            202,
            {
                "server": {
                    "name": "v",
                    "imageRef": "{image}",
                    "flavorRef": "{flavor}",
                    "networks": NET,
                },
                "os:scheduler_hints": {"group": "{h}"},
            },
            keep={"v": "server.id"},
        ),
        becomes("ACTIVE"),
        nova("GET", "os-server-groups/{h}", 200, see={"server_group.members": ["{v}"]}),
        nova("GET", "os-server-groups/{h}", 404, who="stranger", see="itemNotFound"),
        nova("DELETE", "os-server-groups/{h}", 204),
        nova("DELETE", "os-server-groups/{h}", 404, see="itemNotFound"),
    ),
)
