"""Resources that only compute: a chain of them ends in few transactions, and none waits for one."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine import following
from stoker.lang.functions.yaql import run_yaql_with
from stoker.resources.heat.value import Value
from stoker.resources.index import Index
from stoker.sdk.resource import At, Done, Resource, Step
from tests.engine.house import House
from tests.engine.shelf import Mere, Things

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from stoker.sdk.cloud import Cloud
    from stoker.store.database import Database

LINKS = 12


class Sum(Mere):
    """Only computes; ``spoilt`` has an error for each time that it is asked."""

    type_name = "T::Sum"
    computes = True
    spoilt: list[Exception] = []  # noqa: RUF012 - the test's

    def create(self, at: At[Any], cloud: Cloud) -> Step:
        if self.spoilt and at.logical_name == "v5":
            raise self.spoilt.pop()
        return Done(id=at.name)


class Kinds(Things):
    """The index of these types as well."""

    _more: dict[str, Resource[Any]] = {  # noqa: RUF012 - as its base
        each.type_name: each for each in (Sum(), Value())
    }

    def get(self, type_name: str) -> Resource[Any] | None:
        return self._more.get(type_name) or super().get(type_name)


class Site(House):
    """Has an engine of its own, and tells how often it has committed the end of something."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, types=Kinds())

    def chain(self, type_: str, properties: Mapping[str, Any] | None = None) -> str:
        """Create a chain, and return how that ended."""
        resources: dict[str, Any] = {"v0": {"type": type_}}
        for i in range(1, LINKS):
            needs = {"depends_on": [f"v{i - 1}"], "properties": dict(properties or {})}
            resources[f"v{i}"] = {"type": type_, **needs}
        ref = self.create(**resources)
        self.engine.start()
        return self.ended(ref)

    def commits(self) -> int:
        """Return in how many transactions the links were written last."""
        return len({row.updated_at for row in self.rows().values()})


@pytest.fixture
def site(database: Database) -> Iterator[Site]:
    site = Site(database)
    yield site
    site.engine.stop()


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "SECONDS", 60.0)
    monkeypatch.setattr(Sum, "spoilt", [])


def test_the_types_that_only_compute_are_these() -> None:
    index = Index()
    kinds = {name: index.get(name) for name in index.names()}
    computing = {name for name, kind in kinds.items() if kind is not None and kind.computes}
    own = ("CloudConfig", "MultipartMime", "None", "RandomString", "SoftwareConfig", "Value")
    assert computing == {f"OS::Heat::{name}" for name in own}


def test_a_chain_of_what_only_computes_ends_in_one_transaction(site: Site) -> None:
    assert site.chain("T::Sum") == "CREATE_COMPLETE"
    assert site.commits() == 1


def test_a_link_that_is_not_known_to_compute_has_a_transaction_of_its_own(site: Site) -> None:
    assert site.chain("T::Mere") == "CREATE_COMPLETE"
    assert site.commits() == LINKS


def test_when_the_time_is_over_the_rest_is_left_to_claims(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "SECONDS", -1.0)
    assert site.chain("T::Sum") == "CREATE_COMPLETE"
    assert site.commits() == LINKS


def test_an_expression_that_may_take_long_is_left_to_a_claim(
    database: Database, slow: Callable[[], int]
) -> None:
    site = Site(database)
    last = {"get_attr": ["a", "value"]}
    late = {"yaql": {"expression": "$.data", "data": last}}
    values = {"a": "1", "b": late, "c": last, "d": {"get_attr": ["b", "value"]}}
    resources = {
        name: {"type": "OS::Heat::Value", "properties": {"value": value}}
        for name, value in values.items()
    }
    ref = site.create(**resources)
    site.engine.start()
    assert site.ended(ref) == "CREATE_COMPLETE"
    moments = {name: row.updated_at for name, row in site.rows().items()}
    site.engine.stop()
    assert (moments["a"], moments["b"]) == (moments["c"], moments["d"]) != moments["c"]
    assert slow() == 1


@pytest.fixture
def slow() -> Iterator[Callable[[], int]]:
    """Run yaql by what gives its data back; gives how often it has."""
    asked: list[str] = []

    class Slow:
        def check(self, expression: str) -> None:
            """Take every expression."""

        def run(self, expression: str, data: Any) -> Any:
            asked.append(expression)
            return data

    before = run_yaql_with(Slow())
    yield lambda: len(asked)
    run_yaql_with(before)


def test_a_fault_of_a_type_is_told_by_the_step_of_a_claim(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    Sum.spoilt.extend([RuntimeError("first"), RuntimeError("second")])
    assert site.chain("T::Sum") == "CREATE_FAILED"
    assert "Bug: resources.v5" in site.rows()["v5"].status_reason
    told = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert len(told) == 1
    assert "RuntimeError: first" in told[0]


def test_a_step_that_succeeds_the_second_time_has_failed_nobody(site: Site) -> None:
    Sum.spoilt.append(RuntimeError("once"))
    assert site.chain("T::Sum") == "CREATE_COMPLETE"
    assert site.commits() == 2
