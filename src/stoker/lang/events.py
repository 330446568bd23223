"""YAML events to values and marks: one pass, no recursion.

Rule: nesting and the expansion of aliases are bounded, so that no small text costs much.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn

import yaml

from stoker.errors import Invalid, Kind, Place, Problem
from stoker.lang.places import Mark
from stoker.lang.scalars import MERGE, plain, plain_tag, tagged

MAX_DEPTH: Final = 100
MAX_ALIASED: Final = 250_000
"""How many values the aliases of one document may add to it."""
TOO_DEEP: Final = f"lists and maps may be nested at most {MAX_DEPTH} deep"


def key_text(key: Any) -> str:
    """Return a map's key as JSON writes it: ``80`` is "80", ``yes`` is "true"."""
    return key if isinstance(key, str) else json.dumps(key)


def build(text: str, file: str) -> tuple[Any, Mark]:
    """Return the value and the mark of the only document in ``text``.

    Raises Invalid (kind TEMPLATE) with the place of the first fault.
    """
    return _Builder(file).build(text)


class _Frame:
    """A list or a map while it is being read."""

    __slots__ = ("anchor", "column", "count", "line", "marks", "value")

    value: Any
    marks: Any

    def __init__(self, at: Mark, anchor: str | None) -> None:
        self.line, self.column, self.anchor = at.line, at.column, anchor
        self.count = 1

    def add(self, value: Any, mark: Mark, *, merge: bool) -> None:
        raise NotImplementedError

    def close(self) -> Mark:
        return Mark(self.line, self.column, self.marks)


class _ListFrame(_Frame):
    __slots__ = ()

    def __init__(self, at: Mark, anchor: str | None) -> None:
        super().__init__(at, anchor)
        self.value, self.marks = [], []

    def add(self, value: Any, mark: Mark, *, merge: bool) -> None:
        del merge  # a list may hold the text <<
        self.value.append(value)
        self.marks.append(mark)


class _MapFrame(_Frame):
    __slots__ = ("has_key", "key", "key_mark", "merges", "merging")

    def __init__(self, at: Mark, anchor: str | None) -> None:
        super().__init__(at, anchor)
        self.value, self.marks = {}, {}
        self.has_key = self.merging = False
        self.key, self.key_mark = "", at
        self.merges: list[tuple[Any, Mark]] = []

    def add(self, value: Any, mark: Mark, *, merge: bool) -> None:
        if not self.has_key:
            self._add_key(value, mark, merge=merge)
            return
        self.has_key = False
        if self.merging:
            self.merges.append((value, mark))
            return
        self.value[self.key] = value
        self.marks[self.key] = (self.key_mark.line, self.key_mark.column, mark)

    def _add_key(self, value: Any, mark: Mark, *, merge: bool) -> None:
        if isinstance(value, dict | list):
            raise _Fault("a map's key must be a scalar, not a list or a map", mark)
        self.key, self.key_mark = key_text(value), mark
        self.has_key, self.merging = True, merge

    def close(self) -> Mark:
        """Bring in the maps named by ``<<``: own keys count more, earlier maps more."""
        for value, mark in self.merges:
            for each, marks in _merged(value, mark):
                self.value = each | self.value
                self.marks = marks | self.marks
        return super().close()


def _merged(value: Any, mark: Mark) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    inside: Any = mark.inside
    if isinstance(value, dict):
        yield value, inside
        return
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise _Fault("the key << takes a map or a list of maps", mark)
    for each, its in zip(value, inside, strict=True):
        yield each, its.inside


class _Fault(Exception):
    """What is wrong, and where; becomes an Invalid when the file's name is at hand."""

    def __init__(self, text: str, mark: Mark) -> None:
        super().__init__(text)
        self.text, self.mark = text, mark


