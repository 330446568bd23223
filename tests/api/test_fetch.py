from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from stoker.api.fetch import fetch
from stoker.errors import Invalid, LimitExceeded


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/template":
            self._give(200, b"heat_template_version: 2021-04-16")
        elif self.path == "/binary":
            self._give(200, b"\xff\xfe")
        elif self.path.startswith("/to/"):
            self._give(302, b"", Location=self.path.removeprefix("/to/"))
        elif self.path == "/garbage":
            self.wfile.write(b"nonsense\r\n")
        else:
            self._give(404, b"no")

    def _give(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Site) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_template_is_fetched(site: str) -> None:
    assert fetch(f"{site}/template", limit=100, timeout=5).startswith("heat_template_version")


def test_a_redirection_is_followed(site: str) -> None:
    assert fetch(f"{site}/to//template", limit=100, timeout=5).startswith("heat_template_version")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://127.0.0.1/x",
        "data:text/plain,x",
        "/etc/passwd",
        "",
        "http://",
        "http://[::1",
        "http://127.0.0.1:1/",
        "http://127.0.0.1:99999999/",
        "http://a b/",
        "http://127.0.0.1:1/\n",
        "http://\N{SNOWMAN}.invalid/\N{SNOWMAN}",
        "{site}/nosuch",
        "{site}/binary",
        "{site}/garbage",
        "{site}/to/file:///etc/passwd",
        "{site}/to/ftp://127.0.0.1/x",
        "{site}/to//to//to//to//to//to//to//to//to//to//to//to/nowhere",
    ],
)
def test_what_cannot_be_had_is_the_callers_to_put_right(site: str, url: str) -> None:
    with pytest.raises(Invalid, match=r"^Could not retrieve template: ."):
        fetch(url.format(site=site), limit=100, timeout=5)


def test_a_template_over_the_limit_is_refused(site: str) -> None:
    with pytest.raises(LimitExceeded, match=r"maximum allowed size \(10 bytes\)"):
        fetch(f"{site}/template", limit=10, timeout=5)


def test_a_trickle_ends_at_the_time_limit(site: str) -> None:
    clock = iter([0.0, 6.0])
    with pytest.raises(Invalid, match="timed out"):
        fetch(f"{site}/template", limit=100, timeout=5, clock=lambda: next(clock))
