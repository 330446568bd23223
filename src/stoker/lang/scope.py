"""The scope that a stack's expressions are folded in.

Rule: everything but the resources is answered at once; of resources only their existence.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from stoker.errors import Code, Kind
from stoker.lang.fetched import unsent
from stoker.lang.functions.arguments import wrong
from stoker.lang.functions.budget import Budget
from stoker.lang.suggestion import meant
from stoker.lang.unknown import UNKNOWN

UNDECLARED: Final = " The template does not declare it."
"""What to do, after the words that clients know."""


class StackScope:
    """Parameters, files and facade of one stack; conditions and resources as they are found.

    ``truths``, ``enabled`` and ``disabled`` are filled while the stack is instantiated:
    conditions first, then resources, then what refers to them. ``used`` are the conditions that
    were asked for. ``origin`` is the file of the template.
    """

    def __init__(
        self,
        parameters: Mapping[str, Any],
        files: Mapping[str, str],
        facade: Mapping[str, Any] | None,
        zones: Collection[str] | None = None,
        origin: str = "",
    ) -> None:
        self._parameters, self._files, self._facade = parameters, files, facade
        self._zones, self._origin = zones, origin
        self._suggested = 0
        self.truths: dict[str, Any] = {}
        self.used: set[str] = set()
        self.budget = Budget()
        self.enabled: frozenset[str] = frozenset()
        self.disabled: Collection[str] = ()

    def without_values(self) -> StackScope:
        """Return this scope with every parameter UNKNOWN."""
        unknown = dict.fromkeys(self._parameters, UNKNOWN)
        scope = StackScope(unknown, self._files, self._facade, self._zones, self._origin)
        scope.truths, scope.enabled, scope.disabled = self.truths, self.enabled, self.disabled
        return scope

    def parameter(self, name: str) -> Any:
        if name not in self._parameters:
            raise wrong(
                f"The Parameter ({name}) was not provided.{UNDECLARED}",
                Kind.PARAMETER_MISSING,
                code=Code.UNDECLARED_PARAMETER,
                hint=self._meant(name, self._parameters),
            )
        return self._parameters[name]

    def file(self, key: str) -> str:
        if key not in self._files:
            text = f"the file {key} did not come with the request; add it to its files"
            raise wrong(text, code=Code.MISSING_FILE, hint=unsent(key, self._origin))
        return self._files[key]

    def facade(self, part: str) -> Any:
        if self._facade is None:
            raise wrong("this has a meaning only in a nested stack", code=Code.FACADE)
        return self._facade.get(part)

    def zones(self) -> Any:
        return UNKNOWN if self._zones is None else list(self._zones)

    def condition(self, name: str) -> Any:
        if name not in self.truths:
            text = f'The condition "{name}" is not defined; add it to the conditions'
            hint = self._meant(name, self.truths)
            raise wrong(text, Kind.REFERENCE, code=Code.ABSENT_CONDITION, hint=hint)
        self.used.add(name)
        return self.truths[name]

    def reference(self, resource: str) -> Any:
        self.check(resource)
        return UNKNOWN

    def attribute(self, resource: str, name: str | None, path: tuple[Any, ...]) -> Any:
        del name, path
        self.check(resource)
        return UNKNOWN

    def check(self, resource: str) -> None:
        """Raise Invalid unless ``resource`` is in the stack."""
        if resource in self.enabled:
            return
        why = "the template has no such resource"
        if resource in self.disabled:
            why = "the condition of that resource is false"
        text = f'The specified reference "{resource}" is incorrect: {why}'
        raise wrong(text, Kind.REFERENCE, hint=self._meant(resource, self.enabled))

    def _meant(self, word: str, names: Collection[str]) -> str:
        self._suggested += 1
        return meant(word, names, self._suggested)
