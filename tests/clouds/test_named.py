"""Clouds as people name them: whatever openstacksdk's configuration allows."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from stoker.clouds.named import named_cloud
from stoker.errors import CloudError, Invalid

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


# openstacksdk warns of a part of its own, whether that is used or not.
pytestmark = pytest.mark.filterwarnings("ignore:Support for InfluxDB")


class Cloud:
    """Keystone and Heat on one port. ``answers`` are (status, body) by method and path."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, bytes]] = {}
        self.logins: list[Any] = []
        self.requests: list[tuple[str, str, Any]] = []
        cloud = self

        class Handler(BaseHTTPRequestHandler):
            def handle_one(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"] or 0))
                status, payload = cloud.answer(self, json.loads(body) if body else None)
                self.send_response(status)
                self.send_header("X-Subject-Token", "a-token")
                if status == 302:
                    self.send_header("Location", f"{cloud.url}/v1/p/stacks/a/1")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            do_GET = do_POST = do_DELETE = handle_one  # noqa: N815 - the server's names

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self._thread.start()

    def answer(self, asked: BaseHTTPRequestHandler, body: Any) -> tuple[int, bytes]:
        if asked.path.startswith("/v3"):
            return self._identity(asked, body)
        self.requests.append((f"{asked.command} {asked.path}", asked.headers["X-Auth-Token"], body))
        return self.answers[f"{asked.command} {asked.path}"]

    def _identity(self, asked: BaseHTTPRequestHandler, body: Any) -> tuple[int, bytes]:
        if asked.command == "GET":
            links = [{"rel": "self", "href": f"{self.url}/v3"}]
            version = {"id": "v3.14", "status": "stable", "links": links}
            return 200, json.dumps({"version": version}).encode()
        self.logins.append(body["auth"]["identity"])
        if "wrong" in json.dumps(body):
            return 401, b'{"error": {"message": "who are you?", "code": 401}}'
        endpoints = [
            {"id": "1", "interface": "public", "region": region, "region_id": region, "url": url}
            for region, url in (("one", f"{self.url}/v1/p"), ("two", f"{self.url}/v1/q"))
        ]
        heat = {"id": "h", "type": "orchestration", "name": "heat", "endpoints": endpoints}
        project = {"id": "p", "name": "p", "domain": {"id": "default", "name": "Default"}}
        token = {
            "catalog": [heat],
            "expires_at": "2099-01-01T00:00:00.000000Z",
            "issued_at": "2020-01-01T00:00:00.000000Z",
            "methods": ["password"],
            "project": project,
            "user": {"id": "u", "name": "u", "domain": {"id": "default", "name": "Default"}},
        }
        return 201, json.dumps({"token": token}).encode()

    def close(self) -> None:
        self.server.shutdown()
        self._thread.join()
        self.server.server_close()


@pytest.fixture(scope="module")
def server() -> Iterator[Cloud]:
    made = Cloud()
    yield made
    made.close()


@pytest.fixture
def cloud(server: Cloud, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cloud:
    """Return the cloud as nobody has used it yet, and an environment that names none."""
    for name in ("OS_CLOUD", "OS_AUTH_URL", "OS_REGION_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(tmp_path / "clouds.yaml"))
    monkeypatch.setenv("OS_CLIENT_SECURE_FILE", str(tmp_path / "secure.yaml"))
    server.answers = {"GET /v1/p/stacks": (200, b'{"stacks": []}')}
    server.logins, server.requests = [], []
    return server


def write(folder: Path, **auth: str) -> None:
    """Write a clouds.yaml with a cloud ``here``."""
    more = {"auth_type": auth.pop("auth_type")} if "auth_type" in auth else {}
    clouds = {"clouds": {"here": {"auth": auth, "regions": ["one", "two"], **more}}}
    (folder / "clouds.yaml").write_text(json.dumps(clouds))


PASSWORD = {
    "username": "u",
    "password": "secret",
    "project_name": "p",
    "user_domain_id": "default",
    "project_domain_id": "default",
}


def test_a_password_of_clouds_yaml_logs_in(cloud: Cloud, tmp_path: Path) -> None:
    write(tmp_path, auth_url=f"{cloud.url}/v3", **PASSWORD)
    assert named_cloud("here").call("GET", "/stacks") == {"stacks": []}
    assert cloud.logins[0]["methods"] == ["password"]
    assert cloud.requests == [("GET /v1/p/stacks", "a-token", None)]


def test_an_application_credential_logs_in(cloud: Cloud, tmp_path: Path) -> None:
    write(
        tmp_path,
        auth_type="v3applicationcredential",
        auth_url=f"{cloud.url}/v3",
        application_credential_id="i",
        application_credential_secret="s",
    )
    named_cloud("here").call("GET", "/stacks")
    assert cloud.logins[0]["methods"] == ["application_credential"]


def test_a_token_logs_in(cloud: Cloud, tmp_path: Path) -> None:
    write(tmp_path, auth_type="v3token", auth_url=f"{cloud.url}/v3", token="t", project_id="p")
    named_cloud("here").call("GET", "/stacks")
    assert cloud.logins[0]["methods"] == ["token"]


def test_secrets_may_be_in_a_file_of_their_own(cloud: Cloud, tmp_path: Path) -> None:
    account = {key: value for key, value in PASSWORD.items() if key != "password"}
    write(tmp_path, auth_url=f"{cloud.url}/v3", **account)
    secure = {"clouds": {"here": {"auth": {"password": "from-secure"}}}}
    (tmp_path / "secure.yaml").write_text(json.dumps(secure))
    named_cloud("here").call("GET", "/stacks")
    assert cloud.logins[0]["password"]["user"]["password"] == "from-secure"


def test_the_environment_names_the_cloud(
    cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, auth_url=f"{cloud.url}/v3", **PASSWORD)
    monkeypatch.setenv("OS_CLOUD", "here")
    assert named_cloud(None).call("GET", "/stacks") == {"stacks": []}


def test_the_environment_may_be_the_account(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in {"auth_url": f"{cloud.url}/v3", **PASSWORD}.items():
        monkeypatch.setenv(f"OS_{key.upper()}", value)
    monkeypatch.setenv("OS_REGION_NAME", "one")
    assert named_cloud(None).call("GET", "/stacks") == {"stacks": []}


def test_a_region_can_be_chosen(cloud: Cloud, tmp_path: Path) -> None:
    write(tmp_path, auth_url=f"{cloud.url}/v3", **PASSWORD)
    cloud.answers["GET /v1/q/stacks"] = (200, b'{"stacks": [1]}')
    assert named_cloud("here", "two").call("GET", "/stacks") == {"stacks": [1]}


def test_bodies_go_out_and_empty_answers_come_back(cloud: Cloud, tmp_path: Path) -> None:
    write(tmp_path, auth_url=f"{cloud.url}/v3", **PASSWORD)
    cloud.answers["POST /v1/p/stacks"] = (201, b'{"stack": {"id": "1"}}')
    cloud.answers["DELETE /v1/p/stacks/a/1"] = (204, b"")
    session = named_cloud("here")
    assert session.call("POST", "/stacks", {"a": "ä"}) == {"stack": {"id": "1"}}
    assert cloud.requests[-1][2] == {"a": "ä"}
    assert session.call("DELETE", "/stacks/a/1") == {}


def test_a_name_leads_to_its_stack(cloud: Cloud, tmp_path: Path) -> None:
    write(tmp_path, auth_url=f"{cloud.url}/v3", **PASSWORD)
    cloud.answers["GET /v1/p/stacks/a"] = (302, b"")
    cloud.answers["GET /v1/p/stacks/a/1"] = (200, b'{"stack": {}}')
    assert named_cloud("here").call("GET", "/stacks/a") == {"stack": {}}


def test_a_fault_is_told_as_the_service_words_it(cloud: Cloud, tmp_path: Path) -> None:
    write(tmp_path, auth_url=f"{cloud.url}/v3", **PASSWORD)
    fault = {"code": 400, "title": "Bad", "error": {"type": "Wrong", "message": "one\n<two>"}}
    cloud.answers["GET /v1/p/stacks"] = (400, json.dumps(fault).encode())
    with pytest.raises(CloudError) as caught:
        named_cloud("here").call("GET", "/stacks")
    assert (str(caught.value), caught.value.status) == ("one\n<two>", 400)
    assert caught.value.code == "Wrong"


@pytest.mark.parametrize("body", [b"<h1>502</h1> bad gateway", b"", b"[1]"])
def test_a_proxy_s_words_are_told_too(body: bytes, cloud: Cloud, tmp_path: Path) -> None:
    write(tmp_path, auth_url=f"{cloud.url}/v3", **PASSWORD)
    cloud.answers["GET /v1/p/stacks"] = (502, body)
    with pytest.raises(CloudError, match="HTTP 502") as caught:
        named_cloud("here").call("GET", "/stacks")
    assert caught.value.status == 502


def test_what_is_no_json_is_no_heat(cloud: Cloud, tmp_path: Path) -> None:
    write(tmp_path, auth_url=f"{cloud.url}/v3", **PASSWORD)
    cloud.answers["GET /v1/p/stacks"] = (200, b"<html>")
    with pytest.raises(CloudError, match="not JSON"):
        named_cloud("here").call("GET", "/stacks")


def test_a_wrong_password_is_a_401(cloud: Cloud, tmp_path: Path) -> None:
    write(tmp_path, auth_url=f"{cloud.url}/v3", **{**PASSWORD, "password": "wrong"})
    with pytest.raises(CloudError, match="credentials were refused") as caught:
        named_cloud("here").call("GET", "/stacks")
    assert caught.value.status == 401


def test_a_cloud_that_is_away_has_no_status(cloud: Cloud, tmp_path: Path) -> None:
    write(tmp_path, auth_url="http://127.0.0.1:1/v3", **PASSWORD)
    with pytest.raises(CloudError, match=r"127.0.0.1:1/v3.*: Connection refused$") as caught:
        named_cloud("here").call("GET", "/stacks")
    assert caught.value.status is None


def test_an_account_that_lacks_something_is_told(cloud: Cloud, tmp_path: Path) -> None:
    write(tmp_path, auth_url=f"{cloud.url}/v3", **PASSWORD)
    with pytest.raises(Invalid, match="Region three is not"):
        named_cloud("here", "three")
    with pytest.raises(Invalid, match=r"nope.*--os-cloud"):
        named_cloud("nope")
    (tmp_path / "clouds.yaml").unlink()
    with pytest.raises(Invalid, match="OS_AUTH_URL"):
        named_cloud(None)
