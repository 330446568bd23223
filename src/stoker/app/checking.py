"""The engine's checks without engine, store and cloud: what ``stoker lint`` asks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stoker.app.known_types import known_types
from stoker.app.yaql import provide_yaql
from stoker.engine.foresight import kinds_of
from stoker.engine.goals import Documents, Preparation, Prepared, of_child
from stoker.engine.settings import Settings
from stoker.engine.usecases.documents import requested, warnings
from stoker.errors import Code, Invalid, LimitExceeded, Problem
from stoker.lang.environment import read_environment
from stoker.plan.outdated import outdated
from stoker.plan.results import foreseen
from stoker.sdk.resource import StackInfo

if TYPE_CHECKING:
    from pathlib import Path

    from stoker.errors import Path as PathIn
    from stoker.usecases.stacks import Goal

_STACK = StackInfo("", "stack", "")
_OF_A_PROPERTY = 4
"""So long is the path of a property: ``resources.web.properties.name``."""


class Checking:
    """Checks goals (:class:`stoker.cli.checking.Checker`) with the built-in types, installed
    plugins and those of ``plugin_dirs``."""

    def __init__(self, plugin_dirs: Sequence[Path] = ()) -> None:
        provide_yaql()
        self._types = known_types(plugin_dirs)
        self._preparation = Preparation(self._types, Settings(max_resources_per_stack=-1))

    def problems(self, goal: Goal, file: str) -> Sequence[Problem]:
        """Return all that is wrong; parameters need no values."""
        documents, found = _documents(goal)
        beside = [] if found else list(warnings(goal))
        try:
            whole = replace(documents, file=file)
            prepared, more = self._preparation.assess(whole, _STACK, strict=False)
            found += more
            told = {each.at for each in found}
            more = list(self._foreseen(prepared, 0, deep=not found))
            found += [each for each in more if not _is_told(each.at, told)]
        except Invalid as error:
            found += error.problems
        except LimitExceeded as error:
            found.append(Problem(str(error), error.at, error.place, code=Code.LIMIT))
        return [*found, *beside]

    def _foreseen(self, goal: Prepared, depth: int, *, deep: bool) -> Iterator[Problem]:
        """Give what would be wrong later, or with other parameters; children must be sound."""
        kinds = kinds_of(goal, self._types)
        yield from foreseen(goal.template, kinds, goal.desired.wants)
        yield from outdated(goal.template, kinds)
        if deep:
            for want, child in self._preparation.children(goal, _STACK, depth):
                for each in self._foreseen(child, depth + 1, deep=True):
                    yield of_child(each, want, goal.template)

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of templates."""
        from stoker.sdk.json_schema import schema_of_templates

        return schema_of_templates(self._types)


def _documents(goal: Goal) -> tuple[Documents, list[Problem]]:
    """Return the documents, with what can be read of the environment, and what is wrong with it."""
    try:
        return requested(goal), []
    except Invalid as error:
        sections = goal.environment if isinstance(goal.environment, Mapping) else {}
        readable = {name: each for name, each in sections.items() if _is_readable(name, each)}
        goal = replace(goal, environment_files=(), environment=readable)
        return requested(goal), list(error.problems)


def _is_readable(section: str, content: Any) -> bool:
    try:
        read_environment({section: content})
    except Invalid:
        return False
    return True


def _is_told(at: PathIn, told: set[PathIn]) -> bool:
    """Tell whether something is told of the value at ``at``, or of one that holds it."""
    return any(at[:length] in told for length in range(_OF_A_PROPERTY, len(at) + 1))
