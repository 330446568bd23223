"""What an engine asks for without end must not read what is at rest: most of a large database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from stoker.store import claims, credentials, engines, inbox, rollbacks, telling, work
from tests.store.asked import asked_by

if TYPE_CHECKING:
    from collections.abc import Callable

    from stoker.store.database import Database

ASKED: dict[str, Callable[[sa.Connection], object]] = {
    "rows that are due": lambda connection: claims.claim(connection, "e", 50, 1.0),
    "stacks that are late": lambda connection: work.overdue(connection, 1.0),
    "rollbacks": lambda connection: rollbacks.is_due(connection, 1.0),
    "engines that hold rows": engines.holders,
    "mail that was overlooked": inbox.overlooked,
    "trusts to give up": lambda connection: credentials.to_revoke(connection, 1.0),
    "trusts that were never made": lambda connection: credentials.are_unmade(connection, 1.0),
    "events to tell": lambda connection: telling.take_up(connection, 1.0, 2.0, 50),
    "events that nobody was told of": lambda connection: telling.leave_out(connection, 1.0),
}


@pytest.mark.parametrize("what", ASKED)
@pytest.mark.parametrize("kind", ["sqlite"])  # the others plan by what they know of their tables
def test_what_is_asked_again_and_again_is_found_by_an_index(database: Database, what: str) -> None:
    with database.read() as connection:
        plan = plan_of(connection, ASKED[what])
    assert plan
    for step in plan:
        assert not step.startswith(("SCAN resource", "SCAN stack", "SCAN event", "SCAN user_creds"))
        assert "(due=?)" not in step, "all rows that are not due"
        assert "(engine_id=?)" not in step, "all rows that nobody holds"


def plan_of(connection: sa.Connection, ask: Callable[[sa.Connection], object]) -> list[str]:
    """Return how the database goes about what is asked."""
    return [
        str(row.detail)
        for statement, parameters in asked_by(connection, lambda: ask(connection))
        for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
    ]
