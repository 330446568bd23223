"""Whether a text matches a template's regular expression, in bounded time.

Rule: Python's ``re`` may take exponential time and stops every other thread meanwhile; here
a pattern is run as a state machine, all alternatives side by side. The pattern's syntax and
meaning are Python's; what no state machine can do (back-references) is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from re import _parser  # type: ignore[attr-defined]  # it is private, so untyped
from typing import Any, Final

MAX_STATES: Final = 5_000
MAX_STEPS: Final = 2_000_000
_MATCH: Final = 0
_ENDLESS: Final = 1_000_000_000

Test = Callable[[str], bool]
Check = Callable[["_Run", int], bool]


def full_match(pattern: str, text: str) -> bool:
    """Tell whether all of ``text`` matches.

    Raises ValueError for a pattern that is wrong, too large, or beyond a state machine.
    """
    machine = compiled(pattern)
    return _Run(machine, text).matches(machine.entry, 0, len(text))


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Machine:
    """Return the state machine of ``pattern``; raises as :func:`full_match`."""
    try:
        parsed = _parser.parse(pattern)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from error
    except (RecursionError, OverflowError):
        raise ValueError("the regular expression is too deep or too large") from None
    machine = Machine()
    machine.entry = _Builder(machine, parsed.state.flags).sequence(parsed, _MATCH)
    return machine


class Machine:
    """States by number; 0 is the accepting one.

    A state tests a character (``test``), checks its position (``check``) or is a fork
    (neither); ``after`` are the states that follow.
    """

    def __init__(self) -> None:
        self.test: list[Test | None] = [None]
        self.check: list[Check | None] = [None]
        self.after: list[tuple[int, ...]] = [()]
        self.entry = _MATCH

    def add(
        self, after: tuple[int, ...], test: Test | None = None, check: Check | None = None
    ) -> int:
        if len(self.after) >= MAX_STATES:
            raise ValueError("the regular expression is too large")
        self.test.append(test)
        self.check.append(check)
        self.after.append(after)
        return len(self.after) - 1


class _Run:
    """One matching of one text."""

    def __init__(self, machine: Machine, text: str) -> None:
        self.machine, self.text, self._steps = machine, text, 0

    def matches(self, entry: int, start: int, end: int | None) -> bool:
        """Tell whether the text matches from ``start`` to ``end``, or (None) to any end."""
        machine, text = self.machine, self.text
        states = self._closure((entry,), start)
        for position in range(start, len(text) if end is None else end):
            if end is None and _MATCH in states:
                return True
            letter = text[position]
            ahead = [
                machine.after[state][0]
                for state in states
                if (test := machine.test[state]) is not None and test(letter)
            ]
            if not ahead:
                return False
            states = self._closure(ahead, position + 1)
        return _MATCH in states

    def _closure(self, states: Iterable[int], position: int) -> set[int]:
        """Return ``states`` and all that is reached from them without a character."""
        machine, seen, todo = self.machine, set[int](), list(states)
        while todo:
            state = todo.pop()
            if state in seen:
                continue
            seen.add(state)
            check = machine.check[state]
            if machine.test[state] is None and (check is None or check(self, position)):
                todo += machine.after[state]
        self._steps += len(seen)
        if self._steps > MAX_STEPS:
            raise ValueError("the regular expression takes too long on this text")
        return seen


class _Builder:
    """Makes states of what Python's own parser says of a pattern, from its end."""

    def __init__(self, machine: Machine, flags: int) -> None:
        self._machine, self._flags = machine, flags

    def sequence(self, parts: Iterable[Any], then: int) -> int:
        """Return the entry of ``parts`` followed by ``then``."""
        for op, detail in reversed(list(parts)):
            then = self._part(str(op), detail, then)
        return then

    def _part(self, op: str, detail: Any, then: int) -> int:
        make = _PARTS.get(op)
        if make is not None:
            return make(self, detail, then)
        test = _test(op, detail, self._flags)
        return self._machine.add((then,), test=test)

    def branch(self, detail: Any, then: int) -> int:
        return self._machine.add(tuple(self.sequence(each, then) for each in detail[1]))

    def repeat(self, detail: Any, then: int) -> int:
        least, most, part = detail
        if most >= _ENDLESS or str(most) == "MAXREPEAT":
            entry = self._machine.add(())
            self._machine.after[entry] = (self.sequence(part, entry), then)
        else:
            entry = then
            for _ in range(most - least):
                entry = self._machine.add((self.sequence(part, entry), then))
        for _ in range(least):
            entry = self.sequence(part, entry)
        return entry

    def group(self, detail: Any, then: int) -> int:
        _, more, less, part = detail
        inner = _Builder(self._machine, (self._flags | more) & ~less)
        return inner.sequence(part, then)

    def at(self, detail: Any, then: int) -> int:
        multiline = bool(self._flags & re.MULTILINE)
        return self._machine.add((then,), check=_place(str(detail), multiline=multiline))

    def failure(self, _detail: Any, then: int) -> int:
        return self._machine.add((then,), test=lambda _letter: False)

    def look(self, detail: Any, then: int) -> int:
        return self._machine.add((then,), check=self._looked(detail, wanted=True))

    def look_not(self, detail: Any, then: int) -> int:
        return self._machine.add((then,), check=self._looked(detail, wanted=False))

    def _looked(self, detail: Any, *, wanted: bool) -> Check:
        direction, part = detail
        entry = self.sequence(part, _MATCH)
        if direction > 0:
            return lambda run, at: run.matches(entry, at, None) is wanted
        width = part.getwidth()[0]
        return lambda run, at: (at >= width and run.matches(entry, at - width, at)) is wanted


