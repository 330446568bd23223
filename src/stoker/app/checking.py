"""The engine's checks without engine, store and cloud: what ``stoker lint`` asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stoker.engine.goals import Preparation, Prepared
from stoker.engine.settings import Settings
from stoker.engine.usecases.documents import requested
from stoker.errors import Code, Invalid, LimitExceeded, Problem
from stoker.plan.results import mismatches
from stoker.resources.index import Index
from stoker.sdk.resource import StackInfo

if TYPE_CHECKING:
    from stoker.usecases.stacks import Goal

_STACK = StackInfo("", "stack", "")


class Checking:
    """Checks goals with the built-in types (:class:`stoker.cli.checking.Checker`)."""

    def __init__(self) -> None:
        self._types = Index()
        self._preparation = Preparation(self._types, Settings(max_resources_per_stack=-1))

    def problems(self, goal: Goal, file: str) -> Sequence[Problem]:
        """Return all that is wrong; parameters need no values."""
        found: list[Problem] = []
        try:
            documents = requested(goal)
        except Invalid as error:
            found += error.problems
            documents = requested(replace(goal, environment_files=()))
        try:
            whole = replace(documents, file=file)
            prepared, more = self._preparation.assess(whole, _STACK, strict=False)
            found += more
            told = {each.at for each in found}
            mismatches = self._mismatches(prepared, 0, deep=not found)
            found += [each for each in mismatches if each.at not in told]
        except Invalid as error:
            found += error.problems
        except LimitExceeded as error:
            found.append(Problem(str(error), code=Code.LIMIT))
        return found

    def _mismatches(self, goal: Prepared, depth: int, *, deep: bool) -> Iterator[Problem]:
        """Give what functions give that properties do not take; children must be sound."""
        yield from mismatches(goal.template, goal.desired.wants)
        if deep:
            for want, child in self._preparation.children(goal, _STACK, depth):
                way = ("resources", want.definition.name)
                for each in self._mismatches(child, depth + 1, deep=True):
                    yield replace(each, at=(*way, *each.at))

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of templates."""
        from stoker.sdk.json_schema import schema_of_templates

        return schema_of_templates(self._types)
