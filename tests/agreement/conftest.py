"""The served installation of the end-to-end tests, for the embedded cloud in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import clouds_yaml, served, tenants

__all__ = ["clouds_yaml", "served", "tenants"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let openstacksdk warn of itself: it calls its own functions that are to be removed."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            for each in ("RemovedInSDK50Warning", "RemovedInSDK60Warning"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore::openstack.warnings.{each}"))