def _refuse(_builder: _Builder, _detail: Any, _then: int) -> int:
    raise ValueError(
        "back-references, conditional and atomic groups are not supported in a pattern"
    )


_PARTS: Final[dict[str, Callable[[_Builder, Any, int], int]]] = {
    "BRANCH": _Builder.branch,
    "MAX_REPEAT": _Builder.repeat,
    "MIN_REPEAT": _Builder.repeat,
    "SUBPATTERN": _Builder.group,
    "AT": _Builder.at,
    "ASSERT": _Builder.look,
    "ASSERT_NOT": _Builder.look_not,
    "GROUPREF": _refuse,
    "GROUPREF_EXISTS": _refuse,
    "ATOMIC_GROUP": _refuse,
    "POSSESSIVE_REPEAT": _refuse,
    "FAILURE": _Builder.failure,
}


def _test(op: str, detail: Any, flags: int) -> Test:
    """Return the test of one character."""
    folds = bool(flags & re.IGNORECASE)
    match op:
        case "ANY":
            return (lambda _letter: True) if flags & re.DOTALL else (lambda each: each != "\n")
        case "LITERAL":
            return _same(chr(detail), folds=folds)
        case "NOT_LITERAL":
            same = _same(chr(detail), folds=folds)
            return lambda each: not same(each)
        case "IN":
            return _any_of(detail, flags)
        case "CATEGORY":
            return _category(str(detail), ascii_only=bool(flags & re.ASCII))
        case "RANGE":
            return _between(*detail, folds=folds)
        case _:
            raise ValueError(f"{op} is not supported in a pattern")


def _same(letter: str, *, folds: bool) -> Test:
    if not folds:
        return lambda each: each == letter
    both = {letter.lower(), letter.upper()}
    return lambda each: each in both


def _between(first: int, last: int, *, folds: bool) -> Test:
    if not folds:
        return lambda each: first <= ord(each) <= last
    return lambda each: any(
        first <= ord(form) <= last for form in (each, *each.lower()[:1], *each.upper()[:1])
    )


def _any_of(parts: list[tuple[Any, Any]], flags: int) -> Test:
    negated = bool(parts) and str(parts[0][0]) == "NEGATE"
    tests = [_test(str(op), detail, flags) for op, detail in parts[negated:]]
    return lambda each: any(test(each) for test in tests) is not negated


def _category(name: str, *, ascii_only: bool) -> Test:
    test = _CATEGORIES[name.removeprefix("CATEGORY_").removeprefix("NOT_")]
    negated = "NOT_" in name
    return lambda each: (test(each) and (not ascii_only or each.isascii())) is not negated


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


_CATEGORIES: Final[dict[str, Test]] = {
    "DIGIT": str.isdecimal,
    "SPACE": str.isspace,
    "WORD": _is_word,
}


def _place(name: str, *, multiline: bool) -> Check:
    """Return the check of ``^``, ``$``, ``\\A``, ``\\Z``, ``\\b`` or ``\\B``."""
    match name:
        case "AT_BEGINNING" if multiline:
            return lambda run, at: at == 0 or run.text[at - 1] == "\n"
        case "AT_BEGINNING" | "AT_BEGINNING_STRING":
            return lambda _run, at: at == 0
        case "AT_END" if multiline:
            return lambda run, at: at == len(run.text) or run.text[at] == "\n"
        case "AT_END":
            return lambda run, at: run.text[at:] in ("", "\n")
        case "AT_END_STRING":
            return lambda run, at: at == len(run.text)
        case "AT_BOUNDARY":
            return _is_boundary
        case _:
            return lambda run, at: not _is_boundary(run, at)


def _is_boundary(run: _Run, at: int) -> bool:
    before = at > 0 and _is_word(run.text[at - 1])
    return before is not (at < len(run.text) and _is_word(run.text[at]))
