"""Rows fetched with their columns in one text, where the driver is written in Python.

Such a driver takes each column of a result apart, and each value, in microseconds: a wide row
costs more than the statement. So the server writes them as one list in JSON. What is sealed stays
a column of its own; other databases give columns.
"""

from __future__ import annotations

from datetime import datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import orjson
import sqlalchemy as sa

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

PYTHON: Final = ("mysql", "mariadb")
"""Dialects whose driver is written in Python."""


def text(value: str) -> sa.ColumnElement[Any]:
    """Return the literal of a text that is this program's own."""
    return sa.literal_column(f"'{value}'")


def packed(
    columns: Mapping[str, sa.ColumnElement[Any]], *, plain: Collection[str] = ()
) -> sa.ColumnElement[str]:
    """Return the text of a list in JSON of these columns; in ``plain`` ones nothing is quoted.

    To the server json_array is thrice the work of this.
    """
    each = (_as_json(column, is_plain=name in plain) for name, column in columns.items())
    return sa.func.concat(text("["), sa.func.concat_ws(text(","), *each), text("]"))


def unpacked(texts: Iterable[str]) -> Any:
    """Return the lists that such texts hold."""
    return orjson.loads(f"[{','.join(texts)}]")


class Fetch:
    """A statement that gives rows with these columns by their names; ``rest`` is all but them."""

    def __init__(
        self,
        columns: Mapping[str, sa.ColumnElement[Any]],
        rest: Callable[[sa.Select[Any]], sa.Select[Any]],
    ) -> None:
        sealed = {n: c for n, c in columns.items() if isinstance(c.type, sa.LargeBinary)}
        plain = {n: c for n, c in columns.items() if n not in sealed}
        self._names = (*plain, *sealed)
        self._reads = [
            (i, _READ[type(c.type)]) for i, c in enumerate(plain.values()) if type(c.type) in _READ
        ]
        self._whole = rest(sa.select(*plain.values(), *sealed.values()))
        self._packed = rest(sa.select(packed(plain), *sealed.values()))

    def rows(
        self, connection: sa.Connection, given: Mapping[str, Any] | None = None
    ) -> list[SimpleNamespace]:
        """Return the rows."""
        if connection.dialect.name not in PYTHON:
            found: Iterable[Iterable[Any]] = connection.execute(self._whole, given)
        else:
            found = self._read(connection.execute(self._packed, given).all())
        names = self._names
        return [SimpleNamespace(**dict(zip(names, row, strict=True))) for row in found]

    def _read(self, rows: Collection[Any]) -> Iterable[Iterable[Any]]:
        for values, row in zip(unpacked(row[0] for row in rows), rows, strict=True):
            for i, read in self._reads:
                if values[i] is not None:
                    values[i] = read(values[i])
            yield (*values, *row[1:])


def _as_json(column: sa.ColumnElement[Any], *, is_plain: bool) -> sa.ColumnElement[Any]:
    written = column
    if is_plain or isinstance(column.type, sa.DateTime):
        written = sa.func.concat(text('"'), column, text('"'))
    elif isinstance(column.type, sa.String):
        written = sa.func.json_quote(column)
    is_there = isinstance(column, sa.Column) and not column.nullable
    # A NULL is left out of a list; what an outer join does not find is one, too.
    return written if is_there and is_plain else sa.func.coalesce(written, text("null"))


_READ: Final[dict[type, Callable[[Any], Any]]] = {
    sa.Boolean: bool,
    sa.DateTime: datetime.fromisoformat,
    sa.Double: float,  # JSON has no point in whole ones
}
