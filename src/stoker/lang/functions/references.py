"""get_resource and get_attr: what only a resource that is made can tell.

Rule: the shape is checked at once, the value may come later.
"""

from __future__ import annotations

from typing import Any, Final

from stoker.lang.functions.arguments import items, wrong
from stoker.lang.functions.registry import Scope, function
from stoker.lang.unknown import UNKNOWN, is_known
from stoker.lang.versions import ALL_ATTRIBUTES, CFN
from stoker.lang.wording import type_name

_FORM: Final = "get_attr: [resource, attribute, key or index, …]"


@function(
    "get_resource", "get_resource: resource", since="2013-05-23",
    scoped=True, lenient=True, refers=True, cfn=CFN,
)  # fmt: skip
def get_resource(scope: Scope, args: Any) -> Any:
    """Return the reference id of the resource named ``args``."""
    return scope.reference(_resource(args))


@function(
    "get_attr", _FORM, since="2013-05-23", until="2014-10-16",
    scoped=True, lenient=True, refers=True, written=True,
)  # fmt: skip
def get_attr_whole(scope: Scope, args: Any) -> Any:
    """Fetch the attribute whole, then follow the path in it."""
    resource, name, path = _wanted(args, least=2)
    return select(scope.attribute(resource, name, ()), path)


@function(
    "get_attr", _FORM, since="2014-10-16", until=ALL_ATTRIBUTES,
    scoped=True, lenient=True, refers=True, written=True,
)  # fmt: skip
def get_attr(scope: Scope, args: Any) -> Any:
    """Hand the path to the resource, which may know better how to follow it."""
    return _deferred(scope, args, least=2)


@function(
    "get_attr", _FORM + ", or get_attr: resource for all", since=ALL_ATTRIBUTES,
    scoped=True, lenient=True, refers=True, written=True,
)  # fmt: skip
def get_attr_or_all(scope: Scope, args: Any) -> Any:
    """As get_attr; the resource alone gives the map of all its attributes."""
    return _deferred(scope, args, least=1)


def select(value: Any, path: tuple[Any, ...]) -> Any:
    """Follow ``path`` into an attribute's value; null where it leads nowhere."""
    for step in path:
        if value is UNKNOWN or not is_known(step):
            return UNKNOWN
        value = _step(value, step)
    return value


def _step(value: Any, step: Any) -> Any:
    if isinstance(value, dict):
        return value.get(str(step))
    if isinstance(value, list) and isinstance(step, int) and not isinstance(step, bool):
        return value[step] if -len(value) <= step < len(value) else None
    return None


def _deferred(scope: Scope, args: Any, least: int) -> Any:
    resource, name, path = _wanted(args, least)
    return scope.attribute(resource, name, path) if is_known(args) else UNKNOWN


def _wanted(args: Any, least: int) -> tuple[str, str | None, tuple[Any, ...]]:
    """Split the arguments; what is not known yet stands in them as it is."""
    resource, *rest = items(args, least)
    name = rest[0] if rest else None
    if isinstance(name, dict | list | int | float) or (rest and name is None):
        raise wrong(f"the attribute's name must be text, not {type_name(name)}")
    for step in rest[1:]:
        if isinstance(step, dict | list):
            raise wrong(f"a step must be a key or an index, not {type_name(step)}")
    return _resource(resource), name, tuple(rest[1:])


def _resource(value: Any) -> str:
    if isinstance(value, str) and value:
        return value
    if value is None or isinstance(value, str | dict | list | int | float):
        raise wrong("this needs the name of a resource")
    raise wrong("the resource's name must be known before any resource is made")
