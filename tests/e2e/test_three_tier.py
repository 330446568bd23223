"""The example with three tiers, from create to delete, on a cloud that takes its time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.e2e import three_tier
from tests.e2e.tenant import controls

if TYPE_CHECKING:
    from tests.e2e.tenant import Tenant

_SLOW = 0.8
"""Seconds that the cloud takes for what begins together, so that no order is luck."""
_CREATES = r"/(networks|routers|security-groups|volumes)$"


@pytest.fixture
def tenant(tenants: Callable[[str], Tenant]) -> Tenant:
    return tenants("three-tier")


@pytest.fixture
def slow(tenant: Tenant) -> Iterator[None]:
    """Delay the creates of what needs nothing, and the updates."""
    url = tenant.controls
    faults = [
        {"method": "POST", "path": _CREATES, "delay": _SLOW},
        {"method": "POST", "path": "/action$", "delay": _SLOW},
        {"method": "DELETE", "delay": _SLOW / 2},
    ]
    ids = [controls(url, "faults", fault)["id"] for fault in faults]
    yield
    for each in ids:
        controls(url, f"faults/{each}", method="DELETE")


@pytest.mark.usefixtures("slow")
def test_the_three_tiers_come_change_and_go_in_order_and_nothing_is_left(
    tenant: Tenant, name: str
) -> None:
    before, seen = tenant.objects(), three_tier.objects(tenant.conn)
    stack = three_tier.create(tenant.rest, name)
    three_tier.check_in_the_cloud(tenant.conn, stack, 1, "m1.nano")
    three_tier.update(stack, 3, "m1.tiny")
    three_tier.check_in_the_cloud(tenant.conn, stack, 3, "m1.tiny")
    three_tier.delete(stack)
    assert three_tier.objects(tenant.conn) == seen
    assert tenant.objects() == before
