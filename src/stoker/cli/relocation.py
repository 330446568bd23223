"""From places in what is sent to places in what was written.

Rule: what is sent is the same document as what was written, in another layout and with other names
of files; a path leads to the same thing in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from stoker.cli.fetch import shown
from stoker.errors import Invalid, Path, Place, Problem
from stoker.lang.places import Places, place, start
from stoker.lang.source import parse

_Spot = tuple[int, int]


class Relocation:
    """Tells where things stand in the files as people wrote them.

    ``sent`` are texts by URL, ``written`` the places of the same documents, ``environments`` the
    URLs among them that are environments. What stands in no file (a group's members have templates
    that nobody wrote) gets the place of its path in an environment or in ``root``.
    """

    def __init__(
        self,
        sent: Mapping[str, str],
        written: Mapping[str, Places],
        root: str,
        environments: tuple[str, ...],
    ) -> None:
        self._sent, self._written = sent, written
        self._root, self._environments = root, environments
        self._paths = cache(self._read)

    def told(self, problem: Problem) -> Problem:
        """Return the problem with its place in a file as written."""
        return replace(problem, place=self._place(problem))

    def _place(self, problem: Problem) -> Place:
        if problem.place is None or problem.place.file not in self._sent:
            return self._by_path(problem.at)
        url = problem.place.file
        if url not in self._written:
            return replace(problem.place, file=shown(url))
        path, is_value = self._paths(url).get(_spot(problem.place), ((), False))
        places = self._written[url]
        inner = places.under(path).mark if is_value else None
        found = places.nearest(path) if inner is None else place(places.file, start(inner))
        return found or Place(places.file, 1, 1)

    def _by_path(self, at: Path) -> Place:
        for url in reversed(self._environments):
            if url in self._written and at and (found := self._written[url].get(at)) is not None:
                return found
        found = self._written[self._root].nearest(at) if self._root in self._written else None
        return found or Place(shown(self._root), 1, 1)

    def _read(self, url: str) -> dict[_Spot, tuple[Path, bool]]:
        """Return the paths of a document by where they are sent; whether it is the value's."""
        try:
            return dict(_spots(parse(self._sent[url], url).places))
        except Invalid:
            return {}


def _spot(at: Place) -> _Spot:
    return at.line, at.column


def _spots(places: Places) -> Iterator[tuple[_Spot, tuple[Path, bool]]]:
    for path in places:
        value = place(places.file, start(places.under(path).mark))
        yield _spot(value), (path, True)
        yield _spot(places[path]), (path, False)
