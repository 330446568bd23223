"""A project of one's own, so that lists and quotas are the test's alone."""

from __future__ import annotations

import itertools

import pytest

from tests.devcloud.client import Client
from tests.devcloud.neutron.tenant import Tenant, new_tenant

_NUMBERS = itertools.count(1)


@pytest.fixture
def tenant(anybody: Client, admin: Client) -> Tenant:
    """Return a user of a new project."""
    return new_tenant(anybody, admin, f"network-{next(_NUMBERS)}")


@pytest.fixture
def other(anybody: Client, admin: Client) -> Tenant:
    """Return a user of another new project."""
    return new_tenant(anybody, admin, f"network-{next(_NUMBERS)}")


@pytest.fixture
def chief(admin: Client) -> Tenant:
    """Return the administrator."""
    return Tenant(admin, admin.me()["project"]["id"])
