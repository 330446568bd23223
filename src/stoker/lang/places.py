"""Where in the source text each part of a document stands.

Rule: a mark costs next to nothing while reading; a :class:`Place` is made only when
somebody asks, and where the text was read without marks, so are they.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from stoker.errors import Path, Place

Mark = Any
"""Of a scalar its position; of a list ``(position, marks)``; of a map ``(position, marks by
key, positions of the keys)``. A position is an int, which the collector need not look at."""

_SHIFT: Final = 20
_COLUMNS: Final = (1 << _SHIFT) - 1


def position(line: int, column: int) -> int:
    """Return the position of a line and column that count from 0."""
    return line << _SHIFT | (min(_COLUMNS, column))


def place(file: str, at: int) -> Place:
    """Return the place of a position."""
    return Place(file, (at >> _SHIFT) + 1, (at & _COLUMNS) + 1)


def start(mark: Mark) -> int:
    """Return where a value begins."""
    return int(mark if type(mark) is int else mark[0])


def inner(mark: Mark, step: Any) -> Mark:
    """Return the mark of an item or entry, or None."""
    if type(mark) is not tuple:
        return None
    marks = mark[1]
    if type(marks) is dict:
        return marks.get(step)
    return marks[step] if isinstance(step, int) and 0 <= step < len(marks) else None


class Marks:
    """The mark of a whole document; ``find`` is called once, when it is first asked for."""

    __slots__ = ("_find", "_mark")

    def __init__(self, find: Callable[[], Mark | None]) -> None:
        self._find: Callable[[], Mark | None] | None = find
        self._mark: Mark | None = None

    @property
    def mark(self) -> Mark | None:
        """Return it; None where the document was never text."""
        find = self._find
        if find is not None:
            self._mark = find()
            self._find = None
        return self._mark


class Places(Mapping[Path, Place]):
    """The places of a document, by path; of a map's entry it is the place of the key.

    A document that was never text (a template sent as JSON in a request) has none.
    """

    __slots__ = ("_marks", "_path", "file")

    def __init__(self, file: str, marks: Marks | None, path: Path = ()) -> None:
        self.file, self._marks, self._path = file, marks, path

    @property
    def mark(self) -> Mark | None:
        """Return the mark of what the paths begin at."""
        mark = None if self._marks is None else self._marks.mark
        for step in self._path:
            mark = inner(mark, step)
        return mark

    def __getitem__(self, path: Path) -> Place:
        at = self._position(path)
        if at is None:
            raise KeyError(path)
        return place(self.file, at)

    def __iter__(self) -> Iterator[Path]:
        return iter(()) if self.mark is None else _paths(self.mark, ())

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
        return Places(self.file, self._marks, (*self._path, *path))

    def value(self, path: Path) -> Place | None:
        """Return where the value at ``path`` begins, behind its key."""
        mark = self.under(path).mark
        return None if mark is None else place(self.file, start(mark))

    def _position(self, path: Path) -> int | None:
        if not path:
            mark = self.mark
            return None if mark is None else start(mark)
        holder: Any = self.under(path[:-1]).mark
        mark = inner(holder, path[-1])
        if mark is None:
            return None
        of_map = type(holder[1]) is dict
        return int(holder[2][path[-1]]) if of_map else start(mark)


def _paths(mark: Mark, path: Path) -> Iterator[Path]:
    yield path
    marks = mark[1] if type(mark) is tuple else ()
    for step, each in marks.items() if type(marks) is dict else enumerate(marks):
        yield from _paths(each, (*path, step))


Spot = tuple[Any, Any]
"""A spot in a document: ``(spot around it, step)``, outermost ``(places, path)``. It costs a
tuple while reading; path and place are found for those that are asked for."""


def path_of(spot: Spot) -> Path:
    """Return the path of a spot."""
    steps: list[Any] = []
    outer, step = spot
    while not isinstance(outer, Places):
        steps.append(step)
        outer, step = outer
    return (*step, *reversed(steps))


def place_of(spot: Spot | None) -> Place | None:
    """Return where what stands at a spot begins, or None."""
    if spot is None:
        return None
    path, places = path_of(spot), spot[0]
    while not isinstance(places, Places):
        places = places[0]
    return places.value(path)
