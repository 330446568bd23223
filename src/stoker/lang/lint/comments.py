"""Comments that switch rules off: ``# stoker: disable=unused-parameter,name``.

Rule: behind something it counts for its line, on a line of its own for the whole file. A code that
does not exist is told: it was meant to do something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from stoker.errors import Code, Place, Problem, Severity
from stoker.lang.suggestion import meant

_COMMENT: Final = re.compile(r"(^|\s)#\s*stoker:\s*disable=([\w-]+(?:\s*,\s*[\w-]+)*)")
_CODES: Final = frozenset(each.value for each in Code)


@dataclass(frozen=True, slots=True)
class Comments:
    """The codes that are off: in the ``whole`` file, and by line."""

    whole: frozenset[str]
    lines: dict[int, frozenset[str]]
    problems: tuple[Problem, ...]

    def covers(self, problem: Problem) -> bool:
        """Tell whether the problem is switched off."""
        code = problem.code.value
        line = problem.place.line if problem.place else 0
        return code in self.whole or code in self.lines.get(line, ())


def comments(text: str, file: str) -> Comments:
    """Return the comments of a file."""
    whole: frozenset[str] = frozenset()
    lines: dict[int, frozenset[str]] = {}
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), 1):
        found = _COMMENT.search(line)
        if found is None:
            continue
        codes = frozenset(re.split(r"\s*,\s*", found[2]))
        problems += _unknown(codes, Place(file, number, found.start(2) + 1))
        if line[: found.start()].strip():
            lines[number] = codes
        else:
            whole |= codes
    return Comments(whole, lines, tuple(problems))


def _unknown(codes: frozenset[str], place: Place) -> Iterator[Problem]:
    for code in sorted(codes - _CODES):
        yield Problem(
            f"{code} is no code; docs/problems.md lists them",
            (),
            place,
            code=Code.UNKNOWN_CODE,
            severity=Severity.WARNING,
            hint=meant(code, _CODES),
        )
