"""The small client, against an HTTP server that says what it is told to say."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from stoker.cli.account import Account
from stoker.cli.endpoint import Endpoint
from stoker.errors import CloudError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Cloud:
    """Keystone and Heat on one port; ``answers`` are given once each, by method and path."""

    def __init__(self) -> None:
        self.answers: dict[str, list[tuple[int, Any]]] = {}
        self.requests: list[tuple[str, str, str, Any]] = []
        self.tokens = 0
        cloud = self

        class Handler(BaseHTTPRequestHandler):
            def handle_one(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"] or 0))
                status, payload, token = cloud.answer(
                    self.command, self.path, self.headers.get("X-Auth-Token", ""), body
                )
                data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
                self.send_response(status)
                if token:
                    self.send_header("X-Subject-Token", token)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_DELETE = handle_one  # noqa: N815 - the server's names

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self._thread.start()

    def answer(self, method: str, path: str, token: str, body: bytes) -> tuple[int, Any, str]:
        self.requests.append((method, path, token, json.loads(body) if body else None))
        if path == "/identity/v3/auth/tokens":
            self.tokens += 1
            return 201, {"token": {"catalog": self.catalog()}}, f"token-{self.tokens}"
        status, payload = self.answers[f"{method} {path}"].pop(0)
        return status, payload, ""

    def catalog(self) -> list[dict[str, Any]]:
        def endpoint(interface: str, region: str, path: str) -> dict[str, str]:
            return {"interface": interface, "region_id": region, "url": f"{self.url}{path}"}

        endpoints = [
            endpoint("internal", "One", "/inside"),
            endpoint("public", "Two", "/two"),
            endpoint("public", "One", "/v1/p/"),
        ]
        other = {"type": "compute", "endpoints": [endpoint("public", "One", "/nova")]}
        return [other, {"type": "orchestration", "endpoints": endpoints}]

    def close(self) -> None:
        self.server.shutdown()
        self._thread.join()
        self.server.server_close()


@pytest.fixture
def cloud() -> Iterator[Cloud]:
    found = Cloud()
    yield found
    found.close()


def endpoint(cloud: Cloud, region: str | None = "One") -> Endpoint:
    return Endpoint(
        Account(
            auth_url=f"{cloud.url}/identity/v3/",
            username="demo",
            password="p",
            project="demo",
            region=region,
        )
    )


def test_a_stack_is_made_at_the_public_url_of_the_region(cloud: Cloud) -> None:
    cloud.answers["POST /v1/p/stacks"] = [(201, {"stack": {"id": "i"}})]
    assert endpoint(cloud).create("n", "heat_template_version: 1", {"a": 1}) == "i"
    method, path, token, body = cloud.requests[-1]
    assert (method, path, token) == ("POST", "/v1/p/stacks", "token-1")
    assert body == {
        "stack_name": "n",
        "template": "heat_template_version: 1",
        "parameters": {"a": 1},
    }


def test_an_expired_token_is_replaced_once(cloud: Cloud) -> None:
    stack = {"stack": {"stack_status": "X"}}
    cloud.answers["GET /v1/p/stacks/n/i"] = [(200, stack), (401, {}), (200, stack)]
    heat = endpoint(cloud)
    heat.stack("n", "i")
    assert heat.stack("n", "i") == stack["stack"]
    assert [token for _, path, token, _ in cloud.requests if "stacks" in path] == [
        "token-1",
        "token-1",
        "token-2",
    ]


def test_a_second_refusal_is_told(cloud: Cloud) -> None:
    cloud.answers["GET /v1/p/stacks/n/i"] = [(401, {}), (401, {})]
    with pytest.raises(CloudError) as caught:
        endpoint(cloud).stack("n", "i")
    assert caught.value.status == 401


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        ({"code": 400, "error": {"message": "bad template"}}, "bad template (HTTP 400)"),
        (b"<html>proxy</html>", "<html>proxy</html> (HTTP 400)"),
        ([], "[] (HTTP 400)"),
        (b"", "Bad Request (HTTP 400)"),
    ],
)
def test_the_text_of_a_refusal_is_told(cloud: Cloud, payload: object, text: str) -> None:
    cloud.answers["DELETE /v1/p/stacks/n/i"] = [(400, payload)]
    with pytest.raises(CloudError) as caught:
        endpoint(cloud).delete("n", "i")
    assert str(caught.value) == text
    assert caught.value.status == 400


def test_a_cloud_without_the_service_in_the_region_is_told(cloud: Cloud) -> None:
    with pytest.raises(CloudError, match="no orchestration service in region Nowhere"):
        endpoint(cloud, "Nowhere").resources("n", "i")


def test_without_a_region_the_first_public_endpoint_is_taken(cloud: Cloud) -> None:
    cloud.answers["GET /two/stacks/n/i/resources"] = [(200, {"resources": [{"a": 1}]})]
    assert endpoint(cloud, None).resources("n", "i") == [{"a": 1}]


def test_no_answer_is_told_with_the_url() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    account = Account(auth_url=url, username="u", password="p", project="p")
    with pytest.raises(CloudError, match=url) as caught:
        Endpoint(account).stack("n", "i")
    assert caught.value.status is None


def test_no_proxy_stands_before_our_own_machine(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    cloud.answers["GET /v1/p/stacks/n/i"] = [(200, {"stack": {}})]
    assert endpoint(cloud).stack("n", "i") == {}


def test_a_url_of_another_kind_is_refused() -> None:
    account = Account(auth_url="file:///etc", username="u", password="p", project="p")
    with pytest.raises(CloudError, match="no URL of a service"):
        Endpoint(account).stack("n", "i")
