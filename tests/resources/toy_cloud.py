"""A cloud in memory, at the border of the resource types, that can lose an answer.

Rule: it keeps to what services promise (404, 409, who deletes what), so that a type's steps
mean the same here as there; each changing call is counted.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from stoker.errors import CloudError, CloudNotFound, NotFound

Row = dict[str, Any]


class ToyCloud:
    """Neutron, Nova and a little of the rest. ``lose``: the number of the call whose answer
    never comes."""

    def __init__(self, lose: int | None = None) -> None:
        self.changes: list[tuple[str, str]] = []
        self.reads = 0
        self._lose = lose
        self.network = ToyNetwork(self)
        self.compute = ToyCompute(self)
        self.image = Finder("image", {"ubuntu": "image-1", "cirros": "image-2"})
        self.identity = Finder("identity", {"ann": "user-1"})
        self.volume = Finder("volume", {"vol": "volume-1"})

    def changed(self, method: str, path: str) -> None:
        """Count a change that has happened; lose its answer where that is wanted."""
        self.changes.append((method, path))
        if self._lose == len(self.changes) - 1:
            raise CloudError("no answer", service="toy")

    def objects(self) -> list[tuple[str, str]]:
        """Return all there is, by kind and name, sorted."""
        rows = [(kind, row.get("name") or "") for kind, row in self.network.everything()]
        rows += [("server", row["name"]) for row in self.compute.servers.values()]
        rows += [("keypair", name) for name in self.compute.keypairs]
        return sorted(rows)


class Finder:
    """A service of which only names are asked."""

    def __init__(self, service: str, known: Mapping[str, str]) -> None:
        self.service, self.known = service, known

    def find(self, kind: str, name_or_id: str) -> str:
        if name_or_id in self.known.values():
            return name_or_id
        if name_or_id not in self.known:
            raise NotFound(kind, name_or_id)
        return self.known[name_or_id]


class ToyNetwork:
    """Neutron."""

    def __init__(self, cloud: ToyCloud) -> None:
        self._cloud = cloud
        self._ids = itertools.count(1)
        self.rows: dict[str, dict[str, Row]] = {}
        self.agents: dict[str, set[str]] = {}
        for group in ("default",):
            self._make("security_group", {"name": group})
        self.base = self.everything()

    def everything(self) -> list[tuple[str, Row]]:
        return [(kind, row) for kind, rows in self.rows.items() for row in rows.values()]

    def _make(self, kind: str, body: Mapping[str, Any]) -> Row:
        row: Row = {"id": f"{kind}-{next(self._ids)}", "tags": [], "tenant_id": "p", **body}
        if kind in ("network", "port"):
            row.setdefault("status", "ACTIVE" if kind == "network" else "DOWN")
        if kind == "security_group":
            row["security_group_rules"] = []
            for ethertype in ("IPv4", "IPv6"):
                self._rule(row, {"direction": "egress", "ethertype": ethertype})
        if kind == "port":
            asked = row.get("fixed_ips", [{"subnet_id": "subnet-x"}])
            row["fixed_ips"] = [self._address(each) for each in asked]
        self.rows.setdefault(kind, {})[row["id"]] = row
        return row

    def _address(self, asked: Mapping[str, Any]) -> Row:
        return {"subnet_id": "subnet-x", "ip_address": f"10.0.0.{next(self._ids)}", **asked}

    def _rule(self, group: Row, body: Mapping[str, Any]) -> None:
        group["security_group_rules"].append({"id": f"rule-{next(self._ids)}", **body})

    def create(self, kind: str, body: Mapping[str, Any]) -> Row:
        row = self._make(kind, body)
        self._cloud.changed("POST", kind)
        return dict(row)

    def show(self, kind: str, id: str) -> Row:
        self._cloud.reads += 1
        row = self.rows.get(kind, {}).get(id)
        if row is None:
            raise CloudNotFound(f"no {kind} {id}", service="network", status=404)
        return dict(row)

    def seen(self, kind: str, id: str) -> Row:
        there = {"id": id, "network_id": "net-x", "cidr": "10.0.0.0/24"}
        return there if id.endswith("-x") else self.show(kind, id)

    def update(self, kind: str, id: str, body: Mapping[str, Any]) -> Row:
        self.show(kind, id)
        self.rows[kind][id].update(body)
        self._cloud.changed("PUT", f"{kind}/{id}")
        return dict(self.rows[kind][id])

    def delete(self, kind: str, id: str) -> None:
        if kind == "security_group_rule":
            for group in self.rows["security_group"].values():
                kept = [r for r in group["security_group_rules"] if r["id"] != id]
                group["security_group_rules"] = kept
        else:
            self.show(kind, id)
            del self.rows[kind][id]
        self._cloud.changed("DELETE", f"{kind}/{id}")

    def list(self, kind: str, **filters: Any) -> Sequence[Row]:
        self._cloud.reads += 1
        filters.pop("fields", None)
        if (server := self._cloud.compute.servers.get(filters.get("device_id", ""))) is not None:
            return [_port_of(interface) for interface in server["interfaces"]]
        rows = self.rows.get(kind, {}).values()
        return [dict(row) for row in rows if all(_fits(row, *each) for each in filters.items())]

    def find(self, kind: str, name_or_id: str) -> str:
        for row in self.rows.get(kind, {}).values():
            if name_or_id in (row["id"], row.get("name")):
                return str(row["id"])
        if name_or_id.endswith("-x"):  # things that are just there
            return name_or_id
        raise NotFound(kind, name_or_id)

    def set_tags(self, kind: str, id: str, tags: Sequence[str]) -> None:
        self.rows[kind][id]["tags"] = list(tags)
        self._cloud.changed("PUT", f"{kind}/{id}/tags")

    def has_extension(self, alias: str) -> bool:
        return False

    def get(self, path: str, **query: Any) -> Row:
        network = path.split("/")[2]
        served = [agent for agent, networks in self.agents.items() if network in networks]
        return {"agents": [{"id": agent} for agent in served]}

    def post(self, path: str, body: Mapping[str, Any]) -> Row:
        if path == "/security-group-rules":
            for rule in body["security_group_rules"]:
                self._rule(self.rows["security_group"][rule["security_group_id"]], rule)
        else:
            self.agents.setdefault(path.split("/")[2], set()).add(body["network_id"])
        self._cloud.changed("POST", path)
        return {}

    def remove(self, path: str) -> None:
        _, _, agent, _, network = path.split("/")
        self.agents[agent].discard(network)
        self._cloud.changed("DELETE", path)


def _port_of(interface: Row) -> Row:
    """Return what Neutron shows of a server's interface."""
    names = {"id": "port_id", "network_id": "net_id", "mac_address": "mac_addr"}
    return {name: interface[its] for name, its in names.items()}


