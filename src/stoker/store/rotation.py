"""Sealing anew, with the key that seals now, whatever a former key has sealed.

Rule: engines may be at work meanwhile. A value is replaced only where it is still the one that
was read, nothing is locked for longer than that, and what was missed is found by another pass.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from stoker.store import tables as t
from stoker.store.savepoint import savepoint
from stoker.store.seal import WrongKey

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Connection, Row, Table

    from stoker.store.database import Database
    from stoker.store.seal import Sealer

BATCH = 50


def rotate(database: Database, batch: int = BATCH) -> int:
    """Go through everything once; return how many values were sealed anew.

    Done is who gets a zero. Raises WrongKey where a value was sealed with none of the keys.
    """
    return sum(_rotate_table(database, table, batch) for table in sealed_tables())


def sealed_tables() -> list[Table]:
    """Return the tables that have sealed columns."""
    return [table for table in t.metadata.sorted_tables if sealed_columns(table)]


def sealed_columns(table: Table) -> list[sa.Column[Any]]:
    """Return a table's sealed columns: no other holds bytes."""
    return [column for column in table.columns if isinstance(column.type, sa.LargeBinary)]


def check_key(database: Database) -> None:
    """Raise WrongKey where what was sealed last does not open."""
    c = t.raw_template.c
    with database.read() as connection:
        newest = connection.scalar(sa.select(c.environment).order_by(c.id.desc()).limit(1))
    if newest is not None:
        try:
            database.sealer.open(newest)
        except WrongKey as error:
            raise WrongKey(f"[DEFAULT] auth_encryption_key: {error}") from error


def _rotate_table(database: Database, table: Table, batch: int) -> int:
    done = 0
    for rows in _batches(database, table, batch):
        anew = partial(_seal_anew, table=table, rows=rows, sealer=database.sealer)
        done += database.again(anew)
    return done


def _batches(database: Database, table: Table, batch: int) -> Iterator[Sequence[Row[Any]]]:
    """Give all rows, by their keys, some at a time: those columns that matter."""
    keys = [*table.primary_key.columns]
    query = sa.select(*keys, *sealed_columns(table)).order_by(*keys).limit(batch)
    after: sa.ColumnElement[bool] = sa.true()
    while True:
        with database.read() as connection:
            rows = connection.execute(query.where(after)).all()
        if rows:
            yield rows
        if len(rows) < batch:
            return
        after = _behind(keys, rows[-1][: len(keys)])


def _behind(keys: Sequence[sa.Column[Any]], last: Sequence[Any]) -> sa.ColumnElement[bool]:
    """Return what is true of the rows behind one, in the order of their keys."""
    (key, *more), (value, *rest) = keys, last
    behind: sa.ColumnElement[bool] = key > value
    return sa.or_(behind, sa.and_(key == value, _behind(more, rest))) if more else behind


def _seal_anew(
    connection: Connection, table: Table, rows: Sequence[Row[Any]], sealer: Sealer
) -> int:
    return sum(
        _replace(connection, table, row, column.name, sealer)
        for row in rows
        for column in sealed_columns(table)
        if (value := getattr(row, column.name)) is not None and not sealer.is_current(value)
    )


def _replace(connection: Connection, table: Table, row: Row[Any], name: str, sealer: Sealer) -> int:
    """Replace a value where it is still what was read; return how many that were."""
    old = getattr(row, name)
    value = sealer.open(old)
    mine = [column == getattr(row, column.name) for column in table.primary_key.columns]
    changed = sa.update(table).where(*mine, table.c[name] == old)
    new = {name: sealer.seal(value)}
    if table is not t.raw_template_files:
        return connection.execute(changed.values(**new)).rowcount
    try:
        with savepoint(connection):
            digest = sealer.digest(value)
            return connection.execute(changed.values(**new, digest=digest)).rowcount
    except IntegrityError:  # the same files are stored already, under the new key's digest
        return connection.execute(changed.values(**new)).rowcount
