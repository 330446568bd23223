"""The operator's programs on the databases and the broker that several machines need.

One database in the short form; ``STOKER_LONG=1`` takes both.
"""

from __future__ import annotations

import os
import time
from contextlib import closing
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
import sqlalchemy as sa

from stoker.store import tables as t
from tests.app.operating import Site
from tests.app.serving import TEMPLATE, eventually
from tests.databases.server import Servers, why_not
from tests.kill.rest import exchange
from tests.rpc.broker import Broker

STACK = """
heat_template_version: 2018-08-31
resources:
  net: {type: OS::Neutron::Net}
  subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.1.0.0/24}}
  wait: {type: OS::Heat::TestResource, properties: {wait_secs: 1, value: {get_attr: [net, name]}}}
"""

HEARD = "wake-ups are heard"
LONG = os.environ.get("STOKER_LONG") == "1"
needs_time = pytest.mark.skipif(not LONG, reason="the long form; STOKER_LONG=1 runs it")
long = (pytest.mark.long, needs_time)


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


CHAINS, LINKS = 4, 20
CHAIN = "heat_template_version: 2018-08-31\nresources:\n" + "".join(
    f"  net{i}: {{type: OS::Neutron::Net{f', depends_on: net{i - 1}' if i else ''}}}\n"
    for i in range(LINKS)
)


def test_a_plain_restart_holds_nothing_up_for_two_seconds(
    servers: Servers, tmp_path: Path, broker: Broker
) -> None:
    """Nobody looks by himself here: what is handed back is heard of."""
    reason = why_not("postgresql")
    if reason is not None:
        pytest.skip(reason)
    url = servers.one("postgresql").database()
    never = {"OS_STOKER__LOOK_SECONDS": "600", "OS_DEFAULT__TRANSPORT_URL": broker.url}
    with closing(Site(tmp_path, url, never)) as site:
        assert site.manage("db", "sync").returncode == 0
        site.api()
        site.engines(3)
        eventually(lambda: site.log.count(HEARD) == 3)
        slow(site, 0.2)
        names = [f"chain{i}" for i in range(CHAINS)]
        ids = {name: site.endpoint.create(name, CHAIN, {}) for name in names}
        for again in (4, 5) if LONG else (4,):
            first, *_ = site.engines(3)
            eventually(lambda: min(progress(url).values()) >= LINKS // 10)
            assert first.stop() == 0
            site.engines(3)
            eventually(lambda again=again: site.log.count(HEARD) == again)
        assert [site.ended(*each) for each in ids.items()] == ["CREATE_COMPLETE"] * CHAINS
        assert longest_gap(url) < 2.0


def slow(site: Site, seconds: float) -> None:
    """Have each change of the network's take so long."""
    cloud = site.auth_url.removesuffix("/identity/v3")
    fault = {"service": "network", "method": "POST", "delay": seconds}
    exchange("POST", f"{cloud}/devcloud/faults", fault, {})


def moments(url: str) -> dict[str, list[datetime]]:
    """Return when something of a resource was told, stack by stack."""
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        rows = connection.execute(
            sa.select(t.event.c.stack_id, t.event.c.created_at)
            .where(t.event.c.resource_type == "OS::Neutron::Net")
            .order_by(t.event.c.id)
        ).all()
    engine.dispose()
    return {id: [at for other, at in rows if other == id] for id, _ in rows}


def progress(url: str) -> dict[str, int]:
    """Return how many events each stack has."""
    return {id: len(every) for id, every in moments(url).items()} or {"": 0}


def longest_gap(url: str) -> float:
    """Return the longest time, in seconds, in which nothing was told of a stack."""
    return max(
        (after - before).total_seconds()
        for every in moments(url).values()
        for before, after in pairwise(sorted(every))
    )


def _is_worked_on(site: Site, name: str) -> bool:
    """Tell whether a new stack is complete within two seconds."""
    id = site.endpoint.create(name, TEMPLATE, {})  # which nothing holds up
    until = time.monotonic() + 2
    while time.monotonic() < until:
        if site.endpoint.stack(name, id)["stack_status"] == "CREATE_COMPLETE":
            return True
        time.sleep(0.05)
    return False
