"""The two doors of an installation, as a program outside sees them: Heat's API and the cloud.

Rule: a request that got no answer is told apart from one that was refused: :class:`Unanswered`
may have had its effect.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException
from typing import TYPE_CHECKING, Any

from stoker.cli.account import account

if TYPE_CHECKING:
    from collections.abc import Mapping
    from http.client import HTTPMessage
    from pathlib import Path

    from tests.kill.installation import Installation

Json = dict[str, Any]
SECONDS = 30.0
DEPTH = 5
_NETWORK = ("network", "subnet", "port", "security_group", "security_group_rule")
NETWORK = dict.fromkeys(_NETWORK, -1)
COMPUTE = dict.fromkeys(("instances", "cores", "ram", "key_pairs"), -1)
"""Quotas that limit nothing."""
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class UnansweredError(Exception):
    """Nobody knows whether the request had its effect."""


class RefusedError(Exception):
    """The service answered with an error."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"HTTP {status}: {text[:500]}")
        self.status = status


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack as a list shows it."""

    id: str
    name: str
    status: str


class Doors:
    """Both doors with the token of one user."""

    def __init__(self, config: Path, heat: str, cloud: str) -> None:
        self._config, self._heat, self._cloud = config, heat, cloud
        self._token = ""
        self._project = ""

    @classmethod
    def of(cls, installation: Installation) -> Doors:
        """Return those of an installation."""
        ports = installation.ports
        heat = f"http://127.0.0.1:{ports['api']}/v1"
        cloud = f"http://127.0.0.1:{ports['devcloud']}"
        return cls(installation.state / "clouds.yaml", heat, cloud)

    def get(self, path: str) -> Json:
        """Return what a path of the project's answers."""
        return self._heat_call("GET", path)

    # stacks

    def create(self, name: str, body: Json) -> None:
        """Ask for a stack."""
        self._heat_call("POST", "/stacks", {"stack_name": name, **body})

    def update(self, name: str, body: Json) -> None:
        """Ask for a stack to be changed."""
        stack = self._named(name)
        self._heat_call("PUT", f"/stacks/{name}/{stack['id']}", body)

    def act(self, name: str, action: str) -> None:
        """Ask for something to be done to a stack as it is."""
        stack = self._named(name)
        self._heat_call("POST", f"/stacks/{name}/{stack['id']}/actions", {action: None})

    def delete(self, name: str) -> None:
        """Ask for the end of a stack."""
        stack = self._named(name)
        self._heat_call("DELETE", f"/stacks/{name}/{stack['id']}")

    def show(self, name: str) -> Json | None:
        """Return a stack, or None where there is none."""
        try:
            return self._named(name)
        except RefusedError as e:
            if e.status != HTTPStatus.NOT_FOUND:
                raise
            return None

    def stacks(self) -> list[Stack]:
        """Return all stacks, nested ones too."""
        rows = self._heat_call("GET", "/stacks?show_nested=true")["stacks"]
        return [Stack(row["id"], row["stack_name"], row["stack_status"]) for row in rows]

    def resources(self, stack_id: str, name: str) -> list[Json]:
        """Return the resources of a stack and of all below it."""
        path = f"/stacks/{name}/{stack_id}/resources?nested_depth={DEPTH}"
        found: list[Json] = self._heat_call("GET", path)["resources"]
        return found

    # the cloud

    def objects(self) -> dict[tuple[str, str], Json]:
        """Return everything that exists in the cloud, by kind and id."""
        rows = self._cloud_call("GET", "/devcloud/objects")["objects"]
        return {(row["kind"], row["id"]): row for row in rows}

    def ports(self) -> list[Json]:
        """Return the ports of the project."""
        found: list[Json] = self._cloud_call("GET", "/networking/v2.0/ports")["ports"]
        return found

    def rules(self) -> list[Json]:
        """Return the rules of the project's security groups."""
        path = "/networking/v2.0/security-group-rules"
        found: list[Json] = self._cloud_call("GET", path)["security_group_rules"]
        return found

    def make_default_group(self) -> None:
        """Have the cloud make what it makes once for each project."""
        path = "/networking/v2.0/networks"
        network = self._cloud_call("POST", path, {"network": {"name": "first"}})["network"]
        self._cloud_call("DELETE", f"{path}/{network['id']}")

    def set_latency(self, latency: Mapping[str, Mapping[str, float]]) -> None:
        """Say how long the cloud takes for what it does."""
        self._cloud_call("PUT", "/devcloud/latency", {k: dict(v) for k, v in latency.items()})

    def arm(self, fault: Json) -> None:
        """Put a fault in force, until the cloud ends."""
        self._cloud_call("POST", "/devcloud/faults", fault)

    def disarm(self) -> None:
        """Lift every fault."""
        self._cloud_call("DELETE", "/devcloud/faults")

    def lift_quotas(self) -> None:
        """Let the project have as much as it wants."""
        admin = Doors(self._config, self._heat, self._cloud)
        admin.log_in("admin")
        admin._cloud_call("PUT", f"/networking/v2.0/quotas/{self._project}", {"quota": NETWORK})
        path = f"/compute/v2.1/os-quota-sets/{self._project}"
        admin._cloud_call("PUT", path, {"quota_set": COMPUTE})

    # calls

    def log_in(self, user: str = "demo") -> None:
        """Take a token."""
        body = account(self._config, user).login()
        url = f"{self._cloud}/identity/v3/auth/tokens"
        answer, headers = exchange("POST", url, body, {})
        self._token = headers["X-Subject-Token"]
        self._project = answer["token"]["project"]["id"]

    def _named(self, name: str) -> Json:
        found: Json = self._heat_call("GET", f"/stacks/{name}")["stack"]
        return found

    def _heat_call(self, method: str, path: str, body: Json | None = None) -> Json:
        return self._call(method, f"{self._heat}/{self._project}{path}", body)

    def _cloud_call(self, method: str, path: str, body: Json | None = None) -> Json:
        return self._call(method, f"{self._cloud}{path}", body)

    def _call(self, method: str, url: str, body: Json | None) -> Json:
        return exchange(method, url, body, {"X-Auth-Token": self._token})[0]


def exchange(
    method: str, url: str, body: Json | None, headers: Mapping[str, str]
) -> tuple[Json, HTTPMessage]:
    """Send a request; raises RefusedError or UnansweredError."""
    data = None if body is None else json.dumps(body).encode()
    sent = {"Accept": "application/json", "Content-Type": "application/json", **headers}
    request = urllib.request.Request(url, data, sent, method=method)  # noqa: S310 - our own
    try:
        with _OPENER.open(request, timeout=SECONDS) as answer:
            text = answer.read()
            return (json.loads(text) if text else {}), answer.headers
    except urllib.error.HTTPError as error:
        with error:
            raise RefusedError(error.code, error.read().decode("utf-8", "replace")) from error
    except (OSError, HTTPException, ValueError) as error:
        raise UnansweredError(f"{method} {url}: {error!r}") from error
