"""The runner itself: it tells every difference, and takes away what was made."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.agreement.runner import Cloud, differences
from tests.agreement.step import GONE, SOME, Scenario, Step, at


@dataclass
class Found:
    """An answer as requests gives it."""

    status_code: int
    body: Any
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})

    @property
    def content(self) -> bytes:
        return b"" if self.body is None else json.dumps(self.body).encode()

    @property
    def text(self) -> str:
        return self.content.decode()

    def json(self) -> Any:
        return self.body


class Session:
    """A service that has things, each gone at the second request to delete it."""

    def __init__(self, *, keeps: bool = False) -> None:
        self.asked: list[tuple[str, str]] = []
        self._keeps = keeps
        self._number = 0

    def get_endpoint(self, service_type: str) -> str:
        return f"http://{service_type}/v2.1/project"

    def request(self, url: str, method: str, **more: Any) -> Found:
        known = (method, url) in self.asked
        self.asked.append((method, url))
        if method == "POST":
            self._number += 1
            return Found(201, {"thing": {"id": f"t{self._number}", "name": more["json"]["name"]}})
        if method == "DELETE":
            return Found(404 if known and not self._keeps else 202, None)
        return Found(200, {"thing": {"status": "ACTIVE"}})


def run(session: Session, *steps: Step) -> list[str]:
    """Run steps and return the differences."""
    cloud = Cloud({"member": session}, {"word": "w"}, seconds=0.05, look=0.001)
    return differences(cloud, Scenario("s", steps))


def make(name: str, **more: Any) -> Step:
    """Return the creation of a thing."""
    return Step("things", "POST", "/v2/things", 201, {"name": name}, **more)


def test_every_step_that_differs_is_told() -> None:
    told = run(
        Session(),
        Step("things", "GET", "/v2/things/1", 404),
        Step("things", "GET", "/v2/things/1", 200, see={"thing.status": "ACTIVE"}),
        Step("things", "GET", "/v2/things/1", 200, see={"thing.status": "DOWN", "thing.x": SOME}),
    )
    assert [line.partition(": ")[0] for line in told] == [
        "1. member GET /v2/things/1",
        *["3. member GET /v2/things/1"] * 2,
    ]
    assert "200 instead of 404" in told[0]
    assert told[1].endswith("thing.status is 'ACTIVE' instead of 'DOWN'")


def test_what_was_made_is_deleted_last_things_first_until_it_is_gone() -> None:
    session = Session()
    kept = make("{word}", keep={"t": "thing.id"}, see={"thing.name": "{word}"})
    look = Step("things", "GET", "/v2/things/{t}", 200)
    assert run(session, kept, make("b"), look) == []
    assert session.asked[2:] == [
        ("GET", "http://things/v2/things/t1"),
        *[("DELETE", "http://things/v2/things/t2")] * 2,
        *[("DELETE", "http://things/v2/things/t1")] * 2,
    ]


def test_what_will_not_go_is_told() -> None:
    (told,) = run(Session(keeps=True), make("a"))
    assert told.startswith("left: 202 instead of 404")


def test_what_was_made_is_deleted_when_the_service_breaks_off() -> None:
    session = Session()
    with pytest.raises(KeyError):
        run(session, make("a"), Step("things", "POST", "/v2/things", 201, {"no": "name"}))
    assert session.asked[-1] == ("DELETE", "http://things/v2/things/t1")


def test_a_step_that_hangs_on_one_that_went_wrong_is_told_and_not_sent() -> None:
    session = Session()
    told = run(session, Step("things", "GET", "/v2/things/{lost}", 200))
    assert told == ["1. member GET /v2/things/{lost}: nothing was kept as lost"]
    assert session.asked == []


def test_places_in_a_body() -> None:
    body = {"ports": [{"id": "p"}, {}]}
    assert [at(each, body) for each in ("ports.#", "ports.0.id", "ports.1.id", "ports.2")] == [
        2,
        "p",
        GONE,
        GONE,
    ]
