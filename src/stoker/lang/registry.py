"""Which implementation a type name stands for in an environment.

Rule: the resource's own section counts before the whole registry, an exact name before a
wildcard, a longer wildcard before a shorter one, the user's registry before the operator's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

RESOURCES: Final = "resources"
NONE_TYPE: Final = "OS::Heat::None"
HOOKS: Final = tuple(
    f"{when}-{what}" for when in ("pre", "post") for what in ("create", "update", "delete")
)
RESTRICTED: Final = ("update", "replace")
_BASE_URL: Final = "base_url"


def is_template(name: str) -> bool:
    """Tell whether ``name`` is the key of a template file, not a type."""
    return name.endswith((".yaml", ".template"))


def candidates(
    registries: tuple[Mapping[str, Any], ...], type_name: str, resource_name: str
) -> Iterator[str]:
    """Yield what ``type_name`` is mapped to, best first, chains followed to their end."""
    for target in _direct(registries, type_name, resource_name):
        yield _end(registries, target, resource_name, {type_name})


def _end(
    registries: tuple[Mapping[str, Any], ...], name: str, resource_name: str, seen: set[str]
) -> str:
    """Follow mappings from ``name`` until one leads nowhere, or back."""
    while name not in seen and not is_template(name) and name != NONE_TYPE:
        seen.add(name)
        name = next(_direct(registries, name, resource_name), name)
    return name


def _direct(
    registries: tuple[Mapping[str, Any], ...], type_name: str, resource_name: str
) -> Iterator[str]:
    for registry in registries:
        for section in (*_own_sections(registry, resource_name), registry):
            kept = without_nulls(section)
            for key in _matching(kept, type_name):
                target = kept[key]
                if isinstance(target, str):
                    yield _filled(key, target, type_name)


def without_nulls(section: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a section without what its nulls take out: that key, or with ``*`` all that begin so.

    What stands in other sections, or after the null, is left.
    """
    if None not in section.values():
        return section
    kept: dict[str, Any] = {}
    for key, target in section.items():
        kept[key] = target
        if target is None:
            kept = {each: its for each, its in kept.items() if not _covers(key, each)}
    return kept


def settled(section: Mapping[str, Any]) -> dict[str, Any]:
    """Return a registry, or a part of it, after its nulls have done their work at every level."""
    return {
        key: settled(each) if isinstance(each, Mapping) else each
        for key, each in without_nulls(section).items()
    }


def _covers(key: str, name: str) -> bool:
    return name == key or (key.endswith("*") and name.startswith(key[:-1]))


def left_over(
    former: Mapping[str, Any], registries: tuple[Mapping[str, Any], ...], types: Iterable[str]
) -> dict[str, str]:
    """Return what ``former`` maps of names that neither these registries nor ``types`` know."""
    types = tuple(types)
    return {
        key: target
        for key, target in former.items()
        if isinstance(target, str)
        and key != _BASE_URL
        and not any(_covers(each, key) for registry in registries for each in registry)
        and not any(_covers(key, name) for name in types)
    }


def _own_sections(registry: Mapping[str, Any], resource_name: str) -> Iterator[Mapping[str, Any]]:
    sections = registry.get(RESOURCES) or {}
    own = sections.get(resource_name)
    if isinstance(own, Mapping):
        yield own
    for pattern, section in sections.items():
        if pattern == resource_name or not isinstance(section, Mapping):
            continue
        if "*" in pattern and fnmatchcase(resource_name, pattern):
            yield section


def _matching(section: Mapping[str, Any], type_name: str) -> Iterator[str]:
    """Yield the keys that cover ``type_name``, the most specific first."""
    if type_name in section and type_name not in (RESOURCES, _BASE_URL):
        yield type_name
    stars = (key for key in section if key.endswith("*") and type_name.startswith(key[:-1]))
    yield from sorted(stars, key=len, reverse=True)


def _filled(key: str, target: str, type_name: str) -> str:
    if key.endswith("*") and target.endswith("*"):
        return target[:-1] + type_name[len(key) - 1 :]
    return target


def words(registry: Mapping[str, Any], resource_name: str, key: str) -> frozenset[str]:
    """Return the ``hooks`` or ``restricted_actions`` set for a resource by any pattern."""
    found: set[str] = set()
    for pattern, section in (registry.get(RESOURCES) or {}).items():
        if isinstance(section, Mapping) and fnmatchcase(resource_name, pattern):
            given = section.get(key) or ()
            found |= {given} if isinstance(given, str) else set(given)
    return frozenset(found)


def child_registry(
    registry: Mapping[str, Any], resource_name: str, type_used: str
) -> dict[str, Any]:
    """Return the registry for the stack inside a resource.

    The mapping that led to it is left out, so that a template may use the very type that it
    implements; the sections within the resource's own come to the top.
    """
    kept = {key: each for key, each in registry.items() if key not in (RESOURCES, type_used)}
    inner: dict[str, Any] = {}
    for section in _named_sections(registry, resource_name):
        inner |= {key: each for key, each in section.items() if isinstance(each, Mapping)}
    return kept | {RESOURCES: inner}


def _named_sections(registry: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    for pattern, section in (registry.get(RESOURCES) or {}).items():
        if isinstance(section, Mapping) and fnmatchcase(name, pattern):
            yield section
