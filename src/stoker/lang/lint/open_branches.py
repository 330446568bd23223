"""What is wrong in a branch, a resource or an output that these parameters do not take.

Rule: Heat looks at what is taken alone, and so does a stack; with other parameters it would be
wrong, so it is a warning here, under the code that it has elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from stoker.errors import Code, Problem, Severity
from stoker.lang.cfn import parameters as cfn
from stoker.lang.evaluation import Evaluator
from stoker.lang.hot import parameters as hot
from stoker.lang.lint.subject import Subject, calls_in
from stoker.lang.scope import StackScope
from stoker.lang.syntax import Template
from stoker.lang.unknown import UNKNOWN
from stoker.lang.versions import CFN

_OF_THE_REQUEST: Final = (Code.FACADE, Code.MISSING_FILE)
"""What hangs on more than the template."""


def open_branches(subject: Subject) -> Iterator[Problem]:
    """Give what is wrong anywhere, whatever the parameters and the conditions are."""
    template = subject.template
    evaluator = Evaluator(_scope(subject), fold=True, hidden=template.hidden)
    for at, expr in subject.expressions():
        evaluator.value(expr, at)
        for within, call in calls_in(expr, at):
            if call.name == "if" and isinstance(call.args, list):
                for index, branch in enumerate(call.args[1:], 1):
                    evaluator.value(branch, (*within, index))
    for each in evaluator.problems:
        if each.code not in _OF_THE_REQUEST:
            place = each.place or template.places.nearest(each.at)
            yield replace(each, severity=Severity.WARNING, place=place)


def _scope(subject: Subject) -> StackScope:
    template = subject.template
    scope = StackScope(_unknown(template), {}, None)
    scope.truths = dict.fromkeys(template.conditions, UNKNOWN)
    scope.enabled = frozenset(template.resources)
    return scope


def _unknown(template: Template) -> dict[str, object]:
    pseudo = cfn.PSEUDO if template.version in CFN else hot.PSEUDO
    return dict.fromkeys((*pseudo, *template.parameters), UNKNOWN)
