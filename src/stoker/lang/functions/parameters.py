"""get_param: the value of a parameter, or of a part of it."""

from __future__ import annotations

from typing import Any, Final

from stoker.lang.functions.arguments import items, text, wrong
from stoker.lang.functions.registry import INTERNAL, Scope, function
from stoker.lang.syntax import is_open
from stoker.lang.unknown import UNKNOWN
from stoker.lang.versions import CFN

_FORM: Final = "get_param: name, or get_param: [name, key or index, …]"


def _late(scope: Scope, args: Any) -> tuple[str, Any]:
    """Keep the parameter's value with the path: parameters are gone at evaluation."""
    path = items(args, 1)
    return "pick", [scope.parameter(_name(path[0])), *path[1:]]


@function(
    "get_param", _FORM, since="2013-05-23", in_conditions="2014-10-16", scoped=True, late=_late,
    cfn=CFN,
)  # fmt: skip
def get_param(scope: Scope, args: Any) -> Any:
    """Return the parameter's value; a path that leads nowhere gives an empty text."""
    if not isinstance(args, list):
        return scope.parameter(_name(args))
    items(args, 1)
    return _followed(scope.parameter(_name(args[0])), args[1:])


@function("pick", _FORM, since=INTERNAL)
def pick(args: Any) -> Any:
    """Return what the path ``args[1:]`` leads to in ``args[0]``."""
    value, *path = args
    return _followed(value, path)


def _followed(value: Any, path: list[Any]) -> Any:
    for step in path:
        if value is UNKNOWN:
            return UNKNOWN
        value = _step(value, step)
    return value


def _name(value: Any) -> str:
    if is_open(value):
        raise wrong("the parameter's name must be known before any resource is made")
    return text(value, "the parameter's name")


def _step(value: Any, step: Any) -> Any:
    if isinstance(value, dict):
        return value.get(str(step), "")
    if isinstance(value, list | str):
        return _item(value, step)
    return ""


def _item(value: list[Any] | str, step: Any) -> Any:
    try:
        return value[int(step)]
    except (ValueError, TypeError, IndexError):
        return ""
