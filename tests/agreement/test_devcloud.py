"""The embedded cloud answers as real services do: the same scenarios, the same values."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.agreement.runner import Cloud, differences
from tests.agreement.scenarios import ALL
from tests.agreement.site import cloud_of
from tests.agreement.step import Scenario
from tests.e2e.tenant import Tenant

SECONDS, LOOK = 10.0, 0.02


@pytest.fixture(scope="module")
def tenant(tenants: Callable[[str], Tenant]) -> Tenant:
    """Return the project that the scenarios run in."""
    return tenants("agreement")


@pytest.fixture(scope="module")
def cloud(tenant: Tenant, tenants: Callable[[str], Tenant]) -> Cloud:
    """Return the embedded cloud of a ``stoker serve``."""
    return cloud_of(tenant.conn, tenant.admin, tenants("strangers").conn, SECONDS, LOOK)


@pytest.mark.parametrize("scenario", ALL, ids=lambda each: each.name.replace(" ", "-"))
def test_the_embedded_cloud_answers_like_real_services(
    cloud: Cloud, tenant: Tenant, scenario: Scenario
) -> None:
    before = tenant.objects()
    told = differences(cloud, scenario)
    assert not told, "\n".join(told)
    assert tenant.objects() == before
