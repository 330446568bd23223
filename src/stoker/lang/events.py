"""YAML events to values and marks: one pass, no recursion.

Rule: nesting and the expansion of aliases are bounded, so that no small text costs much.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NoReturn

import yaml

from stoker.errors import Invalid, Kind, Problem
from stoker.lang.places import Mark, place, position, start
from stoker.lang.scalars import check_scalar, plain, tagged
from stoker.lang.short_forms import LONG, Used, of_text, wrapped

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
    return _Builder(file, {}).build(text)


def build_with_short_forms(text: str, file: str) -> tuple[Any, Mark, Used | None]:
    """As ``build``, but read CloudFormation's short forms; return also the first of them."""
    builder = _Builder(file, LONG)
    value, mark = builder.build(text)
    return value, mark, builder.first_short


def no_meaning(tag: str) -> str:
    """Return what is wrong with a tag that templates do not have."""
    return f"the YAML tag {tag!r} has no meaning in a template; remove it"


class _List:
    """A list while it is being read."""

    __slots__ = ("anchor", "at", "count", "marks", "short", "value")

    def __init__(self, at: int, anchor: str | None) -> None:
        self.value: list[Any] = []
        self.marks: list[Mark] = []
        self.at, self.anchor, self.count = at, anchor, 1
        self.short: str | None = None

    def add(self, value: Any, mark: Mark) -> None:
        self.value.append(value)
        self.marks.append(mark)

    def close(self) -> Mark:
        return (self.at, self.marks)


class _Map:
    """A map while it is being read."""

    __slots__ = (
        "anchor", "at", "count", "key", "key_at", "keys", "marks", "merges", "short", "value"
    )  # fmt: skip

    def __init__(self, at: int, anchor: str | None) -> None:
        self.value: dict[str, Any] = {}
        self.marks: dict[str, Mark] = {}
        self.keys: dict[str, int] = {}
        self.merges: list[tuple[Any, Mark]] = []
        self.at, self.anchor, self.count = at, anchor, 1
        self.short: str | None = None
        self.key: Any = _NO_KEY
        self.key_at = at

    def add(self, value: Any, mark: Mark) -> None:
        key = self.key
        if key is _NO_KEY:
            if type(value) is str:
                self.key, self.key_at = value, mark
            else:
                self._add_odd_key(value, mark)
            return
        self.key = _NO_KEY
        if key is _MERGE:
            self.merges.append((value, mark))
            return
        self.value[key] = value
        self.marks[key] = mark
        self.keys[key] = self.key_at

    def _add_odd_key(self, value: Any, mark: Mark) -> None:
        if isinstance(value, dict | list):
            raise _Fault("a map's key must be a scalar, not a list or a map", start(mark))
        self.key = value if value is _MERGE else key_text(value)
        self.key_at = start(mark)

    def close(self) -> Mark:
        """Bring in the maps named by ``<<``: own keys count more, earlier maps more."""
        for value, mark in self.merges:
            for each, its in _merged(value, mark):
                self.value = each | self.value
                self.marks, self.keys = its[1] | self.marks, its[2] | self.keys
        return (self.at, self.marks, self.keys)


_NO_KEY: Final = object()
_MERGE: Final = object()
"""The key ``<<`` as read; as a value it is turned back into text."""


def _merged(value: Any, mark: Mark) -> Iterator[tuple[dict[str, Any], Mark]]:
    if isinstance(value, dict):
        yield value, mark
        return
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise _Fault("the key << takes a map or a list of maps", start(mark))
    yield from zip(value, mark[1], strict=True)


class _Fault(Exception):
    """What is wrong, and where; becomes an Invalid when the file's name is at hand."""

    def __init__(self, text: str, at: int) -> None:
        super().__init__(text)
        self.text, self.at = text, at


