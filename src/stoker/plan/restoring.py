"""What a restore changes in a template: properties of resources that bring their data back.

A *mending* is a tree: ``{resource: {"properties": {name: value}, "resources": mending}}``, where
``resources`` is that of the resource's child stack and a value of None takes a property away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

PROPERTIES, BELOW = "properties", "resources"
_SECTIONS = ("resources", "Resources")
_PROPERTIES = ("properties", "Properties")


def mending(found: Iterable[tuple[Sequence[str], Mapping[str, Any]]]) -> dict[str, Any]:
    """Return the tree of properties that are given with the way to each resource."""
    whole: dict[str, Any] = {}
    for path, properties in found:
        level = whole
        for name in path[:-1]:
            level = level.setdefault(name, {}).setdefault(BELOW, {})
        level.setdefault(path[-1], {})[PROPERTIES] = dict(properties)
    return whole


def below(mended: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return what is mended in the child stack of a resource."""
    found: Mapping[str, Any] = mended.get(name, {}).get(BELOW, {})
    return found


def touched(mended: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """Return the properties that a restore brings about once more, by resource."""
    return {
        name: frozenset(key for key, value in each[PROPERTIES].items() if value is not None)
        for name, each in mended.items()
        if PROPERTIES in each
    }


def mended_template(raw: Mapping[str, Any], mended: Mapping[str, Any]) -> dict[str, Any]:
    """Return a template's document with the properties of its own resources in place."""
    section = next((key for key in _SECTIONS if key in raw), None)
    if section is None:
        return dict(raw)
    resources = {
        name: _mended(each, mended.get(name, {}).get(PROPERTIES, {}))
        for name, each in raw[section].items()
    }
    return {**raw, section: resources}


def _mended(resource: Any, properties: Mapping[str, Any]) -> Any:
    if not properties:
        return resource
    key = next((key for key in _PROPERTIES if key in resource), None)
    if key is None:  # it has none; its other words tell which language it is in
        key = _PROPERTIES["Type" in resource]
    values = {**(resource.get(key) or {}), **properties}
    return {**resource, key: {name: value for name, value in values.items() if value is not None}}
