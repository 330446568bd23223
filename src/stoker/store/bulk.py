"""Many rows in one statement, on each database in the shape that is fast there.

SQLAlchemy handles each value of each row in Python, and sends an UPDATE for every row: most of
an engine's time went there. SQLite takes tuples, PostgreSQL arrays, MariaDB a derived table.
Names are those of tables and columns, never a user's; values are of the columns' Python types.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from stoker.errors import Bug
from stoker.store.randomness import random_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from stoker.store.tables import Type

_CHUNK = 200  # rows of one statement
IDS = "ids"
"""The parameter whose values a column is :class:`among`."""

Names = tuple[str, ...]


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
        shape = _SHAPES[connection.dialect.name]
        shape.execute(connection, shape.insert, table, tuple(rows[0]), rows)


def update(connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Set the columns of rows found by their ``id``, which all have the same columns."""
    if rows:
        shape = _SHAPES[connection.dialect.name]
        shape.execute(connection, shape.update, table, _key_last(rows[0]), rows)


def add(connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add to the columns of rows found by their ``id``, which all have the same columns."""
    if rows:
        shape = _SHAPES[connection.dialect.name]
        shape.execute(connection, shape.add, table, _key_last(rows[0]), rows)


def _key_last(row: Mapping[str, Any]) -> Names:
    return (*(name for name in row if name != "id"), "id")


class among(FunctionElement[bool]):  # noqa: N801 - named as the function that it is
    """The column is one of the values of the parameter :data:`IDS`, a list.

    Where the database takes arrays, that is one parameter and not one for each value, which
    are written into the statement anew each time.
    """

    inherit_cache = True
    type = sa.Boolean()

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


class _Shape(ABC):
    """What a dialect wants; in an update and an addition the key's name comes last."""

    quote: ClassVar[str] = '"'

    @abstractmethod
    def insert(self, table: sa.Table, names: Names, count: int) -> str: ...

    @abstractmethod
    def update(self, table: sa.Table, names: Names, count: int) -> str: ...

    @abstractmethod
    def add(self, table: sa.Table, names: Names, count: int) -> str: ...

    @abstractmethod
    def values(self, rows: list[tuple[Any, ...]]) -> Any:
        """Return the parameters of a statement for these rows."""

    def execute(
        self,
        connection: Connection,
        statement: Callable[[sa.Table, Names, int], str],
        table: sa.Table,
        names: Names,
        rows: Sequence[Mapping[str, Any]],
    ) -> None:
        tuples = list(_tuples(table, names, rows, self.converted))
        for start in range(0, len(tuples), _CHUNK):
            part = tuples[start : start + _CHUNK]
            connection.exec_driver_sql(statement(table, names, len(part)), self.values(part))

    def converted(self, type_: Type) -> Callable[[Any], Any] | None:
        """Return what makes the driver's value of a column's, if it is another one."""
        return json.dumps if isinstance(type_, sa.JSON) else None

    def named(self, name: str) -> str:
        return f"{self.quote}{name}{self.quote}"

    def listed(self, names: Names) -> str:
        return ", ".join(self.named(name) for name in names)


class _Tuples(_Shape):
    """SQLite: one statement, run for each tuple."""

    @lru_cache(maxsize=256)  # noqa: B019 - there is one shape of each dialect, for ever
    def insert(self, table: sa.Table, names: Names, count: int) -> str:
        del count
        into = f"{self.named(table.name)} ({self.listed(names)})"
        return f"INSERT INTO {into} VALUES ({_marks('?', names)})"  # noqa: S608 - see above

    @lru_cache(maxsize=256)  # noqa: B019 - as there
    def update(self, table: sa.Table, names: Names, count: int) -> str:
        del count
        return self._set(table, (f"{self.named(name)} = ?" for name in names[:-1]))

    @lru_cache(maxsize=256)  # noqa: B019 - as there
    def add(self, table: sa.Table, names: Names, count: int) -> str:
        del count
        columns = (self.named(name) for name in names[:-1])
        return self._set(table, (f"{column} = {column} + ?" for column in columns))

    def _set(self, table: sa.Table, assigned: Iterable[str]) -> str:
        target = self.named(table.name)
        return f"UPDATE {target} SET {', '.join(assigned)} WHERE id = ?"  # noqa: S608 - as there

    def values(self, rows: list[tuple[Any, ...]]) -> Any:
        return rows

    def converted(self, type_: Type) -> Callable[[Any], Any] | None:
        return _moment_text if isinstance(type_, sa.DateTime) else super().converted(type_)


class _Arrays(_Shape):
    """PostgreSQL: an array for each column."""

    def insert(self, table: sa.Table, names: Names, count: int) -> str:
        return self._insert(table, names)

    def update(self, table: sa.Table, names: Names, count: int) -> str:
        return self._update(table, names)

    def add(self, table: sa.Table, names: Names, count: int) -> str:
        return self._add(table, names)

    @lru_cache(maxsize=256)  # noqa: B019 - as there
    def _insert(self, table: sa.Table, names: Names) -> str:
        into = f"{self.named(table.name)} ({self.listed(names)})"
        chosen = ", ".join(self._chosen(table, name) for name in names)
        return f"INSERT INTO {into} SELECT {chosen} FROM {self._rows(table, names)}"  # noqa: S608 - as there

    @lru_cache(maxsize=256)  # noqa: B019 - as there
    def _update(self, table: sa.Table, names: Names) -> str:
        pairs = ((self.named(name), self._chosen(table, name)) for name in names[:-1])
        return self._set(table, names, (f"{column} = {value}" for column, value in pairs))

    @lru_cache(maxsize=256)  # noqa: B019 - as there
    def _add(self, table: sa.Table, names: Names) -> str:
        target, columns = self.named(table.name), (self.named(name) for name in names[:-1])
        return self._set(table, names, (f"{c} = {target}.{c} + v.{c}" for c in columns))

    def _set(self, table: sa.Table, names: Names, assigned: Iterable[str]) -> str:
        target, rows = self.named(table.name), self._rows(table, names)
        what = ", ".join(assigned)
        return f"UPDATE {target} SET {what} FROM {rows} WHERE {target}.id = v.id"  # noqa: S608 - as there

    def values(self, rows: list[tuple[Any, ...]]) -> Any:
        return tuple(list(column) for column in zip(*rows, strict=True))

    def _rows(self, table: sa.Table, names: Names) -> str:
        arrays = ", ".join(f"%b::{_element(table.c[name].type)}[]" for name in names)
        return f"unnest({arrays}) v({self.listed(names)})"

    def _chosen(self, table: sa.Table, name: str) -> str:
        cast = "::json" if isinstance(table.c[name].type, sa.JSON) else ""
        return f"v.{self.named(name)}{cast}"


class _Derived(_Shape):
    """MariaDB: all values in the statement."""

    quote = "`"

    @lru_cache(maxsize=256)  # noqa: B019 - as there
    def insert(self, table: sa.Table, names: Names, count: int) -> str:
        into = f"{self.named(table.name)} ({self.listed(names)})"
        row = f"({_marks('%s', names)})"
        return f"INSERT INTO {into} VALUES {', '.join([row] * count)}"  # noqa: S608 - as there

    @lru_cache(maxsize=256)  # noqa: B019 - as there
    def update(self, table: sa.Table, names: Names, count: int) -> str:
        return self._set(table, names, count, "{target}.{column} = v.{column}")

    @lru_cache(maxsize=256)  # noqa: B019 - as there
    def add(self, table: sa.Table, names: Names, count: int) -> str:
        return self._set(table, names, count, "{target}.{column} = {target}.{column} + v.{column}")

    def _set(self, table: sa.Table, names: Names, count: int, assignment: str) -> str:
        target = self.named(table.name)
        first = ", ".join(f"%s AS {self.named(name)}" for name in names)
        others = [_marks("%s", names)] * (count - 1)
        rows = " UNION ALL ".join(f"SELECT {each}" for each in (first, *others))
        columns = (self.named(name) for name in names[:-1])
        assigned = ", ".join(assignment.format(target=target, column=c) for c in columns)
        return f"UPDATE {target} JOIN ({rows}) v ON {target}.id = v.id SET {assigned}"  # noqa: S608 - as there

    def values(self, rows: list[tuple[Any, ...]]) -> Any:
        return tuple(value for row in rows for value in row)


_SHAPES: dict[str, _Shape] = {
    "sqlite": _Tuples(),
    "postgresql": _Arrays(),
    "mysql": _Derived(),
    "mariadb": _Derived(),
}


def _tuples(
    table: sa.Table,
    names: Names,
    rows: Sequence[Mapping[str, Any]],
    converted: Callable[[Type], Callable[[Any], Any] | None],
) -> Iterator[tuple[Any, ...]]:
    """Give the rows as the driver takes them."""
    made = {name: make for name in names if (make := converted(table.c[name].type))}
    for row in rows:
        if row.keys() != rows[0].keys():
            raise Bug(f"rows of {table.name} with different columns: {row.keys() ^ rows[0].keys()}")
        yield tuple(
            made[name](value) if name in made and value is not None else value
            for name in names
            for value in (row[name],)
        )


def _moment_text(moment: Any) -> str:
    """Return a moment as SQLAlchemy stores it in SQLite."""
    return str(moment.isoformat(" ", "microseconds"))


def _marks(mark: str, names: Names) -> str:
    return ", ".join([mark] * len(names))


_ELEMENTS: tuple[tuple[type[sa.types.TypeEngine[Any]], str], ...] = (
    (sa.BigInteger, "bigint"),
    (sa.Integer, "integer"),
    (sa.Double, "float8"),
    (sa.Boolean, "boolean"),
    (sa.DateTime, "timestamp"),
    (sa.LargeBinary, "bytea"),
    (sa.JSON, "text"),
    (sa.String, "text"),
)
"""What PostgreSQL calls the elements of a column's array; the first that fits."""


def _element(type_: Type) -> str:
    return next(name for kind, name in _ELEMENTS if isinstance(type_, kind))
