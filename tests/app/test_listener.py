"""Ports: free ones, taken ones, remembered ones; and the server on them."""

from __future__ import annotations

import socket
import time
import urllib.request
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from stoker.api.waiting import room_of
from stoker.app.listener import THREADS, HttpServer, listen, port_of, reserved, shared
from stoker.errors import Conflict

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

    from stoker.api.waiting import WaitingRoom

SOON_SECONDS = 5.0


def test_zero_takes_a_free_port() -> None:
    with closing(listen(0, option="--port")) as first, closing(listen(0, option="-p")) as second:
        assert port_of(first) != port_of(second)
        assert first.getsockname()[0] == "127.0.0.1"


def test_a_taken_port_is_refused_and_the_option_named() -> None:
    with closing(listen(0, option="--x")) as other:
        port = port_of(other)
        with pytest.raises(Conflict, match=rf"port {port} .* --cfn-port"):
            listen(port, option="--cfn-port")


def test_zero_takes_the_remembered_port_where_it_is_free() -> None:
    with closing(listen(0, option="-p")) as first:
        port = port_of(first)
    with closing(listen(0, option="-p", remembered=port)) as second:
        assert port_of(second) == port


def test_zero_takes_another_port_where_the_remembered_one_is_taken() -> None:
    with (
        closing(listen(0, option="-p")) as other,
        closing(listen(0, option="-p", remembered=port_of(other))) as second,
    ):
        assert port_of(second) not in (0, port_of(other))


def test_a_port_that_is_asked_for_goes_before_the_remembered_one() -> None:
    with closing(listen(0, option="-p")) as first, closing(listen(0, option="-p")) as second:
        asked, remembered = port_of(first), port_of(second)
    with closing(listen(asked, option="-p", remembered=remembered)) as third:
        assert port_of(third) == asked


def test_what_is_accepted_sends_small_answers_at_once() -> None:
    with (
        closing(listen(0, option="-p")) as listening,
        socket.create_connection(listening.getsockname()),
        closing(listening.accept()[0]) as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


HOST = "127.0.0.1"


def test_a_port_is_reserved_again_though_connections_to_it_have_just_been_closed() -> None:
    with closing(reserved(HOST, 0)) as first:
        port = port_of(first)
        with (
            closing(shared(HOST, port)) as listening,
            closing(socket.create_connection((HOST, port))) as client,
        ):
            listening.accept()[0].close()  # who closes first keeps the connection's end
            assert client.recv(1) == b""
    with closing(reserved(HOST, port)) as second, closing(shared(HOST, port)):
        assert port_of(second) == port


def test_a_reserved_port_is_refused_to_another_program_also_while_nobody_listens() -> None:
    with closing(reserved(HOST, 0)) as first, pytest.raises(Conflict, match="bind_port"):
        reserved(HOST, port_of(first))


def hello(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
    start("200 OK", [("Content-Length", "5")])
    return [b"hello"]


def test_a_server_answers_on_the_socket_until_it_is_closed() -> None:
    listening = listen(0, option="-p")
    url = f"http://127.0.0.1:{port_of(listening)}/"
    server = HttpServer(listening, hello)
    server.open()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=10) as answer:
        assert answer.read() == b"hello"
    server.close()
    with pytest.raises(OSError, match="refused"):
        opener.open(url, timeout=10)


def test_a_server_that_is_closed_ends_the_answers_that_wait() -> None:
    def serve(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        start("200 OK", [])
        room = room_of(environ)
        assert room is not None
        yield b"first"
        assert not room.wait(60)
        yield b"last"

    with closing(listen(0, option="-p")) as listening:
        server = HttpServer(listening, serve)
        server.open()
        answer = urllib.request.urlopen(f"http://127.0.0.1:{port_of(listening)}/")
        assert answer.read(5) == b"first"
        begun = time.monotonic()
        server.close()
        assert answer.read() == b"last"
        assert time.monotonic() - begun < SOON_SECONDS


def test_answers_that_wait_leave_threads_for_others() -> None:
    rooms: list[WaitingRoom] = []

    def serve(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        room = room_of(environ)
        assert room is not None
        rooms.append(room)
        start("200 OK", [])
        return [b""]

    with closing(listen(0, option="-p")) as listening:
        server = HttpServer(listening, serve)
        server.open()
        urllib.request.urlopen(f"http://127.0.0.1:{port_of(listening)}/").close()
        server.close()
    entered = [rooms[0].enter() for _ in range(THREADS)]
    assert 0 < sum(entered) < THREADS
