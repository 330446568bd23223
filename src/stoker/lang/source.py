"""Text (YAML or JSON) to plain values, with the place of each.

Rule: whatever the text holds, the cost is bounded and every fault has a line and a column.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stoker.errors import Invalid, Kind, Path, Problem
from stoker.lang.events import MAX_DEPTH, TOO_DEEP, build, key_text
from stoker.lang.places import Places


@dataclass(frozen=True, slots=True)
class Source:
    """A document: plain dicts, lists and scalars, and where each stood."""

    value: Any
    places: Places


def parse(text: str, file: str) -> Source:
    """Read one YAML or JSON document.

    Keys come out as text, as JSON would write them; of equal keys the last one counts.
    Raises Invalid (kind TEMPLATE) with the place of the first fault.
    """
    if text.lstrip()[:1] == "{":
        value = _json(text)
        if value is not None:
            return Source(value, _json_places(text, file))
    value, mark = build(text, file)
    return Source(value, Places(file, mark))


def from_mapping(value: Mapping[str, Any], file: str) -> Source:
    """Take a document that is parsed already; it has paths but no places."""
    return Source(_normal(value, ()), Places(file, None))


def _json(text: str) -> Any:
    """Return the JSON document, or None when this is no JSON (a YAML flow map, say)."""
    try:
        value = json.loads(text)
        _check_depth(value)
    except (ValueError, RecursionError):
        return None  # YAML has the say then, and reports with a place
    return value


def _json_places(text: str, file: str) -> Places:
    """JSON gives no positions; YAML reads nearly all JSON, and gives them."""
    try:
        return Places(file, build(text, file)[1])
    except Invalid:
        return Places(file, None)


def _check_depth(value: Any, depth: int = 0) -> None:
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, dict):
        for each in value.values():
            _check_depth(each, depth + 1)
    elif isinstance(value, list):
        for each in value:
            _check_depth(each, depth + 1)


def _normal(value: Any, at: Path) -> Any:
    if len(at) > MAX_DEPTH:
        raise Invalid([Problem(TOO_DEEP, at[:8], kind=Kind.TEMPLATE)])
    if isinstance(value, Mapping):
        return {key_text(k): _normal(v, (*at, key_text(k))) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_normal(each, (*at, index)) for index, each in enumerate(value)]
    if value is None or isinstance(value, str | int | float):
        return value
    text = f"a value of type {type(value).__name__} cannot stand in a template"
    raise Invalid([Problem(text, at, kind=Kind.TEMPLATE)])
