"""Named conditions: each decided once, after those that it names.

Rule: what is wrong with a condition for these parameters counts only where the condition is
used, since Heat looks no sooner; what is wrong whatever they are counts always.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from stoker.errors import Code, Kind, Problem
from stoker.graph.dag import CycleError, Dag
from stoker.lang.evaluation import Evaluator
from stoker.lang.scope import StackScope
from stoker.lang.syntax import Call, Expr
from stoker.lang.unknown import UNKNOWN

_OF_VALUES: Final = frozenset({Kind.VALIDATION, Kind.PARAMETER_MISSING})
"""What may be wrong for these parameters alone."""


@dataclass(frozen=True, slots=True)
class Decided:
    """``asked`` are the conditions that each hangs on, ``doubts`` what its values make wrong."""

    asked: Mapping[str, frozenset[str]]
    doubts: Mapping[str, tuple[Problem, ...]]

    def problems(self, used: Iterable[str]) -> list[Problem]:
        """Return what counts when these conditions are used, and with them what they hang on."""
        todo, seen = list(used), set[str]()
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += self.asked.get(name, ())
        return [each for name, found in self.doubts.items() if name in seen for each in found]


def decide(
    conditions: Mapping[str, Expr], evaluator: Evaluator, scope: StackScope, whatever: Evaluator
) -> Decided:
    """Fill the truths of ``scope``, in which the evaluator works, with True, False or UNKNOWN.

    What is wrong is UNKNOWN. ``whatever`` evaluates in the same scope without values; what
    is wrong there too goes to the evaluator's problems at once.
    """
    truths, asked = scope.truths, dict[str, frozenset[str]]()
    needs = {name: _named(expr, conditions) for name, expr in conditions.items()}
    doubts: dict[str, tuple[Problem, ...]] = {}
    try:
        for wave in Dag(needs).waves():
            for name in wave:
                scope.used.clear()
                truths[name], doubts[name] = _decided(name, conditions[name], evaluator, whatever)
                asked[name] = frozenset(scope.used)
    except CycleError as error:
        circle = " -> ".join(map(str, error.path))
        at = ("conditions", str(error.path[0]))
        text = f"Circular definition of conditions: {circle}"
        evaluator.problems.append(Problem(text, at, code=Code.CIRCULAR_CONDITION))
        truths.update({name: UNKNOWN for name in conditions if name not in truths})
    scope.used.clear()
    return Decided(asked, doubts)


def _decided(
    name: str, expr: Expr, evaluator: Evaluator, whatever: Evaluator
) -> tuple[Any, tuple[Problem, ...]]:
    """Return the truth and the doubts; what is sure stays among the evaluator's problems."""
    before, at = len(evaluator.problems), ("conditions", name)
    truth = evaluator.holds(expr, at)
    found = evaluator.problems[before:]
    if not found:
        return truth, ()
    whatever.problems.clear()
    whatever.holds(expr, at)
    doubts = tuple(each for each in found if _is_doubt(each, whatever.problems))
    evaluator.problems[before:] = [each for each in found if each not in doubts]
    return truth, doubts


def _is_doubt(problem: Problem, sure: list[Problem]) -> bool:
    if problem.kind is Kind.PARAMETER_MISSING:
        return True
    return problem.kind in _OF_VALUES and problem not in sure


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
