"""An operation on a stack that is watched: what it is, what is seen of it, how it ends.

Rule: values; looking and waiting are :mod:`stoker.cli.watch`'s.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from stoker.cli.progress import Progress
    from stoker.cli.session import Json


class Source(Protocol):
    """Where stacks, resources and events are seen (:class:`stoker.cli.stacks.Stacks`)."""

    def stack(self, name: str, id: str) -> Json: ...
    def resources(self, name: str, id: str) -> list[Json]: ...
    def events(self, name: str, id: str, **query: Any) -> list[Json]: ...


@dataclass(frozen=True, slots=True)
class Operation:
    """What is watched. ``marker`` is the last event before it; ``fresh``: nothing was before.

    ``asked`` is when it was asked for, on the monotonic clock: all times are from then on.
    """

    name: str
    id: str
    start: Progress
    marker: str | None = None
    fresh: bool = False
    asked: float = field(default_factory=time.monotonic)

    @property
    def action(self) -> str:
        return self.start.action

    def events(self, source: Source) -> list[Json]:
        """Return the operation's events, oldest first."""
        query = {"marker": self.marker} if self.marker else {}
        return source.events(self.name, self.id, **query)


@dataclass(frozen=True, slots=True)
class Sight:
    """One look: the stack as the API shows it, what is in it, and when that was."""

    stack: Json
    progress: Progress
    now: float
    silent: str = ""

    @property
    def status(self) -> str:
        return str(self.stack["stack_status"])


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended, after how many seconds."""

    operation: Operation
    stack: Json = field(repr=False)
    progress: Progress = field(repr=False)
    seconds: float = 0.0

    @property
    def status(self) -> str:
        return str(self.stack["stack_status"])

    @property
    def is_good(self) -> bool:
        doing, _, outcome = self.status.partition("_")
        if outcome != "COMPLETE":
            return False
        deleting = self.operation.action == "DELETE"
        return doing == "DELETE" if deleting else doing not in ("DELETE", "ROLLBACK")
