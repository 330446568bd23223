"""A JSON schema of HOT templates, for editors: generated from what types and functions declare.

Rule: it refuses nothing that is accepted: where a value may stand a function may stand too, and
numbers may come as text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from stoker.lang.functions.registry import condition_functions, functions_at, value_functions
from stoker.lang.hot.parameters import CONSTRAINTS, TYPES
from stoker.lang.versions import ALIASES, HOT
from stoker.sdk.prop import HIDDEN

if TYPE_CHECKING:
    from stoker.sdk.resource import Resource, Types
    from stoker.sdk.schema import Property, Props

Schema = dict[str, Any]

_DIALECT: Final = "http://json-schema.org/draft-07/schema#"
_FUNCTION: Final = {"$ref": "#/definitions/function"}
_CONDITION: Final = {"$ref": "#/definitions/condition"}
_SCALAR: Final = ["string", "number", "boolean", "null"]
_PLAIN: Final[Mapping[str, list[str]]] = {
    "string": _SCALAR,
    "integer": ["integer", "string", "null"],
    "number": ["number", "string", "null"],
    "boolean": ["boolean", "string", "integer", "null"],
}
_FREE: Final[Schema] = {}


def schema_of_templates(types: Types) -> Schema:
    """Return the schema of a template in HOT."""
    known = [kind for name in types.names() if (kind := types.get(name)) is not None]
    return {
        "$schema": _DIALECT,
        "title": "Heat Orchestration Template",
        "type": "object",
        "required": ["heat_template_version"],
        "additionalProperties": False,
        "properties": _sections(),
        "definitions": {
            "function": _functions(),
            "condition": _conditions(),
            "parameter": _parameter(),
            "resource": _resource(known),
            "output": _output(),
            **{kind.type_name: _of_type(kind) for kind in known},
        },
    }


def _sections() -> Schema:
    return {
        "heat_template_version": {"enum": [*HOT, *ALIASES], "description": "The language."},
        "description": {"type": _SCALAR},
        "parameter_groups": {"type": ["array", "null"], "items": _group()},
        "parameters": _map_of({"$ref": "#/definitions/parameter"}),
        "conditions": _map_of(_CONDITION),
        "resources": _map_of({"$ref": "#/definitions/resource"}),
        "outputs": _map_of({"$ref": "#/definitions/output"}),
    }


def _map_of(each: Schema) -> Schema:
    return {"type": ["object", "null"], "additionalProperties": each}


def _closed(properties: Schema, required: Iterable[str] = ()) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _group() -> Schema:
    names = {"type": "array", "items": {"type": "string"}}
    texts: Schema = {"label": {"type": _SCALAR}, "description": {"type": _SCALAR}}
    return _closed({**texts, "parameters": names}, ["parameters"])


def _parameter() -> Schema:
    kinds = dict.fromkeys(CONSTRAINTS, _FREE)
    constraint = _closed({**kinds, "description": {"type": _SCALAR}})
    flag = {"type": ["boolean", "string", "integer", "null"]}
    return _closed(
        {
            "type": {"enum": list(TYPES)},
            "label": {"type": _SCALAR},
            "description": {"type": _SCALAR},
            "default": _FREE,
            "hidden": flag,
            "immutable": flag,
            "constraints": {"type": ["array", "null"], "items": constraint},
            "tags": {"type": ["array", "null"], "items": {"type": _SCALAR}},
            "schema": _FREE,
        },
        ["type"],
    )


def _output() -> Schema:
    value = {"value": _FREE, "description": {"type": _SCALAR}, "condition": _CONDITION}
    return _closed(value, ["value"])


def _resource(known: Collection[Resource[Any]]) -> Schema:
    names = [kind.type_name for kind in known]
    free = {"type": ["object", "null"]}
    keys: Schema = {
        "type": {"type": "string", "anyOf": [{"enum": names}, _FREE]},
        "properties": free,
        "metadata": free,
        "update_policy": free,
        "depends_on": {"type": ["string", "array", "null"], "items": {"type": "string"}},
        "deletion_policy": _FREE,
        "external_id": _FREE,
        "description": {"type": _SCALAR},
        "condition": _CONDITION,
    }
    return {**_closed(keys, ["type"]), "allOf": [_if_of_type(kind) for kind in known]}


def _if_of_type(kind: Resource[Any]) -> Schema:
    name = kind.type_name
    keys = {"properties": _maybe({"$ref": f"#/definitions/{name}"})}
    if kind.Policy.properties():
        keys["update_policy"] = _maybe(_of_props(kind.Policy))
    return {
        "if": {"properties": {"type": {"const": name}}, "required": ["type"]},
        "then": {"properties": keys},
    }


def _maybe(schema: Schema) -> Schema:
    return {"anyOf": [{"type": "null"}, _FUNCTION, schema]}


def _functions() -> Schema:
    """Return the schema of a call: a map with one key, which names a function of any version."""
    return _call(value_functions)


def _call(names_at: Callable[[str], Collection[str]]) -> Schema:
    forms: dict[str, str] = {}
    for version in HOT:
        names = names_at(version)
        forms |= {name: each.form for name, each in functions_at(version).items() if name in names}
    properties = {name: {"description": form} for name, form in sorted(forms.items())}
    return {**_closed(properties), "minProperties": 1, "maxProperties": 1}


def _conditions() -> Schema:
    return {"anyOf": [{"type": ["boolean", "string"]}, _call(condition_functions)]}


def _of_type(kind: Resource[Any]) -> Schema:
    return {**_of_props(kind.Props), "description": kind.doc}


def _of_props(props: type[Props]) -> Schema:
    table = props.properties()
    properties = {
        wire: _of_property(each) if each.spec.support is not HIDDEN else _FREE
        for wire, each in table.items()
    }
    other_names = {each.spec.becomes for each in table.values()}
    required = [
        wire
        for wire, each in table.items()
        if each.spec.required and not each.spec.late and wire not in other_names
    ]
    return {**_closed(properties, required), "additionalProperties": props.takes_others()}


def _of_property(each: Property) -> Schema:
    described = {"description": each.spec.doc} if each.spec.doc else {}
    shapes = [_FUNCTION, *_shapes(each)]
    if each.spec.convert:
        shapes.append({"type": "string"})
    return {**described, "anyOf": shapes}


def _shapes(each: Property) -> list[Schema]:
    if each.type_name == "list":
        items = _of_property(each.item) if each.item else _FREE
        return [{"type": ["array", "null"], "items": items}]
    if each.type_name == "map":
        inner = _of_props(each.nested) if each.nested else {"type": "object"}
        return [{"type": "null"}, inner]
    if each.type_name == "any":
        return [_FREE]
    words = [word for word in each.spec.limits.one_of if isinstance(word, str)]
    listed: list[Schema] = [{"enum": words}] if words else []
    return [*listed, {"type": _PLAIN[each.type_name]}]
