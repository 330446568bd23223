"""Browsers that ask from pages of other origins: who may, and what they may send and see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from oslo_config import cfg

from stoker.api.faults import fault
from stoker.api.reply import send
from stoker.app.cross_origin import for_origins
from tests.api.fake import Client

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from wsgiref.types import StartResponse, WSGIEnvironment

# WebOb, which the library stands on, imports what Python 3.13 has taken away.
pytestmark = pytest.mark.filterwarnings("ignore:'cgi' is deprecated:DeprecationWarning")
PAGE = "https://dashboard.example"


def guarded(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
    """Stand in for the API behind its check of tokens."""
    if environ.get("HTTP_X_AUTH_TOKEN") != "good":
        return send(fault(401, "HTTPUnauthorized", "no"), start)
    start("200 OK", [("x-openstack-request-id", "req-1")])
    return (part for part in (b"a", b"b"))


def client(tmp_path: Path, said: str) -> Client:
    """Return a client of an installation whose file says so."""
    file = tmp_path / "stoker.conf"
    file.write_text(said)
    conf = cfg.ConfigOpts()
    conf([], project="stoker", default_config_files=[str(file)], default_config_dirs=[])
    return Client(for_origins(guarded, conf))


@pytest.fixture
def asked(tmp_path: Path) -> Client:
    return client(tmp_path, f"[cors]\nallowed_origin = {PAGE}\n")


def test_a_browser_may_ask_first_and_needs_no_token_for_that(asked: Client) -> None:
    answer = asked(
        "OPTIONS",
        "/v1/p/stacks",
        HTTP_ORIGIN=PAGE,
        HTTP_ACCESS_CONTROL_REQUEST_METHOD="PATCH",
        HTTP_ACCESS_CONTROL_REQUEST_HEADERS="x-auth-token",
        HTTP_X_AUTH_TOKEN="",
    )
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert answer.headers["access-control-allow-methods"] == "PATCH"
    assert answer.headers["access-control-allow-headers"].lower() == "x-auth-token"


@pytest.mark.parametrize("token", ["good", "bad"])
def test_a_page_sees_answers_and_refusals_with_the_request_id(asked: Client, token: str) -> None:
    answer = asked("GET", "/v1/p/stacks", HTTP_ORIGIN=PAGE, HTTP_X_AUTH_TOKEN=token)
    assert answer.status == (200 if token == "good" else 401)
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert "X-OpenStack-Request-ID" in answer.headers["access-control-expose-headers"]


@pytest.mark.parametrize("origin", ["https://elsewhere.example", f"{PAGE}.elsewhere.example"])
def test_a_page_of_another_origin_is_not_let_in(asked: Client, origin: str) -> None:
    answer = asked("GET", "/v1/p/stacks", HTTP_ORIGIN=origin, HTTP_X_AUTH_TOKEN="good")
    assert "access-control-allow-origin" not in answer.headers


def test_without_an_origin_that_is_allowed_nothing_stands_in_the_way(tmp_path: Path) -> None:
    assert client(tmp_path, "").app is guarded
