"""A key that a map has twice: of its values only the last one counts."""

from __future__ import annotations

from collections.abc import Iterator

from stoker.errors import Code, Kind, Problem
from stoker.lang.lint.keys import keys
from stoker.lang.lint.subject import Subject
from stoker.lang.places import place

_MERGE = "<<"


def duplicate_keys(subject: Subject) -> Iterator[Problem]:
    """Give each key that was there before in its map, with both lines."""
    file = subject.template.places.file
    for key in keys(subject.text):
        if key.before is not None and key.text != _MERGE:
            line = place(file, key.before).line
            text = f"the key {key.text} stands in line {line} already; only the value here counts"
            at = place(file, key.at)
            yield Problem(text, key.path, at, Kind.TEMPLATE, Code.DUPLICATE_KEY)
