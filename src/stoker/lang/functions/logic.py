"""equals, not, and, or, and the names of conditions: what conditions are made of.

Rule: what is not known makes the answer unknown only when the answer hangs on it.
"""

from __future__ import annotations

from typing import Any, NoReturn

from stoker.errors import Bug
from stoker.lang.functions.arguments import items, shown, wrong
from stoker.lang.functions.registry import INTERNAL, Scope, function
from stoker.lang.unknown import UNKNOWN
from stoker.lang.versions import AWS

_HOT = {"since": "2016-04-08", "in_conditions": "2016-04-08", "in_values": False}


@function("equals", "equals: [value, value]", **_HOT)
def equals(args: Any) -> bool:
    """Tell whether both values are equal."""
    one, other = items(args, 2, 2)
    return bool(one == other)


@function("not", "not: condition", lenient=True, **_HOT)
def not_(args: Any) -> Any:
    """Tell the opposite."""
    return UNKNOWN if args is UNKNOWN else not truth(args)


@function("and", "and: [condition, condition, …]", lenient=True, **_HOT)
def and_(args: Any) -> Any:
    """Tell whether all hold."""
    return _any_or_all(args, decisive=False)


@function("or", "or: [condition, condition, …]", lenient=True, **_HOT)
def or_(args: Any) -> Any:
    """Tell whether one holds."""
    return _any_or_all(args, decisive=True)


def _any_or_all(args: Any, *, decisive: bool) -> Any:
    given = [each if each is UNKNOWN else truth(each) for each in items(args, 2)]
    if decisive in (each for each in given if each is not UNKNOWN):
        return decisive
    return UNKNOWN if any(each is UNKNOWN for each in given) else not decisive


@function("condition", "condition: name", since=INTERNAL, scoped=True, cfn=(AWS,))
def condition(scope: Scope, name: Any) -> Any:
    """Return whether the condition ``name`` holds; readers make this call of its name."""
    return scope.condition(name)


@function("if", "if: [condition, value if true, value if false]", since="2015-04-30")
def if_(args: Any) -> NoReturn:
    """Never called: an ``if`` is chosen before its branches are evaluated."""
    raise Bug(f"if was called with {shown(args)}")


def truth(value: Any) -> bool:
    """Return ``value``, which must be true or false."""
    if not isinstance(value, bool):
        raise wrong(f"a condition must be true or false, not {shown(value)}")
    return value
