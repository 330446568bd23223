"""Reading a template, in whatever language it is.

Rule: the document's version key decides the language; there must be exactly one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from stoker.errors import Code, Invalid, Kind, Problem
from stoker.lang.cfn.reader import read_cfn
from stoker.lang.collector import collector_off
from stoker.lang.events import no_meaning
from stoker.lang.hot.reader import read_hot
from stoker.lang.places import place
from stoker.lang.source import Source, from_mapping, parse
from stoker.lang.syntax import (
    OutputSyntax,
    ParameterGroup,
    ResourceSyntax,
    Template,
)
from stoker.lang.versions import ALIASES, CFN, HOT
from stoker.lang.wording import shown, type_name

__all__ = ["OutputSyntax", "ParameterGroup", "ResourceSyntax", "Template", "parsed", "read"]

_GC_OFF_FROM: Final = 64 * 1024
"""Characters."""
_HOT_KEY: Final = "heat_template_version"
_CFN_KEYS: Final = ("HeatTemplateFormatVersion", "AWSTemplateFormatVersion")


def read(source: str | Mapping[str, Any], file: str = "template") -> Template:
    """Read a template from its text, or from what a JSON request held.

    ``file`` names it in places. Raises Invalid with every problem, each with its path and,
    where there was text, its line and column.
    """
    with collector_off(when=len(source) >= _GC_OFF_FROM):
        return _read(source, file)


def parsed(text: str, file: str) -> Source:
    """Return the document that the text of a template is.

    Of CloudFormation's it may have the short forms. Raises Invalid with the place of the fault.
    """
    document = parse(text, file, short_forms=True)
    if document.short is None or _is_cfn(document.value):
        return document
    at = place(file, document.short.at)
    raise Invalid([Problem(no_meaning(document.short.tag), (), at, Kind.TEMPLATE)])


def _is_cfn(value: Any) -> bool:
    return isinstance(value, dict) and any(key in value for key in _CFN_KEYS)


def _read(source: str | Mapping[str, Any], file: str) -> Template:
    document = parsed(source, file) if isinstance(source, str) else from_mapping(source, file)
    if document.value is None:
        document = Source({}, document.places)
    if not isinstance(document.value, dict):
        text = f"a template must be a map, not {type_name(document.value)}"
        raise _refused(document, text, (), Kind.TEMPLATE, Code.WRONG_SHAPE)
    key, version = _version(document)
    return read_hot(document, version) if key == _HOT_KEY else read_cfn(document, version)


def _version(document: Source) -> tuple[str, str]:
    """Return the key that names the language, and the version in it."""
    keys = [key for key in (_HOT_KEY, *_CFN_KEYS) if isinstance(document.value.get(key), str)]
    if not keys:
        text = f"Template version was not provided; begin with {_HOT_KEY}: {HOT[-1]}"
        raise _refused(document, text, (), Kind.VERSION)
    if len(keys) > 1:
        text = f"the template has more than one version: {', '.join(keys)}; keep one"
        raise _refused(document, text, (keys[1],), Kind.VERSION)
    key = keys[0]
    if key == _HOT_KEY:
        return key, _hot_version(document)
    version = f"{key}.{document.value[key]}"
    if version not in CFN:
        known = ", ".join(each.partition(".")[2] for each in CFN if each.startswith(key))
        found = shown(f"{key}: {document.value[key]}", 80)
        text = f'The template version is invalid: {found}. "{key}" should be: {known}'
        raise _refused(document, text, (key,), Kind.VERSION)
    return key, version


def _hot_version(document: Source) -> str:
    given = document.value[_HOT_KEY]
    version = ALIASES.get(given, given)
    if version not in HOT:
        known = ", ".join((*HOT, *ALIASES))
        found = shown(f"{_HOT_KEY}: {given}", 80)
        text = f'The template version is invalid: {found}. "{_HOT_KEY}" should be one of: {known}'
        raise _refused(document, text, (_HOT_KEY,), Kind.VERSION)
    return str(version)


def _refused(
    document: Source, text: str, at: tuple[str, ...], kind: Kind, code: Code = Code.INVALID
) -> Invalid:
    return Invalid([Problem(text, at, document.places.nearest(at), kind, code)])
