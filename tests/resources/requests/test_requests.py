"""The same changing requests reach the services as with real Heat, but for what is listed."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field

import pytest

from stoker.clouds.connect import Clouds
from tests.app.serving import Serving
from tests.e2e.tenant import controls
from tests.resources.requests.case import Case, cases
from tests.resources.requests.differences import LISTED, Difference, Found, compare
from tests.resources.requests.life import Life
from tests.resources.requests.place import Place
from tests.resources.requests.wording import alike

LANES = 12
SECONDS = 110.0


@dataclass
class Lane:
    """Takes cases through their lives one after the other, in projects of its own."""

    serving: Serving
    clouds: Clouds
    number: int
    places: dict[bool, Place] = field(default_factory=dict)

    def run(self, todo: queue.Queue[tuple[Case, Future[list[Found]]]]) -> None:
        while True:
            try:
                case, told = todo.get_nowait()
            except queue.Empty:
                return
            try:
                told.set_result(self._lived(case))
            except BaseException as e:  # noqa: BLE001 - it is raised again by who asks
                told.set_exception(e)

    def _lived(self, case: Case) -> list[Found]:
        life = Life(case, self._place(is_admin=case.user == "admin"))
        try:
            return [
                compare(case, step, ended, alike(step, step.changes), alike(step, calls))
                for step, ended, calls in life.told()
            ]
        finally:
            life.end()

    def _place(self, *, is_admin: bool) -> Place:
        if is_admin not in self.places:
            name = f"lane-{self.number}{'-admin' if is_admin else ''}"
            self.places[is_admin] = Place(self.serving, self.clouds, name, is_admin)
        return self.places[is_admin]


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[Case, Future[list[Found]]]]:
    """Return what comes of each case; they are under way."""
    told: dict[Case, Future[list[Found]]] = {case: Future() for case in cases()}
    todo: queue.Queue[tuple[Case, Future[list[Found]]]] = queue.Queue()
    for each in told.items():
        todo.put(each)
    clouds = Clouds()
    with closing(Serving(tmp_path_factory.mktemp("requests") / "state")) as serving:
        controls(_url(serving), "log", {"bodies": True}, "PUT")
        lanes = [Lane(serving, clouds, number) for number in range(LANES)]
        threads = [threading.Thread(target=lane.run, args=(todo,)) for lane in lanes]
        for thread in threads:
            thread.start()
        yield told
        for thread in threads:
            thread.join()
        assert serving.stop() == 0
    clouds.close()


def _url(serving: Serving) -> str:
    return f"http://127.0.0.1:{serving.ports['devcloud']}"


@pytest.mark.parametrize("case", cases(), ids=str)
def test_the_same_changing_requests_are_sent(
    case: Case, lived: Mapping[Case, Future[list[Found]]]
) -> None:
    found = lived[case].result(SECONDS)
    steps = [step.op for step in case.steps]
    assert {op: each.unlisted for op, each in zip(steps, found, strict=True) if each.unlisted} == {}


def test_each_listed_difference_is_there(lived: Mapping[Case, Future[list[Found]]]) -> None:
    used: set[Difference] = set()
    for each in lived.values():
        used |= {by for found in each.result(SECONDS) for by in found.used}
    assert [each for each in LISTED if each not in used] == []
