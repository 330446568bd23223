"""A HOT document into the syntax tree.

Rule: every section is read, whatever is wrong in another.
"""

from __future__ import annotations

from typing import Any, Final

from stoker.errors import Invalid, Kind, Path
from stoker.lang.hot.calls import Calls
from stoker.lang.hot.parameters import PSEUDO, read_groups, read_parameters
from stoker.lang.reading import Reading
from stoker.lang.source import Source
from stoker.lang.syntax import OutputSyntax, ResourceSyntax, Template
from stoker.lang.versions import CONDITIONS, EXTERNAL_ID
from stoker.lang.wording import shown, type_name

_ALWAYS: Final = "2013-05-23"
_SECTIONS: Final = {
    **dict.fromkeys(
        ("heat_template_version", "description", "parameter_groups", "parameters", "resources",
         "outputs"),
        _ALWAYS,
    ),
    "conditions": CONDITIONS,
}  # fmt: skip
_RESOURCE: Final = {
    **dict.fromkeys(
        ("type", "properties", "metadata", "depends_on", "update_policy", "deletion_policy",
         "description"),
        _ALWAYS,
    ),
    "external_id": EXTERNAL_ID,
    "condition": CONDITIONS,
}  # fmt: skip
_OUTPUT: Final = {
    "value": _ALWAYS,
    "description": _ALWAYS,
    "condition": CONDITIONS,
}


def read_hot(source: Source, version: str) -> Template:
    """Return the template; raises Invalid with every problem in it."""
    reading = Reading(version, source.places)
    raw: dict[str, Any] = source.value
    reading.known_keys(raw, _SECTIONS, (), Kind.SECTION, "a template")
    resources = raw.get("resources")
    calls = Calls(reading, resources if isinstance(resources, dict) else ())
    parameters = read_parameters(raw.get("parameters"), reading)
    template = Template(
        version=version,
        description=reading.text(raw.get("description"), ("description",)),
        parameters=parameters,
        parameter_groups=read_groups(
            raw.get("parameter_groups"), raw.get("parameters") or {}, reading
        ),
        conditions=_conditions(raw.get("conditions"), calls, reading),
        resources=_resources(resources, calls, reading),
        outputs=_outputs(raw.get("outputs"), calls, reading),
        raw=raw,
        places=source.places,
    )
    for name in template.resources:
        if name in parameters or name in PSEUDO:
            reading.fault(f"a parameter is called {name} too; rename one", ("resources", name))
    if reading.problems:
        raise Invalid(reading.problems)
    return template


def _conditions(raw: Any, calls: Calls, reading: Reading) -> dict[str, Any]:
    at: Path = ("conditions",)
    section = reading.a_map(raw, at)
    return {name: calls.definition(each, (*at, name)) for name, each in section.items()}


def _resources(raw: Any, calls: Calls, reading: Reading) -> dict[str, ResourceSyntax]:
    section = reading.a_map(raw, ("resources",))
    return {name: _resource(name, each, calls, reading) for name, each in section.items()}


def _resource(name: str, raw: Any, calls: Calls, reading: Reading) -> ResourceSyntax:
    at: Path = ("resources", name)
    if "/" in name:
        reading.fault("the name of a resource must not hold a slash", at)
    if raw is None:
        reading.fault("the resource must be a map with a type, not null", at)
    given = reading.a_map(raw, at)
    reading.known_keys(given, _RESOURCE, at, Kind.VALIDATION, "a resource")
    return ResourceSyntax(
        name=name,
        type=_type(given, at, reading) if isinstance(raw, dict) else "",
        properties=_map_expr(given, "properties", at, calls, reading),
        metadata=_map_expr(given, "metadata", at, calls, reading),
        depends_on=_depends_on(given.get("depends_on"), (*at, "depends_on"), reading),
        update_policy=_map_expr(given, "update_policy", at, calls, reading),
        deletion_policy=calls.value(given.get("deletion_policy"), (*at, "deletion_policy")),
        external_id=calls.value(given.get("external_id"), (*at, "external_id")),
        description=reading.text(given.get("description"), (*at, "description")) or "",
        condition=calls.condition(given.get("condition", True), (*at, "condition")),
    )


def _type(given: dict[str, Any], at: Path, reading: Reading) -> str:
    wanted = given.get("type")
    if isinstance(wanted, str) and wanted:
        return wanted
    if "type" not in given:
        reading.fault("the resource has no type", at)
    else:
        reading.fault(f"the type must be a text, not {shown(wanted)}", (*at, "type"))
    return ""


def _map_expr(given: dict[str, Any], key: str, at: Path, calls: Calls, reading: Reading) -> Any:
    raw = given.get(key)
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        text = f"{key} must be a map, not {type_name(raw)} ({shown(raw)})"
        reading.fault(text, (*at, key))
        return {}
    return calls.value(raw, (*at, key))


def _depends_on(raw: Any, at: Path, reading: Reading) -> tuple[str, ...]:
    names = [raw] if isinstance(raw, str) else raw or []
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        text = "depends_on must be the name of a resource or a list of names"
        reading.fault(f"{text}, not {shown(raw)}", at)
        return ()
    return tuple(dict.fromkeys(names))


def _outputs(raw: Any, calls: Calls, reading: Reading) -> dict[str, OutputSyntax]:
    section = reading.a_map(raw, ("outputs",))
    return {name: _output(name, each, calls, reading) for name, each in section.items()}


def _output(name: str, raw: Any, calls: Calls, reading: Reading) -> OutputSyntax:
    at: Path = ("outputs", name)
    given = reading.a_map(raw, at)
    reading.known_keys(given, _OUTPUT, at, Kind.VALIDATION, "an output")
    if "value" not in given:
        reading.fault("the output has no value", at)
    return OutputSyntax(
        name=name,
        value=calls.value(given.get("value"), (*at, "value")),
        description=reading.text(given.get("description"), (*at, "description")) or "",
        condition=calls.condition(given.get("condition", True), (*at, "condition")),
    )
