"""A running development cloud, and clients of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import openstack
import pytest
from openstack.warnings import RemovedInSDK60Warning

from stoker.devcloud.cloud import Options
from stoker.devcloud.server import Server
from tests.devcloud.client import Client

Connect = Callable[..., Any]  # openstacksdk types its answers as unions over API versions


def connected(**options: Any) -> Any:
    """Return openstacksdk's connection, without a word from files or the environment."""
    with warnings.catch_warnings():
        # It warns of its own default settings for InfluxDB.
        warnings.simplefilter("ignore", RemovedInSDK60Warning)
        return openstack.connect(
            region_name="RegionOne", load_yaml_config=False, load_envvars=False, **options
        )


@pytest.fixture(scope="session")
def cloud() -> Iterator[Server]:
    """Return a cloud that all tests share: each makes things of its own names."""
    with Server(Options(port=0, latency=0.05)) as server:
        yield server


@pytest.fixture(scope="session")
def anybody(cloud: Server) -> Iterator[Client]:
    """Return a client without a token."""
    client = Client(cloud.url)
    yield client
    client.close()


@pytest.fixture
def demo(anybody: Client) -> Client:
    """Return the user demo's client, in the project demo."""
    return anybody.user("demo")


@pytest.fixture
def admin(anybody: Client) -> Client:
    """Return the user admin's client, in the project admin."""
    return anybody.user("admin")


@pytest.fixture
def connect(cloud: Server) -> Iterator[Connect]:
    """Return a function that gives openstacksdk connections: ``connect("demo")``."""
    with ExitStack() as stack:

        def connection(user: str, project: str = "", **options: Any) -> Any:
            made = connected(
                auth_url=cloud.auth_url,
                username=user,
                password="secret",
                project_name=project or user,
                user_domain_id="default",
                project_domain_id="default",
                **options,
            )
            stack.callback(made.close)
            return made

        yield connection
