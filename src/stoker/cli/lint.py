"""What is wrong with templates, found without a server and without a cloud.

Rule: a file is checked as the service would check it, and by the rules of :mod:`stoker.lang.lint`;
everything is told in the places that people wrote.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stoker.cli.fetch import shown
from stoker.cli.gather import Gathered, assess
from stoker.cli.relocation import Relocation
from stoker.errors import Code, Invalid, Place, Problem, Severity
from stoker.lang import template as templates
from stoker.lang.lint import Subject, findings
from stoker.lang.lint.comments import comments
from stoker.usecases.stacks import Goal

if TYPE_CHECKING:
    from stoker.cli.checking import Checker


@dataclass(frozen=True, slots=True)
class Report:
    """What was found, in the order of files and lines, and the texts by their names in places."""

    problems: tuple[Problem, ...]
    texts: Mapping[str, str]

    def count(self, severity: Severity) -> int:
        """Return how many problems have the severity."""
        return sum(1 for each in self.problems if each.severity is severity)


def lint(
    files: Iterable[str],
    environments: tuple[str, ...],
    disabled: frozenset[Code],
    checker: Checker,
) -> Report:
    """Check each file with the environments; what several of them lead to is told once."""
    problems: list[Problem] = []
    texts: dict[str, str] = {}
    for file in files:
        source, found = assess(file, environments)
        texts |= {shown(url): text for url, text in source.texts.items()}
        problems += (
            each if each.place else replace(each, place=Place(file, 1, 1)) for each in found
        )
        missing = any(each.code is Code.MISSING_FILE for each in found)
        problems += (
            each
            for each in _checked(source, checker)
            if not (missing and each.code is Code.MISSING_FILE)
        )
        problems += _ruled(source)
    return Report(tuple(_left(problems, texts, disabled)), texts)


def _checked(source: Gathered, checker: Checker) -> Iterator[Problem]:
    """Give what the service would say.

    Where it is wrong, it may not come to all nested templates: then they are checked alone too.
    """
    if not source.template or source.url is None:
        return
    url, text = source.url, json.dumps(source.template, indent=0)
    files = {
        key: _laid_out(text, is_document=key in source.places) for key, text in source.files.items()
    }
    sent = {**files, url: text}
    relocation = Relocation(sent, source.places, url, source.environment_files)
    environments = tuple(each for each in source.environment_files if each in sent)
    goal = Goal(text, {}, source.environment, environments, files)
    found = list(map(relocation.told, checker.problems(goal, url)))
    yield from found
    if any(each.severity is Severity.ERROR for each in found):
        environment = {**source.environment, "parameters": {}, "event_sinks": []}
        for each in _nested(source):
            alone = Goal(files[each], environment=environment, files=files)
            yield from map(relocation.told, checker.problems(alone, each))


def _laid_out(text: str, *, is_document: bool) -> str:
    """Return a document on many lines: places count columns up to about a million."""
    return json.dumps(json.loads(text), indent=0) if is_document else text


def _nested(source: Gathered) -> list[str]:
    """Return the templates that others name."""
    templates = source.places.keys() & source.files.keys()
    return sorted(templates - set(source.environment_files))


def _ruled(source: Gathered) -> Iterator[Problem]:
    """Give what the rules say of each template."""
    for url, text in source.texts.items():
        if url in source.environment_files or url not in source.places:
            continue
        try:
            template = templates.read(text, shown(url))
        except Invalid:  # told already
            continue
        yield from findings(Subject(template, text))


def _left(
    problems: Iterable[Problem], texts: Mapping[str, str], disabled: frozenset[Code]
) -> list[Problem]:
    """Return the problems that are not switched off, each once: an error rather than a warning."""
    said = {file: comments(text, file) for file, text in texts.items()}
    told = [*problems, *(each for file in said.values() for each in file.problems)]
    found: dict[object, Problem] = {}
    for each in sorted(told, key=lambda each: (each.severity is Severity.WARNING, not each.hint)):
        file = each.place.file if each.place else ""
        if each.code not in disabled and not (file in said and said[file].covers(each)):
            found.setdefault((each.place, each.code, each.text), each)
    order = {file: number for number, file in enumerate(texts)}
    return sorted(found.values(), key=lambda each: _order(each, order))


def _order(problem: Problem, files: Mapping[str, int]) -> tuple[int, int, int]:
    at = problem.place
    return (files.get(at.file, -1), at.line, at.column) if at else (-1, 0, 0)
