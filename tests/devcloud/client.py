"""A plain HTTP client of the development cloud, for tests that look at statuses and bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import requests

Json = Any


@dataclass(frozen=True)
class Answer:
    status: int
    body: Json
    headers: dict[str, str]


class Client:
    """Calls a cloud as whoever holds ``token``."""

    def __init__(self, url: str, token: str = "") -> None:
        self.url, self.token = url, token
        self._session = requests.Session()

    def close(self) -> None:
        self._session.close()

    def call(self, method: str, path: str, body: Json = None, **headers: str) -> Answer:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            sent.setdefault("X-Auth-Token", self.token)
        data = body if isinstance(body, bytes) else None
        json = None if data is not None else body
        found = self._session.request(
            method, self.url + path, json=json, data=data, headers=sent, timeout=30
        )
        is_json = "json" in found.headers.get("Content-Type", "")
        text = found.json() if is_json and found.content else found.content
        return Answer(found.status_code, text, dict(found.headers))

    def get(self, path: str, **headers: str) -> Answer:
        return self.call("GET", path, **headers)

    def authenticate(self, identity: Json, scope: Json = None) -> Answer:
        auth = {"identity": identity, **({"scope": scope} if scope else {})}
        return self.call("POST", "/identity/v3/auth/tokens", {"auth": auth}, X_Auth_Token="")

    def with_token(self, token: str) -> Client:
        return Client(self.url, token)

    def bearer_of(self, identity: Json, scope: Json = None) -> Client:
        answer = self.authenticate(identity, scope)
        assert answer.status == 201, answer.body
        return self.with_token(answer.headers["X-Subject-Token"])

    def user(self, name: str, project: str = "", password: str = "secret") -> Client:  # noqa: S107
        scope = project_scope(project or name)
        return self.bearer_of(by_password(name, password), scope)

    def me(self) -> Json:
        answer = self.get("/identity/v3/auth/tokens", X_Subject_Token=self.token)
        return answer.body["token"]


def by_password(name: str, password: str = "secret", domain: str = "default") -> Json:  # noqa: S107
    user = {"name": name, "password": password, "domain": {"id": domain}}
    return {"methods": ["password"], "password": {"user": user}}


def project_scope(name: str, domain: str = "default") -> Json:
    return {"project": {"name": name, "domain": {"id": domain}}}
