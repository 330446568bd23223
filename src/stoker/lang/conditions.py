"""Named conditions: each decided once, after those that it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stoker.errors import Code, Problem
from stoker.graph.dag import CycleError, Dag
from stoker.lang.evaluation import Evaluator
from stoker.lang.syntax import Call, Expr
from stoker.lang.unknown import UNKNOWN


def decide(conditions: Mapping[str, Expr], evaluator: Evaluator, truths: dict[str, Any]) -> None:
    """Fill ``truths`` (which the evaluator's scope reads) with True, False or UNKNOWN.

    Problems go to the evaluator; what is wrong is UNKNOWN.
    """
    needs = {name: _named(expr, conditions) for name, expr in conditions.items()}
    try:
        for wave in Dag(needs).waves():
            for name in wave:
                truths[name] = evaluator.holds(conditions[name], ("conditions", name))
    except CycleError as error:
        circle = " -> ".join(map(str, error.path))
        at = ("conditions", str(error.path[0]))
        text = f"Circular definition of conditions: {circle}"
        evaluator.problems.append(Problem(text, at, code=Code.CIRCULAR_CONDITION))
        truths.update({name: UNKNOWN for name in conditions if name not in truths})


def _named(expr: Expr, conditions: Mapping[str, Expr]) -> frozenset[str]:
    return frozenset(name for name in _names(expr) if name in conditions)


def _names(expr: Expr) -> Iterator[str]:
    if isinstance(expr, Call):
        if expr.name == "condition":
            yield expr.args
        else:
            yield from _names(expr.args)
    elif isinstance(expr, list | dict):
        for each in expr.values() if isinstance(expr, dict) else expr:
            yield from _names(each)
