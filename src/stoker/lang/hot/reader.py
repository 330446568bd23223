"""A HOT document into the syntax tree.

Rule: every section is read, whatever is wrong in another.
"""

from __future__ import annotations

from typing import Any, Final

from stoker.errors import Invalid, Kind
from stoker.lang.calls import Calls
from stoker.lang.entries import Entries, Words
from stoker.lang.hot.parameters import PSEUDO, read_groups, read_parameters
from stoker.lang.reading import Reading
from stoker.lang.source import Source
from stoker.lang.syntax import Template
from stoker.lang.versions import CONDITIONS, EXTERNAL_ID
from stoker.lang.wording import prose

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
WORDS: Final = Words(
    **{key: key for key in ("conditions", "resources", "outputs", *_RESOURCE, "value")},
    resource_keys=_RESOURCE,
    output_keys=_OUTPUT,
)


def read_hot(source: Source, version: str) -> Template:
    """Return the template; raises Invalid with every problem in it."""
    reading = Reading(version, source.places)
    raw: dict[str, Any] = source.value
    reading.known_keys(raw, _SECTIONS, (), Kind.SECTION, "a template")
    resources = raw.get("resources")
    calls = Calls(reading, resources if isinstance(resources, dict) else ())
    entries = Entries(WORDS, calls, reading)
    parameters = read_parameters(raw, reading)
    template = Template(
        version=version,
        description=prose(raw.get("description")),
        parameters=parameters,
        parameter_groups=read_groups(raw, reading),
        conditions=entries.conditions(raw.get("conditions")),
        resources=entries.resources(raw, {**parameters, **dict.fromkeys(PSEUDO)}),
        outputs=entries.outputs(raw),
        raw=raw,
        places=source.places,
        asks_zones=calls.asks_zones,
    )
    if reading.problems:
        raise Invalid(reading.problems)
    return template