def _fits(row: Row, field: str, wanted: Any) -> bool:
    return row.get(field) in (wanted if isinstance(wanted, list | tuple) else [wanted])


class ToyCompute:
    """Nova: a server is there at the second look, and gone at the second look."""

    def __init__(self, cloud: ToyCloud) -> None:
        self._cloud = cloud
        self._ids = itertools.count(1)
        self.servers: dict[str, Row] = {}
        self.keypairs: dict[str, Row] = {}
        self.calls: list[tuple[str, Any]] = []
        self.versions: list[str] = []
        self.fault: str | None = None

    def find(self, kind: str, name_or_id: str) -> str:
        return f"{kind}:{name_or_id.removeprefix(f'{kind}:')}"

    def is_still(self, _path: str, _status: str, _id: str) -> bool:
        return False

    def get(self, path: str, **query: Any) -> Row:
        self._cloud.reads += 1
        if path == "/servers":
            rows = self.servers.values()
            return {"servers": [dict(r) for r in rows if query["tags"] in r["tags"]]}
        if path.startswith("/flavors/"):
            return {"flavor": {"name": path.removeprefix("/flavors/").replace("%3A", ":")}}
        if path.startswith("/os-keypairs/"):
            return {"keypair": self._known(self.keypairs, re.split(r"[/?]", path)[2])}
        server = self._known(self.servers, path.split("/")[2])
        if path.endswith("/os-interface"):
            return {"interfaceAttachments": [dict(each) for each in server["interfaces"]]}
        self._move(server)
        return {"server": dict(self._known(self.servers, server["id"]))}

    def _known(self, rows: dict[str, Row], id: str) -> Row:
        if id not in rows:
            raise CloudNotFound(f"no {id}", service="compute", status=404)
        return rows[id]

    def _move(self, server: Row) -> None:
        if server.pop("looks", 0) == 0:
            if server["status"] == "DELETING":
                del self.servers[server["id"]]
            elif server["status"] in ("BUILD", "RESIZE", "REBUILD"):
                server["status"] = "VERIFY_RESIZE" if server["status"] == "RESIZE" else "ACTIVE"

    def post(self, path: str, body: Mapping[str, Any]) -> Row:
        self.calls.append((path, body))
        answer = self._post(path, body)
        self._cloud.changed("POST", path)
        return answer

    def post_at(self, microversion: str, path: str, body: Mapping[str, Any]) -> Row:
        self.versions.append(microversion)
        return self.post(path, body)

    def _post(self, path: str, body: Mapping[str, Any]) -> Row:
        if path == "/servers":
            return {"server": {"id": self._boot(body["server"])["id"]}}
        if path == "/os-keypairs":
            return {"keypair": self._key(body["keypair"])}
        server = self._known(self.servers, path.split("/")[2])
        if path.endswith("/metadata"):
            server["metadata"] |= body["metadata"]
        elif path.endswith("/os-interface"):
            self._plug(server, body["interfaceAttachment"])
        else:
            ((action, options),) = body.items()
            self._act(server, action, options)
        return {}

    def _boot(self, body: Mapping[str, Any]) -> Row:
        status = "ERROR" if self.fault else "BUILD"
        server = {
            "id": f"server-{next(self._ids)}",
            "name": body["name"],
            "status": status,
            "looks": 1,
            "tags": list(body["tags"]),
            "metadata": dict(body.get("metadata", {})),
            "flavor": {"original_name": body["flavorRef"]},
            "image": {"id": body["imageRef"]} if body["imageRef"] else "",
            "addresses": {},
            "interfaces": [],
            "fault": {"message": self.fault, "code": 500},
        }
        self.servers[server["id"]] = server
        for nic in body["networks"] if isinstance(body["networks"], list) else ():
            names = {"port": "port_id", "uuid": "net_id"}
            self._plug(server, {names.get(key, key): value for key, value in nic.items()})
        return server

    def _plug(self, server: Row, wanted: Mapping[str, Any]) -> None:
        network = self._cloud.network
        port_id = wanted.get("port_id")
        if port_id is None:
            port_id = f"nova-port-{next(self._ids)}"
            fixed = {"subnet_id": "subnet-x", "ip_address": f"10.0.0.{next(self._ids)}"}
            row = {"network_id": wanted["net_id"], "fixed_ips": [fixed]}
        else:
            row = network.rows.get("port", {}).get(port_id, {"network_id": "net-x"})
        mac = f"mac-{port_id}"
        interface = {"port_id": port_id, "net_id": row["network_id"], "mac_addr": mac}
        server["interfaces"].append({**interface, "fixed_ips": row.get("fixed_ips", [])})
        for ip in row.get("fixed_ips", []):
            shown = {"addr": ip.get("ip_address", "10.0.0.99"), "OS-EXT-IPS-MAC:mac_addr": mac}
            server["addresses"].setdefault(f"name of {row['network_id']}", []).append(shown)

    def _act(self, server: Row, action: str, options: Any) -> None:
        if action == "resize":
            server |= {"status": "RESIZE", "looks": 1}
            server["flavor"] = {"original_name": options["flavorRef"]}
        elif action == "confirmResize":
            server["status"] = "ACTIVE"
        elif action == "rebuild":
            server |= {"status": "REBUILD", "looks": 1, "image": {"id": options["imageRef"]}}

    def _key(self, body: Mapping[str, Any]) -> Row:
        if body["name"] in self.keypairs:
            raise CloudError("exists", service="compute", status=409)
        number = next(self._ids)
        made = {"name": body["name"], "public_key": body.get("public_key", f"ssh-rsa {number}")}
        self.keypairs[body["name"]] = made
        secret = {} if "public_key" in body else {"private_key": f"secret {number}"}
        return {**made, **secret}

    def put(self, path: str, body: Mapping[str, Any]) -> Row:
        server = self._known(self.servers, path.split("/")[2])
        if path.endswith("/tags"):
            server["tags"] = list(body["tags"])
        else:
            server |= body["server"]
        self._cloud.changed("PUT", path)
        return {}

    def remove(self, path: str) -> None:
        _, kind, id, *rest = re.split(r"[/?]", path)
        if kind == "os-keypairs":
            self._known(self.keypairs, id)
            del self.keypairs[id]
        elif not rest:
            server = self._known(self.servers, id)
            server |= {"status": "DELETING", "looks": 1}
        elif rest[0] == "metadata":
            del self._known(self.servers, id)["metadata"][rest[1]]
        else:
            server = self._known(self.servers, id)
            server["interfaces"] = [i for i in server["interfaces"] if i["port_id"] != rest[1]]
        self._cloud.changed("DELETE", path)
