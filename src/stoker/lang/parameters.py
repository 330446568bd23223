"""Parameters: how they are declared, and the typed values that a stack gets.

Rule: a value is converted and checked once, here; a hidden one is never shown in a text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from stoker.errors import Code, Kind, Path, Place, Problem
from stoker.lang.constraints import Constraint, Custom, Seen
from stoker.lang.depth import check_depth, json_value
from stoker.lang.places import Spot
from stoker.lang.suggestion import meant
from stoker.lang.unknown import UNKNOWN, is_known
from stoker.lang.wording import MASK, shown

__all__ = ["MASK", "Bound", "Lookup", "ParameterSchema", "bind", "check_default", "convert"]

_TRUE: Final = frozenset({"1", "t", "true", "on", "y", "yes"})
_FALSE: Final = frozenset({"0", "f", "false", "off", "n", "no"})
_SHOWN: Final = 60
_PLAIN: Final[Mapping[str, type]] = {"string": str, "boolean": bool}
"""The types of values that need no conversion."""


@dataclass(slots=True)
class ParameterSchema:
    """A parameter as declared; a ``default`` of None is no default.

    Nobody changes one; it is not frozen for the reason that a Call is not.
    """

    name: str
    type: str
    label: str | None = None
    description: str = ""
    default: Any = None
    hidden: bool = False
    constraints: tuple[Constraint, ...] = ()
    immutable: bool = False
    tags: tuple[str, ...] = ()
    spot: Spot | None = None

    @property
    def place(self) -> Place | None:
        """Where its name stands in the template."""
        if self.spot is None:
            return None
        places, at = self.spot
        nearest: Place | None = places.nearest(at)
        return nearest

    def convert(self, value: Any) -> Any:
        """Return ``value`` as this parameter's type; raises ValueError with the reason."""
        return convert(self.type, value, self.seen)

    def reasons(self, value: Any) -> Iterator[str]:
        """Yield why the converted ``value`` is refused; nothing when it is fine."""
        for constraint in self.constraints:
            reason = constraint.reason(value, self.seen)
            if reason is not None:
                yield reason

    def seen(self, value: Any) -> str:
        """Return ``value`` as an error may show it."""
        if self.hidden:
            return MASK
        text = value if isinstance(value, str) else json.dumps(value, default=repr)
        return f'"{text[:_SHOWN]}…"' if len(text) > _SHOWN else f'"{text}"'


@dataclass(frozen=True)
class Lookup:
    """A value that only a cloud can judge, by the custom constraint of that name."""

    constraint: str
    value: Any
    at: Path
    place: Place | None


@dataclass(frozen=True)
class Bound:
    """The typed values of a template's parameters, and what is wrong with them."""

    values: Mapping[str, Any]
    lookups: tuple[Lookup, ...]
    problems: tuple[Problem, ...]


def convert(type_name: str, value: Any, seen: Seen = shown) -> Any:
    """Return ``value`` as a parameter type; raises ValueError, which shows it as ``seen`` does."""
    maker = _MAKERS.get(type_name)
    if maker is not None:
        return maker(value, seen)
    return value if isinstance(value, str) else str(value)


def _number(value: Any, seen: Seen) -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    try:
        return int(value)
    except (ValueError, TypeError):
        return _float(value, seen)


def _float(value: Any, seen: Seen) -> float:
    try:
        number = float(value)
    except (ValueError, TypeError):
        raise ValueError(f"{seen(value)} is not a number") from None
    if not math.isfinite(number):
        raise ValueError(f"{seen(value)} is not a finite number")
    return number


def _boolean(value: Any, seen: Seen) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    raise ValueError(f"{seen(value)} is neither true nor false")


def _list(value: Any, seen: Seen) -> list[str]:
    if isinstance(value, list):
        return [each if isinstance(each, str) else str(each) for each in value]
    if isinstance(value, dict):
        raise ValueError(f"{seen(value)} is a map; give a list, or text with commas")  # noqa: TRY004 - told as a value
    return str(value).split(",") if value != "" else []


