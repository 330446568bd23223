"""From expressions to values, as far as they can be known.

Rule: every problem is collected with its path and place, and the value it stands for is
UNKNOWN from there on, so that one mistake is told once and hides no other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from stoker.errors import Code, Invalid, Kind, Path, Place, Problem
from stoker.lang.functions.arguments import size_of, unmarked, wrong
from stoker.lang.functions.logic import truth
from stoker.lang.functions.registry import Function, Scope, functions_at
from stoker.lang.syntax import ALL_ATTRIBUTES, Call, Expr, Reference, is_flat, is_open
from stoker.lang.unknown import UNKNOWN
from stoker.lang.versions import IF_WITHOUT_ELSE, PATH_TO_RESOURCE

ABSENT: Final = object()
"""What an ``if`` without else gives: the property, item or entry is not there."""


_DECISIVE: Final = {"and": False, "Fn::And": False, "or": True, "Fn::Or": True}
"""What decides a function whatever else stands in it: what follows is not asked, as in Heat."""


def has_call(expr: Expr) -> bool:
    """Tell whether a Call stands anywhere in ``expr``."""
    if isinstance(expr, dict):
        return any(map(has_call, expr.values()))
    if isinstance(expr, list):
        return any(map(has_call, expr))
    return isinstance(expr, Call)


def is_settled(expr: Expr) -> bool:
    """Tell whether ``expr`` is a plain value: no Call, no UNKNOWN."""
    kind = type(expr)
    if kind is str:
        return True
    if kind is dict or kind is list:
        for each in expr.values() if kind is dict else expr:
            if type(each) is not str and not is_settled(each):
                return False
        return True
    return kind is not Call and expr is not UNKNOWN


class Evaluator:
    """Evaluates expressions in one scope and gathers what is wrong with them.

    With ``fold`` what hangs on resources stays as calls; else it is asked of the scope.
    No text shows the value of a ``hidden`` parameter, nor, when not folding, any value: what
    parameters went in is not known then.
    """

    def __init__(self, scope: Scope, *, fold: bool, hidden: frozenset[str] = frozenset()) -> None:
        self._scope, self._fold, self._hidden = scope, fold, hidden
        self._absent = 0
        self.problems: list[Problem] = []
        self.decisive: list[Problem] = []
        """Those of the problems that Heat meets before it asks for a value: in the condition of
        an ``if``, and in what says which resource is meant, and what of it."""

    def value(self, expr: Expr, at: Path) -> Any:
        """Return the value of ``expr``, which stands at ``at``; null where it is absent."""
        value = self._walk(expr, at)
        return None if value is ABSENT else value

    def _walk(self, expr: Expr, at: Path) -> Any:
        kind = type(expr)
        if kind is str:
            return expr
        if kind is dict:
            before = self._absent
            walked = {key: each if type(each) is str else self._walk(each, (*at, key))
                      for key, each in expr.items()}  # fmt: skip
            return walked if self._absent == before else _without_absent(walked)
        if kind is list:
            before = self._absent
            listed = [each if type(each) is str else self._walk(each, (*at, index))
                      for index, each in enumerate(expr)]  # fmt: skip
            if self._absent != before:
                listed = [each for each in listed if each is not ABSENT]
            return listed
        if kind is Call:
            return self._call(expr, (*at, expr.name))
        return expr

    def _call(self, call: Call, at: Path) -> Any:
        if call.name == "if":
            return self._choose(call, at)
        function = functions_at(call.version)[call.name]
        before = len(self.problems)
        value = self._answer(function, call, at)
        if function.refers and len(self.problems) > before:
            found = self.problems[before:]
            self.decisive += [
                each for each in found if _decides(function, call, each.at[len(at) :])
            ]
        return value

    def _answer(self, function: Function, call: Call, at: Path) -> Any:
        args = call.args
        flat = is_flat(args)
        if not flat:
            args = self._arguments(call, at)
        try:
            return self._apply(function, call, args, settled=flat)
        except Invalid as error:
            mask = not self._fold or _mentions(call.args, self._hidden)
            self._note(error, at, call.place, function.form, mask=mask)
            return UNKNOWN

    def _arguments(self, call: Call, at: Path) -> Any:
        decisive = _DECISIVE.get(call.name)
        if decisive is None or not isinstance(call.args, list):
            return self.value(call.args, at)
        parts: list[Any] = []
        for index, each in enumerate(call.args):
            decided = any(part is decisive for part in parts)
            parts.append(decisive if decided else self.value(each, (*at, index)))
            if decided:
                self._look(each, (*at, index))
        return parts

    def _look(self, expr: Expr, at: Path) -> None:
        """Note what is wrong, whatever the parameters are, with what need not be evaluated."""
        whatever = Evaluator(self._scope.without_values(), fold=self._fold, hidden=self._hidden)
        whatever.value(expr, at)
        found = whatever.problems
        self.problems += [each for each in found if each.kind is not Kind.PARAMETER_MISSING]

    def _apply(self, function: Function, call: Call, args: Any, *, settled: bool) -> Any:
        if function.written and type(call.args) is Call:
            raise wrong(f"the arguments must stand here themselves, not {call.args.name}")
        if function.refers and _first(args) is UNKNOWN:
            return UNKNOWN
        if not (settled or function.lenient or is_settled(args)):
            return self._left(function, call, args)
        if self._scope.budget.is_spent:
            return UNKNOWN  # told of the function that took the last of it
        value = function.impl(self._scope, args) if function.scoped else function.impl(args)
        if function.makes:
            self._scope.budget.take(size_of(value))
        if function.refers and self._fold:
            return Call(call.name, args, call.version, call.spot)
        return value

    def _left(self, function: Function, call: Call, args: Any) -> Any:
        """Return what is left of a call that must wait, unless it is wrong whatever comes."""
        if self._fold and not (function.scoped or function.slow or is_open(args)):
            function.impl(args)
        name, waits = call.name, has_call(args)
        if function.late is not None and (waits or (function.slow and args is not UNKNOWN)):
            name, args = function.late(self._scope, args)
        return Call(name, args, call.version, call.spot) if waits else UNKNOWN

    def _note(
        self, error: Invalid, at: Path, place: Place | None, form: str, *, mask: bool
    ) -> None:
        for each in error.problems:
            text = unmarked(each.text, mask=mask)
            if each.kind is Kind.VALIDATION:
                text = f"{text}; write {form}"
            known = each.code is not Code.INVALID
            code = each.code if known else Code.FUNCTION_ARGUMENTS
            told = replace(each, text=text, at=each.at or at, place=each.place or place, code=code)
            self.problems.append(told)

    def _choose(self, call: Call, at: Path) -> Any:
        args = call.args
        least = 2 if call.version >= IF_WITHOUT_ELSE else 3
        if not isinstance(args, list) or not least <= len(args) <= 3:  # noqa: PLR2004 - condition, then, else
            form = "[condition, value if true, value if false]"
            text = f"if: needs a list {form}"
            told = Problem(text, at, call.place, code=Code.FUNCTION_ARGUMENTS)
            self.problems.append(told)
            return UNKNOWN
        before = len(self.problems)
        holds = self.holds(args[0], (*at, 0))
        self.decisive += self.problems[before:]
        if holds is UNKNOWN:
            return self._open_choice(args[1:], at)
        if holds:
            return self._walk(args[1], (*at, 1))
        if args[2:]:
            return self._walk(args[2], (*at, 2))
        self._absent += 1
        return ABSENT

    def _open_choice(self, branches: list[Expr], at: Path) -> Any:
        """Check branches of which one will be taken; the other may refer to nothing."""
        before = len(self.problems)
        for index, branch in enumerate(branches, 1):
            self.value(branch, (*at, index))
        found = self.problems[before:]
        self.problems[before:] = [each for each in found if each.kind is not Kind.REFERENCE]
        return UNKNOWN

    def holds(self, condition: Expr, at: Path) -> Any:
        """Return whether ``condition`` holds; UNKNOWN when that is open or it is wrong."""
        value = self.value(condition, at)
        if value is UNKNOWN:
            return UNKNOWN
        try:
            return truth(value)
        except Invalid as error:
            place = condition.place if isinstance(condition, Call) else None
            form = "a function that gives true or false"
            self._note(error, at, place, form, mask=_mentions(condition, self._hidden))
            return UNKNOWN


def _decides(function: Function, call: Call, within: Path) -> bool:
    """Tell whether what is wrong ``within`` a call is which resource is meant, or what of it."""
    if not function.written:
        return within != ()
    return call.version >= PATH_TO_RESOURCE or within[:1] in ((), (0,), (1,))


def _first(args: Any) -> Any:
    return args[0] if isinstance(args, list) and args else args


def _without_absent(walked: dict[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in walked.items() if each is not ABSENT}


def _mentions(expr: Expr, hidden: frozenset[str]) -> bool:
    """Tell whether a hidden parameter, or one whose name is computed, is in ``expr``."""
    if isinstance(expr, Call):
        name = _first(expr.args)
        if expr.name == "get_param" and hidden and (not isinstance(name, str) or name in hidden):
            return True
        return _mentions(expr.args, hidden)
    if isinstance(expr, dict):
        return any(_mentions(each, hidden) for each in expr.values())
    return isinstance(expr, list) and any(_mentions(each, hidden) for each in expr)


def references(expr: Expr) -> frozenset[Reference]:
    """Return what ``expr`` wants of resources.

    Raises nothing: what cannot be told before evaluation is left out or widened.
    """
    found: set[Reference] = set()
    _gather(expr, found)
    return frozenset(found)


def is_slow(expr: Expr) -> bool:
    """Tell whether to evaluate the expression may take seconds."""
    if isinstance(expr, Call):
        function = functions_at(expr.version).get(expr.name)
        return (function is not None and function.slow) or is_slow(expr.args)
    if isinstance(expr, dict):
        return any(is_slow(each) for each in expr.values())
    return isinstance(expr, list | tuple) and any(is_slow(each) for each in expr)


def located(expr: Expr, wanted: Reference, at: Path) -> tuple[Path, Place | None]:
    """Return where in ``expr``, which stands at ``at``, the first call asks for ``wanted``."""
    steps: Iterable[tuple[Any, Expr]] = ()
    if isinstance(expr, Call):
        function = functions_at(expr.version).get(expr.name)
        if function and function.refers and _reference(expr) == wanted:
            return (*at, expr.name), expr.place
        steps = [(expr.name, expr.args)]
    elif isinstance(expr, dict):
        steps = expr.items()
    elif isinstance(expr, list):
        steps = enumerate(expr)
    for step, each in steps:
        if type(each) is not str and wanted in references(each):
            return located(each, wanted, (*at, step))
    return at, None


def _gather(expr: Expr, found: set[Reference]) -> None:
    kind = type(expr)
    if kind is dict or kind is list:
        for each in expr.values() if kind is dict else expr:
            if type(each) is not str:
                _gather(each, found)
    elif kind is Call:
        function = functions_at(expr.version).get(expr.name)
        reference = _reference(expr) if function and function.refers else None
        if reference is not None:
            found.add(reference)
        _gather(expr.args, found)


def _reference(call: Call) -> Reference | None:
    args = call.args
    if isinstance(args, str):
        return Reference(args, None, ())
    if not isinstance(args, list) or not args or not isinstance(args[0], str):
        return None
    resource, *rest = args
    if not rest or not isinstance(rest[0], str):
        return Reference(resource, ALL_ATTRIBUTES, ())
    whole = call.version < PATH_TO_RESOURCE
    return Reference(resource, rest[0], () if whole else _known_part(rest[1:]))


def _known_part(path: list[Any]) -> tuple[Any, ...]:
    """Return the steps before the first one that is not known."""
    known = []
    for step in path:
        if not isinstance(step, str | int):
            break
        known.append(step)
    return tuple(known)
