"""The calls to Nova that tests make, as a project with a network."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.devcloud.client import Answer
from tests.devcloud.neutron.tenant import Tenant

ROOT = "/compute/v2.1"
LATEST = "2.96"


@dataclass(frozen=True)
class Compute:
    tenant: Tenant
    network: str
    image: str

    def call(self, method: str, path: str, body: Any = None, version: str = LATEST) -> Answer:
        headers = {"OpenStack_API_Version": f"compute {version}"}
        return self.tenant.client.call(method, f"{ROOT}/{path}", body, **headers)

    def wish(self, **changes: Any) -> Any:
        """Give the body of a server that can be made."""
        networks = [{"uuid": self.network}]
        body = {"name": "s", "imageRef": self.image, "flavorRef": "1", "networks": networks}
        return {"server": {n: v for n, v in {**body, **changes}.items() if v is not None}}

    def create(self, version: str = LATEST, **changes: Any) -> Any:
        """Have a server made and give what is said of it at once."""
        answer = self.call("POST", "servers", self.wish(**changes), version)
        assert answer.status == 202, answer.body
        return answer.body["server"]

    def boot(self, **changes: Any) -> Any:
        """Have a server made and give it when it runs."""
        return self.until(self.create(**changes)["id"], "ACTIVE")

    def refusal(self, version: str = LATEST, **changes: Any) -> tuple[int, str]:
        """Give status and text of a server's refusal."""
        answer = self.call("POST", "servers", self.wish(**changes), version)
        assert answer.status >= 400, answer.body
        ((_, fault),) = answer.body.items()
        return answer.status, fault["message"]

    def show(self, id: str, version: str = LATEST) -> Any:
        answer = self.call("GET", f"servers/{id}", version=version)
        assert answer.status == 200, answer.body
        return answer.body["server"]

    def act(self, id: str, action: str, argument: Any = None, version: str = LATEST) -> Answer:
        return self.call("POST", f"servers/{id}/action", {action: argument}, version)

    def until(self, id: str, status: str) -> Any:
        """Give a server when it has a status and rests."""
        return settled(lambda: self.show(id), lambda s: s["status"] == status and _rests(s))

    def gone(self, id: str) -> None:
        settled(lambda: self.call("GET", f"servers/{id}").status, lambda status: status == 404)

    def ports(self, id: str) -> Any:
        return self.tenant.list("ports", f"device_id={id}")


def _rests(server: Any) -> bool:
    return server["OS-EXT-STS:task_state"] is None


def settled(look: Callable[[], Any], is_done: Callable[[Any], bool], seconds: float = 5.0) -> Any:
    """Look until it is done, and give what was seen last."""
    end = time.monotonic() + seconds
    while not is_done(seen := look()):
        assert time.monotonic() < end, f"still {seen}"
        time.sleep(0.01)
    return seen
