"""The engine's checks without engine, store and cloud: what ``stoker lint`` asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stoker.engine.goals import Preparation
from stoker.engine.settings import Settings
from stoker.engine.usecases.documents import requested
from stoker.errors import Code, Invalid, LimitExceeded, Problem
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
            _, more = self._preparation.assess(replace(documents, file=file), _STACK, strict=False)
            found += more
        except Invalid as error:
            found += error.problems
        except LimitExceeded as error:
            found.append(Problem(str(error), code=Code.LIMIT))
        return found

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of templates."""
        from stoker.sdk.json_schema import schema_of_templates

        return schema_of_templates(self._types)
