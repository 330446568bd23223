"""Conditions, resources and outputs of a template, whatever words its format has for them.

Rule: an entry is read whatever is wrong in another, and paths are in the format's own words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stoker.errors import Code, Kind, Path
from stoker.lang.calls import Calls
from stoker.lang.reading import Reading
from stoker.lang.suggestion import meant
from stoker.lang.syntax import OutputSyntax, ResourceSyntax
from stoker.lang.wording import prose, shown, type_name


@dataclass(frozen=True)
class Words:
    """What a format calls the sections, and the keys of a resource and of an output.

    ``resource_keys`` and ``output_keys`` are the keys with the version that they came with; a
    resource has no others, unless there are None here, while an output may have any.
    """

    conditions: str
    resources: str
    outputs: str
    type: str
    properties: str
    metadata: str
    depends_on: str
    update_policy: str
    deletion_policy: str
    external_id: str | None
    description: str
    condition: str
    value: str
    resource_keys: dict[str, str] | None = None
    output_keys: dict[str, str] = field(default_factory=dict)


class Entries:
    """Reads the entries of one template; without ``conditional`` none has a condition."""

    def __init__(
        self, words: Words, calls: Calls, reading: Reading, *, conditional: bool = True
    ) -> None:
        self._words, self._calls, self._reading = words, calls, reading
        self._conditional = conditional

    def conditions(self, raw: Any) -> dict[str, Any]:
        """Return the named conditions."""
        at: Path = (self._words.conditions,)
        section = self._reading.a_map(raw, at)
        return {name: self._calls.definition(each, (*at, name)) for name, each in section.items()}

    def resources(self, raw: dict[str, Any], taken: Mapping[str, Any]) -> dict[str, ResourceSyntax]:
        """Return the resources of a document; the names of parameters are ``taken``."""
        at: Path = (self._words.resources,)
        section = self._reading.section(raw, self._words.resources)
        for name in section:
            if name in taken:
                text = f"a parameter is called {name} too; rename one"
                self._reading.fault(text, (*at, name), code=Code.NAME)
        return {name: self._resource(name, each, (*at, name)) for name, each in section.items()}

    def outputs(self, raw: dict[str, Any]) -> dict[str, OutputSyntax]:
        """Return the outputs of a document."""
        at: Path = (self._words.outputs,)
        section = self._reading.section(raw, self._words.outputs)
        return {name: self._output(name, each, (*at, name)) for name, each in section.items()}

    def _resource(self, name: str, raw: Any, at: Path) -> ResourceSyntax:
        words = self._words
        if "/" in name:
            text = "the name of a resource must not hold a slash"
            self._reading.fault(text, at, code=Code.NAME)
        if raw is None:
            text = f"the resource must be a map with a {words.type}, not null"
            self._reading.fault(text, at, code=Code.WRONG_SHAPE)
        given = self._reading.a_map(raw, at)
        if words.resource_keys is not None:
            self._reading.known_keys(given, words.resource_keys, at, Kind.VALIDATION, "a resource")
        return ResourceSyntax(
            name=name,
            type=self._type(given, at) if isinstance(raw, dict) else "",
            properties=self._a_map(given, words.properties, at),
            metadata=self._a_map(given, words.metadata, at),
            depends_on=self._depends_on(given, at),
            update_policy=self._a_map(given, words.update_policy, at),
            deletion_policy=self._value(given, words.deletion_policy, at),
            external_id=words.external_id and self._value(given, words.external_id, at),
            description=self._reading.text(given.get(words.description), (*at, words.description))
            or "",
            condition=self._condition(given, at),
        )

    def _output(self, name: str, raw: Any, at: Path) -> OutputSyntax:
        words = self._words
        given = self._reading.a_map(raw, at)
        self._reading.newer_keys(given, words.output_keys, at, Kind.VALIDATION)
        if words.value not in given:
            text = f"the output has no {words.value}"
            slips = (f"{key}: {hint}" for key in given if (hint := meant(key, (words.value,))))
            self._reading.fault(text, at, code=Code.MISSING_KEY, hint=next(slips, ""))
        return OutputSyntax(
            name=name,
            value=self._value(given, words.value, at),
            description=prose(given.get(words.description)) or "",
            condition=given.get(words.condition) is None or self._condition(given, at),
        )

    def _type(self, given: dict[str, Any], at: Path) -> str:
        key = self._words.type
        wanted = given.get(key)
        if isinstance(wanted, str) and wanted:
            return wanted
        if key not in given:
            self._reading.fault(f"the resource has no {key}", at, code=Code.MISSING_KEY)
        else:
            text = f"the {key} must be a text, not {shown(wanted)}"
            self._reading.fault(text, (*at, key), code=Code.WRONG_SHAPE)
        return ""

    def _value(self, given: dict[str, Any], key: str, at: Path) -> Any:
        raw = given.get(key)
        return None if raw is None else self._calls.value(raw, (*at, key))

    def _a_map(self, given: dict[str, Any], key: str, at: Path) -> Any:
        raw = given.get(key)
        if raw is None:
            return {}
        if not isinstance(raw, dict):
            text = f"{key} must be a map, not {type_name(raw)} ({shown(raw)})"
            self._reading.fault(text, (*at, key), code=Code.WRONG_SHAPE)
            return {}
        return self._calls.value(raw, (*at, key))

    def _depends_on(self, given: dict[str, Any], at: Path) -> tuple[str, ...]:
        key = self._words.depends_on
        raw = given.get(key)
        if raw is None:
            return ()
        names = [raw] if isinstance(raw, str) else raw
        if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
            text = f"{key} must be the name of a resource or a list of names, not {shown(raw)}"
            self._reading.fault(text, (*at, key), code=Code.WRONG_SHAPE)
            return ()
        return tuple(dict.fromkeys(names))

    def _condition(self, given: dict[str, Any], at: Path) -> Any:
        key = self._words.condition
        if not self._conditional or key not in given:
            return True
        return self._calls.condition(given[key], (*at, key))
