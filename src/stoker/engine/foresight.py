"""What these parameters do not take of a goal, and what would be wrong with it: warnings.

Rule: Heat accepts it, and so do we; whoever asks what is wrong with a template is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from stoker.engine.goals import of_child
from stoker.engine.secrets import masked
from stoker.errors import Problem, Severity
from stoker.lang.environment import is_template
from stoker.lang.lint.open_branches import open_branches
from stoker.lang.lint.subject import Subject
from stoker.plan.results import foreseen

if TYPE_CHECKING:
    from stoker.engine.goals import Preparation, Prepared
    from stoker.sdk.resource import Resource, StackInfo, Types


_SECTIONS: Final = ("conditions", "Conditions")


def has_choices(template: str | Mapping[str, Any]) -> bool:
    """Tell, without reading it, whether a template may have conditions; else nothing is open."""
    return any(each in template for each in _SECTIONS)


def kinds_of(goal: Prepared, types: Types) -> Mapping[str, Resource[Any] | None]:
    """Return the types of all resources but those whose template is not known."""
    found: dict[str, Resource[Any] | None] = {}
    for name, syntax in goal.template.resources.items():
        used = goal.documents.environment.resolve(syntax.type, name) or syntax.type
        if name in goal.desired.wants:
            found[name] = goal.desired.wants[name].kind
        elif not is_template(used):
            found[name] = types.get(used)
    return found


def warnings(
    goal: Prepared, types: Types, preparation: Preparation, stack: StackInfo, depth: int = 0
) -> Iterator[Problem]:
    """Give the warnings of a sound goal and its children."""
    yield from warnings_alone(goal, types)
    for want, child in preparation.children(goal, stack, depth):
        for each in warnings(child, types, preparation, stack, depth + 1):
            yield of_child(each, want, goal.template)


def warnings_alone(goal: Prepared, types: Types) -> Iterator[Problem]:
    """Give those of its own template."""
    if not goal.template.conditions:  # nothing hangs on a choice
        return
    found = [
        *open_branches(Subject(goal.template, "")),
        *foreseen(goal.template, kinds_of(goal, types), goal.desired.wants),
    ]
    told: set[object] = set()
    for each in found:
        if each.severity is Severity.WARNING and (each.at, each.text) not in told:
            told.add((each.at, each.text))
            yield replace(each, text=masked(each.text, goal.secrets))
