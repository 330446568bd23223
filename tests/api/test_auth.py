"""The application behind the real auth_token, which asks a Keystone of three tokens."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from stoker.api.auth import protect
from stoker.api.v1 import application
from tests.api.fake import ID, PROJECT, Client

if TYPE_CHECKING:
    from stoker.api.policy import Policy
    from tests.api.fake import FakeCatalog, FakeSoftware, FakeStacks

STACK = f"/v1/{PROJECT}/stacks/cap/{ID}"
ROLES = {"good": ["member", "reader"], "looker": ["reader"], "expired": ["member", "reader"]}
"""Tokens of which Keystone tells; it may do so of an expired one too, for what goes on for long."""


LATER, BEFORE = "2999-01-01T00:00:00.000000Z", "2026-01-01T00:10:00.000000Z"


def token(
    roles: list[str], catalog: list[object] | None = None, until: str = LATER
) -> dict[str, object]:
    domain = {"id": "default", "name": "Default"}
    return {
        "token": {
            "methods": ["password"],
            "user": {"id": "u1", "name": "demo", "domain": domain},
            "project": {"id": PROJECT, "name": "demo", "domain": domain},
            "roles": [{"id": role, "name": role} for role in roles],
            "issued_at": "2026-01-01T00:00:00.000000Z",
            "expires_at": until,
            "catalog": catalog or [],
        }
    }


class _Keystone(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path.startswith("/v3/auth/tokens"):
            asked = self.headers["X-Subject-Token"]
            if asked in ROLES:
                until = BEFORE if asked == "expired" else LATER
                self._give(200, token(ROLES[asked], until=until))
            else:
                self._give(404, {})
        else:
            url = f"http://127.0.0.1:{self.server.server_port}/v3"  # type: ignore[attr-defined]
            link = {"rel": "self", "href": url}
            self._give(200, {"version": {"id": "v3.14", "status": "stable", "links": [link]}})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        url = f"http://127.0.0.1:{self.server.server_port}/v3"  # type: ignore[attr-defined]
        endpoint = {"id": "e", "interface": "internal", "region": "r", "region_id": "r", "url": url}
        identity = {"id": "s", "type": "identity", "name": "keystone", "endpoints": [endpoint]}
        self._give(201, token(["service"], [identity]), **{"X-Subject-Token": "service"})

    def _give(self, status: int, body: object, **headers: str) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def keystone() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Keystone) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v3"
        server.shutdown()
        thread.join()


@pytest.fixture
def guarded(
    keystone: str,
    stacks: FakeStacks,
    catalog: FakeCatalog,
    software: FakeSoftware,
    policy: Policy,
) -> Client:
    conf = {
        "auth_type": "password",
        "auth_url": keystone,
        "www_authenticate_uri": keystone,
        "username": "heat",
        "password": "x",
        "project_name": "service",
        "user_domain_id": "default",
        "project_domain_id": "default",
        "memcached_servers": "",
        "service_token_roles_required": True,
    }
    forged = {"HTTP_X_ROLES": "admin,member", "HTTP_X_IDENTITY_STATUS": "Confirmed"}
    return Client(protect(application(stacks, catalog, software, policy), conf), environ=forged)


def test_a_good_token_tells_who_asks(guarded: Client, stacks: FakeStacks) -> None:
    assert guarded("GET", STACK, HTTP_X_AUTH_TOKEN="good").status == 200
    caller = stacks.asked[0][1]
    assert (caller.user_name, caller.project_id, caller.token) == ("demo", PROJECT, "good")
    assert (caller.roles, caller.is_admin) == (frozenset({"member", "reader"}), False)


def test_roles_that_a_client_gives_itself_do_not_count(guarded: Client) -> None:
    assert guarded("DELETE", STACK, HTTP_X_AUTH_TOKEN="looker").status == 403


@pytest.mark.parametrize("text", ["", "bad", "expired"])
@pytest.mark.parametrize("url", [STACK, "/v1/nosuch", f"/{PROJECT}/stacks"])
def test_without_a_good_token_there_is_nothing_but_a_401(
    guarded: Client, stacks: FakeStacks, keystone: str, text: str, url: str
) -> None:
    accept = "application/vnd.openstack.orchestration-v1.0"
    answer = guarded("GET", url, HTTP_X_AUTH_TOKEN=text, HTTP_ACCEPT=accept)
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == f'Keystone uri="{keystone}"'
    assert answer.headers["x-openstack-request-id"].startswith("req-")
    assert stacks.asked == []


@pytest.mark.parametrize(("url", "status"), [("/", 300), ("/versions", 300), ("/healthcheck", 200)])
def test_the_open_paths_need_no_token(guarded: Client, url: str, status: int) -> None:
    assert guarded("GET", url, HTTP_X_AUTH_TOKEN="").status == status
