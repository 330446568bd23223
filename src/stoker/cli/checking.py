"""What ``lint`` and ``schema`` need of the rest of the program: the types, the engine's checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from stoker.errors import Problem
    from stoker.usecases.stacks import Goal


class Checker(Protocol):
    """Checks a goal as the service would, as far as that needs no cloud."""

    def problems(self, goal: Goal, file: str) -> Sequence[Problem]:
        """Return all that is wrong in the whole tree; ``file`` names the template in places."""

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of templates."""
