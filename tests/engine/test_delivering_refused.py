"""Events that a receiver refuses: whether they come again, and whom they hold up."""

from __future__ import annotations

from email.message import Message
from typing import TYPE_CHECKING

import pytest

from stoker.engine import delivering
from stoker.errors import Refused
from tests.app.serving import eventually
from tests.engine.hooked import LAST, NEAR, SAID, all_said, create, drained, hook, sending
from tests.engine.house import House
from tests.engine.receiver import Received, Receiver

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from stoker.store.database import Database


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivering, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(delivering, "pause", lambda failures: 0.02)


@pytest.fixture
def house(database: Database) -> Iterator[House]:
    house = House(database)
    house.engine.start()
    yield house
    house.engine.stop()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


def test_what_is_refused_comes_again_under_the_same_id(house: House, receiver: Receiver) -> None:
    receiver.status = 503
    with sending(house.database):
        create(house, hook(receiver))
        first, second = receiver.next(), receiver.next()
        receiver.status = 200
        found = receiver.until(LAST)
    assert first.id == second.id
    assert first.body == second.body
    assert [each.said for each in found if each.id != first.id] == SAID[1:]


def picky(status: int, unwanted: Container[str]) -> tuple[delivering.Post, list[str]]:
    """Return what refuses some events, and what is asked of it in its order."""
    asked: list[str] = []

    def post(url: str, body: bytes, headers: Mapping[str, str]) -> None:
        said = Received(url, Message(), body).said
        asked.append(said)
        if said in unwanted:
            raise Refused(f"HTTP Error {status}", status)
        NEAR(url, body, headers)

    return post, asked


@pytest.mark.parametrize("unwanted", [SAID[1:2], SAID[1:3]])
def test_what_is_refused_again_and_again_is_given_up_where_another_event_is_taken(
    house: House, receiver: Receiver, caplog: pytest.LogCaptureFixture, unwanted: list[str]
) -> None:
    post, asked = picky(422, unwanted)
    house.ended(ref := create(house, hook(receiver)))
    with sending(house.database, post):
        drained(house.database)
    assert all_said(receiver) == [each for each in SAID if each not in unwanted]
    assert asked.count(unwanted[0]) == delivering.REFUSALS
    assert caplog.text.count("gave up event") == len(unwanted)
    assert f"of stack {ref.id}: 127.0.0.1:{receiver.port} refuses it" in caplog.text


def test_where_every_event_is_refused_none_is_given_up(
    house: House, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    unwanted = set(SAID)
    post, asked = picky(401, unwanted)
    house.ended(create(house, hook(receiver)))
    with sending(house.database, post):
        eventually(lambda: asked.count(SAID[0]) > 2 * delivering.REFUSALS)
        assert LAST in asked  # those after the first were tried
        unwanted.clear()
        drained(house.database)
    assert list(dict.fromkeys(each.said for each in receiver.until(LAST))) == SAID
    assert "gave up" not in caplog.text


@pytest.mark.parametrize("status", [302, 408, 425, 429, 500, 503])
def test_an_event_that_finds_the_wrong_moment_holds_up_those_after_it(
    house: House, receiver: Receiver, status: int
) -> None:
    unwanted = {SAID[1]}
    post, asked = picky(status, unwanted)
    house.ended(create(house, hook(receiver)))
    with sending(house.database, post):
        eventually(lambda: asked.count(SAID[1]) > 2 * delivering.REFUSALS)
        assert set(asked) == set(SAID[:2])
        unwanted.clear()
        assert [each.said for each in receiver.until(LAST)] == SAID


def test_a_redirection_is_a_refusal(house: House, receiver: Receiver) -> None:
    receiver.status = 302
    with sending(house.database):
        create(house, hook(receiver))
        paths = [receiver.next().path for _ in range(3)]
    assert set(paths) == {"/hook"}