def _json(value: Any, seen: Seen) -> Any:
    if not isinstance(value, str):
        return value
    if not value:
        return ""
    try:
        return json_value(value)
    except ValueError as error:
        raise ValueError(f"{seen(value)} is not valid JSON: {error}") from None


_MAKERS: Final[Mapping[str, Callable[[Any, Seen], Any]]] = {
    "number": _number,
    "boolean": _boolean,
    "comma_delimited_list": _list,
    "json": _json,
}


def bind(
    schemas: Mapping[str, ParameterSchema],
    given: Mapping[str, Any],
    defaults: Mapping[str, Any],
    *,
    strict: bool = True,
    previous: Mapping[str, Any] | None = None,
) -> Bound:
    """Return the value of each parameter: given, else from ``defaults``, else its own.

    With ``strict`` false a missing value is UNKNOWN instead of a problem. ``previous``
    holds the values before an update, for parameters that must not change.
    """
    unknown = (name for name in given if name not in schemas)
    problems = [_unknown(name, meant(name, schemas, i)) for i, name in enumerate(unknown)]
    values: dict[str, Any] = {}
    lookups: list[Lookup] = []
    for name, schema in schemas.items():
        raw = _first(given.get(name), defaults.get(name), schema.default)
        if raw is None:
            values[name] = UNKNOWN
            problems += [_missing(schema)] if strict else []
            continue
        values[name], found = _value(schema, raw)
        problems += found or _changed(schema, values[name], previous or {})
        lookups += () if found else _lookups(schema, values[name])
    return Bound(values, tuple(lookups), tuple(problems))


def check_default(schema: ParameterSchema) -> list[Problem]:
    """Return what is wrong with the default of a declaration."""
    if schema.default is None:
        return []
    return [
        replace(
            each,
            text=f"{each.text} (its default)",
            at=(*each.at, "default"),
            code=Code.PARAMETER_DEFAULT,
        )
        for each in _value(schema, schema.default)[1]
    ]


def _first(*values: Any) -> Any:
    return next((each for each in values if each is not None), None)


def _value(schema: ParameterSchema, raw: Any) -> tuple[Any, list[Problem]]:
    if type(raw) is _PLAIN.get(schema.type) and not schema.constraints:
        return raw, []
    try:
        check_depth(raw)
    except ValueError as error:
        return UNKNOWN, [_problem(schema, str(error))]
    if not is_known(raw):
        keeps = schema.type == "json" or (schema.type[:5] == "comma" and isinstance(raw, list))
        return (raw if keeps else UNKNOWN), []
    try:
        value = schema.convert(raw)
    except ValueError as error:
        return UNKNOWN, [_problem(schema, str(error))]
    return value, [_problem(schema, reason) for reason in schema.reasons(value)]


def _lookups(schema: ParameterSchema, value: Any) -> Iterator[Lookup]:
    for each in schema.constraints:
        if isinstance(each, Custom) and is_known(value):
            yield Lookup(each.name, value, ("parameters", schema.name), schema.place)


def _changed(schema: ParameterSchema, value: Any, previous: Mapping[str, Any]) -> list[Problem]:
    old = previous.get(schema.name)
    if not schema.immutable or old is None or value is UNKNOWN:
        return []
    before, found = _value(schema, old)
    if found or before == value:
        return []
    text = f"The following parameters are immutable and may not be updated: {schema.name}"
    return [_problem(schema, text, Kind.IMMUTABLE, prefix="")]


def _unknown(name: str, hint: str) -> Problem:
    text = f"The Parameter ({name}) was not defined in template."
    return Problem(text, ("parameters", name), kind=Kind.PARAMETER_UNKNOWN, hint=hint)


def _missing(schema: ParameterSchema) -> Problem:
    text = f"The Parameter ({schema.name}) was not provided."
    return _problem(schema, text, Kind.PARAMETER_MISSING, prefix="")


def _problem(
    schema: ParameterSchema, text: str, kind: Kind = Kind.PARAMETER, prefix: str | None = None
) -> Problem:
    start = f"Parameter '{schema.name}' is invalid: " if prefix is None else prefix
    return Problem(start + text, ("parameters", schema.name), schema.place, kind)
