"""Expressions: what is left of a template's values until resources are made.

Rule: :func:`evaluate` needs nothing but the references' values; all else was folded in when
the stack was instantiated.
"""

from __future__ import annotations

from typing import Any, NoReturn, Protocol

from stoker.errors import Bug, Invalid, Path
from stoker.lang.dump import dump, load
from stoker.lang.evaluation import Evaluator, has_call, is_settled, located, references
from stoker.lang.functions.budget import Budget
from stoker.lang.functions.references import select
from stoker.lang.syntax import ALL_ATTRIBUTES, Call, Expr, Reference

__all__ = [
    "ALL_ATTRIBUTES",
    "Call",
    "Expr",
    "Reference",
    "Refs",
    "dump",
    "evaluate",
    "has_call",
    "is_settled",
    "load",
    "located",
    "references",
    "select",
]


class Refs(Protocol):
    """Whoever knows the resources; each answer may be, or hold, UNKNOWN."""

    def reference(self, resource: str) -> Any:
        """Return what get_resource gives."""

    def attribute(self, resource: str, name: str | None, path: tuple[Any, ...]) -> Any:
        """Return what get_attr gives, the path followed; None as name asks for all."""


def evaluate(expr: Expr, refs: Refs, at: Path = ()) -> Any:
    """Return the value of ``expr``, which stands at ``at`` in its template.

    A call with an UNKNOWN argument is UNKNOWN; lists and maps may hold UNKNOWN. Raises
    Invalid with every problem, its path and, unless ``expr`` was stored, its place.
    """
    evaluator = Evaluator(_RefsScope(refs), fold=False)
    value = evaluator.value(expr, at)
    if evaluator.problems:
        raise Invalid(evaluator.problems)
    return value


class _RefsScope:
    """The scope of what was folded: only resources are left to ask for."""

    def __init__(self, refs: Refs) -> None:
        self.reference, self.attribute = refs.reference, refs.attribute
        self.budget = Budget()

    def without_values(self) -> _RefsScope:
        """Return this: parameters are gone already."""
        return self

    def parameter(self, name: str) -> NoReturn:
        raise _unfolded("parameter", name)

    def file(self, key: str) -> NoReturn:
        raise _unfolded("file", key)

    def facade(self, part: str) -> NoReturn:
        raise _unfolded("facade", part)

    def zones(self) -> NoReturn:
        raise _unfolded("zones of", "the cloud")

    def condition(self, name: str) -> NoReturn:
        raise _unfolded("condition", name)


def _unfolded(what: str, name: str) -> Bug:
    return Bug(f"an expression still needs the {what} {name}; it was never folded")
