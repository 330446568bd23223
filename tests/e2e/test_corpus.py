"""Real templates, created, updated and deleted; the files resolved as heatclient does.

The cases run at the same time, each in a project that no other uses meanwhile, before the first
test; a test tells what has become of its own. The short form leaves out what is slow; with
STOKER_LONG=1 all of them are deployed.
"""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, cast

import pytest

from tests.app.serving import eventually
from tests.e2e.corpus import CASES, REAL, label
from tests.e2e.corpus_case import KEY, NETWORK, Named
from tests.e2e.corpus_driver import Driver
from tests.e2e.corpus_lane import OF_AN_ADMINISTRATOR, Lane, only_reads
from tests.e2e.rest import Rest
from tests.e2e.tenant import controls

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from pathlib import Path

    from tests.e2e.corpus_case import Case
    from tests.e2e.tenant import Tenant

LANES = 6
STOCK = (
    NETWORK,
    Named("router", NETWORK.name),
    Named("port", "a-port"),
    KEY,
    Named("image", "an-image"),
    Named("security_group", "a-group"),
    Named("floating_ip", "public"),
    Named("volume", "a-volume"),
    Named("server", "a-server"),
    Named("server_group", "a-group"),
)
"""One of each thing that a case can need."""
CHOSEN = [case for case in CASES if os.environ.get("STOKER_LONG") or not case.long]
_TEST = "test_a_real_template_is_created_updated_and_deleted"


@pytest.fixture(scope="module")
def lanes(tenants: Callable[[str], Tenant]) -> list[Lane]:
    """Return projects in a cloud that has the flavors which templates take for granted."""
    made = [Lane(tenants(f"corpus-{number}")) for number in range(LANES)]
    for flavor in sorted({each for case in CHOSEN for each in case.flavors}):
        made[0].tenant.admin.compute.create_flavor(name=flavor, ram=512, vcpus=1, disk=1)
    return made


@pytest.fixture(scope="module")
def admins(lanes: list[Lane], clouds_yaml: Path) -> Lane:
    """Return the administrator's project."""
    rest, tenant = Rest(clouds_yaml, "admin"), lanes[0].tenant
    own = replace(tenant, rest=rest, conn=tenant.admin, project=rest.project, project_name="admin")
    return Lane(own, OF_AN_ADMINISTRATOR)


@pytest.fixture(scope="module")
def runs(
    lanes: list[Lane], admins: Lane, shared: Path, request: pytest.FixtureRequest
) -> dict[str, Future[None]]:
    """Return, by label, what each of the tests' cases has come to.

    None runs on beside the tests: pytest changes the environment between them, and what reads
    it in other threads meanwhile fails.
    """
    anybodys: SimpleQueue[Lane] = SimpleQueue()
    for lane in lanes:
        anybodys.put(lane)
    only: SimpleQueue[Lane] = SimpleQueue()
    only.put(admins)

    def run(case: Case, number: int) -> None:
        free = only if case.admin else anybodys
        lane = free.get()
        try:
            folder = shared / "corpus" / "templates"
            Driver(lane.tenant.rest, lane, folder).run(case, f"corpus-{number}")
        finally:
            free.put(lane)

    with ThreadPoolExecutor(LANES) as pool:
        return {label(case): pool.submit(run, case, n) for n, case in enumerate(_wanted(request))}


def _wanted(request: pytest.FixtureRequest) -> list[Case]:
    """Return the cases of those tests that were asked for."""
    return [
        cast("Case", item.callspec.params["case"])
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.originalname == _TEST
    ]


@pytest.mark.parametrize("case", CHOSEN, ids=label)
def test_a_real_template_is_created_updated_and_deleted(
    runs: dict[str, Future[None]], case: Case
) -> None:
    runs[label(case)].result()


def test_of_the_stacks_that_are_gone_no_trust_is_left(
    runs: dict[str, Future[None]], lanes: list[Lane], admins: Lane
) -> None:
    assert all(each.done() for each in runs.values())
    for lane in (*lanes, admins):
        query = f"objects?project={lane.tenant.project}&kind=identity.trust"
        eventually(lambda q=query, t=lane.tenant: controls(t.controls, q)["objects"] == [])


def test_there_are_cases_enough() -> None:
    templates = {case.path for case in CASES}
    mapped = {case.path for case in CASES if case.as_nothing}
    assert len(templates) >= 60
    assert len(mapped) <= len(templates) / 3
    assert len({case.path for case in REAL}) >= 30
    assert [name for name, count in Counter(map(label, CASES)).items() if count > 1] == []


def test_cases_for_a_real_cloud_need_no_administrator() -> None:
    assert [case.path for case in REAL if case.flavors] == []


def test_what_a_case_needs_is_made_and_taken_away(lanes: list[Lane]) -> None:
    lane = lanes[0]
    before = lane.objects()
    with lane.given(STOCK) as ids:
        assert set(ids.values()) <= {id for _, id in lane.objects() - before}
    assert lane.objects() == before


@pytest.mark.parametrize(
    ("method", "path", "reads"),
    [
        ("GET", "/networking/v2.0/ports?network_id=n", True),
        ("HEAD", "/volume/v3/", True),
        ("POST", "/identity/v3/auth/tokens", True),
        ("DELETE", "/identity/v3/OS-TRUST/trusts/t", True),
        ("POST", "/identity/v3/OS-TRUST/trusts", False),
        ("DELETE", "/identity/v3/auth/tokens", False),
        ("PUT", "/networking/v2.0/ports/p", False),
        ("POST", "/compute/v2.1/servers/s/action", False),
    ],
)
def test_a_log_in_is_a_read_and_a_new_trust_is_not(method: str, path: str, *, reads: bool) -> None:
    assert only_reads(method, path) is reads
