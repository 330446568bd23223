"""A project of one's own with a network to boot servers on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from tests.devcloud.client import Client
from tests.devcloud.neutron.tenant import new_tenant
from tests.devcloud.nova.compute import Compute

_NUMBERS = itertools.count(1)


@pytest.fixture
def compute(anybody: Client, admin: Client) -> Compute:
    """Return a user of a new project with one network."""
    tenant = new_tenant(anybody, admin, f"compute-{next(_NUMBERS)}")
    network, _ = tenant.network()
    image = anybody.user("demo").get("/image/v2/images?name=ubuntu-24.04").body["images"][0]
    return Compute(tenant, network["id"], image["id"])


@pytest.fixture
def unhurried(anybody: Client) -> Iterator[None]:
    """Let operations take long enough to be seen under way, also on a busy machine."""
    names = ("boot", "delete", "stop", "start", "pause", "suspend", "resize", "reboot")

    def take(seconds: float) -> None:
        latency = {"compute": dict.fromkeys(names, seconds)}
        assert anybody.call("PUT", "/devcloud/latency", latency).status == 200

    take(1.0)
    yield
    take(0.05)
