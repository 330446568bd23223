"""``stoker-api-cfn`` as a process of its own, over the database or asking an engine by RPC."""

from __future__ import annotations

import signal
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.app.cloudformation import check_life, client
from tests.app.operating import Site

if TYPE_CHECKING:
    from tests.rpc.broker import Broker

pytestmark = [
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks into /proc"),
    *(
        pytest.mark.filterwarnings(f"ignore::openstack.warnings.{each}")
        for each in ("RemovedInSDK50Warning", "RemovedInSDK60Warning")
    ),
]


def test_it_serves_beside_an_engine_and_ends_at_a_signal(tmp_path: Path) -> None:
    with closing(Site(tmp_path)) as site:
        assert site.manage("db", "sync").returncode == 0
        site.engine()
        service = site.cfn()
        check_life(client(site))
        assert service.stop(signal.SIGTERM) == 0


def test_it_asks_an_engine_by_rpc_where_it_is_told_to(tmp_path: Path, broker: Broker) -> None:
    more = {"OS_STOKER__BEARER": "rpc", "OS_DEFAULT__TRANSPORT_URL": broker.url}
    with closing(Site(tmp_path, more=more)) as site:
        assert site.manage("db", "sync").returncode == 0
        site.engine()
        site.cfn()
        check_life(client(site))
