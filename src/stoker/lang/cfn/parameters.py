"""The section ``Parameters`` of a CloudFormation template.

Rule: as in HOT, a declaration that is wrong is noted and left out of further checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from stoker.errors import Code, Kind, Path
from stoker.lang.constraints import Constraint
from stoker.lang.hot.parameters import CONSTRAINTS, flag
from stoker.lang.parameters import ParameterSchema, check_default
from stoker.lang.reading import Reading
from stoker.lang.wording import prose, shown

PSEUDO: Final = ("AWS::StackName", "AWS::StackId", "AWS::Region")
TYPES: Final = {
    "String": "string",
    "Number": "number",
    "CommaDelimitedList": "comma_delimited_list",
    "Json": "json",
    "Boolean": "boolean",
}
_KEYS: Final = dict.fromkeys(
    ("Type", "Default", "NoEcho", "AllowedValues", "AllowedPattern", "MaxLength", "MinLength",
     "MaxValue", "MinValue", "Description", "ConstraintDescription", "Label"),
    "",
)  # fmt: skip
_LIMITS: Final = {"length": ("MinLength", "MaxLength"), "range": ("MinValue", "MaxValue")}
_WHOLE: Final = {"allowed_values": "AllowedValues", "allowed_pattern": "AllowedPattern"}


def read_parameters(raw: dict[str, Any], reading: Reading) -> dict[str, ParameterSchema]:
    """Return the parameters that a document declares."""
    section = reading.section(raw, "Parameters")
    declared = reading.maps(section, ("Parameters",), "the parameter", Kind.SCHEMA)
    return {name: _parameter(name, each, reading) for name, each in declared}


def _parameter(name: str, raw: dict[str, Any], reading: Reading) -> ParameterSchema:
    at: Path = ("Parameters", name)
    before = len(reading.problems)
    reading.known_keys(raw, _KEYS, at, Kind.SCHEMA, "a parameter")
    type_name = _type(raw, at, reading)
    schema = ParameterSchema(
        name=name,
        type=type_name,
        label=prose(raw.get("Label")),
        description=prose(raw.get("Description")) or "",
        default=raw.get("Default"),
        hidden=flag(raw.get("NoEcho"), (*at, "NoEcho"), reading),
        constraints=tuple(_constraints(raw, type_name, at, reading)),
        spot=(reading.places, at),
    )
    if len(reading.problems) == before:
        for each in check_default(schema):
            where = (*at, "Default")
            reading.fault(each.text, where, Kind.SCHEMA, code=Code.PARAMETER_DEFAULT)
    return schema


def _type(raw: Mapping[str, Any], at: Path, reading: Reading) -> str:
    given, known = raw.get("Type"), ", ".join(TYPES)
    if isinstance(given, str) and given in TYPES:
        return TYPES[given]
    if given is None:
        reading.fault(f"the parameter has no Type; give one of {known}", at, Kind.SCHEMA)
    else:
        text = f"{shown(given)} is no type of a parameter; the types are {known}"
        reading.fault(text, (*at, "Type"), Kind.SCHEMA)
    return "string"


def _constraints(
    raw: Mapping[str, Any], type_name: str, at: Path, reading: Reading
) -> Iterator[Constraint]:
    about = prose(raw.get("ConstraintDescription"))
    for kind, key, value in _given(raw):
        try:
            constraint = CONSTRAINTS[kind](value, type_name, about)
        except ValueError as error:
            reading.fault(str(error), (*at, key), Kind.SCHEMA)
            continue
        if type_name in constraint.fits:
            yield constraint
        else:
            text = f"{key} cannot be used with the type {raw.get('Type')}"
            reading.fault(text, (*at, key), Kind.SCHEMA)


def _given(raw: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield the constraints: kind and value as in HOT, and the key here, in the middle."""
    for kind, (least, most) in _LIMITS.items():
        ends = {"min": raw.get(least), "max": raw.get(most)}
        if any(end is not None for end in ends.values()):
            yield kind, least if ends["min"] is not None else most, ends
    for kind, key in _WHOLE.items():
        if raw.get(key) is not None:
            yield kind, key, raw[key]
