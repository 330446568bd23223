from __future__ import annotations

from typing import Any

import pytest

from stoker.clouds.constraints import CloudConstraints
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
