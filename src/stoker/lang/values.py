"""YAML to values alone, for the many documents in which nothing is wrong.

Rule: what comes out is what :func:`stoker.lang.events.build` gives. A document with anchors, tags,
merged maps or lists for keys, or with anything wrong, is left to that.
"""

from __future__ import annotations

from typing import Any, Final

import yaml

from stoker.lang.events import MAX_DEPTH, key_text
from stoker.lang.scalars import check_scalar, plain

_NO_KEY: Final = object()
_MERGE: Final = "<<"
_STARTS: Final[dict[type, type[dict[str, Any] | list[Any]]]] = {
    yaml.MappingStartEvent: dict,
    yaml.SequenceStartEvent: list,
}
_ENDS: Final = frozenset({yaml.MappingEndEvent, yaml.SequenceEndEvent})
_REFUSED: Final = (yaml.YAMLError, ValueError)
"""What may be wrong with a document; UnicodeError is a ValueError."""


class Unusual(Exception):
    """The document needs the reader that keeps places."""


def plain_value(text: str) -> Any:
    """Return the value of the only document in ``text``; raises Unusual."""
    try:
        found = _Values().read(text)
    except _REFUSED as error:
        raise Unusual from error
    if len(found) > 1:
        raise Unusual
    return found[0] if found else None


class _Values:
    """Fills ``holder``, a list or a map, in which ``key`` waits for its value."""

    def __init__(self) -> None:
        self._holder: Any = []
        self._key: Any = _NO_KEY
        self._outer: list[tuple[Any, Any]] = []

    def read(self, text: str) -> list[Any]:
        """Return the values of all documents."""
        root = self._holder
        next_event = yaml.CSafeLoader(text).get_event
        for event in iter(next_event, None):
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._scalar(event)
            elif kind in _STARTS:
                self._start(event, _STARTS[kind]())
            elif kind in _ENDS:
                made = self._holder
                self._holder, self._key = self._outer.pop()
                self._put(made)
            elif kind is yaml.AliasEvent:
                raise Unusual
        return list(root)

    def _scalar(self, event: Any) -> None:
        if event.tag is not None or event.anchor is not None:
            raise Unusual
        value = event.value
        if event.implicit[0]:
            if value == _MERGE:
                raise Unusual
            value = plain(value)
        elif not value.isprintable():
            check_scalar(value)
        holder = self._holder
        if type(holder) is list:
            holder.append(value)
        elif self._key is _NO_KEY:
            self._key = value if type(value) is str else key_text(value)
        else:
            holder[self._key] = value
            self._key = _NO_KEY

    def _start(self, event: Any, made: Any) -> None:
        is_key = type(self._holder) is dict and self._key is _NO_KEY
        if is_key or event.tag is not None or event.anchor is not None:
            raise Unusual
        if len(self._outer) >= MAX_DEPTH:
            raise Unusual
        self._outer.append((self._holder, self._key))
        self._holder, self._key = made, _NO_KEY

    def _put(self, value: Any) -> None:
        if type(self._holder) is list:
            self._holder.append(value)
        else:
            self._holder[self._key] = value
            self._key = _NO_KEY
