"""How much is asked of a service at a time, and what comes of a call whose turn does not come."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import Any

import pytest
import requests

from stoker.clouds.budget import Budget, Budgets, Limits, Pauses, Slots, default_at_once
from stoker.clouds.connect import Clouds, CloudSettings
from stoker.clouds.session import GuardedSession
from stoker.errors import CloudError
from stoker.sdk.fault import PAUSED, Fault, fault
from tests.clouds.wire import ANN, Watch, Wire, wired


class Clock:
    """A clock that a sleep moves."""

    def __init__(self) -> None:
        self.now, self.slept = 100.0, list[float]()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now += seconds


def refusal(budget: Budget) -> CloudError:
    with pytest.raises(CloudError) as caught, budget.turn("network"):
        raise AssertionError("it had its turn")
    return caught.value


def test_so_many_calls_are_made_at_once_and_the_next_one_later() -> None:
    budget = Budget(Limits(at_once=2), patience=0.01)
    with budget.turn("network"):
        with budget.turn("network"):
            error = refusal(budget)
        with budget.turn("network"):
            pass
    assert (error.sent, error.code, fault(error)) == (False, PAUSED, Fault.BUSY)
    assert "network is asked as much as may be" in str(error)


def test_a_thread_waits_a_moment_for_its_turn() -> None:
    budget, taken, go = Budget(Limits(at_once=1), patience=10.0), threading.Event(), []

    def hold() -> None:
        with budget.turn("network"):
            taken.set()
            go.append("first")

    thread = threading.Thread(target=hold)
    with budget.turn("network"):
        thread.start()
        assert not taken.wait(0.05)
        go.append("mine")
    thread.join(10)
    assert go == ["mine", "first"]


def test_a_turn_that_ends_in_an_error_is_given_back() -> None:
    budget = Budget(Limits(at_once=1), patience=0.01)
    for _ in range(3):
        with pytest.raises(ValueError, match="no"), budget.turn("network"):
            raise ValueError("no")


def test_calls_keep_their_pace_and_what_would_wait_too_long_is_not_made() -> None:
    clock = Clock()
    budget = Budget(Limits(per_second=2), clock=clock, sleep=clock.sleep, patience=1.0)
    for _ in range(3):
        with budget.turn("network"):
            pass
    assert clock.slept == [0.5, 0.5]
    slow = Budget(Limits(per_second=0.5), clock=clock, sleep=clock.sleep, patience=1.0)
    with slow.turn("network"):
        pass
    assert refusal(slow).retry_after == 2.0


def test_each_service_has_a_budget_of_its_own() -> None:
    budgets = Budgets(Limits(at_once=1))
    names = ("network", "compute", "image")
    with ExitStack() as held:
        for each in names:
            held.enter_context(budgets[each].turn(each))
    assert budgets["network"] is budgets["network"]


@pytest.mark.parametrize(
    ("status", "retry_after", "left"),
    [(429, None, 1.0), (429, 7.0, 7.0), (503, 5.0, 5.0), (429, 9999.0, 300.0)],
)
def test_what_asked_to_be_left_alone_is_for_so_long(
    status: int, retry_after: float | None, left: float
) -> None:
    clock = Clock()
    pauses = Pauses(clock)
    pauses.heed("network", status, retry_after)
    pauses.check("compute")
    with pytest.raises(CloudError) as caught:
        pauses.check("network")
    assert (caught.value.retry_after, fault(caught.value)) == (left, Fault.BUSY)
    clock.now += left
    pauses.check("network")


@pytest.mark.parametrize(("status", "retry_after"), [(503, None), (500, None), (409, 3.0)])
def test_another_answer_asks_for_no_pause(status: int, retry_after: float | None) -> None:
    pauses = Pauses()
    pauses.heed("network", status, retry_after)
    pauses.check("network")


def test_a_service_that_has_enough_is_not_asked_again_and_no_guard_is_passed() -> None:
    guard = Watch()
    cloud, wire = wired(
        lambda *_: (429, {"error": {"message": "slow"}}, {"Retry-After": "9"}), guard
    )
    errors = []
    for _ in range(2):
        with pytest.raises(CloudError) as caught:
            cloud.network.create("port", {})
        errors.append(caught.value)
    assert [each.status for each in errors] == [429, None]
    assert (len(wire.sent), len(guard.seen)) == (1, 2)
    with pytest.raises(CloudError, match="network asked to be left alone"):
        cloud.network.show("port", "p")
    with pytest.raises(CloudError, match="slow"):
        cloud.compute.get("/servers")


def test_others_accounts_are_not_held_up() -> None:
    wire = Wire(lambda *_: (429, {"error": {"message": "slow"}}, {"Retry-After": "9"}))
    http = requests.Session()
    http.mount("http://", wire)
    clouds = Clouds(http=http)
    bob: Any = type(ANN)(ANN.auth_url, "bob", "secret", project_name="p", user_domain_id="default")
    for each in (ANN, bob):
        with pytest.raises(CloudError, match="slow"):
            clouds.cloud(each).network.show("port", "p")


def test_a_plugins_client_is_held_up_too() -> None:
    wire = Wire(lambda *_: (429, {"error": {"message": "slow"}}, {"Retry-After": "9"}))
    http = requests.Session()
    http.mount("http://", wire)
    guard = Watch()
    connection = Clouds(CloudSettings(), http)._connection(ANN)  # noqa: SLF001 - what a step gets
    session = GuardedSession(connection, guard)
    asked = {"endpoint_filter": {"service_type": "network"}, "raise_exc": False}
    assert session.request("/v2.0/ports", "POST", json={}, **asked).status_code == 429
    with pytest.raises(CloudError) as caught:
        session.request("/v2.0/ports", "POST", json={}, **asked)
    assert session.cloud_error(caught.value) is caught.value
    assert (len(wire.sent), len(guard.seen), session.changes) == (1, 2, 0)


@pytest.mark.parametrize(("threads", "at_once"), [(1, 1), (2, 1), (32, 24)])
def test_some_threads_are_left_for_the_other_services(threads: int, at_once: int) -> None:
    assert default_at_once(threads) == at_once


def test_who_waits_for_a_turn_has_it_before_any_who_come_later() -> None:
    slots, first_waits = Slots(1), threading.Event()
    got: list[bool] = []

    def wait() -> None:
        first_waits.set()
        got.append(slots.acquire(timeout=30.0))

    assert slots.acquire(timeout=0.0)
    thread = threading.Thread(target=wait)
    thread.start()
    first_waits.wait()
    while not slots._waiting:  # noqa: SLF001 - there is no other sign of it
        thread.join(0.001)
    slots.release()
    assert not slots.acquire(timeout=0.0), "it was handed over"
    thread.join()
    assert got == [True]
    slots.release()
    assert slots.acquire(timeout=0.0)


def test_a_turn_that_nobody_waits_for_any_more_is_not_lost() -> None:
    slots = Slots(1)
    assert slots.acquire(timeout=0.0)
    assert not slots.acquire(timeout=0.001)
    slots.release()
    assert slots.acquire(timeout=0.0)
