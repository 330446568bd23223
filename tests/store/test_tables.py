"""The tables themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from stoker.store import credentials
from stoker.store.tables import Id, metadata, user_creds

if TYPE_CHECKING:
    from stoker.store.database import Database


def test_the_id_of_a_row_that_is_gone_is_not_given_again(database: Database) -> None:
    ids = []
    for _ in range(2):
        with database.write() as connection:
            ids.append(credentials.intend(connection, "p", "u", 1_800_000_000.0))
        with database.write() as connection:
            connection.execute(sa.delete(user_creds))
    assert ids[1] > ids[0]


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda table: table.name)
def test_every_table_that_numbers_its_rows_numbers_them_for_good(table: sa.Table) -> None:
    numbered = "id" in table.c and table.c.id.type is Id
    assert table.dialect_options["sqlite"]["autoincrement"] is numbered
