"""What a restore changes in a template: properties of resources that bring their data back.

A *mending* is a tree: ``{resource: {"type": text, "properties": {name: value}, "resources":
mending}}``, where ``type`` is the only one that has these properties, ``resources`` is that of the
resource's child stack, and a value of None takes a property away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

TYPE, PROPERTIES, BELOW = "type", "properties", "resources"
_SECTIONS = ("resources", "Resources")
_PROPERTIES = ("properties", "Properties")


def mending(found: Iterable[tuple[Sequence[str], str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return the tree of properties that are given with the way to each resource and its type."""
    whole: dict[str, Any] = {}
    for path, type_used, properties in found:
        level = whole
        for name in path[:-1]:
            level = level.setdefault(name, {}).setdefault(BELOW, {})
        level.setdefault(path[-1], {}).update({TYPE: type_used, PROPERTIES: dict(properties)})
    return whole


def fitting(raw: Mapping[str, Any], mended: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is mended of the resources that a template's document has as that type: a
    nested stack may not have followed its parent yet when its copies were made."""
    resources = raw.get(_section(raw) or "", {})
    return {name: _fitting(resources.get(name, {}), each) for name, each in mended.items()}


def _fitting(resource: Mapping[str, Any], mended: Mapping[str, Any]) -> Mapping[str, Any]:
    type_used = resource.get("Type" if "Type" in resource else "type")
    if mended.get(TYPE, type_used) == type_used:  # what was stored long ago tells no type
        return mended
    return {BELOW: mended[BELOW]} if BELOW in mended else {}


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
    section = _section(raw)
    if section is None:
        return dict(raw)
    resources = {
        name: _mended(each, mended.get(name, {}).get(PROPERTIES, {}))
        for name, each in raw[section].items()
    }
    return {**raw, section: resources}


def _section(raw: Mapping[str, Any]) -> str | None:
    return next((key for key in _SECTIONS if key in raw), None)


def _mended(resource: Any, properties: Mapping[str, Any]) -> Any:
    if not properties:
        return resource
    key = next((key for key in _PROPERTIES if key in resource), None)
    if key is None:  # it has none; its other words tell which language it is in
        key = _PROPERTIES["Type" in resource]
    values = {**(resource.get(key) or {}), **properties}
    return {**resource, key: {name: value for name, value in values.items() if value is not None}}