class _Builder:
    """Reads the events of libyaml into values and marks; ``short`` are functions by tags."""

    def __init__(self, file: str, short: Mapping[str, str]) -> None:
        self._file, self._short = file, short
        self.first_short: Used | None = None
        self._short_open = 0
        self._stack: list[_List | _Map] = []
        self._top: _List | _Map = _List(0, None)
        self._anchors: dict[str, tuple[Any, Mark, int]] = {}
        self._aliased = 0
        self._documents = 0
        self._take: dict[type, Callable[[Any, int], None]] = {
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
        root = _List(0, None)
        self._top = root
        try:
            self._events(text)
        except _Fault as fault:
            self._fail(fault.text, fault.at)
        except yaml.MarkedYAMLError as error:
            self._fail(f"not valid YAML: {error.problem or error.context}", _where(error))
        except yaml.reader.ReaderError as error:
            self._fail(f"not valid YAML: {error.reason}", _byte_position(text, error.position))
        except UnicodeError as error:
            self._fail(f"not valid text: {error}", 0)
        return (root.value[0], root.marks[0]) if root.value else (None, 0)

    def _events(self, text: str) -> None:
        take = self._take
        next_event: Callable[[], Any] = yaml.CSafeLoader(text).get_event
        for event in iter(next_event, None):
            taker = take.get(type(event))
            if taker is not None:
                mark = event.start_mark
                taker(event, position(mark.line, mark.column))

    def _scalar(self, event: Any, at: int) -> None:
        top = self._top
        if event.tag in self._short:
            self._short_scalar(event, at)
            return
        plainly = event.implicit[0] and event.tag is None
        if plainly and event.value == "<<" and type(top) is _Map and top.key is _NO_KEY:
            value = _MERGE
        else:
            try:
                value = plain(event.value) if plainly else _explicit(event)
            except ValueError as error:
                raise _Fault(str(error), at) from error
        top.count += 1
        top.add(value, at)
        if event.anchor:
            self._anchors[event.anchor] = (value, at, 1)

    def _short_scalar(self, event: Any, at: int) -> None:
        self._note_short(event.tag, at)
        try:
            check_scalar(event.value)
        except ValueError as error:
            raise _Fault(str(error), at) from error
        value, mark, levels = of_text(self._short[event.tag], event.value, at)
        self._check_depth(levels - 1, at)
        self._top.count += 1 + levels
        self._top.add(value, mark)
        if event.anchor:
            self._anchors[event.anchor] = (value, mark, 1 + levels)

    def _note_short(self, tag: str, at: int) -> None:
        if self.first_short is None:
            self.first_short = Used(tag, at)

    def _check_depth(self, more: int, at: int) -> None:
        """Fail where what begins here, and so many levels in it, is too deep."""
        if len(self._stack) + self._short_open + more >= MAX_DEPTH:
            raise _Fault(TOO_DEEP, at)

    def _map(self, event: Any, at: int) -> None:
        self._push(_Map(at, event.anchor), event, "map")

    def _list(self, event: Any, at: int) -> None:
        self._push(_List(at, event.anchor), event, "seq")

    def _push(self, frame: _List | _Map, event: Any, kind: str) -> None:
        frame.short = self._short.get(event.tag)
        if frame.short is not None:
            self._note_short(event.tag, frame.at)
            self._short_open += 1  # the map that holds it
        elif event.tag not in (None, "!", f"tag:yaml.org,2002:{kind}"):
            raise _Fault(no_meaning(event.tag), frame.at)
        self._check_depth(0, frame.at)
        self._stack.append(self._top)
        self._top = frame

    def _end(self, _event: Any, _at: int) -> None:
        frame = self._top
        mark = frame.close()
        value: Any = frame.value
        if frame.short is not None:
            value, mark = {frame.short: value}, wrapped(frame.short, mark, frame.at)
            frame.count += 1
            self._short_open -= 1
        if frame.anchor:
            self._anchors[frame.anchor] = (value, mark, frame.count)
        self._top = parent = self._stack.pop()
        parent.count += frame.count
        parent.add(value, mark)

    def _alias(self, event: Any, at: int) -> None:
        if event.anchor not in self._anchors:
            raise _Fault(f"the alias *{event.anchor} names nothing that is complete", at)
        value, mark, count = self._anchors[event.anchor]
        self._aliased += count
        if self._aliased > MAX_ALIASED:
            raise _Fault(f"aliases blow this up by more than {MAX_ALIASED} values", at)
        self._top.count += count
        self._top.add(value, mark)

    def _document(self, _event: Any, at: int) -> None:
        self._documents += 1
        if self._documents > 1:
            raise _Fault("only one YAML document is expected; remove what follows ---", at)

    def _fail(self, text: str, at: int) -> NoReturn:
        raise Invalid([Problem(text, (), place(self._file, at), Kind.TEMPLATE)])


def _where(error: yaml.MarkedYAMLError) -> int:
    mark: Any = error.problem_mark or error.context_mark
    return position(mark.line, mark.column) if mark else 0


def _explicit(event: Any) -> Any:
    """Return the value of a scalar with quotes or with a tag."""
    if event.tag is not None and event.tag != "!":
        return tagged(event.tag, event.value)
    check_scalar(event.value)
    return event.value


def _byte_position(text: str, offset: int) -> int:
    before = text.encode()[:offset].decode(errors="replace")
    return position(before.count("\n"), len(before) - before.rfind("\n") - 1)
