"""Images that Glance fetches from the web, and what is told when none comes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from tests.e2e.rest import Json
from tests.e2e.tenant import Tenant


class Web(BaseHTTPRequestHandler):
    """Has one image."""

    def do_GET(self) -> None:
        found = self.path == "/image.raw"
        self.send_response(200 if found else 404)
        self.end_headers()
        if found:
            self.wfile.write(b"an image")

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    """Return the URL of a web server."""
    server = HTTPServer(("127.0.0.1", 0), Web)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def tenant(tenants: Callable[[str], Tenant]) -> Tenant:
    return tenants("images")


def template(location: str, **more: Any) -> Json:
    properties = {"location": location, "disk_format": "raw", "container_format": "bare", **more}
    image = {"type": "OS::Glance::WebImage", "properties": properties}
    return {"heat_template_version": "2021-04-16", "resources": {"image": image}}


def test_an_image_is_fetched_changed_in_place_and_deleted(
    tenant: Tenant, name: str, web: str
) -> None:
    before = tenant.objects()
    location = f"{web}/image.raw"
    stack = tenant.rest.create(name, template(location, tags=["a"], extra_properties={"k": "v"}))
    stack.wait("CREATE_COMPLETE")
    id = stack.physical_ids()["image"]
    image = tenant.conn.image.get_image(id)
    assert (image.status, image.size, image.tags, image.properties["k"]) == (
        "active",
        8,
        ["a"],
        "v",
    )
    stack.updated(template(location, tags=["b"]))
    assert stack.physical_ids()["image"] == id
    assert tenant.conn.image.get_image(id).tags == ["b"]
    stack.deleted()
    assert tenant.objects() == before


def test_an_image_that_does_not_come_says_why(tenant: Tenant, name: str, web: str) -> None:
    before = tenant.objects()
    stack = tenant.rest.create(name, template(f"{web}/none.raw"))
    reason = stack.wait("CREATE_FAILED")["stack_status_reason"]
    assert "could not be fetched" in reason
    assert "404" in reason
    stack.deleted()
    assert tenant.objects() == before
