"""A template, its environments and all that they name, gathered for one request.

Rule: what comes out is what python-heatclient sends for the same files: names become absolute
URLs, templates become JSON, and ``files`` holds the rest by its URL. All that is missing is told
at once, each with its place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stoker.cli.fetch import Unreadable, as_text, as_url, fetched, folder_of, joined, shown
from stoker.errors import Code, Invalid, Kind, Path, Problem
from stoker.lang.places import Places
from stoker.lang.source import Source, parse
from stoker.lang.template import parsed

VERSIONS = ("heat_template_version", "HeatTemplateFormatVersion", "AWSTemplateFormatVersion")
SECTIONS = (
    "parameters",
    "parameter_defaults",
    "resource_registry",
    "event_sinks",
    "encrypted_param_names",
    "parameter_merge_strategies",
)
_TEMPLATES = (".yaml", ".template")
_NO_FILES = ("base_url", "hooks", "restricted_actions")


@dataclass(frozen=True, slots=True)
class Gathered:
    """``template`` None is the stack's own; ``environment`` is all environments, merged.

    ``places`` has those of each template and environment by its URL, ``texts`` what was read
    there; the first template's is ``url``.
    """

    template: dict[str, Any] | None = None
    url: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    environment_files: tuple[str, ...] = ()
    places: Mapping[str, Places] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


def gathered(template: str | None, environments: tuple[str, ...] = ()) -> Gathered:
    """Read a template and environments, by path or URL; raises Invalid."""
    found, problems = assess(template, environments)
    if problems:
        raise Invalid(problems)
    return found


def assess(
    template: str | None, environments: tuple[str, ...] = ()
) -> tuple[Gathered, list[Problem]]:
    """Return what can be read, and what is wrong with the rest."""
    gathering = _Gathering()
    return gathering.all(template, environments), gathering.problems


class _Gathering:
    """What has been read so far."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}
        self._seen: set[str] = set()
        self._places: dict[str, Places] = {}
        self._texts: dict[str, str] = {}
        self.problems: list[Problem] = []

    def all(self, template: str | None, environments: tuple[str, ...]) -> Gathered:
        """Return everything that can be read."""
        url = None if template is None else as_url(template)
        first = None if url is None else self._first(url)
        merged: dict[str, Any] = {}
        urls = tuple(map(as_url, environments))
        for each in urls:
            merged = _merged(merged, self._environment(each))
        return Gathered(first, url, self._files, merged, urls, self._places, self._texts)

    def _first(self, url: str) -> dict[str, Any]:
        source = self._read(url, is_template=True)
        if source is None:
            return {}
        if not _is_template(source.value):
            self._wrong(f"is no template: it has none of {', '.join(VERSIONS)}", (), source.places)
            return {}
        return self._template(url, source)

    def _template(self, url: str, source: Source) -> dict[str, Any]:
        self._places[url] = source.places
        resolved: dict[str, Any] = self._resolved(source.value, (), folder_of(url), source.places)
        return resolved

    def _environment(self, url: str) -> dict[str, Any]:
        source = self._read(url)
        if source is None:
            return {}
        self._places[url] = source.places
        found = {} if source.value is None else source.value
        if not isinstance(found, dict):
            self._wrong("is no environment: not a map of sections", (), source.places)
            return {}
        for section in found.keys() - set(SECTIONS):
            text = f"{section} is no key of an environment; known are {', '.join(SECTIONS)}"
            self._wrong(text, (section,), source.places, Code.UNKNOWN_SECTION)
        if isinstance(registry := found.get("resource_registry"), dict):
            found["resource_registry"] = self._registry(registry, folder_of(url), source.places)
        self._files[url] = json.dumps(found)
        return found

    def _registry(self, registry: dict[str, Any], folder: str, places: Places) -> dict[str, Any]:
        folder = str(registry.get("base_url", folder))
        at: Path = ("resource_registry",)
        found = self._types(registry, at, folder, places)
        resources = registry.get("resources")
        if isinstance(resources, dict):
            found["resources"] = {
                name: self._types(
                    types, (*at, "resources", name), str(types.get("base_url", folder)), places
                )
                if isinstance(types, dict)
                else types
                for name, types in resources.items()
            }
        return found

    def _types(
        self, types: dict[str, Any], at: Path, folder: str, places: Places
    ) -> dict[str, Any]:
        """Return the registry's entries with URLs for files; ``A::B`` names a type."""
        return {
            key: self._taken(value, (*at, key), folder, places)
            if isinstance(value, str) and "::" not in value and key not in _NO_FILES
            else value
            for key, value in types.items()
        }

    def _resolved(self, value: Any, at: Path, folder: str, places: Places) -> Any:
        if isinstance(value, list):
            return [
                self._resolved(each, (*at, index), folder, places)
                for index, each in enumerate(value)
            ]
        if not isinstance(value, dict):
            return value
        return {
            key: self._taken(each, (*at, key), folder, places)
            if _names_file(key, each)
            else self._resolved(each, (*at, key), folder, places)
            for key, each in value.items()
        }

    def _taken(self, name: str, at: Path, folder: str, places: Places) -> str:
        """Put the named file among the files and return its URL."""
        url = joined(folder, name)
        if url in self._seen:  # also where a template leads back to itself
            return url
        self._seen.add(url)
        try:
            text = as_text(fetched(url))
        except Unreadable as error:
            self._wrong(f"cannot read {shown(url)}: {error}", at, places, Code.MISSING_FILE)
            return url
        self._files[url] = self._content(url, text, must_parse=at[-1] == "type")
        return url

    def _content(self, url: str, text: str, *, must_parse: bool) -> str:
        """Return a file as it is sent: a template as JSON, with URLs in place of names."""
        if must_parse:
            self._texts[url] = text
        try:
            source = parsed(text.rstrip(), shown(url))
        except Invalid as error:
            if must_parse:
                self.problems += error.problems
            return text
        if not _is_template(source.value):
            return text
        self._texts[url] = text
        return json.dumps(self._template(url, source))

    def _read(self, url: str, *, is_template: bool = False) -> Source | None:
        try:
            self._texts[url] = text = as_text(fetched(url))
            # python-heatclient does that: a block of text at the very end loses its last newline.
            return parsed(text.rstrip(), shown(url)) if is_template else parse(text, shown(url))
        except Unreadable as error:
            text = f"cannot read {shown(url)}: {error}"
            self.problems.append(Problem(text, kind=Kind.REQUEST, code=Code.MISSING_FILE))
        except Invalid as error:
            self.problems += error.problems
        return None

    def _wrong(self, text: str, at: Path, places: Places, code: Code = Code.MALFORMED) -> None:
        self.problems.append(Problem(text, at, places.nearest(at), Kind.REQUEST, code))


def _is_template(value: Any) -> bool:
    return isinstance(value, dict) and any(version in value for version in VERSIONS)


def _names_file(key: str, value: Any) -> bool:
    if not isinstance(value, str):
        return False
    return key == "get_file" or (key == "type" and value.endswith(_TEMPLATES))


def _merged(old: Any, new: Mapping[str, Any]) -> dict[str, Any]:
    """Return maps merged in depth; a later null does not empty an earlier map."""
    found = dict(old) if isinstance(old, Mapping) else {}
    for key, value in new.items():
        if isinstance(value, Mapping):
            found[key] = _merged(found.get(key), value)
        elif value is not None or not isinstance(found.get(key), Mapping):
            found[key] = value
    return found
