"""Statements that write many rows, in the shape that each database is fast with.

SQLite takes tuples, PostgreSQL arrays, MariaDB a derived table. Names are those of tables and
columns, never a user's; values are of the columns' Python types.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import sqlalchemy as sa

from stoker.errors import Bug
from stoker.store.parts import parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from stoker.store.tables import Type

_ROWS = 200  # of one statement
_UPDATED = 50
"""Rows of an UPDATE by arrays: where PostgreSQL takes the table for empty, it compares each row
with each that is given."""
_LONGEST = 4 << 20
"""Bytes of the values of one statement where they stand in it: MariaDB takes none that is longer
than ``max_allowed_packet``, 16 MiB unless told otherwise, and they may double by quoting."""

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of the columns that are written, and of those by which a row is found."""

    written: Names
    keys: Names = ()


Statement: TypeAlias = "Callable[[sa.Table, Columns, int], str]"
"""Gives the text for so many rows."""


class Shape(ABC):
    """What a dialect wants; the values of the keys come last."""

    quote: ClassVar[str] = '"'

    @abstractmethod
    def insert(self, table: sa.Table, columns: Columns, count: int) -> str: ...

    @abstractmethod
    def update(self, table: sa.Table, columns: Columns, count: int) -> str: ...

    @abstractmethod
    def add(self, table: sa.Table, columns: Columns, count: int) -> str: ...

    @abstractmethod
    def values(self, columns: Columns, rows: Sequence[tuple[Any, ...]]) -> Any:
        """Return the parameters of a statement for these rows."""

    def execute(
        self,
        connection: Connection,
        statement: Statement,
        table: sa.Table,
        columns: Columns,
        rows: Sequence[Mapping[str, Any]],
    ) -> None:
        tuples = list(_tuples(table, columns, rows, self.converted))
        for part in self.parts(columns, tuples):
            text = statement(table, columns, len(part))
            connection.exec_driver_sql(text, self.values(columns, part))

    def parts(
        self, columns: Columns, rows: Sequence[tuple[Any, ...]]
    ) -> Iterator[Sequence[tuple[Any, ...]]]:
        """Give the rows of one statement after the other."""
        del columns
        return parts(rows, _ROWS)

    def converted(self, type_: Type) -> Callable[[Any], Any] | None:
        """Return what makes the driver's value of a column's, if it is another one."""
        return json.dumps if isinstance(type_, sa.JSON) else None

    def named(self, name: str) -> str:
        return f"{self.quote}{name}{self.quote}"

    def listed(self, names: Names) -> str:
        return ", ".join(self.named(name) for name in names)

    def each(self, form: str, names: Names, between: str = ", ") -> str:
        """Return the form for each name, which it has as ``{0}``."""
        return between.join(form.format(self.named(name)) for name in names)


class _Tuples(Shape):
    """SQLite: one statement, run for each tuple."""

    @lru_cache(maxsize=256)  # noqa: B019 - there is one shape of each dialect, for ever
    def insert(self, table: sa.Table, columns: Columns, count: int) -> str:
        del count
        into = f"{self.named(table.name)} ({self.listed(columns.written)})"
        return f"INSERT INTO {into} VALUES ({_marks('?', columns.written)})"  # noqa: S608 - see above

    @lru_cache(maxsize=256)  # noqa: B019 - as there
    def update(self, table: sa.Table, columns: Columns, count: int) -> str:
        del count
        return self._set(table, columns, "{0} = ?")

    @lru_cache(maxsize=256)  # noqa: B019 - as there
    def add(self, table: sa.Table, columns: Columns, count: int) -> str:
        del count
        return self._set(table, columns, "{0} = {0} + ?")

    def _set(self, table: sa.Table, columns: Columns, form: str) -> str:
        what = self.each(form, columns.written)
        where = self.each("{0} = ?", columns.keys, " AND ")
        return f"UPDATE {self.named(table.name)} SET {what} WHERE {where}"  # noqa: S608 - as there

    def values(self, columns: Columns, rows: Sequence[tuple[Any, ...]]) -> Any:
        del columns
        return rows

    def converted(self, type_: Type) -> Callable[[Any], Any] | None:
        return _moment_text if isinstance(type_, sa.DateTime) else super().converted(type_)


