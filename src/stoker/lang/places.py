"""Where in the source text each part of a document stands.

Rule: a mark costs a tuple while reading; a :class:`Place` is made only when somebody asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from stoker.errors import Path, Place


class Mark(NamedTuple):
    """Where a value begins (counted from 0), and the marks of what it holds."""

    line: int
    column: int
    inside: dict[str, tuple[int, int, Mark]] | list[Mark] | None


class Places(Mapping[Path, Place]):
    """The places of a document, by path; of a map's entry it is the place of the key.

    A document that was never text (a template sent as JSON in a request) has none.
    """

    __slots__ = ("_file", "_mark")

    def __init__(self, file: str, mark: Mark | None) -> None:
        self._file, self._mark = file, mark

    def __getitem__(self, path: Path) -> Place:
        found = self._find(path)
        if found is None:
            raise KeyError(path)
        return self._place(found[0], found[1])

    def __iter__(self) -> Iterator[Path]:
        return iter(()) if self._mark is None else _paths(self._mark, ())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def nearest(self, path: Path) -> Place | None:
        """Return the place of ``path``, or of what encloses it most closely."""
        while True:
            found = self.get(path)
            if found is not None or not path:
                return found
            path = path[:-1]

    def under(self, path: Path) -> Places:
        """Return the places of what stands at ``path``, by paths that begin there."""
        found = self._find(path)
        return Places(self._file, found[2] if found else None)

    def _find(self, path: Path) -> tuple[int, int, Mark] | None:
        mark = self._mark
        if mark is None:
            return None
        found = (mark.line, mark.column, mark)
        for step in path:
            nxt = _inside(found[2], step)
            if nxt is None:
                return None
            found = nxt
        return found

    def _place(self, line: int, column: int) -> Place:
        return Place(self._file, line + 1, column + 1)


def _inside(mark: Mark, step: Any) -> tuple[int, int, Mark] | None:
    match mark.inside:
        case dict() as entries:
            return entries.get(step)
        case list() as items if isinstance(step, int) and 0 <= step < len(items):
            item = items[step]
            return item.line, item.column, item
        case _:
            return None


def _paths(mark: Mark, path: Path) -> Iterator[Path]:
    yield path
    match mark.inside:
        case dict() as entries:
            for key, (_, _, inner) in entries.items():
                yield from _paths(inner, (*path, key))
        case list() as items:
            for index, item in enumerate(items):
                yield from _paths(item, (*path, index))
