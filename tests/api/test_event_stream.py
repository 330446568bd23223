"""Answers that go on: where they wait, how they end, and what a client reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from stoker.api import event_stream
from stoker.api.event_stream import message, streamed
from stoker.api.waiting import WaitingRoom, room_of, with_room
from stoker.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from wsgiref.types import StartResponse, WSGIEnvironment


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "LOOK_SECONDS", 0.001)


def environ(room: WaitingRoom | None) -> dict[str, Any]:
    """Return the environment of a request at a server that has this room."""
    seen: dict[str, Any] = {}
    if room is not None:

        def note(environ: WSGIEnvironment, _start: StartResponse) -> list[bytes]:
            seen.update(environ)
            return []

        with_room(note, room)({}, lambda *_: lambda _data: None)
        assert room_of(seen) is room
    return seen


def messages(room: WaitingRoom | None, *looks: list[bytes] | Exception) -> Iterator[bytes]:
    """Return a stream that begins with "first"; after the looks the room closes."""
    left = iter(looks)

    def look() -> list[bytes]:
        found = next(left, None)
        if found is None:
            assert room is not None
            room.close()
            return []
        if isinstance(found, Exception):
            raise found
        return found

    body: Iterator[bytes] = streamed(environ(room), [b"first"], look).body
    return body


def test_a_message_is_as_browsers_read_it() -> None:
    id_line, data_line, *rest = message("7", {"text": "a\nb"}).decode().split("\n")
    assert id_line == "id: 7"
    assert json.loads(data_line.removeprefix("data: ")) == {"text": "a\nb"}
    assert rest == ["", ""]


def test_it_goes_on_with_what_comes_until_the_server_ends() -> None:
    said = list(messages(WaitingRoom(1), [b"second"], [], [b"third", b"fourth"]))
    assert said == [b"retry: 1000\n\nfirst", b"second", b"thirdfourth"]


@pytest.mark.parametrize("room", [None, WaitingRoom(0)], ids=["no room", "no place"])
def test_without_a_place_to_wait_it_ends_with_what_there_is(room: WaitingRoom | None) -> None:
    assert list(messages(room)) == [b"retry: 1000\n\nfirst"]


def test_a_place_is_taken_while_it_goes_on_and_given_back_when_the_client_leaves() -> None:
    room = WaitingRoom(1)
    stream: Any = messages(room, [b"second"], [b"third"])
    assert [next(stream), next(stream)] == [b"retry: 1000\n\nfirst", b"second"]
    assert not room.enter()
    stream.close()
    assert room.enter()


def test_what_fails_on_the_way_ends_it_and_gives_the_place_back() -> None:
    room = WaitingRoom(1)
    assert list(messages(room, [b"second"], NotFound("Stack", "s")))[1:] == [b"second"]
    assert room.enter()


def test_it_says_something_when_it_has_been_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "QUIET_SECONDS", 0.0)
    assert list(messages(WaitingRoom(1), []))[1] == b":\n\n"


def test_it_ends_before_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "LONGEST_SECONDS", 0.0)
    assert list(messages(WaitingRoom(1), [b"second"])) == [b"retry: 1000\n\nfirst"]
