"""The order of locks, and what comes of transactions that run at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from stoker.store import tables as t
from stoker.store import work
from stoker.store.engines import bury
from stoker.store.locks import hold
from stoker.store.traversal import cancel
from tests.store.traversing import START, Player, good

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.store.claims import Claim
    from stoker.store.database import Database
    from stoker.store.goal import Operation


@pytest.fixture
def player(database: Database) -> Player:
    return Player(database)


def locked(database: Database, player: Player, *ops: Operation, ending: bool) -> list[str]:
    """Return the ids in whose order the stacks are locked."""
    ids = [op.stack_id for op in ops]
    seen: list[str] = []

    def note(_c: object, _cursor: object, statement: str, values: object, *_rest: object) -> None:
        if "FOR UPDATE" in statement:
            found = values.values() if isinstance(values, dict) else values
            seen.extend(map(str, found))  # type: ignore[call-overload]

    sa.event.listen(database.engine, "before_cursor_execute", note)
    try:
        with database.write() as connection:
            hold(connection, ids, ending=ids if ending else ())
    finally:
        sa.event.remove(database.engine, "before_cursor_execute", note)
    return seen


def test_stacks_are_locked_outermost_first_then_by_id_with_the_owner_of_one_that_may_end(
    database: Database, player: Player
) -> None:
    top = player.create({"a": []}, name="top")
    inner = [
        player.create({"b": []}, name=f"i{i}", owner_id=top.stack_id, nested_depth=1)
        for i in range(3)
    ]
    by_id = sorted(op.stack_id for op in inner)
    whole = [] if database.dialect == "sqlite" else [top.stack_id, *by_id]
    assert locked(database, player, *inner, top, ending=False) == whole
    assert locked(database, player, *inner, ending=True) == whole
    assert locked(database, player, *inner, ending=False) == whole[1:]


# races: what would wait in a ring is told by the database as a deadlock


def test_children_that_end_while_their_owner_is_cancelled_and_engines_are_buried(
    database: Database, player: Player
) -> None:
    for number in range(8):
        top, claims = _tree(player, f"t{number}")
        _at_once(
            partial(_record, database, "e0", claims),
            partial(_record, database, "e1", claims),
            partial(_cancel, database, top),
            partial(_bury, database),
        )
        assert player.stack(top).status in ("FAILED", "IN_PROGRESS")


def _tree(player: Player, name: str) -> tuple[Operation, list[Claim]]:
    """Begin a stack with four children of four resources; two engines hold half of all each."""
    owners = [f"{name}p{i}" for i in range(4)]
    top = player.create({owner: [] for owner in owners}, name=name)
    rows = dict(player.rows)
    for owner in owners:
        below = {"owner_id": top.stack_id, "nested_depth": 1, "parent_resource_id": rows[owner]}
        inner = player.create({f"{owner}{i}": [] for i in range(4)}, name=f"{owner}c", **below)
        player.rows |= rows
        player.set(owner, child_traversal=inner.traversal_id, due=None)
    return top, [claim for e in ("e0", "e1") for claim in player.turn(engine=e, room=8).values()]


def _record(database: Database, engine_id: str, claims: list[Claim]) -> None:
    mine = [claim for claim in claims if claim.engine_id == engine_id]
    for start in range(0, len(mine), 3):
        with database.write() as connection:
            results = [good(claim) for claim in mine[start : start + 3]]
            work.turn(connection, engine_id, results, 2, START)


def _cancel(database: Database, op: Operation) -> None:
    with database.write() as connection:
        cancel(connection, op.stack_id, START)


def _bury(database: Database) -> None:
    with database.write() as connection:
        bury(connection, {}, {"e1"}, START)


def test_requests_that_store_the_same_files_first_share_them(
    database: Database, player: Player
) -> None:
    names = [f"s{i}" for i in range(6)]
    players = [Player(database) for _ in names]
    _at_once(*[partial(p.create, {"a": []}, n) for p, n in zip(players, names, strict=True)])
    assert player.count(t.raw_template_files) == 1
    assert len({row.files_id for row in player.templates()}) == 1
    assert {row.name for row in player._all(t.stack)} == {*names}  # noqa: SLF001 - its lock order


def _at_once(*jobs: Callable[[], object]) -> None:
    """Have all done at the same moment; the first error counts."""
    barrier = Barrier(len(jobs))

    def one(job: Callable[[], object]) -> None:
        barrier.wait(10)
        job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        for done in [pool.submit(one, job) for job in jobs]:
            done.result(60)
