"""How much an engine takes at once, and how it deals that out to its threads."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from stoker.engine.duties import Duties
from stoker.engine.settings import Settings
from stoker.store.work import Result
from stoker.usecases.stacks import CreateStack
from tests.engine.house import House, goal
from tests.engine.shelf import ANN, Keys, Shelf, Things

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stoker.store.claims import Claim
    from stoker.store.database import Database

SETTINGS = Settings(threads=2, batch=50)


@pytest.fixture
def duties(database: Database) -> Duties:
    keys: Any = Keys(Shelf())
    duties = Duties(database, Things(), keys, SETTINGS, lambda: None)
    duties.join()
    return duties


def claims(*implementations: str) -> Sequence[Any]:
    return [SimpleNamespace(row=SimpleNamespace(implementation=each)) for each in implementations]


def dealt(duties: Duties, of: Sequence[Claim]) -> list[list[str]]:
    return [[claim.row.implementation for claim in hand] for hand in duties.hands(of)]


def test_steps_that_call_a_cloud_go_to_a_thread_each(duties: Duties) -> None:
    assert dealt(duties, claims("T::Thing", "T::Thing")) == [["T::Thing"], ["T::Thing"]]


def test_steps_that_plan_a_child_or_are_of_an_unknown_type_go_to_a_thread_each(
    duties: Duties,
) -> None:
    assert dealt(duties, claims("T::Nest", "child.yaml")) == [["T::Nest"], ["child.yaml"]]


def test_steps_that_call_nobody_are_done_in_a_row_and_hold_up_none_that_does(
    duties: Duties,
) -> None:
    hands = dealt(duties, claims(*["T::Mere"] * 40, "T::Thing"))
    assert [len(hand) for hand in hands] == [1, 25, 15]
    assert hands[0] == ["T::Thing"]


def test_an_engine_takes_what_its_threads_do_soon_and_more_where_steps_are_quick(
    database: Database,
) -> None:
    house = House(database, settings=SETTINGS)
    house.stacks.create(ANN, CreateStack("s", goal({f"r{i}": "T::Mere" for i in range(120)})))
    keys: Any = house.keys
    duties = Duties(database, Things(), keys, SETTINGS, lambda: None)
    duties.join()
    taken = [len(duties.turn([]).claims)]
    assert taken == [SETTINGS.threads]
    while claims := _turned(duties):
        taken.append(claims)
    assert taken[:7] == [2, 4, 8, 16, 32, 50, 8], "twice what was done, never more than a batch"
    assert sum(taken) == 120


def _turned(duties: Duties) -> int:
    """Perform what is held, record it, and return how much was claimed with that."""
    held = list(duties._flying.values())  # noqa: SLF001 - what threads would have been handed
    results: list[Result] = [duties.step(claim) for claim in held]
    return len(duties.turn(results).claims)
