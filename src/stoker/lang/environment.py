"""Environments: parameter values, defaults and what type names stand for.

Rule: an Environment is a value; merging, overlaying and descending make new ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from stoker.errors import Invalid, Kind, Path, Problem
from stoker.lang.merging import Merger
from stoker.lang.reading import Reading
from stoker.lang.registry import (
    HOOKS,
    NONE_TYPE,
    RESOURCES,
    RESTRICTED,
    candidates,
    child_registry,
    is_template,
    left_over,
    settled,
    words,
)
from stoker.lang.sinks import check_sink, unsent
from stoker.lang.source import Source, from_mapping, parse

__all__ = ["NONE_TYPE", "Environment", "is_template", "merge", "read_environment", "warnings"]

_SECTIONS: Final = dict.fromkeys(
    (
        "parameters",
        "parameter_defaults",
        "resource_registry",
        "event_sinks",
        "encrypted_param_names",
        "parameter_merge_strategies",
    ),
    "",
)


@dataclass(frozen=True)
class Environment:
    """What a template is instantiated with, beside the request's own parameters.

    ``shared`` is the operator's registry, consulted after the user's, without what stands under
    the names ``withheld``: stacks that they led to lie above. Neither is a part of
    :meth:`as_dict`. ``merge_strategies`` counts only while files are merged.
    """

    parameters: Mapping[str, Any] = field(default_factory=dict)
    parameter_defaults: Mapping[str, Any] = field(default_factory=dict)
    registry: Mapping[str, Any] = field(default_factory=dict)
    event_sinks: tuple[Mapping[str, Any], ...] = ()
    encrypted_param_names: tuple[str, ...] = ()
    merge_strategies: Mapping[str, str] = field(default_factory=dict)
    shared: Mapping[str, Any] = field(default_factory=dict)
    withheld: frozenset[str] = frozenset()

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-able data; :func:`read_environment` reads it back."""
        return {
            "parameters": dict(self.parameters),
            "parameter_defaults": dict(self.parameter_defaults),
            "resource_registry": {RESOURCES: {}, **settled(self.registry)},
            "event_sinks": [dict(each) for each in self.event_sinks],
            "encrypted_param_names": list(self.encrypted_param_names),
        }

    def candidates(self, type_name: str, resource_name: str) -> tuple[str, ...]:
        """Return all that ``type_name`` may stand for in a resource, best first."""
        found = candidates((self.registry, self.shared), type_name, resource_name)
        return tuple(dict.fromkeys(found))

    def resolve(self, type_name: str, resource_name: str) -> str | None:
        """Return what ``type_name`` stands for in the resource ``resource_name``.

        A type's name, OS::Heat::None, or the key of a template file (see
        :func:`is_template`); None when it is not mapped, so that it stands for itself.
        """
        if self.registry.get(RESOURCES) or self.shared.get(RESOURCES):
            return next(iter(self.candidates(type_name, resource_name)), None)
        known = self._resolved  # the same in whichever resource, and there may be thousands
        if type_name not in known:
            known[type_name] = next(iter(self.candidates(type_name, resource_name)), None)
        return known[type_name]

    @cached_property
    def _resolved(self) -> dict[str, str | None]:
        return {}

    def hooks(self, resource_name: str) -> frozenset[str]:
        """Return the hooks that hold up a resource: ``pre-create`` …"""
        return words(self.registry, resource_name, "hooks")

    def restricted_actions(self, resource_name: str) -> frozenset[str]:
        """Return what must not be done to a resource: ``update``, ``replace``."""
        return words(self.registry, resource_name, "restricted_actions")

    def for_child(self, resource_name: str, type_used: str) -> Environment:
        """Return the environment of the stack inside ``resource_name``.

        Parameters stay behind, defaults go along. ``type_used`` is the type as the parent
        wrote it: its mapping is left out.
        """
        return replace(
            self,
            parameters={},
            encrypted_param_names=(),
            registry=child_registry(self.registry, resource_name, type_used),
            withheld=self.withheld | {type_used},
        ).with_shared(self.shared)

    def with_shared(self, registry: Mapping[str, Any]) -> Environment:
        """Return this with the operator's registry."""
        if not registry and not self.shared:
            return self
        kept = {key: each for key, each in registry.items() if key not in self.withheld}
        return replace(self, shared=kept)

    def overlaid(self, new: Environment) -> Environment:
        """Return this with ``new`` on top, as an update that re-uses the existing one."""
        return replace(
            self,
            parameters={**self.parameters, **new.parameters},
            parameter_defaults={**self.parameter_defaults, **new.parameter_defaults},
            registry=_merged_registry(self.registry, new.registry),
            event_sinks=self.event_sinks + new.event_sinks,
        )

    def knowing(self, former: Environment, types: Iterable[str]) -> Environment:
        """Return this with what names stood for in ``former`` that mean nothing here any more;
        ``types`` stand for themselves."""
        kept = left_over(former.registry, (self.registry, self.shared), types)
        return replace(self, registry={**self.registry, **kept})

    def without_parameters(self, names: frozenset[str]) -> Environment:
        """Return this without the parameters ``names``."""
        kept = {key: each for key, each in self.parameters.items() if key not in names}
        return replace(self, parameters=kept)


