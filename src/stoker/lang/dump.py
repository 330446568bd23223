"""Expressions as JSON and back, for rows that a later step evaluates.

Rule: a map with the key ``$`` is ours; data that has this key is wrapped, so that no
template can forge a call.
"""

from __future__ import annotations

from typing import Any, Final

from stoker.errors import Bug
from stoker.lang.syntax import Call, Expr
from stoker.lang.unknown import UNKNOWN

_OURS: Final = "$"


def dump(expr: Expr) -> Any:
    """Return ``expr`` as JSON-able data without its places; :func:`load` reads it."""
    if isinstance(expr, Call):
        return {_OURS: [expr.name, expr.version, dump(expr.args)]}
    if expr is UNKNOWN:
        return {_OURS: []}
    if isinstance(expr, dict):
        dumped = {key: dump(value) for key, value in expr.items()}
        return {_OURS: [dumped]} if _OURS in expr else dumped
    if isinstance(expr, list | tuple):
        return [dump(item) for item in expr]
    return expr


def load(dumped: Any) -> Expr:
    """Return the expression that :func:`dump` made ``dumped`` of."""
    if isinstance(dumped, dict):
        if _OURS in dumped:
            return _ours(dumped[_OURS])
        return {key: load(value) for key, value in dumped.items()}
    if isinstance(dumped, list):
        return [load(item) for item in dumped]
    return dumped


def _ours(parts: Any) -> Expr:
    match parts:
        case []:
            return UNKNOWN
        case [dict() as data]:
            return {key: load(value) for key, value in data.items()}
        case [str() as name, str() as version, args]:
            return Call(name, load(args), version)
        case _:
            raise Bug("a stored expression has a shape that dump never makes")
