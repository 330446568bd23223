from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stoker.clouds.constraints import CHECKS, FINDERS, CloudConstraints
from stoker.clouds.listed import KINDS
from stoker.errors import CloudError
from stoker.sdk.cloud import Lookup
from tests.clouds.wire import wired


def missing(lookups: list[Lookup], answers: Any) -> tuple[dict[Lookup, str], int]:
    cloud, wire = wired(answers)
    return CloudConstraints(cloud).missing(lookups), len(wire.sent)


def networks(_method: str, path: str, _request: Any) -> Any:
    names = ("net-a", "net-b")
    found = [{"id": f"id of {n}", "name": n} for n in names if f"name={n}" in path]
    return 200, {"networks": found}


def test_many_names_are_looked_up_at_once_and_each_once() -> None:
    lookups = [Lookup("neutron.network", "net-a", ("a", i)) for i in range(50)]
    found, calls = missing([*lookups, Lookup("neutron.network", "net-b")], networks)
    assert found == {}
    assert calls == 1


def test_what_is_missing_is_told_for_every_place() -> None:
    lookups = [Lookup("neutron.network", "none", ("a",)), Lookup("neutron.network", "none", ("b",))]
    found, _ = missing(lookups, networks)
    assert found == dict.fromkeys(lookups, "The network (none) could not be found.")


@pytest.mark.parametrize(
    ("constraint", "value", "wrong"),
    [
        ("timezone", "Europe/Rome", False),
        ("timezone", "Europe/Atlantis", True),
        ("expiration", "2099-01-01T00:00:00Z", False),
        ("expiration", "2001-01-01T00:00:00Z", True),
        ("expiration", "soon", True),
        ("ip_addr", "10.0.0.1", False),
        ("ip_addr", "10.0.0", True),
        ("zaqar.queue", "q" * 64, False),
        ("zaqar.queue", "", True),
        ("nova.network", "anything", False),
        ("no.such", "x", True),
    ],
)
def test_some_need_no_cloud(
    constraint: str,
    value: str,
    wrong: bool,  # noqa: FBT001 - a row of the table
) -> None:
    found, calls = missing([Lookup(constraint, value)], lambda *_: pytest.fail("a call"))
    assert (bool(found), calls) == (wrong, 0)


def test_what_may_not_be_looked_up_is_told_so() -> None:
    lookup = Lookup("keystone.user", "bob")
    found, _ = missing([lookup], lambda *_: (403, {"error": {"message": "not you"}}))
    assert "not you" in found[lookup]


def test_oneself_may_be_looked_up_without_a_call() -> None:
    id = Lookup("keystone.project", "p-id")
    found, _ = missing([id], lambda *_: (200, {"projects": []}))
    assert found == {}


def test_a_service_that_is_away_is_no_answer() -> None:
    with pytest.raises(CloudError):
        missing([Lookup("neutron.network", "x")], lambda *_: (503, "away"))


def test_an_extension_that_the_service_lacks_is_told_so() -> None:
    lookup = Lookup("neutron.qos_policy", "gold")
    answer = (404, {"NeutronError": {"type": "HTTPNotFound", "message": "no such path"}})
    found, _ = missing([lookup], lambda *_: answer)
    assert "no such path" in found[lookup]


ROWS = {
    "/load-balancer/v2.0/lbaas/loadbalancers": {"loadbalancers": [{"id": "l1", "name": "lb"}]},
    "/load-balancer/v2.0/lbaas/loadbalancers/l1": {"id": "l1", "name": "lb"},
    "/load-balancer/v2.0/lbaas/availabilityzones": {"availability_zones": [{"name": "az"}]},
    "/load-balancer/v2.0/lbaas/availabilityzones/az": {"name": "az"},
    "/networking/v2.0/service-providers": {"service_providers": [{"name": "octavia"}]},
    "/networking/v2.0/sfc/port_pairs": {"port_pairs": [{"id": "i", "name": "n"}] * 2},
    "/baremetal/v1/nodes": {"nodes": [{"uuid": "u1", "name": "metal"}]},
    "/baremetal/v1/nodes/u1": {"uuid": "u1", "name": "metal"},
    "/baremetal/v1/nodes/metal": {"uuid": "u1", "name": "metal"},
    "/key-manager/v1/secrets/s1": {"name": "secret"},
    "/reservation/v1/leases": {"leases": [{"id": "l", "reservations": [{"id": "r1"}]}]},
    "/compute/v2.1/os-hypervisors": {"hypervisors": [{"hypervisor_hostname": "h1"}]},
}


def rows(_method: str, path: str, _request: Any) -> Any:
    found = ROWS.get(path.partition("?")[0])
    return (200, found) if found is not None else (404, {"message": "none"})


@pytest.mark.parametrize(
    ("constraint", "there", "absent"),
    [
        ("octavia.loadbalancer", ("lb", "l1"), ("az", "l2")),
        ("octavia.availabilityzone", ("az",), ("lb",)),
        ("neutron.lbaas.provider", ("octavia",), ("haproxy",)),
        ("neutron.port_pair", (), ("n", "x")),  # two have the name
        ("ironic.node", ("u1", "metal"), ("wood",)),
        ("barbican.secret", ("s1", "http://keys/v1/secrets/s1"), ("s2", "secret")),
        ("blazar.reservation", ("r1",), ("l",)),
        ("nova.host", ("h1",), ("h",)),
    ],
)
def test_what_only_constraints_ask_for_is_found_by_id_and_by_name(
    constraint: str, there: tuple[str, ...], absent: tuple[str, ...]
) -> None:
    lookups = {value: Lookup(constraint, value) for value in (*there, *absent)}
    together, _ = missing(list(lookups.values()), rows)
    one_by_one = [missing([each], rows)[0] for each in lookups.values()]
    assert set(together) == {lookups[value] for value in absent}
    assert {each for found in one_by_one for each in found} == set(together)


def test_many_of_a_service_that_is_only_looked_into_take_one_list() -> None:
    lookups = [Lookup("octavia.loadbalancer", name) for name in ("lb", "l1")]
    assert missing(lookups, rows) == ({}, 1)


def test_a_service_that_the_catalog_lacks_is_told() -> None:
    lookup = Lookup("trove.flavor", "small")
    found, calls = missing([lookup], lambda *_: pytest.fail("a call"))
    assert "no endpoint for database" in found[lookup]
    assert calls == 0


def test_every_constraint_of_heat_is_known(shared: Path) -> None:
    names = set(json.loads((shared / "facts" / "api" / "constraints.json").read_text()))
    assert names == {*FINDERS, *KINDS, *CHECKS}
