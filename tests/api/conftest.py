"""The API on use cases that only remember."""

from __future__ import annotations

import warnings
from dataclasses import replace

import pytest

from stoker.api.policy import Policy
from stoker.api.settings import Settings
from stoker.api.v1 import RULES, application

with warnings.catch_warnings():
    # WebOb, which keystonemiddleware stands on, imports what Python 3.13 has taken away.
    warnings.filterwarnings("ignore", "'cgi' is deprecated", DeprecationWarning)
    import webob  # type: ignore[import-untyped]  # noqa: F401
from tests.api.fake import Client, FakeCatalog, FakeSoftware, FakeStacks


@pytest.fixture(scope="session")
def policy() -> Policy:
    return Policy(RULES)


@pytest.fixture
def stacks() -> FakeStacks:
    return FakeStacks()


@pytest.fixture
def catalog() -> FakeCatalog:
    return FakeCatalog()


@pytest.fixture
def software() -> FakeSoftware:
    return FakeSoftware()


@pytest.fixture
def call(
    stacks: FakeStacks, catalog: FakeCatalog, software: FakeSoftware, policy: Policy
) -> Client:
    """Return a client of a user who may read and change."""
    settings = Settings(max_template_size=2000)
    return Client(application(stacks, catalog, software, policy, settings))


@pytest.fixture
def admin(call: Client) -> Client:
    return replace(call, roles="admin,member,reader")
