"""From what a template says to a property's typed value: one small check per type.

Rule: a check takes a value that is known, adds to ``found`` what is wrong with it, and
returns the typed value (None after a problem). The conversions are those that Heat makes:
numbers may come as text or as a boolean (a group's ``count`` from a parameter that switches it
on), text may come as a number or a boolean.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from stoker.errors import Code, Kind, Path, Problem
from stoker.lang.pattern import full_match
from stoker.lang.unknown import UNKNOWN
from stoker.sdk.formats import FORMATS
from stoker.sdk.prop import Limits
from stoker.sdk.value import freeze

Check = Callable[[Any, Path, "list[Problem]"], Any]

_TRUE: Final = frozenset({"t", "true", "on", "y", "yes", "1"})
_FALSE: Final = frozenset({"f", "false", "off", "n", "no", "0"})
_SHOWN: Final = 60
_LISTED: Final = 20


def problem(text: str, at: Path, code: Code = Code.PROPERTY_VALUE, hint: str = "") -> Problem:
    """Return a problem of a property."""
    return Problem(text, at, None, Kind.PROPERTY, code, hint=hint)


def shown(value: Any) -> str:
    """Return a value as a message names it, cut short."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def string(value: Any, at: Path, found: list[Problem]) -> Any:
    """Text; booleans and numbers are written out as Python does."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return str(value)
    found.append(problem(f"{shown(value)} is not a string", at))
    return None


def integer(value: Any, at: Path, found: list[Problem]) -> Any:
    """A whole number; text may hold it, and true and false are 1 and 0."""
    try:
        if isinstance(value, int | str) or (isinstance(value, float) and value.is_integer()):
            return int(value)
    except ValueError:
        pass
    found.append(problem(f"Value {shown(value)} is not an integer", at))
    return None


def number(value: Any, at: Path, found: list[Problem]) -> Any:
    """A whole or floating point number; text may hold it, and true and false are 1 and 0."""
    if isinstance(value, int | float):
        return int(value) if isinstance(value, bool) else value
    if isinstance(value, str):
        for read in (int, float):
            try:
                return read(value)
            except ValueError:
                continue
    found.append(problem(f"Value {shown(value)} is not a number", at))
    return None


def boolean(value: Any, at: Path, found: list[Problem]) -> Any:
    """A boolean, or a word for one."""
    if isinstance(value, bool):
        return value
    word = str(value).lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    found.append(problem(f"{shown(value)} is not a boolean: write true or false", at))
    return None


def anything(value: Any, _at: Path, _found: list[Problem]) -> Any:
    """Whatever it is, frozen."""
    return freeze(value)


def plain_map(value: Any, at: Path, found: list[Problem]) -> Any:
    """A map of anything."""
    if isinstance(value, Mapping):
        return freeze(value)
    found.append(problem(f"{shown(value)} is not a map", at))
    return None


PLAIN: Final[Mapping[Any, tuple[str, Check]]] = {
    str: ("string", string),
    int: ("integer", integer),
    float: ("number", number),
    bool: ("boolean", boolean),
    Any: ("any", anything),
}


def list_of(item: Check) -> Check:
    """Return the check of a list whose items pass ``item``."""

    def check(value: Any, at: Path, found: list[Problem]) -> Any:
        if not isinstance(value, list | tuple):
            found.append(problem(f"{shown(value)} is not a list", at))
            return None
        return tuple([v if v is UNKNOWN else item(v, (*at, i), found) for i, v in enumerate(value)])

    return check


def from_text(inner: Check, type_name: str) -> Check:
    """Return ``inner`` for values that may come as text: JSON, or a list with commas."""

    def check(value: Any, at: Path, found: list[Problem]) -> Any:
        if not isinstance(value, str):
            return inner(value, at, found)
        try:
            read = json.loads(value)
        except ValueError as e:
            if type_name == "list":
                return inner(value.split(",") if value else [], at, found)
            found.append(problem(f"{shown(value)} is not JSON: {e}", at))
            return None
        if type_name == "list" and not isinstance(read, list):
            read = value.split(",")
        return inner(read, at, found)

    return check


def limited(inner: Check, limits: Limits) -> Check:
    """Return ``inner``, held to ``limits``."""
    rules = tuple(_rules(limits))
    if not rules:
        return inner
    if limits.any_case:
        inner = _spelled(inner, limits.one_of)

    def check(value: Any, at: Path, found: list[Problem]) -> Any:
        value = inner(value, at, found)
        if value is not None:
            wrong = (rule(value) for rule in rules)
            found.extend(problem(text, at) for text in wrong if text is not None)
        return value

    return check


def _spelled(inner: Check, words: Collection[Any]) -> Check:
    """Return ``inner``, whose text becomes the one of ``words`` that it is but for its case."""
    by_word = {str(each).lower(): str(each) for each in words}

    def check(value: Any, at: Path, found: list[Problem]) -> Any:
        value = inner(value, at, found)
        return by_word.get(value.lower(), value) if isinstance(value, str) else value

    return check


Rule = Callable[[Any], "str | None"]


def _rules(limits: Limits) -> list[Rule]:
    rules: list[Rule] = []
    if limits.one_of:
        rules.append(_one_of(limits))
    if limits.at_least is not None or limits.at_most is not None:
        rules.append(_between(limits.at_least, limits.at_most, ""))
    if limits.shortest is not None or limits.longest is not None:
        span = _between(limits.shortest, limits.longest, "length ")
        rules.append(lambda value: span(len(value)))
    if limits.step is not None:
        rules.append(_stepped(*limits.step))
    if limits.pattern is not None:
        rules.append(_matching(limits.pattern))
    if limits.is_a is not None and limits.is_a in FORMATS:
        rules.append(FORMATS[limits.is_a])
    return rules


def _one_of(limits: Limits) -> Rule:
    allowed = tuple(limits.one_of)
    words = frozenset(map(str, allowed))
    listed = ", ".join([*map(str, allowed[:_LISTED]), *(["…"] if len(allowed) > _LISTED else [])])

    def rule(value: Any) -> str | None:
        if isinstance(value, tuple):
            extra = [each for each in value if each is not UNKNOWN and str(each) not in words]
            return f"{shown(extra[0])} is not one of {listed}" if extra else None
        return None if str(value) in words else f"{shown(value)} is not one of {listed}"

    return rule


def _between(low: float | None, high: float | None, what: str) -> Rule:
    ends = [f"at least {low}"] if low is not None else []
    ends += [f"at most {high}"] if high is not None else []
    wanted = f"{what}must be {' and '.join(ends)}"

    def rule(value: Any) -> str | None:
        wrong = (low is not None and value < low) or (high is not None and value > high)
        return f"{value} is out of range: {wanted}" if wrong else None

    return rule


def _stepped(step: int, offset: int) -> Rule:
    def rule(value: Any) -> str | None:
        if value % step == offset:
            return None
        return f"{value} is not {offset} plus a multiple of {step}"

    return rule


def _matching(pattern: str) -> Rule:
    def rule(value: Any) -> str | None:
        return None if full_match(pattern, value) else f"{shown(value)} does not match {pattern}"

    return rule
