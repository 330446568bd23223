"""How what ``lint`` has found is written: for people, programs, SARIF viewers, GitHub's pages.

Rule: pure; each form is one function from a report to a text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from stoker import __version__
from stoker.cli.complaint import broken
from stoker.errors import Code, Place, Problem, Severity

if TYPE_CHECKING:
    from stoker.cli.lint import Report

_SARIF: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_NOWHERE: Final = Place("", 1, 1)
_SHOWN: Final = 160
"""Characters of a line."""


class Form(StrEnum):
    """The forms by name."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


def written(report: Report, form: Form, width: int | None = None) -> str:
    """Return the report in a form; text is broken at ``width``."""
    if form is Form.TEXT:
        return _text(report, width)
    return _FORMS[form](report)


def _text(report: Report, width: int | None) -> str:
    lines = {file: text.splitlines() for file, text in report.texts.items()}
    told = [_shown(each, lines, width) for each in report.problems]
    return "\n".join([*told, _sum(report)]) + "\n"


def _sum(report: Report) -> str:
    files = _counted(len(report.texts), "file")
    if not report.problems:
        return f"No problems in {files}."
    errors = _counted(report.count(Severity.ERROR), "error")
    return f"{errors} and {_counted(report.count(Severity.WARNING), 'warning')} in {files}."


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _shown(problem: Problem, files: Mapping[str, list[str]], width: int | None) -> str:
    at = problem.place or _NOWHERE
    head = f"{at}: {problem.severity}: {problem.text} [{problem.code}]"
    return "\n".join(
        [broken(head, width), *_source(problem, at, files.get(at.file, []), width), ""]
    )


def _source(problem: Problem, at: Place, lines: list[str], width: int | None) -> Iterator[str]:
    """Give the line with a caret under the place; the window of a long line around it."""
    if at.line > len(lines):
        return
    margin = f"{at.line:>5} | "
    room = max(20, (width or _SHOWN) - len(margin))
    skip = max(0, at.column - room * 3 // 4)
    line = lines[at.line - 1].expandtabs(1)[skip : skip + room]
    yield f"{margin}{line.rstrip()}"
    yield f"      | {' ' * (at.column - 1 - skip)}^"
    if problem.hint:
        yield f"      = {problem.hint}"


def _json(report: Report) -> str:
    counts = {f"{each}s": report.count(each) for each in Severity}
    problems = [each.told() for each in report.problems]
    return json.dumps({"problems": problems, **counts}, indent=2) + "\n"


def _sarif(report: Report) -> str:
    driver = {
        "name": "stoker",
        "version": __version__,
        "rules": [{"id": each.value} for each in Code],
    }
    results = [_result(each) for each in report.problems]
    run = {"tool": {"driver": driver}, "results": results}
    return json.dumps({"$schema": _SARIF, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(problem: Problem) -> dict[str, Any]:
    at = problem.place or _NOWHERE
    return {
        "ruleId": problem.code.value,
        "level": problem.severity.value,
        "message": {"text": _with_hint(problem)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": at.file},
                    "region": {"startLine": at.line, "startColumn": at.column},
                },
                "logicalLocations": [{"fullyQualifiedName": problem.told()["path"]}],
            }
        ],
    }


def _github(report: Report) -> str:
    return "".join(f"{_command(each)}\n" for each in report.problems)


def _command(problem: Problem) -> str:
    at = problem.place or _NOWHERE
    named = {"file": at.file, "line": at.line, "col": at.column, "title": problem.code.value}
    listed = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in named.items())
    return f"::{problem.severity} {listed}::{_escaped(_with_hint(problem))}"


def _escaped(text: str, more: str = "") -> str:
    """Return a text as GitHub's commands hold it."""
    for letter in f"%\r\n{more}":
        text = text.replace(letter, f"%{ord(letter):02X}")
    return text


def _with_hint(problem: Problem) -> str:
    return f"{problem.text}; {problem.hint}" if problem.hint else problem.text


_FORMS: Final[Mapping[Form, Callable[[Report], str]]] = {
    Form.JSON: _json,
    Form.SARIF: _sarif,
    Form.GITHUB: _github,
}
