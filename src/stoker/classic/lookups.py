"""Custom constraints of plugins, beside those that the cloud's own clients answer.

Rule: a value is asked about once a call; a plugin that fails in its own way fails the value,
and a service that is away raises its CloudError, as it does for built-in constraints.
"""

from __future__ import annotations

from collections.abc import Mapping

from stoker.classic.border import Border, PluginFailed
from stoker.classic.constraints import BaseCustomConstraint
from stoker.classic.context import Context
from stoker.sdk.cloud import Cloud, Constraints, Lookup


class PluginConstraints:
    """Answers look-ups (:class:`stoker.sdk.cloud.Constraints`), as one user sees the cloud."""

    def __init__(
        self,
        classes: Mapping[str, type[BaseCustomConstraint]],
        inner: Constraints,
        cloud: Cloud,
        project_id: str = "",
    ) -> None:
        self._classes, self._inner = classes, inner
        self._context = Context(project_id, cloud)

    def missing(self, lookups: list[Lookup]) -> dict[Lookup, str]:
        """Return, for each look-up that fails, the text that says why."""
        theirs = [each for each in lookups if each.constraint in self._classes]
        ours = [each for each in lookups if each.constraint not in self._classes]
        failed = self._inner.missing(ours) if ours else {}
        told: dict[tuple[str, str], str | None] = {}
        for each in theirs:
            key = (each.constraint, each.value)
            if key not in told:
                told[key] = self._wrong(*key)
            if (text := told[key]) is not None:
                failed[each] = text
        return failed

    def _wrong(self, name: str, value: str) -> str | None:
        try:
            with Border(self._context):
                constraint = self._classes[name]()
                good = constraint.validate(value, self._context)
                return None if good else str(constraint.error(value))
        except PluginFailed as e:
            return f"{name} could not be checked: {e}"
