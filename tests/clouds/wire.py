"""The wire between the clients and a cloud, played by a function."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import requests
from requests.adapters import BaseAdapter

from stoker.clouds.connect import Clouds
from stoker.clouds.credential import Password
from stoker.clouds.one_cloud import OneCloud

URL = "http://cloud.test"
ANN = Password(f"{URL}/identity", "ann", "secret", project_name="p", user_domain_id="default")

Answer = tuple[int, Any] | tuple[int, Any, Mapping[str, str]]
Answers = Callable[[str, str, Any], "Answer | Exception"]

SERVICES = {
    "network": f"{URL}/networking",
    "compute": f"{URL}/compute/v2.1",
    "image": f"{URL}/image/",
    "identity": f"{URL}/identity",
    "load-balancer": f"{URL}/load-balancer",
    "baremetal": f"{URL}/baremetal",
    "key-manager": f"{URL}/key-manager",
    "reservation": f"{URL}/reservation/v1",
}


def token_body(number: int) -> dict[str, Any]:
    """Return the body of a token."""
    catalog = [
        {
            "type": kind,
            "name": kind,
            "endpoints": [{"interface": "public", "url": url, "region": "R", "region_id": "R"}],
        }
        for kind, url in SERVICES.items()
    ]
    return {
        "token": {
            "methods": ["password"],
            "user": {"id": "u", "name": "ann", "domain": {"id": "default", "name": "Default"}},
            "project": {"id": "p-id", "name": "p", "domain": {"id": "default", "name": "Default"}},
            "roles": [{"id": "r", "name": "member"}],
            "catalog": catalog,
            "expires_at": "2099-01-01T00:00:00.000000Z",
            "issued_at": f"2026-01-01T00:00:{number % 60:02}.000000Z",
            "audit_ids": [str(number)],
        }
    }


class Wire(BaseAdapter):
    """Answers tokens itself, after ``no_tokens`` are raised, and asks ``answers`` for the rest."""

    def __init__(self, answers: Answers) -> None:
        super().__init__()
        self.answers = answers
        self.tokens = 0
        self.no_tokens: list[Exception] = []
        self.sent: list[tuple[str, str]] = []
        self.requests: list[requests.PreparedRequest] = []

    def send(self, request: Any, *_args: Any, **_options: Any) -> requests.Response:
        if request.url.endswith("/auth/tokens"):
            if self.no_tokens:
                raise self.no_tokens.pop(0)
            self.tokens += 1
            headers = {"X-Subject-Token": f"token-{self.tokens}"}
            return _response(request, 200, token_body(self.tokens), headers)
        path = request.url.removeprefix(URL)
        self.sent.append((request.method, path))
        self.requests.append(request)
        answer = self.answers(request.method, path, request)
        if isinstance(answer, Exception):
            raise answer
        return _response(request, *answer)

    def close(self) -> None:
        pass


def _response(
    request: Any, status: int, body: Any, headers: Mapping[str, str] | None = None
) -> requests.Response:
    answer = requests.Response()
    answer.status_code, answer.request, answer.url = status, request, request.url
    answer.headers.update(headers or {})
    text = body if isinstance(body, str) else json.dumps(body)
    answer._content = text.encode() if body is not None else b""  # noqa: SLF001 - there is no other way
    answer.encoding = "utf-8"
    return answer


class Watch:
    """A guard that writes down what passes it, and stops it where told to."""

    def __init__(self, stop: Exception | None = None) -> None:
        self.seen: list[str] = []
        self._stop = stop

    def before(self, service: str, method: str, path: str) -> None:
        self.seen.append(f"before {service} {method} {path}")
        if self._stop is not None:
            raise self._stop

    def after(self, service: str, method: str, path: str) -> None:
        self.seen.append(f"after {service} {method} {path}")


def wired(answers: Answers, guard: Watch | None = None) -> tuple[OneCloud, Wire]:
    """Return a cloud whose calls ``answers`` answers."""
    wire = Wire(answers)
    http = requests.Session()
    http.trust_env = False
    http.mount("http://", wire)
    return Clouds(http=http).cloud(ANN, guard), wire
