"""What still works and is on its way out: types, properties and attributes that are deprecated.

Rule: Heat takes them, and so do stacks; only who asks what could be better is told, by a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from stoker.errors import Code, Path, Problem, Severity
from stoker.lang.lint.subject import Subject
from stoker.lang.syntax import Call, Template
from stoker.sdk.prop import Support

if TYPE_CHECKING:
    from stoker.sdk.resource import Resource
    from stoker.sdk.schema import Property, Props

_OLD: Final = ("DEPRECATED", "HIDDEN")
_ATTRIBUTES: Final = ("get_attr", "Fn::GetAtt")


def outdated(template: Template, kinds: Mapping[str, Resource[Any] | None]) -> Iterator[Problem]:
    """Give what is deprecated in a template whose resources are of these types."""
    known = {name: kind for name, kind in kinds.items() if kind is not None}
    for name, kind in known.items():
        at: Path = ("resources", name)
        if kind.support_status in _OLD:
            yield _told(f"the type {kind.type_name}", (*at, "type"), template)
        given = template.resources[name].properties
        for where, each in _properties(given, kind.Props, (*at, "properties")):
            yield _told(f"the property {each.wire}", where, template, each)
    for where, call in Subject(template, "").calls():
        asked = _attribute(call, known) if call.name in _ATTRIBUTES else None
        if asked is not None:
            yield _told(f"the attribute {asked}", where, template)


def _told(what: str, at: Path, template: Template, declared: Property | None = None) -> Problem:
    support = Support() if declared is None else declared.spec.support
    since = f" since {_first(support).since}" if _first(support).since else ""
    instead = declared.spec.becomes if declared else None
    return Problem(
        f"{what} is deprecated{since}",
        at,
        template.places.nearest(at),
        code=Code.DEPRECATED,
        severity=Severity.WARNING,
        hint=f"use {instead}" if instead else support.message or "",
    )


def _first(support: Support) -> Support:
    """Return the first of its states in which it is on its way out."""
    before = support.previous
    return _first(before) if before is not None and before.status in _OLD else support


def _properties(given: Any, props: type[Props], at: Path) -> Iterator[tuple[Path, Property]]:
    """Give the deprecated properties of a map, and of those in it."""
    if isinstance(given, dict):
        for wire, each in props.properties().items():
            if wire in given:
                yield from _property(given[wire], each, (*at, wire))


def _property(given: Any, declared: Property, at: Path) -> Iterator[tuple[Path, Property]]:
    if declared.spec.support.status in _OLD:
        yield at, declared
    yield from _inside(given, declared, at)


def _inside(given: Any, declared: Property, at: Path) -> Iterator[tuple[Path, Property]]:
    if isinstance(given, Call):
        if given.name == "if" and isinstance(given.args, list):
            for index, branch in enumerate(given.args[1:], 1):
                yield from _inside(branch, declared, (*at, "if", index))
    elif declared.nested is not None:
        yield from _properties(given, declared.nested, at)
    elif declared.item is not None and isinstance(given, list):
        for index, each in enumerate(given):
            yield from _inside(each, declared.item, (*at, index))


def _attribute(call: Call, kinds: Mapping[str, Resource[Any]]) -> str | None:
    """Return the name of the deprecated attribute that is asked for, if it is one."""
    match call.args:
        case [str(resource), str(name), *_] if resource in kinds:
            there = kinds[resource].attributes.get(name)
            return name if there is not None and there.support.status in _OLD else None
    return None
