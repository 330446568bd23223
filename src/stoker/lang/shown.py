"""Parameters as the API shows them: of a stack, and of a template that is validated.

Rule: a hidden value is shown as ``******``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from stoker.lang.constraints import (
    AllowedPattern,
    AllowedValues,
    Constraint,
    Custom,
    Length,
    Modulo,
    Range,
)
from stoker.lang.parameters import ParameterSchema
from stoker.lang.wording import MASK

_TYPES: Final = {
    "string": "String",
    "number": "Number",
    "comma_delimited_list": "CommaDelimitedList",
    "json": "Json",
    "boolean": "Boolean",
}


def parameter_texts(values: Mapping[str, Any], hidden: frozenset[str]) -> dict[str, str]:
    """Return each value as text; a hidden one masked."""
    return {name: MASK if name in hidden else _text(value) for name, value in values.items()}


def _text(value: Any) -> str:
    match value:
        case str():
            return value
        case list() if all(isinstance(each, str) for each in value):
            return ",".join(value)
        case dict() | list():
            return json.dumps(value)
        case _:
            return str(value)


def parameter_document(schema: ParameterSchema, default: Any, given: Any) -> dict[str, Any]:
    """Return one entry of the ``Parameters`` that validating a template answers."""
    document = {
        "Type": _TYPES[schema.type],
        "Description": schema.description,
        "NoEcho": "true" if schema.hidden else "false",
        "Label": schema.label or schema.name,
    }
    optional = {"Default": default, "Value": given, "Tags": list(schema.tags) or None}
    document |= {key: value for key, value in optional.items() if value is not None}
    for each in schema.constraints:
        document |= _limits(each)
    about = [each.description for each in schema.constraints if each.description]
    return document | ({"ConstraintDescription": " ".join(about)} if about else {})


def _limits(constraint: Constraint) -> dict[str, Any]:
    match constraint:
        case Length(least=least, most=most):
            return _given(MinLength=least, MaxLength=most)
        case Range(least=least, most=most):
            return _given(MinValue=least, MaxValue=most)
        case Modulo(step=step, offset=offset):
            return {"Step": step, "Offset": offset}
        case AllowedValues(allowed=allowed):
            return {"AllowedValues": list(allowed)}
        case AllowedPattern(pattern=pattern):
            return {"AllowedPattern": pattern}
        case Custom(name=name):
            return {"CustomConstraint": name}
        case _:
            return {}


def _given(**limits: Any) -> dict[str, Any]:
    return {key: value for key, value in limits.items() if value is not None}