class _Arrays(Shape):
    """PostgreSQL: an array for each column."""

    def insert(self, table: sa.Table, columns: Columns, count: int) -> str:
        del count
        return self._insert(table, columns)

    def update(self, table: sa.Table, columns: Columns, count: int) -> str:
        del count
        return self._set(table, columns, is_added=False)

    def add(self, table: sa.Table, columns: Columns, count: int) -> str:
        del count
        return self._set(table, columns, is_added=True)

    @lru_cache(maxsize=256)  # noqa: B019 - as there
    def _insert(self, table: sa.Table, columns: Columns) -> str:
        into = f"{self.named(table.name)} ({self.listed(columns.written)})"
        chosen = ", ".join(self._chosen(table, name) for name in columns.written)
        return f"INSERT INTO {into} SELECT {chosen} FROM {self._rows(table, columns)}"  # noqa: S608 - as there

    @lru_cache(maxsize=256)  # noqa: B019 - as there
    def _set(self, table: sa.Table, columns: Columns, *, is_added: bool) -> str:
        target = self.named(table.name)
        before = f"{target}.{{0}} + " if is_added else ""
        what = ", ".join(
            f"{self.named(name)} = {before.format(self.named(name))}{self._chosen(table, name)}"
            for name in columns.written
        )
        where = self.each(f"{target}.{{0}} = v.{{0}}", columns.keys, " AND ")
        # A table that was empty at its last ANALYZE counts as empty: without this, which says
        # the same once more, such a one is read whole for each of the rows.
        key = columns.keys[0]
        where += f" AND {target}.{self.named(key)} = ANY(%b::{_element(table.c[key].type)}[])"
        return f"UPDATE {target} SET {what} FROM {self._rows(table, columns)} WHERE {where}"  # noqa: S608 - as there

    def values(self, columns: Columns, rows: Sequence[tuple[Any, ...]]) -> Any:
        arrays = [list(column) for column in zip(*rows, strict=True)]
        return tuple(arrays + arrays[len(columns.written) : len(columns.written) + 1])

    def parts(
        self, columns: Columns, rows: Sequence[tuple[Any, ...]]
    ) -> Iterator[Sequence[tuple[Any, ...]]]:
        return parts(rows, _UPDATED if columns.keys else _ROWS)

    def _rows(self, table: sa.Table, columns: Columns) -> str:
        names = columns.written + columns.keys
        arrays = ", ".join(f"%b::{_element(table.c[name].type)}[]" for name in names)
        return f"unnest({arrays}) v({self.listed(names)})"

    def _chosen(self, table: sa.Table, name: str) -> str:
        cast = "::json" if isinstance(table.c[name].type, sa.JSON) else ""
        return f"v.{self.named(name)}{cast}"


class _Derived(Shape):
    """MariaDB: all values in the statement."""

    quote = "`"

    @lru_cache(maxsize=256)  # noqa: B019 - as there
    def insert(self, table: sa.Table, columns: Columns, count: int) -> str:
        into = f"{self.named(table.name)} ({self.listed(columns.written)})"
        row = f"({_marks('%s', columns.written)})"
        return f"INSERT INTO {into} VALUES {', '.join([row] * count)}"  # noqa: S608 - as there

    @lru_cache(maxsize=256)  # noqa: B019 - as there
    def update(self, table: sa.Table, columns: Columns, count: int) -> str:
        return self._set(table, columns, count, f"{self.named(table.name)}.{{0}} = v.{{0}}")

    @lru_cache(maxsize=256)  # noqa: B019 - as there
    def add(self, table: sa.Table, columns: Columns, count: int) -> str:
        target = self.named(table.name)
        return self._set(table, columns, count, f"{target}.{{0}} = {target}.{{0}} + v.{{0}}")

    def _set(self, table: sa.Table, columns: Columns, count: int, form: str) -> str:
        target, names = self.named(table.name), columns.written + columns.keys
        # No row of the table, but its columns' types: those that MariaDB takes from binary values
        # alone are too short for more than 64 KiB, and cut them off.
        types = f"SELECT {self.listed(names)} FROM {target} WHERE FALSE"  # noqa: S608 - as there
        rows = " UNION ALL ".join((types, *[f"SELECT {_marks('%s', names)}"] * count))
        on = self.each(f"{target}.{{0}} = v.{{0}}", columns.keys, " AND ")
        what = self.each(form, columns.written)
        # All keys begin with the primary one. Unforced, a table that counts as empty is read
        # whole, and each row of it locked: two that do so at once wait for each other.
        by_key = f"{target} FORCE INDEX (PRIMARY)"
        return f"UPDATE ({rows}) v STRAIGHT_JOIN {by_key} ON {on} SET {what}"  # noqa: S608 - as there

    def values(self, columns: Columns, rows: Sequence[tuple[Any, ...]]) -> Any:
        del columns
        return tuple(value for row in rows for value in row)

    def parts(
        self, columns: Columns, rows: Sequence[tuple[Any, ...]]
    ) -> Iterator[Sequence[tuple[Any, ...]]]:
        for some in super().parts(columns, rows):
            part: list[tuple[Any, ...]] = []
            length = 0
            for row in some:
                own = sum(len(value) for value in row if isinstance(value, bytes | str))
                if part and length + own > _LONGEST:
                    yield part
                    part, length = [], 0
                part.append(row)
                length += own
            yield part


SHAPES: dict[str, Shape] = {
    "sqlite": _Tuples(),
    "postgresql": _Arrays(),
    "mysql": _Derived(),
    "mariadb": _Derived(),
}


def _tuples(
    table: sa.Table,
    columns: Columns,
    rows: Sequence[Mapping[str, Any]],
    converted: Callable[[Type], Callable[[Any], Any] | None],
) -> Iterator[tuple[Any, ...]]:
    """Give the rows as the driver takes them."""
    names = columns.written + columns.keys
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
