"""The sections ``parameters`` and ``parameter_groups`` of a HOT template.

Rule: a declaration that is wrong is noted and left out of further checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from stoker.errors import Code, Kind, Path
from stoker.lang.constraints import (
    AllowedPattern,
    AllowedValues,
    Constraint,
    Custom,
    Length,
    Modulo,
    Range,
)
from stoker.lang.parameters import ParameterSchema, check_default, convert
from stoker.lang.pattern import full_match
from stoker.lang.reading import Reading
from stoker.lang.suggestion import meant
from stoker.lang.syntax import ParameterGroup
from stoker.lang.versions import MODULO, PARAMETER_TAGS
from stoker.lang.wording import prose, shown

TYPES: Final = ("string", "number", "comma_delimited_list", "json", "boolean")
PSEUDO: Final = ("OS::stack_name", "OS::stack_id", "OS::project_id", "OS::region")
"""Names that every template knows without declaring them; the last has no value."""

_ALWAYS: Final = "2013-05-23"
_KEYS: Final = {
    **dict.fromkeys(
        ("type", "label", "description", "default", "hidden", "constraints", "immutable", "schema"),
        _ALWAYS,
    ),
    "tags": PARAMETER_TAGS,
}
_KINDS: Final = {
    **dict.fromkeys(
        ("length", "range", "allowed_values", "allowed_pattern", "custom_constraint"), _ALWAYS
    ),
    "modulo": MODULO,
}


def read_parameters(raw: dict[str, Any], reading: Reading) -> dict[str, ParameterSchema]:
    """Return the parameters that a document declares."""
    section = reading.section(raw, "parameters")
    declared = reading.maps(section, ("parameters",), "the parameter", Kind.SCHEMA)
    return {name: _parameter(name, each, reading) for name, each in declared}


def _parameter(name: str, raw: dict[str, Any], reading: Reading) -> ParameterSchema:
    at: Path = ("parameters", name)
    before = len(reading.problems)
    reading.known_keys(raw, _KEYS, at, Kind.SCHEMA, "a parameter")
    type_name = _type(raw, at, reading)
    schema = ParameterSchema(
        name=name,
        type=type_name,
        label=prose(raw.get("label")),
        description=prose(raw.get("description")) or "",
        default=raw.get("default"),
        hidden="hidden" in raw and flag(raw["hidden"], (*at, "hidden"), reading),
        constraints=_constraints(raw.get("constraints"), type_name, (*at, "constraints"), reading),
        immutable="immutable" in raw and flag(raw["immutable"], (*at, "immutable"), reading),
        tags=_tags(raw.get("tags"), (*at, "tags"), reading),
        spot=(reading.places, at),
    )
    if len(reading.problems) == before:
        for each in check_default(schema):
            kind = Kind.SCHEMA if schema.constraints else each.kind
            reading.fault(each.text, each.at, kind, code=Code.PARAMETER_DEFAULT)
    return schema


def _type(raw: Mapping[str, Any], at: Path, reading: Reading) -> str:
    given = raw.get("type")
    if given in TYPES:
        return str(given)
    if "type" not in raw:
        reading.fault(f"the parameter has no type; give one of {', '.join(TYPES)}", at, Kind.SCHEMA)
    else:
        text = f"{shown(given)} is no type of a parameter; the types are {', '.join(TYPES)}"
        reading.fault(text, (*at, "type"), Kind.SCHEMA)
    return "string"


def flag(raw: Any, at: Path, reading: Reading) -> bool:
    """Return a boolean of a declaration; null is false."""
    if raw is None:
        return False
    try:
        return bool(convert("boolean", raw))
    except ValueError as error:
        reading.fault(str(error), at, Kind.SCHEMA)
        return False


def _tags(raw: Any, at: Path, reading: Reading) -> tuple[str, ...]:
    if raw is None:
        return ()
    texts = (prose(each) for each in reading.a_list(raw, at, Kind.SCHEMA))
    return tuple(text for text in texts if text is not None)


def _constraints(raw: Any, type_name: str, at: Path, reading: Reading) -> tuple[Constraint, ...]:
    if raw is None:
        return ()
    found = []
    for index, each in enumerate(reading.a_list(raw, at, Kind.SCHEMA)):
        constraint = _constraint(each, type_name, (*at, index), reading)
        if constraint is not None:
            found.append(constraint)
    return tuple(found)


def _constraint(raw: Any, type_name: str, at: Path, reading: Reading) -> Constraint | None:
    if not isinstance(raw, dict):
        reading.fault(f"a constraint must be a map, not {shown(raw)}", at, Kind.SCHEMA)
        return None
    kinds = [key for key in raw if key != "description"]
    if len(kinds) != 1:
        known = ", ".join(_KINDS)
        reading.fault(f"a constraint has one of the keys {known}", at, Kind.SCHEMA)
        return None
    kind = kinds[0]
    before = len(reading.problems)
    reading.known_keys({kind: None}, _KINDS, at, Kind.SCHEMA, "a constraint")
    if len(reading.problems) > before:
        return None
    about = prose(raw.get("description"))
    try:
        constraint = CONSTRAINTS[kind](raw[kind], type_name, about)
    except ValueError as error:
        reading.fault(str(error), (*at, kind), Kind.SCHEMA)
        return None
    if type_name not in constraint.fits:
        text = f"{kind} cannot be used with the type {type_name}"
        reading.fault(text, (*at, kind), Kind.SCHEMA)
        return None
    return constraint


def _length(raw: Any, _type_name: str, about: str | None) -> Constraint:
    least, most = _limits(raw, "length")
    return Length(least=_whole(least), most=_whole(most), description=about)


def _range(raw: Any, _type_name: str, about: str | None) -> Constraint:
    least, most = _limits(raw, "range")
    return Range(least=_number(least), most=_number(most), description=about)


def _limits(raw: Any, kind: str) -> tuple[Any, Any]:
    if not isinstance(raw, dict) or not raw or not set(raw) <= {"min", "max"}:
        raise ValueError(f"{kind} takes a map with min, max or both, not {shown(raw)}")
    return raw.get("min"), raw.get("max")


def _modulo(raw: Any, _type_name: str, about: str | None) -> Constraint:
    if not isinstance(raw, dict) or set(raw) != {"step", "offset"}:
        raise ValueError(f"modulo takes a map with step and offset, not {shown(raw)}")
    step, offset = _whole(raw["step"]), _whole(raw["offset"])
    if not step or offset is None:
        raise ValueError("the step of modulo must not be zero, and both must be given")
    if abs(offset) >= abs(step) or offset * step < 0:
        raise ValueError("the offset of modulo must be nearer to zero than the step, on its side")
    return Modulo(step=step, offset=offset, description=about)


def _allowed_values(raw: Any, type_name: str, about: str | None) -> Constraint:
    if not isinstance(raw, list):
        raise ValueError(f"allowed_values takes a list, not {shown(raw)}")  # noqa: TRY004 - told as a value
    item = "string" if type_name == "comma_delimited_list" else type_name
    same = tuple(convert(item, each) for each in raw)
    return AllowedValues(allowed=tuple(raw), same=same, description=about)


def _allowed_pattern(raw: Any, _type_name: str, about: str | None) -> Constraint:
    if not isinstance(raw, str):
        raise ValueError(f"allowed_pattern takes a text, not {shown(raw)}")  # noqa: TRY004 - told as a value
    full_match(raw, "")
    return AllowedPattern(pattern=raw, description=about)


def _custom(raw: Any, _type_name: str, about: str | None) -> Constraint:
    if not isinstance(raw, str) or not raw:
        raise ValueError(f"custom_constraint takes the name of one, not {shown(raw)}")
    return Custom(name=raw, description=about)


def _number(raw: Any) -> Any:
    return None if raw is None else convert("number", raw)


def _whole(raw: Any) -> int | None:
    number = _number(raw)
    if number is None or isinstance(number, int):
        return number
    raise ValueError(f"{shown(raw)} is not a whole number")


CONSTRAINTS: Final[dict[str, Callable[[Any, str, str | None], Constraint]]] = {
    "length": _length,
    "range": _range,
    "modulo": _modulo,
    "allowed_values": _allowed_values,
    "allowed_pattern": _allowed_pattern,
    "custom_constraint": _custom,
}
"""What reads each kind: value, type of the parameter, description; raises ValueError."""

GROUP: Final = ("label", "description", "parameters")
"""The keys of a parameter group; others say nothing."""


def read_groups(raw: dict[str, Any], reading: Reading) -> tuple[ParameterGroup, ...]:
    """Return a document's groups; each names parameters that exist and are in no other group."""
    at: Path = ("parameter_groups",)
    groups = []
    placed: set[str] = set()
    section = raw.get("parameters")
    parameters = section if isinstance(section, dict) else {}
    for index, each in enumerate(reading.a_list(raw.get("parameter_groups") or None, at)):
        group = _group(each, (*at, index), reading)
        for position, name in enumerate(group.parameters):
            where = (*at, index, "parameters", position)
            if name not in parameters and name not in PSEUDO:
                text = f"the parameter {name} is not declared"
                hint = meant(name, parameters, len(reading.problems))
                reading.fault(text, where, code=Code.PARAMETER_GROUP, hint=hint)
            if name in placed:
                text = f"the parameter {name} is in a group already"
                reading.fault(text, where, code=Code.PARAMETER_GROUP)
            placed.add(name)
        groups.append(group)
    return tuple(groups)


def _group(raw: Any, at: Path, reading: Reading) -> ParameterGroup:
    given = reading.a_map(raw, at)
    if given.get("parameters") is None:
        reading.fault("the group needs a list of parameters", at, code=Code.PARAMETER_GROUP)
    return ParameterGroup(
        label=prose(given.get("label")),
        description=prose(given.get("description")),
        parameters=tuple(_names(given.get("parameters"), (*at, "parameters"), reading)),
    )


def _names(raw: Any, at: Path, reading: Reading) -> Iterator[str]:
    for index, each in enumerate(reading.a_list(raw, at)):
        text = reading.text(each, (*at, index))
        if text is not None:
            yield text
        elif each is None:
            told = "a group holds names of parameters, not null"
            reading.fault(told, (*at, index), code=Code.PARAMETER_GROUP)
