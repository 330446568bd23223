"""A key that a map has twice: of its values only the last one counts.

Rule: the text is walked event by event, without recursion; what cannot be read is told elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import yaml

from stoker.errors import Code, Kind, Path, Place, Problem
from stoker.lang.lint.subject import Subject
from stoker.lang.places import place, position

_MERGE = "<<"


class _Frame:
    """A list or a map that is open: the step that its next value is at."""

    def __init__(self, *, is_map: bool) -> None:
        self.is_map = is_map
        self.keys: dict[str, int] = {}
        self.key: str | None = None
        self.items = 0

    def step(self) -> Any:
        return self.key if self.is_map else self.items

    def leave(self) -> None:
        """The value at the step is complete."""
        self.key = None
        self.items += 1


def duplicate_keys(subject: Subject) -> Iterator[Problem]:
    """Give each key that was there before in its map, with both lines."""
    file = subject.template.places.file
    next_event: Callable[[], Any] = yaml.CSafeLoader(subject.text).get_event
    frames: list[_Frame] = []
    for event in iter(next_event, None):
        match event:
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                frames.append(_Frame(is_map=isinstance(event, yaml.MappingStartEvent)))
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                frames.pop()
                _left(frames)
            case yaml.ScalarEvent() if frames and frames[-1].is_map and frames[-1].key is None:
                yield from _key(event, frames, file)
            case yaml.ScalarEvent() | yaml.AliasEvent():
                _left(frames)


def _left(frames: list[_Frame]) -> None:
    if frames:
        frames[-1].leave()


def _key(event: Any, frames: list[_Frame], file: str) -> Iterator[Problem]:
    frame, key = frames[-1], event.value
    at = position(event.start_mark.line, event.start_mark.column)
    before = frame.keys.get(key)
    frame.keys[key], frame.key = at, key
    if before is not None and key != _MERGE:
        path = tuple(each.step() for each in frames)
        yield _told(key, place(file, before), place(file, at), path)


def _told(key: str, first: Place, second: Place, at: Path) -> Problem:
    text = f"the key {key} stands in line {first.line} already; only the value here counts"
    return Problem(text, at, second, Kind.TEMPLATE, Code.DUPLICATE_KEY)
