"""The cloud's Keystone by way of the service: what a stub of it is asked, and what comes back."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import requests

from stoker.api.relay import Identity, Project, relay

OURS = {"orchestration": "http://here/v1/%(project_id)s"}
Ask = Callable[..., tuple[str, dict[str, str], bytes]]


class _Keystone(BaseHTTPRequestHandler):
    """Answers with what it was asked; ``catalog`` and versions where those are asked for."""

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        asked = {
            "method": self.command,
            "path": self.path,
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "body": self.rfile.read(length).decode(),
        }
        body: Any = asked
        if self.path == "/v3/auth/tokens":
            heat = {"type": "orchestration", "endpoints": [{"region_id": "elsewhere"}]}
            nova = {"type": "compute", "endpoints": [{"region_id": "r"}]}
            body = {"token": {"project": {"id": "p"}, "catalog": [nova, heat], "asked": asked}}
        elif self.path == "/v3/auth/catalog":
            body = {"catalog": [], "links": {}}
        elif self.path == "/v3":
            body = {"version": {"links": [{"rel": "self", "href": "http://cloud/v3/"}]}}
        elif self.path == "/v3/text":
            body = "no JSON"
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(200)
        for name, value in (("Content-Length", str(len(data))), ("X-Internal", "not for others")):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Keystone) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def identity(upstream: str) -> Iterator[Identity]:
    with requests.Session() as session:
        session.trust_env = False
        yield Identity(
            upstream=upstream,
            url="http://here/identity",
            catalog=OURS,
            region=None,
            project=Project("p", "demo", "default"),
            password="local",
            log_in=lambda: "fresh",
            session=session,
            timeout=5,
        )


def ask(
    identity: Identity, method: str, path: str, body: bytes = b"", **environ: str
) -> tuple[str, dict[str, str], Any]:
    said: list[Any] = []
    query = environ.pop("query", "")
    given = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
        **environ,
    }
    chunks = relay(identity)(given, lambda *answer: said.extend(answer))  # type: ignore[arg-type]
    text = b"".join(chunks)
    try:
        return said[0], dict(said[1]), json.loads(text)
    except ValueError:
        return said[0], dict(said[1]), text


def test_a_request_goes_on_as_it_is_but_for_what_belongs_to_the_connection(
    identity: Identity,
) -> None:
    status, headers, asked = ask(
        identity,
        "POST",
        "/v3/users",
        b'{"user": 1}',
        query="a=b&c",
        HTTP_X_AUTH_TOKEN="t",
        HTTP_HOST="here",
        CONTENT_TYPE="application/json",
    )
    assert status == "200 OK"
    assert (asked["method"], asked["path"], asked["body"]) == (
        "POST", "/v3/users?a=b&c", '{"user": 1}',
    )  # fmt: skip
    assert asked["headers"]["x-auth-token"] == "t"
    assert asked["headers"]["content-type"] == "application/json"
    assert asked["headers"]["host"].startswith("127.0.0.1")
    assert "X-Internal" not in headers


def test_what_is_no_json_comes_back_as_it_is(identity: Identity) -> None:
    assert ask(identity, "GET", "/v3/text")[2] == b"no JSON"


def test_versions_lead_here(identity: Identity) -> None:
    found = ask(identity, "GET", "/v3")[2]
    assert found["version"]["links"] == [{"rel": "self", "href": "http://here/identity/v3/"}]


def test_our_endpoints_take_the_place_of_others_of_their_type(identity: Identity) -> None:
    for wanted, region in ((None, "r"), ("mine", "mine")):
        found = ask(replace(identity, region=wanted), "GET", "/v3/auth/tokens")[2]["token"]
        nova, ours = found["catalog"]
        assert nova["type"] == "compute"
        assert {each["url"] for each in ours["endpoints"]} == {"http://here/v1/p"}
        assert {each["region_id"] for each in ours["endpoints"]} == {region}
    assert len(ask(identity, "GET", "/v3/auth/catalog")[2]["catalog"]) == 1


def _login(password: str, scope: object) -> bytes:
    user = {"name": "anybody", "password": password}
    identity = {"methods": ["password"], "password": {"user": user}}
    return json.dumps({"auth": {"identity": identity, "scope": scope}}).encode()


@pytest.mark.parametrize(
    "scope",
    [
        {"project": {"id": "p"}},
        {"project": {"name": "demo", "domain": {"id": "default"}}},
    ],
)
def test_the_local_password_gives_a_new_token_of_the_account(
    identity: Identity, scope: object
) -> None:
    status, headers, found = ask(identity, "POST", "/v3/auth/tokens", _login("local", scope))
    assert status == "201 Created"
    assert headers["X-Subject-Token"] == "fresh"
    asked = found["token"]["asked"]
    assert asked["headers"]["x-subject-token"] == "fresh"
    assert asked["body"] == "", "the local password goes nowhere"


@pytest.mark.parametrize(
    "scope",
    [
        None,
        "p",
        {"project": {"id": "q", "name": "demo"}},
        {"project": {"name": "demo"}},
        {"domain": {}},
    ],
)
def test_the_local_password_opens_nothing_else(identity: Identity, scope: object) -> None:
    status, _, found = ask(identity, "POST", "/v3/auth/tokens", _login("local", scope))
    assert status == "401 Unauthorized"
    assert "project demo (p)" in found["error"]["message"]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"auth": []}', _login("other", None)])
def test_every_other_log_in_is_the_cloud_s_business(identity: Identity, body: bytes) -> None:
    asked = ask(identity, "POST", "/v3/auth/tokens", body)[2]["token"]["asked"]
    assert asked["body"].encode() == body


@pytest.mark.parametrize("length", ["1000001", "-1", "many"])
def test_a_body_of_no_sensible_length_is_refused(identity: Identity, length: str) -> None:
    status, _, found = ask(identity, "POST", "/v3/users", CONTENT_LENGTH=length)
    assert status == "400 Bad Request"
    assert "too large" in found["error"]["message"]


def test_a_keystone_that_does_not_answer_is_named(identity: Identity) -> None:
    down = replace(identity, upstream="http://127.0.0.1:1")
    status, _, found = ask(down, "GET", "/v3/users", HTTP_X_AUTH_TOKEN="secret")
    assert status == "503 Service Unavailable"
    assert "http://127.0.0.1:1 does not answer: ConnectionError" in found["error"]["message"]
    assert "secret" not in json.dumps(found)
