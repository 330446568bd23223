"""Templates around one call or one parameter; their only output is the value."""

from __future__ import annotations

from typing import Any

from stoker.lang.versions import HOT
from tests.agreement.language.calls import CONDITIONS, PARAMETERS

FIRST_WITH_CONDITIONS = "2016-10-14"
AWS = ("AWSTemplateFormatVersion", "2010-09-09")
CFN_VERSIONS = (AWS, ("HeatTemplateFormatVersion", "2012-12-12"))
FILES = {"f": "text of the file"}
MAPPINGS = {"M": {"k": {"a": "x", "b": ["y"]}, "1": {"a": 2}}}
CFN_TYPES = {"string": "String", "number": "Number", "comma_delimited_list": "CommaDelimitedList",
             "json": "Json", "boolean": "Boolean"}  # fmt: skip


def hot(expr: Any, version: str, conditions: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a template whose output ``o`` is ``expr``."""
    document = {
        "heat_template_version": version,
        "parameters": PARAMETERS,
        "outputs": {"o": {"value": expr}},
    }
    if version >= FIRST_WITH_CONDITIONS:
        document["conditions"] = {**CONDITIONS, **(conditions or {})}
    return document


def cfn(expr: Any, version: tuple[str, str]) -> dict[str, Any]:
    """Return a CloudFormation template whose output ``o`` is ``expr``."""
    return {
        version[0]: version[1],
        "Parameters": {
            name: {"Type": CFN_TYPES[each["type"]], "Default": each["default"]}
            for name, each in PARAMETERS.items()
        },
        "Mappings": MAPPINGS,
        "Outputs": {"o": {"Value": expr}},
    }


def declared(parameter: dict[str, Any], version: str) -> dict[str, Any]:
    """Return a template with the parameter ``p``, which its output shows."""
    return {
        "heat_template_version": version,
        "parameters": {"p": parameter},
        "outputs": {"o": {"value": {"get_param": "p"}}},
    }


VERSIONS = tuple(HOT)
