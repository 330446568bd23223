"""The operator's programs on the databases and the broker that several machines need.

One database in the short form; ``STOKER_LONG=1`` takes both.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.app.operating import Site
from tests.app.serving import TEMPLATE
from tests.databases.server import Servers, why_not
from tests.rpc.broker import Broker, running

STACK = """
heat_template_version: 2018-08-31
resources:
  net: {type: OS::Neutron::Net}
  subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.1.0.0/24}}
  wait: {type: OS::Heat::TestResource, properties: {wait_secs: 1, value: {get_attr: [net, name]}}}
"""

LONG = os.environ.get("STOKER_LONG") == "1"
needs_time = pytest.mark.skipif(not LONG, reason="the long form; STOKER_LONG=1 runs it")
long = (pytest.mark.long, needs_time)


@pytest.fixture
def broker() -> Iterator[Broker]:
    with running() as found:
        yield found


@pytest.mark.parametrize("kind", ["postgresql", pytest.param("mariadb", marks=long)])
def test_a_stack_lives_through_the_death_of_an_engine(
    servers: Servers, tmp_path: Path, kind: str
) -> None:
    reason = why_not(kind)
    if reason is not None:
        pytest.skip(reason)
    with closing(Site(tmp_path, servers.one(kind).database())) as site:
        assert site.manage("db_sync").returncode == 0
        site.api()
        first, _ = site.engines(2)
        id = site.endpoint.create("web", STACK, {})
        first.kill_all()
        assert site.ended("web", id) == "CREATE_COMPLETE"
        site.endpoint.delete("web", id)
        assert site.ended("web", id) == "DELETE_COMPLETE"
        assert site.engine().stop() == 0
        assert "Traceback" not in site.log


def test_with_a_broker_a_request_is_taken_up_before_the_next_look(
    tmp_path: Path, broker: Broker
) -> None:
    never = {"OS_STOKER__LOOK_SECONDS": "600", "OS_DEFAULT__TRANSPORT_URL": broker.url}
    with closing(Site(tmp_path, more=never)) as site:
        assert site.manage("db", "sync").returncode == 0
        site.engine()
        site.api()
        until = time.monotonic() + 60
        names = iter(range(100))
        # The first rings may come before the engine has joined the broker's queue.
        while not _is_worked_on(site, f"s{next(names)}"):
            assert time.monotonic() < until
        assert site.engine().stop() == 0


def _is_worked_on(site: Site, name: str) -> bool:
    """Tell whether a new stack is complete within two seconds."""
    id = site.endpoint.create(name, TEMPLATE, {})  # which nothing holds up
    until = time.monotonic() + 2
    while time.monotonic() < until:
        if site.endpoint.stack(name, id)["stack_status"] == "CREATE_COMPLETE":
            return True
        time.sleep(0.05)
    return False
