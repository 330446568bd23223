"""A project and the calls to Neutron that tests make for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.devcloud.client import Answer, Client

ROOT = "/networking/v2.0"
_SINGULAR = {
    "networks": "network",
    "subnets": "subnet",
    "ports": "port",
    "routers": "router",
    "floatingips": "floatingip",
    "security-groups": "security_group",
    "security-group-rules": "security_group_rule",
    "subnetpools": "subnetpool",
}


@dataclass(frozen=True)
class Tenant:
    client: Client
    project_id: str

    def call(self, method: str, path: str, body: Any = None) -> Answer:
        return self.client.call(method, f"{ROOT}/{path}", body)

    def make(self, collection: str, **body: Any) -> Any:
        """Create one and give it."""
        key = _SINGULAR[collection]
        answer = self.call("POST", collection, {key: body})
        assert answer.status == 201, answer.body
        return answer.body[key]

    def refused(self, method: str, path: str, body: Any = None) -> tuple[int, str]:
        """Give status and type of a refusal."""
        answer = self.call(method, path, body)
        assert answer.status >= 400, answer.body
        return answer.status, answer.body["NeutronError"]["type"]

    def refusal(self, collection: str, **body: Any) -> tuple[int, str]:
        """Give status and type of a creation's refusal."""
        return self.refused("POST", collection, {_SINGULAR[collection]: body})

    def change(self, collection: str, id: str, **body: Any) -> Any:
        """Update one and give it."""
        key = _SINGULAR[collection]
        answer = self.call("PUT", f"{collection}/{id}", {key: body})
        assert answer.status == 200, answer.body
        return answer.body[key]

    def remove(self, path: str) -> int:
        return self.call("DELETE", path).status

    def show(self, collection: str, id: str) -> Any:
        answer = self.call("GET", f"{collection}/{id}")
        assert answer.status == 200, answer.body
        return answer.body[_SINGULAR[collection]]

    def list(self, collection: str, query: str = "") -> Any:
        answer = self.call("GET", f"{collection}?{query}")
        assert answer.status == 200, answer.body
        return answer.body[collection.replace("-", "_")]

    def network(self, cidr: str = "10.0.0.0/24", **subnet: Any) -> tuple[Any, Any]:
        """Create a network with one subnet and give both."""
        network = self.make("networks", name="net")
        version = 6 if ":" in cidr else 4
        body = {"network_id": network["id"], "cidr": cidr, "ip_version": version, **subnet}
        return network, self.make("subnets", **body)


def new_tenant(anybody: Client, admin: Client, name: str) -> Tenant:
    """Make a project with one user, both called ``name``, who is a member of it."""
    project = _entity(admin, "projects", "project", name=name)
    user = _entity(admin, "users", "user", name=name, password="secret")
    (role,) = admin.get("/identity/v3/roles?name=member").body["roles"]
    path = f"/identity/v3/projects/{project}/users/{user}/roles/{role['id']}"
    assert admin.call("PUT", path).status == 204
    return Tenant(anybody.user(name), project)


def _entity(admin: Client, collection: str, key: str, **body: str) -> str:
    answer = admin.call("POST", f"/identity/v3/{collection}", {key: body})
    assert answer.status == 201, answer.body
    return str(answer.body[key]["id"])
