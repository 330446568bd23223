"""A CloudFormation document into the syntax tree.

Rule: every section is read, whatever is wrong in another. What is checked later names its places
in HOT's words (``resources.web.properties``), whatever the format: they lead to the same line.
"""

from __future__ import annotations

from typing import Any, Final

from stoker.errors import Invalid, Kind, Path
from stoker.lang.cfn.calls import CfnCalls
from stoker.lang.cfn.parameters import PSEUDO, read_parameters
from stoker.lang.places import Mark, Places
from stoker.lang.reading import Reading
from stoker.lang.source import Source
from stoker.lang.syntax import OutputSyntax, ResourceSyntax, Template
from stoker.lang.versions import AWS
from stoker.lang.wording import shown, type_name

_SECTIONS: Final = {
    "HeatTemplateFormatVersion": "version",
    "AWSTemplateFormatVersion": "version",
    "Description": "description",
    "Mappings": "mappings",
    "Parameters": "parameters",
    "Resources": "resources",
    "Outputs": "outputs",
}
_ENTRY: Final = {
    "Type": "type",
    "Properties": "properties",
    "Metadata": "metadata",
    "DependsOn": "depends_on",
    "UpdatePolicy": "update_policy",
    "DeletionPolicy": "deletion_policy",
    "Description": "description",
    "Condition": "condition",
    "Value": "value",
}
"""The keys of a resource and of an output, as HOT calls them."""


def read_cfn(source: Source, version: str) -> Template:
    """Return the template; raises Invalid with every problem in it."""
    reading = Reading(version, source.places)
    raw: dict[str, Any] = source.value
    conditions = {"Conditions": ""} if version == AWS else {}
    reading.known_keys(
        raw, dict.fromkeys(_SECTIONS, "") | conditions, (), Kind.SECTION, "a template"
    )
    resources = raw.get("Resources")
    mappings = reading.a_map(raw.get("Mappings"), ("Mappings",))
    calls = CfnCalls(reading, resources if isinstance(resources, dict) else (), mappings)
    parameters = read_parameters(raw.get("Parameters"), reading)
    template = Template(
        version=version,
        description=reading.text(raw.get("Description"), ("Description",)),
        parameters=parameters,
        parameter_groups=(),
        conditions=_conditions(raw.get("Conditions"), calls, reading) if version == AWS else {},
        resources=_resources(resources, calls, reading),
        outputs=_outputs(raw.get("Outputs"), calls, reading),
        raw=raw,
        places=Places(source.places.file, _renamed(source.places.mark)),
    )
    for name in template.resources:
        if name in parameters or name in PSEUDO:
            reading.fault(f"a parameter is called {name} too; rename one", ("Resources", name))
    if reading.problems:
        raise Invalid(reading.problems)
    return template


def _conditions(raw: Any, calls: CfnCalls, reading: Reading) -> dict[str, Any]:
    at: Path = ("Conditions",)
    section = reading.a_map(raw, at)
    return {name: calls.definition(each, (*at, name)) for name, each in section.items()}


def _resources(raw: Any, calls: CfnCalls, reading: Reading) -> dict[str, ResourceSyntax]:
    section = reading.a_map(raw, ("Resources",))
    return {name: _resource(name, each, calls, reading) for name, each in section.items()}


def _resource(name: str, raw: Any, calls: CfnCalls, reading: Reading) -> ResourceSyntax:
    """Read a resource; Heat lets keys pass that it does not know, and so do we."""
    at: Path = ("Resources", name)
    if "/" in name:
        reading.fault("the name of a resource must not hold a slash", at)
    if raw is None:
        reading.fault("the resource must be a map with a Type, not null", at)
    given = reading.a_map(raw, at)
    return ResourceSyntax(
        name=name,
        type=_type(given, at, reading) if isinstance(raw, dict) else "",
        properties=_map_expr(given, "Properties", at, calls, reading),
        metadata=_map_expr(given, "Metadata", at, calls, reading),
        depends_on=_depends_on(given.get("DependsOn"), (*at, "DependsOn"), reading),
        update_policy=_map_expr(given, "UpdatePolicy", at, calls, reading),
        deletion_policy=calls.value(given.get("DeletionPolicy"), (*at, "DeletionPolicy")),
        external_id=None,
        description=reading.text(given.get("Description"), (*at, "Description")) or "",
        condition=_condition(given, at, calls, reading),
    )


def _type(given: dict[str, Any], at: Path, reading: Reading) -> str:
    wanted = given.get("Type")
    if isinstance(wanted, str) and wanted:
        return wanted
    if "Type" not in given:
        reading.fault("the resource has no Type", at)
    else:
        reading.fault(f"the Type must be a text, not {shown(wanted)}", (*at, "Type"))
    return ""


def _map_expr(given: dict[str, Any], key: str, at: Path, calls: CfnCalls, reading: Reading) -> Any:
    raw = given.get(key)
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        reading.fault(f"{key} must be a map, not {type_name(raw)} ({shown(raw)})", (*at, key))
        return {}
    return calls.value(raw, (*at, key))


def _depends_on(raw: Any, at: Path, reading: Reading) -> tuple[str, ...]:
    names = [raw] if isinstance(raw, str) else raw or []
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        text = "DependsOn must be the name of a resource or a list of names"
        reading.fault(f"{text}, not {shown(raw)}", at)
        return ()
    return tuple(dict.fromkeys(names))


def _condition(given: dict[str, Any], at: Path, calls: CfnCalls, reading: Reading) -> Any:
    if reading.version != AWS:
        return True
    return calls.condition(given.get("Condition", True), (*at, "Condition"))


def _outputs(raw: Any, calls: CfnCalls, reading: Reading) -> dict[str, OutputSyntax]:
    section = reading.a_map(raw, ("Outputs",))
    return {name: _output(name, each, calls, reading) for name, each in section.items()}


def _output(name: str, raw: Any, calls: CfnCalls, reading: Reading) -> OutputSyntax:
    at: Path = ("Outputs", name)
    given = reading.a_map(raw, at)
    if "Value" not in given:
        reading.fault("the output has no Value", at)
    return OutputSyntax(
        name=name,
        value=calls.value(given.get("Value"), (*at, "Value")),
        description=reading.text(given.get("Description"), (*at, "Description")) or "",
        condition=_condition(given, at, calls, reading),
    )


def _renamed(mark: Mark) -> Mark:
    """Return the document's mark as if its sections and their entries had HOT's keys."""
    return _keys_as(mark, {**_SECTIONS, "Conditions": "conditions"}, _section)


def _section(mark: Mark) -> Mark:
    if type(mark) is not tuple or type(mark[1]) is not dict:
        return mark
    entries = {name: _keys_as(each, _ENTRY, lambda inner: inner) for name, each in mark[1].items()}
    return (mark[0], entries, mark[2])


def _keys_as(mark: Mark, words: dict[str, str], inside: Any) -> Mark:
    if type(mark) is not tuple or type(mark[1]) is not dict:
        return mark
    at, marks, keys = mark
    renamed = {words.get(key, key): inside(each) for key, each in marks.items()}
    return (at, renamed, {words.get(key, key): each for key, each in keys.items()})
