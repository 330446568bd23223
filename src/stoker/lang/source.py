"""Text (YAML or JSON) to plain values, with the place of each.

Rule: whatever the text holds, the cost is bounded and every fault has a line and a column.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stoker.errors import Invalid, Kind, Path, Problem
from stoker.lang.events import MAX_DEPTH, TOO_DEEP, build, build_with_short_forms, key_text
from stoker.lang.places import Mark, Marks, Places
from stoker.lang.scalars import check_scalar, is_plain
from stoker.lang.short_forms import Used
from stoker.lang.values import Unusual, plain_value


@dataclass(frozen=True, slots=True)
class Source:
    """A document: plain dicts, lists and scalars, and where each stood.

    ``short`` is the first of CloudFormation's short forms in it, where these were read.
    """

    value: Any
    places: Places
    short: Used | None = None


def parse(text: str, file: str, *, short_forms: bool = False) -> Source:
    """Read one YAML or JSON document.

    Keys come out as text, as JSON would write them; of equal keys the last one counts.
    With ``short_forms`` those of CloudFormation are read as the long ones, else refused.
    Raises Invalid (kind TEMPLATE) with the place of the first fault.
    """
    if text.lstrip()[:1] == "{":
        is_json, value = _json(text)
        if is_json:
            places = _json_places(text, file)
            return Source(_plain(value, places), places)
    try:
        value = plain_value(text)
    except Unusual:
        return _unusual(text, file, short_forms=short_forms)
    return Source(value, Places(file, Marks(lambda: build(text, file)[1])))


def _unusual(text: str, file: str, *, short_forms: bool) -> Source:
    """Read a document in which there is more than plain values."""
    if not short_forms:
        value, mark = build(text, file)
        return Source(value, Places(file, Marks(lambda: mark)))
    value, mark, short = build_with_short_forms(text, file)
    return Source(value, Places(file, Marks(lambda: mark)), short)


def from_mapping(value: Mapping[str, Any], file: str) -> Source:
    """Take a document that is parsed already; it has paths but no places.

    It is not copied where it is plain: whoever gave it does not change it.
    """
    places = Places(file, None)
    return Source(_plain(value, places), places)


def _json(text: str) -> tuple[bool, Any]:
    """Return whether this is JSON, and its value.

    If it is not (a YAML flow map, say), YAML has the say and reports with a place.
    """
    try:
        return True, json.loads(text)
    except (ValueError, RecursionError):
        return False, None


def _json_places(text: str, file: str) -> Places:
    """JSON gives no positions; YAML reads nearly all JSON, and gives them."""

    def find() -> Mark | None:
        try:
            return build(text, file)[1]
        except Invalid:
            return None

    return Places(file, Marks(find))


def _plain(value: Any, places: Places) -> Any:
    return value if is_plain(value, MAX_DEPTH) else _normal(value, (), places)


def _normal(value: Any, at: Path, places: Places) -> Any:
    """Return ``value`` as plain dicts, lists and scalars that JSON and databases can hold."""
    if len(at) > MAX_DEPTH:
        raise _refused(TOO_DEEP, at[:8], places)
    if isinstance(value, Mapping):
        keyed = {key_text(key): each for key, each in value.items()}
        return {_checked(key, (*at, key), places): _normal(each, (*at, key), places)
                for key, each in keyed.items()}  # fmt: skip
    if isinstance(value, list | tuple):
        return [_normal(each, (*at, index), places) for index, each in enumerate(value)]
    if value is None or isinstance(value, str | int | float):
        return _checked(value, at, places)
    text = f"a value of type {type(value).__name__} cannot stand in a template"
    raise _refused(text, at, places)


def _checked(value: Any, at: Path, places: Places) -> Any:
    try:
        check_scalar(value)
    except ValueError as error:
        raise _refused(str(error), at, places) from error
    return value


def _refused(text: str, at: Path, places: Places) -> Invalid:
    return Invalid([Problem(text, at, places.nearest(at), Kind.TEMPLATE)])
