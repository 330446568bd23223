"""A CloudFormation document into the syntax tree.

Rule: every section is read, whatever is wrong in another. What is checked later names its places
in HOT's words (``resources.web.properties``), whatever the format: they lead to the same line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final

from stoker.errors import Invalid, Kind
from stoker.lang.cfn.calls import CfnCalls
from stoker.lang.cfn.parameters import PSEUDO, read_parameters
from stoker.lang.entries import Entries, Words
from stoker.lang.places import Mark, Marks, Places
from stoker.lang.reading import Reading
from stoker.lang.source import Source
from stoker.lang.syntax import Template
from stoker.lang.versions import AWS
from stoker.lang.wording import prose

_SECTIONS: Final = dict.fromkeys(
    ("HeatTemplateFormatVersion", "AWSTemplateFormatVersion", "Description", "Mappings",
     "Parameters", "Resources", "Outputs"),
    "",
)  # fmt: skip
WORDS: Final = Words(
    conditions="Conditions",
    resources="Resources",
    outputs="Outputs",
    type="Type",
    properties="Properties",
    metadata="Metadata",
    depends_on="DependsOn",
    update_policy="UpdatePolicy",
    deletion_policy="DeletionPolicy",
    external_id=None,
    description="Description",
    condition="Condition",
    value="Value",
)
"""Heat lets keys of resources pass that it does not know, and so do we."""
_HOT: Final = {
    "Parameters": "parameters",
    **{word: each.name for each in fields(Words) if (word := getattr(WORDS, each.name))},
}
"""What HOT calls each of them."""


def read_cfn(source: Source, version: str) -> Template:
    """Return the template; raises Invalid with every problem in it."""
    reading = Reading(version, source.places)
    raw: dict[str, Any] = source.value
    conditional = version == AWS
    sections = _SECTIONS | ({"Conditions": ""} if conditional else {})
    reading.known_keys(raw, sections, (), Kind.SECTION, "a template")
    resources = raw.get("Resources")
    mappings = reading.section(raw, "Mappings")
    calls = CfnCalls(reading, resources if isinstance(resources, dict) else (), mappings)
    entries = Entries(WORDS, calls, reading, conditional=conditional)
    parameters = read_parameters(raw, reading)
    template = Template(
        version=version,
        description=prose(raw.get("Description")),
        parameters=parameters,
        parameter_groups=(),
        conditions=entries.conditions(raw.get("Conditions")) if conditional else {},
        resources=entries.resources(raw, {**parameters, **dict.fromkeys(PSEUDO)}),
        outputs=entries.outputs(raw),
        raw=raw,
        places=_in_hot(source.places),
        asks_zones=calls.asks_zones,
    )
    if reading.problems:
        raise Invalid(reading.problems)
    return template


def _in_hot(places: Places) -> Places:
    """Return the places by paths in HOT's words."""
    return Places(places.file, Marks(lambda: _keys_as_in_hot(places.mark, _section)))


def _section(mark: Mark) -> Mark:
    if type(mark) is not tuple or type(mark[1]) is not dict:
        return mark
    at, marks, keys = mark
    return (at, {name: _keys_as_in_hot(each, _same) for name, each in marks.items()}, keys)


def _keys_as_in_hot(mark: Mark, inside: Callable[[Mark], Mark]) -> Mark:
    """Return the mark of a map as if its keys were HOT's."""
    if type(mark) is not tuple or type(mark[1]) is not dict:
        return mark
    at, marks, keys = mark
    renamed = {_HOT.get(key, key): inside(each) for key, each in marks.items()}
    return (at, renamed, {_HOT.get(key, key): each for key, each in keys.items()})


def _same(mark: Mark) -> Mark:
    return mark
