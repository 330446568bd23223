"""Templates made from a type's declaration: a parameter for each property, all outputs.

What comes out can be created as it is, once its parameters have values.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from stoker.sdk.prop import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoker.sdk.prop import Attr
    from stoker.sdk.resource import Resource

    Json = dict[str, Any]

HOT_VERSION = "2016-10-14"
CFN_VERSION = "2012-12-12"
STACK_ID = "OS::stack_id"
"""The output that stands for the resource, where the template is used as a type itself."""

_TYPES = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "map": "json",
    "list": "comma_delimited_list",
    "any": "json",
}
_CFN_TYPES = {
    "string": "String",
    "number": "Number",
    "boolean": "Boolean",
    "json": "Json",
    "comma_delimited_list": "CommaDelimitedList",
}
_ALLOWED = {
    "string": {"length", "allowed_values", "allowed_pattern", "custom_constraint"},
    "number": {"range", "allowed_values", "custom_constraint"},
    "boolean": {"allowed_values", "custom_constraint"},
    "json": {"length"},
    "comma_delimited_list": {"length", "allowed_values", "custom_constraint"},
}
"""The constraints that a parameter of the type may have at :data:`HOT_VERSION`."""


def hot(kind: Resource[Any]) -> Json:
    """Return a HOT template with one resource of the type."""
    name, schema = _resource_name(kind), kind.Props.schema()
    outputs: Json = {
        attribute: _described(each.doc, "description") | {"value": {"get_attr": [name, attribute]}}
        for attribute, each in attributes(kind).items()
    }
    outputs[STACK_ID] = {"value": {"get_resource": name}}
    return {
        "heat_template_version": HOT_VERSION,
        "description": f"Initial template of {name}",
        "parameters": {each: _parameter(schema[each]) for each in schema},
        "resources": {
            name: {
                "type": kind.type_name,
                "properties": {each: {"get_param": each} for each in schema},
            }
        },
        "outputs": outputs,
    }


def cfn(kind: Resource[Any]) -> Json:
    """Return a CloudFormation template with one resource of the type."""
    name, schema = _resource_name(kind), kind.Props.schema()
    outputs: Json = {
        attribute: _described(each.doc, "Description")
        | {"Value": {"Fn::GetAtt": [name, attribute]}}
        for attribute, each in attributes(kind).items()
    }
    outputs[STACK_ID] = {"Value": {"Ref": name}}
    return {
        "HeatTemplateFormatVersion": CFN_VERSION,
        "Description": f"Initial template of {name}",
        "Parameters": {each: _cfn_parameter(_parameter(schema[each])) for each in schema},
        "Resources": {
            name: {
                "Type": kind.type_name,
                "Properties": {each: {"Ref": each} for each in schema},
            }
        },
        "Outputs": outputs,
    }


def attributes(kind: Resource[Any]) -> dict[str, Attr]:
    """Return the attributes of the type, ``show`` among them, which every type has."""
    return {**attrs(), **kind.attributes}


def _resource_name(kind: Resource[Any]) -> str:
    return kind.type_name.rpartition("::")[2]


def _described(doc: str, key: str) -> Json:
    return {key: doc} if doc else {}


def _parameter(schema: Mapping[str, Any]) -> Json:
    """Return the HOT parameter that a property with this schema takes its value from."""
    type_ = _TYPES[schema["type"]]
    if schema["type"] == "list" and _holds_structure(schema):
        type_ = "json"
    found: Json = {"type": type_} | _described(schema.get("description", ""), "description")
    if "default" in schema:
        found["default"] = schema["default"]
    limits = [limit for limit in schema.get("constraints", ()) if limit.keys() <= _ALLOWED[type_]]
    return found | ({"constraints": limits} if limits else {})


def _holds_structure(schema: Mapping[str, Any]) -> bool:
    """Tell whether a list's items would be lost in text with commas."""
    items = schema.get("schema", {}).get("*", {})
    return items.get("type") in ("map", "list")


def _cfn_parameter(parameter: Json) -> Json:
    found: Json = {"Type": _CFN_TYPES[parameter["type"]]}
    found |= _described(parameter.get("description", ""), "Description")
    if "default" in parameter:
        found["Default"] = _cfn_default(parameter["type"], parameter["default"])
    for limit in parameter.get("constraints", ()):
        found |= _cfn_limit(limit)
    return found


def _cfn_default(type_: str, value: Any) -> Any:
    if type_ == "json" and not isinstance(value, str):
        return json.dumps(value)
    if type_ == "comma_delimited_list" and isinstance(value, list):
        return ",".join(map(str, value))
    return value


def _cfn_limit(limit: Mapping[str, Any]) -> Json:
    ((kind, value),) = limit.items()
    if kind == "allowed_values":
        return {"AllowedValues": value}
    if kind == "allowed_pattern":
        return {"AllowedPattern": value}
    if kind == "custom_constraint":  # CloudFormation has no word for it
        return {}
    noun = "Value" if kind == "range" else "Length"
    return {f"{end.title()}{noun}": value[end] for end in value}
