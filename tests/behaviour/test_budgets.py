"""What is limited, and what is told beyond the limit (6.6 of the captured facts)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.engine import Engine
from stoker.engine.usecases.stacks import StackUseCases
from stoker.errors import LimitExceeded
from stoker.store import tables as t
from stoker.usecases.stacks import CreateStack, UpdateStack
from tests.behaviour.proof import Row, check, section
from tests.engine.house import SETTINGS, House, goal
from tests.engine.shelf import ANN, Things

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from stoker.store.database import Database

HERE = "behaviour/test_budgets.py"
ROWS = (
    Row(
        "max_template_size",
        (
            "api/v1/test_malformed.py::test_a_template_over_the_limit_is_refused",
            "test_fetch.py::test_more_than_the_limit_is_refused",
        ),
    ),
    Row("max_json_body_size", ("api/v1/test_malformed.py::test_a_huge_body_is_refused_unread",)),
    Row(
        "max_resources_per_stack",
        (
            f"{HERE}::test_a_template_of_more_resources_than_may_be_is_refused",
            f"{HERE}::test_the_resources_of_the_whole_tree_are_counted",
            f"{HERE}::test_a_child_that_grows_beyond_the_budget_fails",
            f"{HERE}::test_less_than_nothing_is_no_limit",
        ),
    ),
    Row(
        "max_stacks_per_tenant",
        (
            f"{HERE}::test_a_project_has_so_many_root_stacks_and_others_count_for_themselves",
            f"{HERE}::test_less_than_nothing_is_no_limit",
        ),
    ),
    Row("max_nested_stack_depth", (f"{HERE}::test_stacks_are_nested_so_deep_and_no_deeper",)),
    Row(
        "max_software_configs/deployments_per_tenant",
        ("engine/usecases/test_software.py::test_a_project_has_so_many_and_no_more",),
    ),
    Row(
        "max_snapshots_per_stack",
        ("engine/test_snapshots.py::test_a_stack_has_so_many_snapshots_and_no_more",),
    ),
    Row("max_events_per_stack", (f"{HERE}::test_the_newest_events_are_kept",)),
    Row("tags", ("api/v1/test_malformed.py::test_a_wrong_field_is_refused_by_name",)),
    Row("URL template size", ("test_fetch.py::test_more_than_the_limit_is_refused",)),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_shows_a_row_is_there(row: Row) -> None:
    check(row)


def test_no_limit_is_left_out(shared: Path) -> None:
    text = section(shared, "6.6")
    known = {*re.findall(r"\bmax_[a-z_/]+", text), "tags", "URL template size"}
    assert {row.name for row in ROWS} == known


@pytest.fixture
def limited(database: Database) -> Iterator[Callable[..., House]]:
    """Return what makes a house that has these limits."""
    engines: list[Engine] = []

    def made(**limits: Any) -> House:
        house, settings = House(database), replace(SETTINGS, **limits)
        keys: Any = house.keys
        house.engine = Engine(database, Things(), keys, settings)
        wake = house.engine.wake
        house.stacks = StackUseCases(database, Things(), keys, settings, wake)
        house.engine.start()
        engines.append(house.engine)
        return house

    yield made
    for each in engines:
        each.stop()


def nest(inner: dict[str, Any]) -> dict[str, Any]:
    return {"type": "T::Nest", "properties": {"inner": inner}}


def things(count: int) -> dict[str, Any]:
    return {f"m{i}": {"type": "T::Mere"} for i in range(count)}


def test_a_template_of_more_resources_than_may_be_is_refused(
    limited: Callable[..., House],
) -> None:
    house = limited(max_resources_per_stack=3)
    assert house.ended(house.create(**things(3))) == "CREATE_COMPLETE"
    with pytest.raises(LimitExceeded, match=r"maximum resources per stack, 3:.* would have 4"):
        house.stacks.create(ANN, CreateStack("more", goal(things(4))))


def test_the_resources_of_the_whole_tree_are_counted(limited: Callable[..., House]) -> None:
    house = limited(max_resources_per_stack=4)
    ref = house.create(n=nest(things(3)))
    assert house.ended(ref) == "CREATE_COMPLETE"
    for wanted in (goal({"n": nest(things(4))}), goal({"n": nest(things(3)), "a": "T::Mere"})):
        with pytest.raises(LimitExceeded, match=r"would have 5"):
            house.stacks.update(ANN, ref, UpdateStack(wanted))
    assert house.stack(ref).action == "CREATE"


def test_a_child_that_grows_beyond_the_budget_fails(limited: Callable[..., House]) -> None:
    """The limit was lowered since: what is there already stays, what is more fails."""
    house = limited()
    ref = house.create(n=nest(things(3)))
    assert house.ended(ref) == "CREATE_COMPLETE"
    house.engine.stop()
    house.stacks.update(ANN, ref, UpdateStack(goal({"n": nest(things(5))})))
    house = limited(max_resources_per_stack=4)
    assert house.ended(ref) == "UPDATE_FAILED"
    assert "maximum resources per stack, 4: with n it would have 6" in _reason(house, ref)


def _reason(house: House, ref: Any) -> str:
    return str(house.stack(ref).status_reason)


def test_less_than_nothing_is_no_limit(limited: Callable[..., House]) -> None:
    house = limited(max_resources_per_stack=-1, max_stacks_per_tenant=-1)
    house.stacks.create(ANN, CreateStack("one", goal(things(3))))
    ref = house.create(n=nest(things(2)))
    assert house.ended(ref) == "CREATE_COMPLETE"


def test_a_project_has_so_many_root_stacks_and_others_count_for_themselves(
    limited: Callable[..., House],
) -> None:
    house = limited(max_stacks_per_tenant=2)
    assert house.ended(house.create(n=nest(things(1)))) == "CREATE_COMPLETE"
    second = CreateStack("second", goal({}))
    house.stacks.create(ANN, second)
    with pytest.raises(LimitExceeded, match="maximum stacks per project, 2"):
        house.stacks.create(ANN, CreateStack("third", goal({})))
    house.stacks.create(replace(ANN, project_id="p2"), CreateStack("third", goal({})))
    house.stacks.create(replace(ANN, is_admin=True), CreateStack("third", goal({})))


def test_stacks_are_nested_so_deep_and_no_deeper(limited: Callable[..., House]) -> None:
    house = limited(max_nested_stack_depth=2)
    assert house.ended(house.create(a=nest({"b": nest(things(1))}))) == "CREATE_COMPLETE"
    deep = goal({"a": nest({"b": nest({"c": nest({})})})})
    with pytest.raises(LimitExceeded, match="Recursion depth exceeds 2"):
        house.stacks.create(ANN, CreateStack("deep", deep))


def test_the_newest_events_are_kept(limited: Callable[..., House]) -> None:
    house = limited(max_events_per_stack=5, audit_seconds=0.05)
    ref = house.create(**things(6))
    assert house.ended(ref) == "CREATE_COMPLETE"
    before, end = -1, 200
    while before != 5 and end:
        before, end = len(_events(house)), end - 1
        house.engine.wake()
    assert len(_events(house)) == 5
    assert _events(house)[-1] == "Stack CREATE completed successfully"


def _events(house: House) -> list[str]:
    with house.database.read() as connection:
        rows = connection.execute(t.event.select().order_by(t.event.c.id)).all()
    return [str(row.status_reason) for row in rows]