def read_environment(source: str | Mapping[str, Any], file: str = "environment") -> Environment:
    """Read an environment from its text, or from what a JSON request held.

    An empty section counts as absent. Raises Invalid (kind ENVIRONMENT) with every problem.
    """
    document = _document(source, file)
    reading = Reading("", document.places)
    environment = _read(document, reading)
    if reading.problems:
        raise Invalid(reading.problems)
    return environment


def warnings(source: str | Mapping[str, Any], file: str = "environment") -> Iterator[Problem]:
    """Give what Heat takes of an environment that can be read, and nothing here acts upon."""
    document = _document(source, file)
    sinks = (document.value or {}).get("event_sinks") or ()
    yield from unsent([each or {} for each in sinks], document.places)


def _document(source: str | Mapping[str, Any], file: str) -> Source:
    return parse(source, file) if isinstance(source, str) else from_mapping(source, file)


def _read(document: Source, reading: Reading) -> Environment:
    raw = reading.a_map(document.value, (), Kind.ENVIRONMENT)
    reading.known_keys(raw, _SECTIONS, (), Kind.ENVIRONMENT, "an environment")
    sections = {
        key: reading.a_map(raw.get(key), (key,), Kind.ENVIRONMENT)
        for key in _SECTIONS
        if key not in ("event_sinks", "encrypted_param_names")
    }
    _check_registry(sections["resource_registry"], ("resource_registry",), reading)
    sinks = reading.a_list(raw.get("event_sinks"), ("event_sinks",), Kind.ENVIRONMENT)
    encrypted = reading.a_list(
        raw.get("encrypted_param_names"), ("encrypted_param_names",), Kind.ENVIRONMENT
    )
    return Environment(
        parameters=sections["parameters"],
        parameter_defaults=sections["parameter_defaults"],
        registry=sections["resource_registry"],
        event_sinks=tuple(
            _sink(each, ("event_sinks", index), reading) for index, each in enumerate(sinks)
        ),
        encrypted_param_names=tuple(map(str, encrypted)),
        merge_strategies=sections["parameter_merge_strategies"],
    )


def _sink(raw: Any, at: Path, reading: Reading) -> dict[str, Any]:
    sink = reading.a_map(raw, at, Kind.ENVIRONMENT)
    check_sink(sink, at, reading)
    return sink


def _check_registry(section: Mapping[str, Any], at: Path, reading: Reading) -> None:
    for key, value in section.items():
        where = (*at, key)
        if key == RESOURCES:
            for name, inner in reading.a_map(value, where, Kind.ENVIRONMENT).items():
                _check_own(inner, (*where, name), reading)
        elif value is not None and not isinstance(value, str):
            text = "a type is mapped to the name of a type or of a template file, or to null"
            reading.fault(text, where, Kind.ENVIRONMENT)


def _check_own(raw: Any, at: Path, reading: Reading) -> None:
    for key, value in reading.a_map(raw, at, Kind.ENVIRONMENT).items():
        if key == "hooks":
            _check_words(value, HOOKS, (*at, key), reading)
        elif key == "restricted_actions":
            _check_words(value, RESTRICTED, (*at, key), reading)
        elif isinstance(value, dict):
            _check_own(value, (*at, key), reading)
        elif value is not None and not isinstance(value, str):
            reading.fault("this must be a name, a map or null", (*at, key), Kind.ENVIRONMENT)


def _check_words(raw: Any, known: tuple[str, ...], at: Path, reading: Reading) -> None:
    given = [raw] if isinstance(raw, str) else raw
    if not isinstance(given, list) or any(each not in known for each in given):
        reading.fault(f"this takes one or a list of {', '.join(known)}", at, Kind.ENVIRONMENT)


def _merged_registry(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    resources = _deep(old.get(RESOURCES) or {}, new.get(RESOURCES) or {})
    kept = {key: each for key, each in old.items() if key not in new}
    return {**kept, **new, **({RESOURCES: resources} if resources else {})}


def _deep(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return both in their order, which is what a null goes by."""
    merged = dict(old)
    for key, value in new.items():
        before = merged.pop(key, None)
        both = isinstance(before, Mapping) and isinstance(value, Mapping)
        merged[key] = _deep(before, value) if both else value
    return merged


def merge(
    environments: list[Environment] | tuple[Environment, ...],
    types: Mapping[str, str] | None = None,
) -> Environment:
    """Return one environment of an ordered list, as a request's environment_files are.

    ``types`` gives the type of each parameter that the template, or any template among the
    attached files, declares; None when they are not known. A later file wins, or is joined
    by its ``parameter_merge_strategies``. Raises Invalid for strategies that disagree.
    """
    merger = Merger(types)
    merged = Environment()
    for each in environments:
        merger.learn(each.merge_strategies, each.parameters, each.parameter_defaults)
        merged = replace(
            merged,
            parameters=merger.join(merged.parameters, each.parameters),
            parameter_defaults=merger.join(merged.parameter_defaults, each.parameter_defaults),
            registry=_merged_registry(
                merged.registry, {k: v for k, v in each.registry.items() if v is not None}
            ),
            event_sinks=merged.event_sinks + each.event_sinks,
            encrypted_param_names=merged.encrypted_param_names + each.encrypted_param_names,
            shared={**merged.shared, **each.shared},
        )
    if merger.problems:
        raise Invalid(merger.problems)
    return merged
