from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from stoker.errors import Refused, TooLarge, Unfetched
from stoker.fetch import Limits, fetch, is_public, post

NEAR = Limits(100, 5.0, private=True)
"""For a site on this machine."""


class _Server(ThreadingHTTPServer):
    """Is told when its slow answers are to end."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Site)
        self.stopping = threading.Event()


class _Site(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        if self.path == "/template":
            self._give(200, b"heat_template_version: 2021-04-16")
        elif self.path == "/binary":
            self._give(200, b"\xff\xfe")
        elif self.path.startswith("/to/"):
            self._give(302, b"", Location=self.path.removeprefix("/to/"))
        elif self.path == "/garbage":
            self.wfile.write(b"nonsense\r\n")
        elif self.path == "/slow-head":
            self._trickle(b"HTTP/1.0 200 OK\r\nX-Slow: ")
        elif self.path == "/slow-body":
            self._trickle(b"HTTP/1.0 200 OK\r\n\r\n")
        else:
            self._give(404, b"no")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/taken":
            self._give(200 if (body, self.headers["X-A"]) == (b"body", "b") else 400, b"long" * 99)
        elif self.path == "/held":
            self.server.stopping.wait()
        else:
            self._give(int(self.path[1:]), b"", Location="/taken")

    def _give(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _trickle(self, begin: bytes) -> None:
        self.wfile.write(begin)
        with suppress(OSError):  # until the other side hangs up
            while not self.server.stopping.wait(0.02):
                self.wfile.write(b".")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with _Server() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.stopping.set()
        server.shutdown()
        thread.join()


def test_what_stands_there_is_fetched(site: str) -> None:
    assert fetch(f"{site}/template", NEAR) == b"heat_template_version: 2021-04-16"
    assert fetch(f"{site}/binary", NEAR) == b"\xff\xfe"


def test_a_redirection_is_followed(site: str) -> None:
    assert fetch(f"{site}/to//template", NEAR).startswith(b"heat_template_version")


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
        "{site}/garbage",
        "{site}/to/file:///etc/passwd",
        "{site}/to/ftp://127.0.0.1/x",
        "{site}/to//to//to//to//to//to//to//to//to//to//to//to/nowhere",
    ],
)
def test_what_cannot_be_had_says_why(site: str, url: str) -> None:
    with pytest.raises(Unfetched, match=r"."):
        fetch(url.format(site=site), NEAR)


def test_more_than_the_limit_is_refused(site: str) -> None:
    with pytest.raises(TooLarge, match="more than 10 bytes"):
        fetch(f"{site}/template", Limits(10, 5.0, private=True))


@pytest.mark.parametrize("path", ["slow-head", "slow-body"])
def test_a_trickle_ends_at_the_time_limit(site: str, path: str) -> None:
    begun = time.monotonic()
    with pytest.raises(Unfetched, match=r"^timed out$"):
        fetch(f"{site}/{path}", Limits(10**6, 0.3, private=True))
    assert time.monotonic() - begun < 5


def test_no_private_address_is_asked(site: str) -> None:
    for url in (site, site.replace("127.0.0.1", "localhost"), "http://169.254.169.254/latest"):
        with pytest.raises(Unfetched, match="has no public address"):
            fetch(url, Limits(100, 5.0))


def test_a_host_for_which_there_is_no_proxy_is_no_proxy(
    site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "localhost")
    with pytest.raises(Unfetched, match="has no public address"):
        fetch(site.replace("127.0.0.1", "localhost"), Limits(100, 5.0))


def test_a_proxy_may_have_any_address_and_is_asked_for_all(
    site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", site)
    with pytest.raises(Unfetched, match="404"):  # it is no proxy, but it was asked
        fetch("http://there.example/", Limits(100, 5.0))


def test_a_redirection_leads_to_no_private_address(
    site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stoker.fetch.is_public", lambda address: address == "127.0.0.1")
    with pytest.raises(Unfetched, match="has no public address"):
        fetch(f"{site}/to/http://[::1]:1/", Limits(100, 5.0))


def test_of_several_addresses_the_public_ones_are_asked(
    site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(site.rpartition(":")[2])
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in
             ("127.0.0.9", "127.0.0.8", "127.0.0.1")]  # fmt: skip
    monkeypatch.setattr("stoker.fetch.is_public", lambda address: address != "127.0.0.9")
    resolve = socket.getaddrinfo

    def resolved(host: str, *args: object, **named: object) -> object:
        return found if host == "there.example" else resolve(host, *args, **named)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    url = f"http://there.example:{port}/template"
    assert fetch(url, Limits(100, 5.0)).startswith(b"heat_template")


def test_what_is_sent_is_taken_however_long_the_answer(site: str) -> None:
    post(f"{site}/taken", b"body", {"X-A": "b"}, NEAR)


@pytest.mark.parametrize("status", [301, 302, 307, 308, 400, 410, 500])
def test_what_is_not_taken_says_so_and_a_redirection_is_not_followed(
    site: str, status: int
) -> None:
    with pytest.raises(Refused, match=str(status)) as found:
        post(f"{site}/{status}", b"body", {"X-A": "b"}, NEAR)
    assert found.value.status == status


def test_nothing_is_sent_to_a_private_address(site: str) -> None:
    with pytest.raises(Unfetched, match="has no public address"):
        post(f"{site}/taken", b"body", {"X-A": "b"}, Limits(100, 5.0))


def test_who_does_not_answer_what_was_sent_is_given_up(site: str) -> None:
    with pytest.raises(Unfetched, match=r"^timed out$"):
        post(f"{site}/held", b"body", {}, Limits(100, 0.2, private=True))


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2001:4860:4860::8888", True),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::808:808", True),
        ("127.0.0.1", False),
        ("0.0.0.0", False),  # noqa: S104 - an address to refuse
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("2002:7f00:1::", False),
        ("64:ff9b::7f00:1", False),
    ],
)
def test_an_address_is_public_or_not(address: str, *, public: bool) -> None:
    assert is_public(address) is public
