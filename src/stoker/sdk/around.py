"""What a resource finds around it: what its stack was made with, for types that hand it on.

Rule: as for a stack below it, parameters stay behind and the mapping of its own type is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from stoker.lang.environment import Environment

_HANDED_ON: Final = ("parameter_defaults", "resource_registry")


@dataclass(frozen=True, slots=True)
class Around:
    """The files of the stack, and the environment that goes down from it, as JSON-able data."""

    files: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, environment: Environment, files: Mapping[str, str], name: str, type: str) -> Self:
        """Return what the resource ``name`` finds; ``type`` is as the template has it."""
        below = environment.for_child(name, type).as_dict()
        return cls(files, {section: below[section] for section in _HANDED_ON})


def nothing_around() -> Around:
    """Return what is around a resource that is only thought of."""
    return Around()
