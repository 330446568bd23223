"""Projects of one's own to keep volumes in, and a clock that can be held."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest

from tests.devcloud.cinder.block import Block
from tests.devcloud.client import Client
from tests.devcloud.neutron.tenant import new_tenant
from tests.devcloud.nova.compute import Compute

_NUMBERS = itertools.count(1)
_SECONDS = 0.05


def _block(anybody: Client, admin: Client) -> Block:
    tenant = new_tenant(anybody, admin, f"block-{next(_NUMBERS)}")
    return Block(tenant.client, tenant.project_id)


@pytest.fixture
def block(anybody: Client, admin: Client) -> Block:
    """Return a user of a new project."""
    return _block(anybody, admin)


@pytest.fixture
def other(anybody: Client, admin: Client) -> Block:
    """Return a user of another new project."""
    return _block(anybody, admin)


@pytest.fixture
def chief(admin: Client) -> Block:
    """Return the administrator."""
    return Block(admin, admin.me()["project"]["id"])


@pytest.fixture
def machines(anybody: Client, admin: Client) -> Compute:
    """Return a user of a new project with one network, who boots servers there."""
    tenant = new_tenant(anybody, admin, f"machines-{next(_NUMBERS)}")
    network, _ = tenant.network()
    image = anybody.user("demo").get("/image/v2/images?name=ubuntu-24.04").body["images"][0]
    return Compute(tenant, network["id"], image["id"])


@pytest.fixture
def hold(anybody: Client) -> Iterator[Callable[[str], None]]:
    """Return a function that makes an operation take for ever, until the test's end."""
    held: list[str] = []

    def put(operation: str, seconds: float) -> None:
        latency = {"volume": {operation: seconds}}
        assert anybody.call("PUT", "/devcloud/latency", latency).status == 200

    def hold_it(operation: str) -> None:
        held.append(operation)
        put(operation, 3600)

    yield hold_it
    for operation in held:
        put(operation, _SECONDS)