class _Builder:
    """Reads the events of libyaml into values and marks, one pass, no recursion."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._stack: list[_Frame] = []
        self._anchors: dict[str, tuple[Any, Mark, int]] = {}
        self._aliased = 0
        self._documents = 0
        self._take: dict[type, Callable[[Any, Mark], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._map,
            yaml.SequenceStartEvent: self._list,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }

    def build(self, text: str) -> tuple[Any, Mark]:
        """Return the document's value and its mark."""
        root = _ListFrame(Mark(0, 0, None), None)
        self._stack.append(root)
        try:
            self._events(text)
        except _Fault as fault:
            self._fail(fault.text, fault.mark.line, fault.mark.column)
        if not root.value:
            return None, Mark(0, 0, None)
        return root.value[0], root.marks[0]

    def _events(self, text: str) -> None:
        take = self._take
        try:
            for event in yaml.parse(text, yaml.CSafeLoader):
                taker = take.get(type(event))
                if taker is not None:
                    start: Any = event.start_mark
                    taker(event, Mark(start.line, start.column, None))
        except yaml.MarkedYAMLError as error:
            at = error.problem_mark or error.context_mark
            line, column = (at.line, at.column) if at else (0, 0)
            self._fail(f"not valid YAML: {error.problem or error.context}", line, column)
        except yaml.reader.ReaderError as error:
            self._fail_reading(text, error)
        except UnicodeError as error:
            self._fail(f"not valid text: {error}", 0, 0)

    def _scalar(self, event: Any, mark: Mark) -> None:
        is_plain = event.implicit[0]
        text: str = event.value
        try:
            if event.tag is not None and event.tag != "!":
                value = tagged(event.tag, text)
            else:
                value = plain(text) if is_plain else text
        except ValueError as error:
            raise _Fault(str(error), mark) from error
        frame = self._stack[-1]
        frame.count += 1
        frame.add(value, mark, merge=is_plain and text == "<<" and plain_tag(text) == MERGE)
        if event.anchor:
            self._anchors[event.anchor] = (value, mark, 1)

    def _map(self, event: Any, mark: Mark) -> None:
        self._check_tag(event, mark, "map")
        self._push(_MapFrame(mark, event.anchor), mark)

    def _list(self, event: Any, mark: Mark) -> None:
        self._check_tag(event, mark, "seq")
        self._push(_ListFrame(mark, event.anchor), mark)

    def _check_tag(self, event: Any, mark: Mark, name: str) -> None:
        if event.tag not in (None, "!", f"tag:yaml.org,2002:{name}"):
            text = f"the YAML tag {event.tag!r} has no meaning in a template; remove it"
            raise _Fault(text, mark)

    def _push(self, frame: _Frame, mark: Mark) -> None:
        if len(self._stack) > MAX_DEPTH:
            raise _Fault(TOO_DEEP, mark)
        self._stack.append(frame)

    def _end(self, _event: Any, _end: Mark) -> None:
        frame = self._stack.pop()
        mark = frame.close()
        if frame.anchor:
            self._anchors[frame.anchor] = (frame.value, mark, frame.count)
        parent = self._stack[-1]
        parent.count += frame.count
        parent.add(frame.value, mark, merge=False)

    def _alias(self, event: Any, mark: Mark) -> None:
        if event.anchor not in self._anchors:
            raise _Fault(f"the alias *{event.anchor} names nothing that is complete", mark)
        value, its, count = self._anchors[event.anchor]
        self._aliased += count
        if self._aliased > MAX_ALIASED:
            raise _Fault(f"aliases blow this up by more than {MAX_ALIASED} values", mark)
        self._stack[-1].count += count
        self._stack[-1].add(value, its, merge=False)

    def _document(self, _event: Any, mark: Mark) -> None:
        self._documents += 1
        if self._documents > 1:
            raise _Fault("only one YAML document is expected; remove what follows ---", mark)

    def _fail_reading(self, text: str, error: yaml.reader.ReaderError) -> NoReturn:
        before = text.encode()[: error.position].decode(errors="replace")
        line = before.count("\n")
        column = len(before) - before.rfind("\n") - 1
        self._fail(f"not valid YAML: {error.reason}", line, column)

    def _fail(self, text: str, line: int, column: int) -> NoReturn:
        place = Place(self._file, line + 1, column + 1)
        raise Invalid([Problem(text, (), place, Kind.TEMPLATE)])
