from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from stoker.api.settings import Settings
from stoker.api.v1 import application
from tests.api.fake import Client

if TYPE_CHECKING:
    from stoker.api.policy import Policy
    from tests.api.fake import FakeCatalog, FakeSoftware, FakeStacks


@pytest.fixture
def proxied(
    stacks: FakeStacks, catalog: FakeCatalog, software: FakeSoftware, policy: Policy
) -> Client:
    settings = Settings(enable_proxy_headers_parsing=True)
    return Client(application(stacks, catalog, software, policy, settings))


def link(call: Client, **environ: str) -> str:
    href: str = call("GET", "/", **environ).json["versions"][0]["links"][0]["href"]
    return href


@pytest.mark.parametrize(
    ("headers", "href"),
    [
        ({}, "http://127.0.0.1:8004/v1/"),
        ({"HTTP_X_FORWARDED_PROTO": "https"}, "https://127.0.0.1:8004/v1/"),
        ({"HTTP_X_FORWARDED_HOST": "heat.example, inner"}, "http://heat.example/v1/"),
        ({"HTTP_X_FORWARDED_PREFIX": "/orchestration/"}, "http://127.0.0.1:8004/orchestration/v1/"),
        (
            {"HTTP_FORWARDED": 'for=1.2.3.4;proto=https;host="heat.example:443", for=10.0.0.1'},
            "https://heat.example/v1/",
        ),
        ({"HTTP_X_FORWARDED_PROTO": "gopher"}, "http://127.0.0.1:8004/v1/"),
    ],
)
def test_links_lead_back_through_the_proxy(
    proxied: Client, headers: dict[str, str], href: str
) -> None:
    assert link(proxied, **headers) == href


def test_a_stranger_cannot_bend_links_where_no_proxy_is_set_up(call: Client) -> None:
    forged = {"HTTP_X_FORWARDED_HOST": "evil.example", "HTTP_FORWARDED": "host=evil.example"}
    assert link(call, **forged) == "http://127.0.0.1:8004/v1/"


def test_links_keep_the_mount_point_and_leave_out_the_usual_port(call: Client) -> None:
    assert link(call, SCRIPT_NAME="/heat", HTTP_HOST="h:80") == "http://h/heat/v1/"
    assert link(call, HTTP_HOST="") == "http://127.0.0.1:8004/v1/"
