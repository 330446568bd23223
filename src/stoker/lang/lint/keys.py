"""The keys of a document as its text has them: also those that are there twice.

Rule: the text is walked event by event, without recursion; a text that cannot be read is told
elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from stoker.errors import Path
from stoker.lang.places import position
from stoker.lang.short_forms import LONG


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a map: ``at`` is its position, ``before`` that of the same key in the same map."""

    text: str
    path: Path
    is_plain: bool
    at: int
    before: int | None


def keys(text: str) -> Iterator[Key]:
    """Give every key, in the order of the text."""
    next_event: Callable[[], Any] = yaml.CSafeLoader(text).get_event
    frames: list[_Frame] = []
    for event in iter(next_event, None):
        match event:
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                is_map = isinstance(event, yaml.MappingStartEvent)
                frames.append(_Frame(is_map=is_map, short=LONG.get(event.tag or "")))
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                frames.pop()
                _left(frames)
            case yaml.ScalarEvent() if frames and frames[-1].is_map and frames[-1].key is None:
                yield _key(event, frames)
            case yaml.ScalarEvent() | yaml.AliasEvent():
                _left(frames)


class _Frame:
    """A list or a map that is open, and the step that its next value is at."""

    def __init__(self, *, is_map: bool, short: str | None) -> None:
        self.is_map = is_map
        self.around = () if short is None else (short,)
        self.keys: dict[str, int] = {}
        self.key: str | None = None
        self.items = 0

    def step(self) -> Any:
        return self.key if self.is_map else self.items

    def leave(self) -> None:
        """The value at the step is complete."""
        self.key = None
        self.items += 1


def _left(frames: list[_Frame]) -> None:
    if frames:
        frames[-1].leave()


def _key(event: Any, frames: list[_Frame]) -> Key:
    frame, text = frames[-1], event.value
    at = position(event.start_mark.line, event.start_mark.column)
    before = frame.keys.get(text)
    frame.keys[text], frame.key = at, text
    is_plain = bool(event.implicit[0]) and event.tag is None
    return Key(
        text,
        tuple(step for each in frames for step in (*each.around, each.step())),
        is_plain,
        at,
        before,
    )
