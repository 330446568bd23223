"""Faults on demand: which calls are hit, and what happens to them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
import requests

from stoker.devcloud.faults import Faults
from tests.devcloud.client import Client

Arm = Callable[..., str]
ROLES = "/identity/v3/roles"


@pytest.fixture
def arm(anybody: Client) -> Iterator[Arm]:
    """Return a function that puts a fault on this test's own calls in force."""
    ids: list[str] = []

    def armed(**fault: Any) -> str:
        answer = anybody.call("POST", "/devcloud/faults", fault)
        assert answer.status == 201, answer.body
        ids.append(answer.body["id"])
        return ids[-1]

    yield armed
    for id in ids:
        anybody.call("DELETE", f"/devcloud/faults/{id}")


def roles_named(client: Client, name: str) -> int:
    return len(client.get(f"{ROLES}?name={name}").body["roles"])


def hits(client: Client, operation: str) -> int:
    faults = client.get("/devcloud/faults").body["faults"]
    return sum(fault["hits"] for fault in faults if fault["operation"] == operation)


def eventually(holds: Callable[[], bool], deadline: float) -> bool:
    while time.monotonic() < deadline:
        if holds():
            return True
    return False


def create_role(client: Client, name: str) -> int:
    return client.call("POST", ROLES, {"role": {"name": name}}).status


def test_every_nth_call_is_hit_after_those_skipped_and_at_most_count_times() -> None:
    faults = Faults()
    faults.add({"service": "neutron", "skip": 1, "every": 2, "count": 2, "status": 503})
    hits = [bool(faults.hitting("network", "GET", "/x", "list_x")) for _ in range(8)]
    assert hits == [False, False, True, False, True, False, False, False]
    assert faults.all()[0]["seen"] == 8
    assert faults.all()[0]["hits"] == 2


@pytest.mark.parametrize(
    ("chosen", "is_hit"),
    [
        ({}, True),
        ({"service": "network"}, True),
        ({"service": "compute"}, False),
        ({"method": "POST"}, True),
        ({"method": "GET"}, False),
        ({"operation": "create_port"}, True),
        ({"operation": "create_network"}, False),
        ({"path": "/ports$"}, True),
        ({"path": "/ports/.+"}, False),
    ],
)
def test_calls_are_chosen_by_service_method_path_and_operation(
    chosen: dict[str, Any],
    is_hit: bool,  # noqa: FBT001
) -> None:
    faults = Faults()
    faults.add({**chosen, "status": 500})
    hit = faults.hitting("network", "POST", "/networking/v2.0/ports", "create_port")
    assert bool(hit) is is_hit


@pytest.mark.parametrize(
    "wanted",
    [{"bogus": 1}, {"status": "503"}, {"every": 0}, {"path": "("}, {"delay": "long"}],
)
def test_a_fault_that_is_wrong_is_refused(anybody: Client, wanted: dict[str, Any]) -> None:
    assert anybody.call("POST", "/devcloud/faults", wanted).status == 400


def test_a_status_comes_in_place_of_the_effect(admin: Client, arm: Arm) -> None:
    name = uuid4().hex
    arm(operation="create_role", status=503, count=1)
    assert create_role(admin, name) == 503
    assert roles_named(admin, name) == 0
    assert create_role(admin, name) == 201


def test_a_late_status_comes_after_the_effect(admin: Client, arm: Arm) -> None:
    name = uuid4().hex
    arm(operation="create_role", status=504, late=True, count=1)
    assert create_role(admin, name) == 504
    assert roles_named(admin, name) == 1


def test_a_reset_performs_the_effect_and_gives_no_answer(admin: Client, arm: Arm) -> None:
    name = uuid4().hex
    arm(operation="create_role", reset=True, count=1)
    with pytest.raises(requests.ConnectionError):
        create_role(admin, name)
    assert roles_named(admin, name) == 1
    newest = admin.get("/devcloud/log").body["requests"]
    dropped = [entry for entry in newest if entry["status"] == 0]
    assert dropped[-1]["operation"] == "create_role"


def test_a_reset_before_gives_neither_effect_nor_answer(admin: Client, arm: Arm) -> None:
    name = uuid4().hex
    arm(operation="create_role", reset_before=True, count=1)
    with pytest.raises(requests.ConnectionError):
        create_role(admin, name)
    assert roles_named(admin, name) == 0


@pytest.mark.parametrize("late", [False, True])
def test_a_delay_comes_before_or_after_the_effect(
    admin: Client,
    arm: Arm,
    late: bool,  # noqa: FBT001
) -> None:
    name = uuid4().hex
    arm(operation="create_role", delay=0.5, late=late, count=1)
    begun = time.monotonic()
    with ThreadPoolExecutor(max_workers=1) as pool:
        made = pool.submit(create_role, admin.with_token(admin.token), name)
        while not hits(admin, "create_role"):
            assert not made.done()
        seen_early = eventually(lambda: roles_named(admin, name) == 1, begun + 0.4)
        assert seen_early is late
        assert made.result() == 201
    assert time.monotonic() - begun >= 0.5
    assert roles_named(admin, name) == 1


def test_faults_are_shown_and_lifted(anybody: Client, arm: Arm) -> None:
    id = arm(service="nova", path="^/compute/none", status=500, headers={"Retry-After": "1"})
    shown = {fault["id"]: fault for fault in anybody.get("/devcloud/faults").body["faults"]}
    assert shown[id]["service"] == "compute"
    assert shown[id]["headers"] == {"Retry-After": "1"}
    assert anybody.call("DELETE", f"/devcloud/faults/{id}").status == 204
    assert anybody.call("DELETE", f"/devcloud/faults/{id}").status == 404
