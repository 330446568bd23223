"""Many rows in one statement, and many values in one parameter.

SQLAlchemy handles each value of each row in Python, and sends an UPDATE for every row: most of
an engine's time went there. ``shapes`` has the statements that each database is fast with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from stoker.store.randomness import random_bytes
from stoker.store.shapes import SHAPES, Columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection

    from stoker.store.shapes import Names, Statement

IDS = "ids"
"""The parameter whose values a column is :class:`among`."""


def uuids(count: int) -> list[str]:
    """Return new random UUIDs (version 4), their randomness read at once."""
    digits = random_bytes(16 * count).hex()
    return [_uuid(digits[i : i + 32]) for i in range(0, len(digits), 32)]


def _uuid(h: str) -> str:
    variant = "89ab"[int(h[16], 16) & 3]
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-{variant}{h[17:20]}-{h[20:]}"


def insert(connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that all have the same columns."""
    if rows:
        shape = SHAPES[connection.dialect.name]
        shape.execute(connection, shape.insert, table, Columns(tuple(rows[0])), rows)


def update(
    connection: Connection,
    table: sa.Table,
    rows: Sequence[Mapping[str, Any]],
    keys: Names = ("id",),
) -> None:
    """Set the columns of rows found by their ``keys``, which all have the same columns."""
    _change(connection, SHAPES[connection.dialect.name].update, table, rows, keys)


def add(
    connection: Connection,
    table: sa.Table,
    rows: Sequence[Mapping[str, Any]],
    keys: Names = ("id",),
) -> None:
    """Add to the columns of rows found by their ``keys``, which all have the same columns."""
    _change(connection, SHAPES[connection.dialect.name].add, table, rows, keys)


def _change(
    connection: Connection,
    statement: Statement,
    table: sa.Table,
    rows: Sequence[Mapping[str, Any]],
    keys: Names,
) -> None:
    if rows:
        written = tuple(sorted(name for name in rows[0] if name not in keys))
        shape = SHAPES[connection.dialect.name]
        shape.execute(connection, statement, table, Columns(written, keys), rows)


def alike(rows: Iterable[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Return the rows by the columns that they have."""
    groups: dict[frozenset[str], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(frozenset(row), []).append(row)
    return list(groups.values())


class among(FunctionElement[Any]):  # noqa: N801 - named as the function that it is
    """The column is one of the values of the parameter :data:`IDS`, a list.

    Where the database takes arrays, that is one parameter and not one for each value, which
    are written into the statement anew each time.
    """

    inherit_cache = True
    # Not a Boolean, of which some databases are asked whether it equals 1: no index serves that.
    type = sa.types.NullType()

    def __init__(self, column: sa.ColumnElement[Any]) -> None:
        super().__init__(column)


@compiles(among)
def _listed(element: among, compiler: Any, **kw: Any) -> str:
    (column,) = element.clauses
    return str(compiler.process(column.in_(sa.bindparam(IDS, expanding=True)), **kw))


@compiles(among, "postgresql")
def _any(element: among, compiler: Any, **kw: Any) -> str:
    (column,) = element.clauses
    values = sa.bindparam(IDS, type_=sa.ARRAY(column.type))
    return str(compiler.process(column == sa.any_(values), **kw))


class mapped(FunctionElement[str]):  # noqa: N801 - named as the function that it is
    """The keys and values of many rows as the text of one JSON object, in no order."""

    inherit_cache = True
    type = sa.Text()

    def __init__(self, key: sa.ColumnElement[Any], value: sa.ColumnElement[Any]) -> None:
        super().__init__(key, value)


def _mapped_by(function: str) -> Any:
    def compiled(element: mapped, compiler: Any, **kw: Any) -> str:
        return function.format(compiler.process(element.clauses, **kw))

    return compiled


for _dialect, _function in {
    "sqlite": "json_group_object({})",
    "postgresql": "CAST(json_object_agg({}) AS TEXT)",
    "mysql": "json_objectagg({})",
    "mariadb": "json_objectagg({})",
}.items():
    compiles(mapped, _dialect)(_mapped_by(_function))
