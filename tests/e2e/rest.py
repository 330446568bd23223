"""Heat's REST API as raw HTTP: what goes over the wire and comes back, unsoftened by a client.

Rule: nothing here raises for a status; a test says which one it expects.
"""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from stoker.cli.account import account
from stoker.cli.endpoint import exchange

Json = dict[str, Any]
SECONDS = 30.0
LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; ``text`` is the body as it is."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def message(self) -> str:
        """The text of a fault in Heat's shape."""
        return str(self.json["error"]["message"])

    @property
    def fault(self) -> str:
        """The type of a fault in Heat's shape."""
        return str(self.json["error"]["type"])


class Rest:
    """The API as one account of ``clouds.yaml`` sees it."""

    def __init__(self, clouds_yaml: Path, cloud: str) -> None:
        self._account = account(clouds_yaml, cloud)
        url = f"{self._account.auth_url}/auth/tokens"
        answer, headers = exchange("POST", url, self._account.login(), {}, "identity")
        self.token = headers["X-Subject-Token"]
        self.project = str(answer["token"]["project"]["id"])
        self.url = next(
            endpoint["url"]
            for service in answer["token"]["catalog"]
            for endpoint in service["endpoints"]
            if service["type"] == "orchestration" and endpoint["interface"] == "public"
        )

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a request; a body of bytes goes as it is, another as JSON."""
        sent = {"X-Auth-Token": self.token, "Content-Type": "application/json", **(headers or {})}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        parts = urlsplit(path if "://" in path else f"{self.url}{path}")
        connection = http.client.HTTPConnection(parts.netloc, timeout=SECONDS)
        try:
            connection.request(method, parts._replace(scheme="", netloc="").geturl(), data, sent)
            answer = connection.getresponse()
            text = answer.read().decode()
            return Answer(answer.status, dict(answer.getheaders()), text)
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        """Return the JSON of what must be there."""
        answer = self.call("GET", path)
        assert answer.status == 200, f"{path}: {answer}"
        return answer.json

    def create(self, name: str, template: object, **more: object) -> Stack:
        """Create a stack that must be accepted; ``more`` is the rest of the body."""
        body = {"stack_name": name, "template": template, **more}
        answer = self.call("POST", "/stacks", body)
        assert answer.status == 201, answer
        return Stack(self, name, answer.json["stack"]["id"])


class Stack:
    """One stack, by name and id."""

    def __init__(self, rest: Rest, name: str, id: str) -> None:
        self.rest, self.name, self.id = rest, name, id
        self.path = f"/stacks/{quote(name)}/{id}"

    def show(self) -> Json:
        """Return the stack as GET gives it."""
        found: Json = self.rest.get(self.path)["stack"]
        return found

    def update(self, template: object = None, method: str = "PUT", **more: object) -> Answer:
        """Ask for an update and return the answer as it is."""
        body = more if template is None else {"template": template, **more}
        return self.rest.call(method, self.path, body)

    def delete(self) -> Answer:
        """Ask for the end."""
        return self.rest.call("DELETE", self.path)

    def wait(self, status: str, seconds: float = SECONDS, look: float = LOOK_SECONDS) -> Json:
        """Return the stack once it is at rest; fail unless that is in ``status``."""
        until = time.monotonic() + seconds
        while (found := self.show())["stack_status"].endswith("IN_PROGRESS"):
            assert time.monotonic() < until, f"still {found['stack_status']}: {self.told()}"
            time.sleep(look)
        assert found["stack_status"] == status, f"{found['stack_status_reason']}: {self.told()}"
        return found

    def rolled_back(self, seconds: float = SECONDS) -> Json:
        """Return the stack once it is rolled back; it is FAILED for a moment before."""
        until = time.monotonic() + seconds
        while (found := self.show())["stack_status"] != "ROLLBACK_COMPLETE":
            assert time.monotonic() < until, (found["stack_status"], self.told())
            time.sleep(LOOK_SECONDS)
        return found

    def wait_resource(self, name: str, status: str, seconds: float = SECONDS) -> None:
        """Return once a resource, which may not be there yet, is in ``status``."""
        until = time.monotonic() + seconds
        while self.statuses().get(name) != status:
            assert time.monotonic() < until, self.told()
            time.sleep(LOOK_SECONDS)

    def updated(self, template: object = None, method: str = "PUT", **more: object) -> Json:
        """Update it, which must be accepted and complete."""
        answer = self.update(template, method, **more)
        assert answer.status == 202, answer
        return self.wait("UPDATE_COMPLETE")

    def deleted(self, seconds: float = SECONDS, look: float = LOOK_SECONDS) -> None:
        """Delete it, which must be accepted and complete."""
        assert self.delete().status == 204
        self.wait("DELETE_COMPLETE", seconds, look)

    def outputs(self) -> Json:
        """Return the outputs' values by name."""
        return {each["output_key"]: each.get("output_value") for each in self.show()["outputs"]}

    def resources(self, depth: int = 0) -> list[Json]:
        """Return the resources, of nested stacks too down to ``depth``."""
        found: list[Json] = self.rest.get(f"{self.path}/resources?nested_depth={depth}")[
            "resources"
        ]
        return found

    def resource(self, name: str) -> Json:
        """Return one resource."""
        found: Json = self.rest.get(f"{self.path}/resources/{quote(name)}")["resource"]
        return found

    def statuses(self) -> dict[str, str]:
        """Return each resource's status by name."""
        return {each["resource_name"]: each["resource_status"] for each in self.resources()}

    def physical_ids(self) -> dict[str, str]:
        """Return each resource's physical id by name."""
        return {each["resource_name"]: each["physical_resource_id"] for each in self.resources()}

    def events(self, depth: int = 0) -> list[Json]:
        """Return the events, oldest first."""
        query = f"?nested_depth={depth}&sort_dir=asc&sort_keys=event_time"
        found: list[Json] = self.rest.get(f"{self.path}/events{query}")["events"]
        return found

    def told(self) -> list[str]:
        """Return the events as short lines, to be shown when a test fails."""
        return [
            f"{each['resource_name']} {each['resource_status']} {each['resource_status_reason']}"
            for each in self.events(5)
        ]
