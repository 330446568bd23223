"""Quotas."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stoker.devcloud import quota
from stoker.devcloud.state import State

quota.defaults("test", {"box": 2, "bag": -1})


@pytest.fixture
def state() -> Iterator[State]:
    state = State(":memory:")
    with state.transaction():
        yield state
    state.close()


def test_what_goes_over_is_named(state: State) -> None:
    wanted = {"box": (2, 1), "bag": (10**6, 1), "unknown": (1, 1)}
    assert quota.exceeded(state, "test", "p", wanted) == ["box"]
    assert quota.exceeded(state, "test", "p", {"box": (1, 1)}) == []


def test_a_projects_own_limits_stand_before_the_defaults_until_reset(state: State) -> None:
    assert quota.put(state, "test", "p", {"box": 5}) == {"box": 5, "bag": -1}
    assert quota.limits(state, "test", "q") == {"box": 2, "bag": -1}
    quota.reset(state, "test", "p")
    assert quota.limits(state, "test", "p") == {"box": 2, "bag": -1}


def test_refusals_are_the_services_own() -> None:
    network = quota.over_network_quota(["port"])
    assert (network.status, network.type) == (409, "OverQuota")
    assert network.message == "Quota exceeded for resources: ['port']."
    compute = quota.over_compute_quota("instances", 1, 10, 10)
    assert compute.status == 403
    assert "already used 10 of 10 instances" in compute.message
